// SPDX-License-Identifier: BSD-3-Clause
#include "source/byte_stream.h"

#include <gtest/gtest.h>

#include "capture_bytes.h"
#include "compression.h"

namespace rocetop::source {
namespace {

using test::Buffer;
using test::gzip;
using test::payload;
using test::Writer;
using test::zstd;

Buffer join(const Buffer& a, const Buffer& b) { return Writer().raw(a).raw(b).bytes(); }
Buffer front(const Buffer& bytes, std::size_t length) {
  return Buffer(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
}

/// Bytes that do not compress to nothing.
Buffer noise(std::size_t length) {
  Buffer bytes(length);
  std::uint32_t state = 1;
  for (auto& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

struct Drained {
  Buffer bytes;
  StreamEnd end;
};

Drained drain(ByteStream& stream, std::size_t room = 10'000) {
  Drained drained;
  Buffer block(room);
  while (const std::size_t got = stream.read(block)) {
    drained.bytes.insert(drained.bytes.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(got));
  }
  EXPECT_EQ(stream.read(block), 0u);  // the end stays the end
  drained.end = stream.end();
  return drained;
}

using Decompressor = std::unique_ptr<ByteStream> (*)(std::unique_ptr<ByteStream>);

struct Codec {
  const char* name;
  Buffer (*compress)(const Buffer&);
  Decompressor decompress;
};

const Codec kCodecs[] = {
    {"gzip", gzip, gunzip_stream},
    {"zstd", [](const Buffer& bytes) { return zstd(bytes); }, unzstd_stream},
};

class Compressed : public ::testing::TestWithParam<Codec> {
 protected:
  Drained decompressed(const Buffer& bytes, std::size_t chunk = 0, std::size_t room = 10'000) const {
    const auto stream = GetParam().decompress(memory_stream(bytes, chunk));
    return drain(*stream, room);
  }
};

INSTANTIATE_TEST_SUITE_P(ByteStream, Compressed, ::testing::ValuesIn(kCodecs),
                         [](const auto& codec) { return std::string(codec.param.name); });

TEST_P(Compressed, GivesBackTheContent) {
  const Buffer content = join(noise(200'000), Buffer(200'000, 7));
  const Buffer compressed = GetParam().compress(content);
  for (const std::size_t chunk : {0, 1, 1000}) {
    const Drained drained = decompressed(compressed, chunk);
    EXPECT_TRUE(drained.bytes == content) << chunk;
    EXPECT_EQ(drained.end.kind, StreamEnd::Kind::kClean) << chunk << drained.end.reason;
  }
  EXPECT_TRUE(decompressed(compressed, 0, 1).bytes == content);
}

TEST_P(Compressed, ReadsPiecesThatFollowEachOther) {
  const Buffer a = noise(200'000);
  const Buffer b = payload(10);
  const Buffer pieces = join(join(GetParam().compress(a), GetParam().compress({})), GetParam().compress(b));
  for (const std::size_t chunk : {0, 1, 777}) {
    const Drained drained = decompressed(pieces, chunk);
    EXPECT_TRUE(drained.bytes == join(a, b)) << chunk;
    EXPECT_EQ(drained.end.kind, StreamEnd::Kind::kClean) << chunk << drained.end.reason;
  }
}

TEST_P(Compressed, CutOffIsNotAnEnd) {
  const Buffer content = noise(400'000);
  const Buffer compressed = GetParam().compress(content);
  for (const std::size_t length : {std::size_t{1}, std::size_t{5}, std::size_t{200'000}, compressed.size() - 1}) {
    const Drained drained = decompressed(front(compressed, length));
    EXPECT_EQ(drained.end.kind, StreamEnd::Kind::kCutOff) << length;
    EXPECT_TRUE(drained.bytes == front(content, drained.bytes.size())) << length;
    EXPECT_NE(drained.end.reason.find("stops at compressed byte " + std::to_string(length)), std::string::npos)
        << drained.end.reason;
  }
  // At least what the compressor had finished by then is delivered.
  EXPECT_GT(decompressed(front(compressed, 300'000)).bytes.size(), 100'000u);
}

TEST_P(Compressed, DamageIsAFailureAfterWhatWasGood) {
  const Buffer content = noise(400'000);
  Buffer compressed = GetParam().compress(content);
  for (std::size_t i = 300'000; i < 300'200; ++i) compressed[i] ^= 0x5A;
  const Drained drained = decompressed(compressed);
  EXPECT_EQ(drained.end.kind, StreamEnd::Kind::kFailed);
  EXPECT_NE(drained.end.reason.find("damaged near compressed byte"), std::string::npos) << drained.end.reason;
  EXPECT_GT(drained.bytes.size(), 100'000u);
}

TEST_P(Compressed, OtherDataBehindItIsAFailureAfterTheContent) {
  const Buffer content = noise(1000);
  const Drained drained = decompressed(join(GetParam().compress(content), Buffer(100, 'x')));
  EXPECT_TRUE(drained.bytes == content);
  EXPECT_EQ(drained.end.kind, StreamEnd::Kind::kFailed);
  EXPECT_NE(drained.end.reason.find("what follows"), std::string::npos) << drained.end.reason;
}

TEST(GunzipStream, ZeroPaddingBehindTheLastMemberIsFine) {
  const Buffer content = noise(1000);
  const auto stream = gunzip_stream(memory_stream(join(gzip(content), Buffer(300'000, 0))));
  const Drained drained = drain(*stream);
  EXPECT_TRUE(drained.bytes == content);
  EXPECT_EQ(drained.end.kind, StreamEnd::Kind::kClean);
}

TEST(UnzstdStream, PassesOverSkippableFrames) {
  const Buffer skippable = Writer().u32(0x184D2A53).u32(1000).raw(Buffer(1000, 9)).bytes();
  const Buffer content = noise(1000);
  const auto stream = unzstd_stream(memory_stream(join(join(skippable, zstd(content)), skippable), 100));
  const Drained drained = drain(*stream);
  EXPECT_TRUE(drained.bytes == content);
  EXPECT_EQ(drained.end.kind, StreamEnd::Kind::kClean) << drained.end.reason;
}

TEST(UnzstdStream, RefusesAWindowOfMoreThan128MiB) {
  // Frame header (RFC 8878 section 3.1.1.1): no content size, window exponent 18 (2^28 bytes).
  const Buffer frame = Writer().u32(0xFD2FB528).u8(0).u8(18 << 3).raw(Buffer(20, 0)).bytes();
  const auto stream = unzstd_stream(memory_stream(frame));
  const Drained drained = drain(*stream);
  EXPECT_EQ(drained.end.kind, StreamEnd::Kind::kFailed);
  EXPECT_NE(drained.end.reason.find("window of more than 128 MiB"), std::string::npos) << drained.end.reason;
  EXPECT_NE(drained.end.hint.find("--long=31"), std::string::npos);
}

TEST(UnzstdStream, CountsCompressedBytes) {
  const Buffer compressed = zstd(Buffer(1'000'000, 1));
  const auto stream = unzstd_stream(memory_stream(compressed));
  EXPECT_EQ(stream->bytes_total(), compressed.size());
  drain(*stream);
  EXPECT_EQ(stream->bytes_read(), compressed.size());
}

TEST(RejoinStream, PutsTheHeadBackInFront) {
  const auto stream = rejoin_stream({1, 2, 3}, memory_stream({4, 5}));
  EXPECT_EQ(drain(*stream, 2).bytes, (Buffer{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace rocetop::source
