// SPDX-License-Identifier: BSD-3-Clause
// Compressed bytes for tests, as gzip and zstd tools write them.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "capture_bytes.h"

namespace rocetop::source::test {

/// One gzip member.
inline Buffer gzip(const Buffer& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  Buffer out(deflateBound(&stream, bytes.size()) + 64);
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// One zstd frame; streamed, so that its header does not say how long the content is.
inline Buffer zstd(const Buffer& bytes, int window_log = 0) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  if (window_log != 0) ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  Buffer out(ZSTD_compressBound(bytes.size()) + 64);
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  // A flush before the end hides the length from the compressor.
  EXPECT_EQ(ZSTD_compressStream2(context, &output, &input, ZSTD_e_flush), 0u);
  EXPECT_EQ(ZSTD_compressStream2(context, &output, &input, ZSTD_e_end), 0u);
  out.resize(output.pos);
  ZSTD_freeCCtx(context);
  return out;
}

}  // namespace rocetop::source::test
