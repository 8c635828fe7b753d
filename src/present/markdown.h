// SPDX-License-Identifier: BSD-3-Clause
// The report as Markdown for a ticket or a chat (`rocetop triage --markdown`): short, and safe to paste. Nothing in it
// becomes markup, a mention or a reference to another ticket ("#128" stands in code for that reason).
#pragma once

#include <string>
#include <string_view>

#include "model/snapshot.h"
#include "present/json_writer.h"

namespace rocetop::present {

struct MarkdownOptions {
  std::string selection;  ///< "host 192.0.2.1"; empty for everything
  bool all = false;       ///< every finding and connection
};

void write_markdown(const model::Snapshot& whole, const model::Snapshot& shown, const MarkdownOptions& options,
                    const TextSink& sink);

/// `text` so that it reads the same after rendering.
std::string markdown_text(std::string_view text);
/// `text` as a code span.
std::string markdown_code(std::string_view text);

}  // namespace rocetop::present
