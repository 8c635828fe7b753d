// SPDX-License-Identifier: BSD-3-Clause
// PcapngReader: the block capture format (draft-ietf-opsawg-pcapng): several sections, each with its byte order and its
// interfaces, each with its link type and clock. Every block is
//
//   0 type | 4 total length | 8 body, padded to 4 bytes | total length again
//
// Read are section header, interface description, enhanced, simple and (obsolete) packet block and interface
// statistics; all others, comments and unknown options are passed over. Drop counts in packet blocks (epb_dropcount)
// are not used: no known writer fills them, and they would count again what the statistics count.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "source/byte_order.h"
#include "source/record_reader.h"
#include "source/tick_clock.h"

namespace rocetop::source {

class PcapngReader final : public RecordReader {
 public:
  /// `stream` begins with a section header block.
  PcapngReader(std::unique_ptr<ByteStream> stream, std::string name)
      : RecordReader(std::move(stream), std::move(name), "block") {}

 private:
  /// A block, or the front of one that is too long for the buffer.
  struct Block {
    std::size_t into_held = 0;  // where it begins, for messages
    std::uint32_t type = 0;
    std::uint32_t total_length = 0;
    Bytes body{};                   // without the length at the end
    std::uint32_t body_length = 0;  // of the whole block
  };
  struct Packet {
    std::uint32_t interface_id = 0;
    std::uint64_t ticks = 0;
    std::uint32_t captured = 0;
    std::uint32_t wire_length = 0;
    bool has_time = true;
  };

  std::size_t take(Bytes held, std::vector<Frame>& batch) override;
  bool check_late_trailer(Bytes held);
  bool take_byte_order(Bytes block, std::size_t into_held);
  bool take_block(const Block& block, std::vector<Frame>& batch);
  bool take_section_header(const Block& block);
  bool take_interface(const Block& block);
  bool take_enhanced_packet(const Block& block, std::vector<Frame>& batch);
  bool take_simple_packet(const Block& block, std::vector<Frame>& batch);
  bool take_obsolete_packet(const Block& block, std::vector<Frame>& batch);
  void take_time(Packet& packet, const TickClock& clock);
  bool take_statistics(const Block& block);
  bool add_frame(const Block& block, Packet packet, std::size_t packet_offset, std::vector<Frame>& batch);
  bool refuse(const Block& block, const std::string& reason);
  void remark_options(const Block& block);
  void remark_once(const Block& block, const std::string& reason, std::string hint);

  ByteOrder order_;
  std::size_t section_first_ = 0;  // index of the section's first interface
  std::vector<TickClock> clocks_;  // parallel to interfaces_
  Nanos last_time_;
  std::uint32_t late_trailer_ = 0;  // total length of a long block, to be compared with what ends it
  bool remarked_ = false;
  bool in_section_ = false;
};

}  // namespace rocetop::source
