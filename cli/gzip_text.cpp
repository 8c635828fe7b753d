// SPDX-License-Identifier: BSD-3-Clause
#include "gzip_text.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace rocetop::cli {
namespace {

constexpr int kRaw = -15;   // window bits: 32 KiB, no head of zlib's own
constexpr int kQuick = 1;   // level: twice the size of the best, a quarter of its time, and a scrape waits for it
constexpr int kMemory = 8;  // zlib's default

/// Little-endian.
void append(std::string& to, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) to.push_back(static_cast<char>(value >> shift & 0xFF));
}

}  // namespace

DeflatedPart deflate_part(std::string_view text, bool last) {
  z_stream stream{};
  ROCETOP_CHECK(deflateInit2(&stream, kQuick, Z_DEFLATED, kRaw, kMemory, Z_DEFAULT_STRATEGY) == Z_OK);
  constexpr std::size_t kOneAtATime = std::numeric_limits<uInt>::max() / 4;
  ROCETOP_CHECK(text.size() < kOneAtATime);
  auto bytes = std::make_shared<std::string>(deflateBound(&stream, static_cast<uLong>(text.size())) + 16, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes->data());
  stream.avail_out = static_cast<uInt>(bytes->size());
  const int done = deflate(&stream, last ? Z_FINISH : Z_FULL_FLUSH);  // ends on a whole byte either way
  ROCETOP_CHECK(done == (last ? Z_STREAM_END : Z_OK) && stream.avail_in == 0 && stream.avail_out > 0);
  bytes->resize(stream.total_out);
  deflateEnd(&stream);
  DeflatedPart part;
  part.bytes = std::move(bytes);
  part.crc =
      static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
  part.length = text.size();
  return part;
}

std::vector<std::shared_ptr<const std::string>> gzip_of(const std::vector<DeflatedPart>& parts) {
  // RFC 1952 2.3: ID, deflate, no flags, no time, fastest, unknown system.
  static const auto head = std::make_shared<const std::string>("\x1F\x8B\x08\x00\x00\x00\x00\x00\x04\xFF", 10);
  std::vector<std::shared_ptr<const std::string>> out = {head};
  uLong crc = 0;
  std::size_t length = 0;
  for (const DeflatedPart& part : parts) {
    out.push_back(part.bytes);
    crc = crc32_combine(crc, part.crc, static_cast<z_off_t>(part.length));
    length += part.length;
  }
  std::string tail;
  append(tail, static_cast<std::uint32_t>(crc));
  append(tail, static_cast<std::uint32_t>(length));
  out.push_back(std::make_shared<const std::string>(std::move(tail)));
  return out;
}

}  // namespace rocetop::cli
