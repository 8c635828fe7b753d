// SPDX-License-Identifier: BSD-3-Clause
// What a person sees who opens the exporter's address in a browser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rocetop::cli {

struct LandingFacts {
  std::string metrics_path;
  std::vector<std::string> inputs;  ///< names of interfaces or files; untrusted
  std::string state;                ///< "captures", "has read"; a word for what is done with them
};

std::string landing_page(const LandingFacts& facts);

/// `text` as it stands between tags or in a quoted attribute; what is no text is left out.
std::string html_escaped(std::string_view text);

}  // namespace rocetop::cli
