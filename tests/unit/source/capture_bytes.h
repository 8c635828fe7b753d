// SPDX-License-Identifier: BSD-3-Clause
// Captures built byte by byte, by a writer that shares nothing with the readers, and what a source makes of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/byte_stream.h"
#include "source/frame_source.h"
#include "source/open.h"

namespace rocetop::source::test {

using Buffer = std::vector<std::uint8_t>;

/// Appends numbers in one byte order.
class Writer {
 public:
  explicit Writer(bool big_endian = false) : big_endian_(big_endian) {}

  Writer& number(std::uint64_t value, int length) {
    for (int i = 0; i < length; ++i) {
      const int shift = 8 * (big_endian_ ? length - 1 - i : i);
      bytes_.push_back(static_cast<std::uint8_t>(value >> shift));
    }
    return *this;
  }
  Writer& u8(std::uint64_t value) { return number(value, 1); }
  Writer& u16(std::uint64_t value) { return number(value, 2); }
  Writer& u32(std::uint64_t value) { return number(value, 4); }
  Writer& u64(std::uint64_t value) { return number(value, 8); }
  Writer& raw(const Buffer& bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Writer& text(std::string_view characters) {
    bytes_.insert(bytes_.end(), characters.begin(), characters.end());
    return *this;
  }
  Writer& pad() {
    while (bytes_.size() % 4 != 0) bytes_.push_back(0);
    return *this;
  }
  const Buffer& bytes() const { return bytes_; }

 private:
  bool big_endian_;
  Buffer bytes_;
};

/// `length` bytes that differ from those of another `seed`.
inline Buffer payload(std::size_t length, std::uint8_t seed = 1) {
  Buffer bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::uint8_t>(seed + 7 * i);
  return bytes;
}

/// An Ethernet frame with IPv4 and UDP that no other `number` has.
inline Buffer udp_frame(std::uint32_t number, std::uint8_t ttl = 64) {
  Writer w(true);
  w.u32(0x02000000).u16(0x0002).u32(0x02000000).u16(0x0001).u16(0x0800);
  w.u16(0x4500).u16(52).u16(number).u16(0x4000).u8(ttl).u8(17).u16(0).u32(0xC0000201).u32(0xC0000202);
  w.u16(49152).u16(4791).u16(32).u16(0);
  return w.u32(0x0A40FFFF).u32(0x11).u32(number).u32(1).u32(2).u32(3).bytes();
}

struct PcapOptions {
  bool big_endian = false;
  bool nanoseconds = false;
  std::uint32_t snap_length = 262144;
  std::uint32_t link = 1;
  std::uint16_t major = 2;
  std::uint16_t minor = 4;
};

class PcapFile {
 public:
  explicit PcapFile(PcapOptions options = {}) : w_(options.big_endian) {
    w_.u32(options.nanoseconds ? 0xA1B23C4D : 0xA1B2C3D4).u16(options.major).u16(options.minor).u32(0).u32(0);
    w_.u32(options.snap_length).u32(options.link);
  }
  PcapFile& record(std::uint32_t seconds, std::uint32_t fraction, const Buffer& captured, std::uint32_t wire_length) {
    w_.u32(seconds).u32(fraction).u32(captured.size()).u32(wire_length).raw(captured);
    return *this;
  }
  PcapFile& record(std::uint32_t seconds, std::uint32_t fraction, const Buffer& captured) {
    return record(seconds, fraction, captured, static_cast<std::uint32_t>(captured.size()));
  }
  Writer& writer() { return w_; }
  const Buffer& bytes() const { return w_.bytes(); }

 private:
  Writer w_;
};

class PcapngFile {
 public:
  explicit PcapngFile(bool big_endian = false) : w_(big_endian), big_endian_(big_endian) { section(); }

  Writer fields() const { return Writer(big_endian_); }
  PcapngFile& section() {
    return block(0x0A0D0D0A, fields().u32(0x1A2B3C4D).u16(1).u16(0).u64(~std::uint64_t{0}).bytes());
  }
  /// A section in the other byte order, from here on.
  PcapngFile& section(bool big_endian) {
    Writer rest(big_endian);
    rest.raw(w_.bytes());
    w_ = rest;
    big_endian_ = big_endian;
    return section();
  }
  PcapngFile& block(std::uint32_t type, const Buffer& body) {
    const Buffer padded = fields().raw(body).pad().bytes();
    const std::size_t length = padded.size() + 12;
    w_.u32(type).u32(length).raw(padded).u32(length);
    return *this;
  }
  Buffer option(std::uint16_t code, const Buffer& value) const {
    return fields().u16(code).u16(value.size()).raw(value).pad().bytes();
  }
  PcapngFile& interface(std::uint16_t link = 1, std::uint32_t snap_length = 0, const Buffer& options = {}) {
    return block(1, fields().u16(link).u16(0).u32(snap_length).raw(options).bytes());
  }
  PcapngFile& enhanced(std::uint32_t id, std::uint64_t ticks, const Buffer& captured, std::uint32_t wire_length,
                       const Buffer& options = {}) {
    Writer w = fields();
    w.u32(id).u32(ticks >> 32).u32(ticks).u32(captured.size()).u32(wire_length).raw(captured).pad();
    return block(6, w.raw(options).bytes());
  }
  PcapngFile& enhanced(std::uint32_t id, std::uint64_t ticks, const Buffer& captured) {
    return enhanced(id, ticks, captured, static_cast<std::uint32_t>(captured.size()));
  }
  PcapngFile& simple(std::uint32_t wire_length, const Buffer& captured) {
    return block(3, fields().u32(wire_length).raw(captured).bytes());
  }
  PcapngFile& obsolete(std::uint16_t id, std::uint64_t ticks, const Buffer& captured, std::uint32_t wire_length) {
    Writer w = fields();
    w.u16(id).u16(0xFFFF).u32(ticks >> 32).u32(ticks).u32(captured.size()).u32(wire_length).raw(captured);
    return block(2, w.bytes());
  }
  PcapngFile& statistics(std::uint32_t id, const Buffer& options) {
    return block(5, fields().u32(id).u32(0).u32(0).raw(options).bytes());
  }
  Writer& writer() { return w_; }
  const Buffer& bytes() const { return w_.bytes(); }

 private:
  Writer w_;
  bool big_endian_;
};

struct ReadFrame {
  Frame frame;  // its span is no longer valid
  Buffer bytes;
};

struct Reading {
  std::string error;  // of opening
  std::string error_hint;
  std::vector<ReadFrame> frames;
  std::vector<InterfaceFacts> interfaces;
  std::vector<Problem> problems;
};

inline Reading read_all(Result<std::unique_ptr<FrameSource>> source) {
  Reading reading;
  if (!source) {
    reading.error = source.error().message;
    reading.error_hint = source.error().hint;
    return reading;
  }
  std::vector<Frame> batch;
  while (source.value()->next_batch(batch)) {
    for (const Frame& frame : batch) {
      reading.frames.push_back({frame, Buffer(frame.bytes.begin(), frame.bytes.end())});
    }
  }
  reading.interfaces = source.value()->interfaces();
  reading.problems = source.value()->problems();
  return reading;
}

/// `chunk_bytes` as memory_stream() has it.
inline Reading read_bytes(Buffer bytes, std::size_t chunk_bytes = 0) {
  return read_all(open_stream(memory_stream(std::move(bytes), chunk_bytes), "FILE"));
}

}  // namespace rocetop::source::test
