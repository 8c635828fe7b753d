// SPDX-License-Identifier: BSD-3-Clause
// ByteWriter: appends big-endian numbers to a vector of bytes; the mirror image of base's ByteReader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rocetop::generate {

class ByteWriter {
 public:
  void u8(std::uint64_t v) { put(v, 1); }
  void u16(std::uint64_t v) { put(v, 2); }
  void u24(std::uint64_t v) { put(v, 3); }
  void u32(std::uint64_t v) { put(v, 4); }
  void u64(std::uint64_t v) { put(v, 8); }
  void zeros(std::size_t n) { bytes_.resize(bytes_.size() + n); }
  void bytes(std::span<const std::uint8_t> b) { bytes_.insert(bytes_.end(), b.begin(), b.end()); }

  std::size_t size() const { return bytes_.size(); }
  std::vector<std::uint8_t>& data() { return bytes_; }

 private:
  void put(std::uint64_t v, int octets) {
    for (int shift = (octets - 1) * 8; shift >= 0; shift -= 8) bytes_.push_back(static_cast<std::uint8_t>(v >> shift));
  }

  std::vector<std::uint8_t> bytes_;
};

}  // namespace rocetop::generate
