// SPDX-License-Identifier: BSD-3-Clause
// open_stream(): the capture inside a stream of bytes, wherever they come from. open_capture() is this on a file.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "source/byte_stream.h"
#include "source/frame_source.h"

namespace rocetop::source {

/// Decompresses `stream` if need be and reads it as what its first bytes say. `name` is for messages, fit to be shown.
/// Waits for the first bytes. Errors: as open_capture().
Result<std::unique_ptr<FrameSource>> open_stream(std::unique_ptr<ByteStream> stream, const std::string& name);

}  // namespace rocetop::source
