// SPDX-License-Identifier: BSD-3-Clause
// CaptureFormat: what an input is, by its first bytes. Names what is refused, so that the message can say what to do.
#pragma once

#include <cstddef>

#include "base/byte_reader.h"
#include "base/result.h"

namespace rocetop::source {

enum class CaptureFormat {
  kPcap,
  kPcapng,
  kGzip,
  kZstd,
  kOther,  ///< not read: explain_refusal() says why
};

/// As many first bytes as format_of() and explain_refusal() look at.
inline constexpr std::size_t kSniffedBytes = 24;

CaptureFormat format_of(Bytes head);

/// For kOther: what `head` looks like, as the rest of a sentence that begins with the input's name, and a hint.
Error explain_refusal(Bytes head);

}  // namespace rocetop::source
