// SPDX-License-Identifier: BSD-3-Clause
#include "gzip_text.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace rocetop::cli {
namespace {

/// What a client makes of it; empty if it is no gzip member from beginning to end.
std::string unpacked(const std::vector<std::shared_ptr<const std::string>>& parts) {
  std::string packed;
  for (const auto& part : parts) packed += *part;
  std::string out(4 << 20, '\0');
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  if (inflateInit2(&stream, kGzip) != Z_OK) return "";
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int end = inflate(&stream, Z_FINISH);  // checks sum and length
  const bool whole = end == Z_STREAM_END && stream.avail_in == 0;
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return whole ? out : "";
}

TEST(GzipText, PartsMakeOneMember) {
  std::string big;
  for (int i = 0; i < 50'000; ++i) big += "rocetop_packets_total{src=\"192.0.2." + std::to_string(i % 256) + "\"}\n";
  const DeflatedPart lasts = deflate_part(big, false);
  EXPECT_LT(lasts.bytes->size(), big.size() / 8);
  for (const std::string change : {"one\n", "another\n", ""}) {
    EXPECT_EQ(unpacked(gzip_of({lasts, deflate_part(change, true)})), big + change);
  }
}

TEST(GzipText, WhatCannotBeCompressedStaysWhatItIs) {
  std::string noise;
  std::uint32_t state = 1;
  for (int i = 0; i < 100'000; ++i) noise += static_cast<char>((state = state * 1'664'525 + 1'013'904'223) >> 24);
  EXPECT_EQ(unpacked(gzip_of({deflate_part(noise, false), deflate_part(noise, true)})), noise + noise);
}

TEST(GzipText, NothingIsAMemberToo) {
  EXPECT_EQ(unpacked(gzip_of({deflate_part("", false), deflate_part("x", true)})), "x");
}

}  // namespace
}  // namespace rocetop::cli
