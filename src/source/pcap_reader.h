// SPDX-License-Identifier: BSD-3-Clause
// PcapReader: the classic capture format (draft-ietf-opsawg-pcap), both byte orders, micro- and nanoseconds.
//
//   file header      0 magic | 4 version major, minor | 8 reserved, 12 reserved | 16 snap length | 20 FCS and link type
//   record header    0 seconds | 4 fraction | 8 captured length | 12 length on the wire | 16 captured bytes
//
// Not the variants that other tools made of it: capture_format.h refuses them by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "source/byte_order.h"
#include "source/record_reader.h"

namespace rocetop::source {

class PcapReader final : public RecordReader {
 public:
  /// `stream` begins with one of the magic numbers is_pcap_magic() knows.
  PcapReader(std::unique_ptr<ByteStream> stream, std::string name)
      : RecordReader(std::move(stream), std::move(name), "record") {}

 private:
  std::size_t take(Bytes held, std::vector<Frame>& batch) override;
  std::size_t take_file_header(Bytes held);
  void add_interface(Bytes header, bool nanoseconds);

  bool header_taken_ = false;
  ByteOrder order_;
  LinkType link_type_ = LinkType::kEthernet;
  std::int64_t fraction_ns_ = 1'000;
  std::uint32_t largest_captured_ = kLongestFrame;
  bool lengths_may_be_swapped_ = false;
};

}  // namespace rocetop::source
