// SPDX-License-Identifier: GPL-2.0-or-later
// InterfaceTable: Wireshark numbers interfaces within a section of a pcapng file, the analysis within the capture.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "bridge.h"
#include "source/pushed_source.h"

namespace rocetop::dissector {

class InterfaceTable {
 public:
  /// The index in `source` of the interface that `frame` came by.
  std::uint32_t index_of(const roce_frame& frame, source::PushedSource& source) {
    if (known_ && frame.section == section_ && frame.interface_id == interface_id_) return index_;
    section_ = frame.section;
    interface_id_ = frame.interface_id;
    known_ = true;
    const std::pair key{frame.section, frame.interface_id};
    const auto found = indexes_.find(key);
    if (found != indexes_.end()) return index_ = found->second;
    // Beyond the limit they are one; a capture has a few, and sections of concatenated files have theirs.
    if (indexes_.size() >= kMost) return index_ = 0;
    source::InterfaceFacts facts;
    facts.ticks_per_second = 1'000'000'000;
    facts.link_type = static_cast<LinkType>(frame.link_type);
    index_ = source.add_interface(facts);
    // What is yet to come is not known: the first of several interfaces must be treated as one of several.
    if (index_ == 0 && frame.has_interface) source.add_interface(facts);
    indexes_.emplace(key, index_);
    return index_;
  }

 private:
  static constexpr std::size_t kMost = 16'384;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> indexes_;
  bool known_ = false;  // the newest:
  std::uint32_t section_ = 0;
  std::uint32_t interface_id_ = 0;
  std::uint32_t index_ = 0;
};

}  // namespace rocetop::dissector
