// SPDX-License-Identifier: GPL-2.0-or-later
// Session: one capture as Wireshark shows it: an engine::Analysis to which frames are pushed, and the book of what is
// known of each. The C++ behind bridge.h; knows nothing of Wireshark.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bridge.h"
#include "engine/analysis.h"
#include "engine/frame_book.h"
#include "frame_numbers.h"
#include "interface_table.h"
#include "source/pushed_source.h"
#include "verdict/thresholds.h"

namespace rocetop::dissector {

/// "name=value name=value" into `thresholds`. A sentence about what is wrong, or "".
std::string apply_thresholds(const char* text, verdict::Thresholds& thresholds);
/// The same into a layout of veRoCE's headers.
std::string apply_veroce_layout(const char* text, wire::VeroceLayout& layout);

class Session {
 public:
  explicit Session(const roce_options& options);

  roce_status feed(const roce_frame& frame);
  void end();
  bool describe(const roce_frame& frame, bool settled, roce_packet& packet) const;
  bool describe_veroce(const roce_frame& frame, roce_veroce& veroce) const;
  /// As of now, or of the end if that has come. It is the next call's to change.
  const model::Snapshot& snapshot();
  std::uint64_t omitted() const { return book_.omitted(); }
  std::uint32_t final_connection(std::uint32_t connection) const { return book_.final_connection(connection); }

 private:
  source::Frame frame_of(const roce_frame& frame);
  void decode(const roce_frame& frame, wire::Decoded& decoded) const;

  wire::DecodeOptions decode_;
  std::unique_ptr<engine::Analysis> analysis_;
  engine::FrameBook book_;
  source::PushedSource source_;
  InterfaceTable interfaces_;
  FrameNumbers numbers_;
  Nanos last_time_;
  bool roce_ = false;  // the frame that was fed last holds RoCE
  bool ended_ = false;
  model::Snapshot snapshot_;  // the latest that was asked for, or that of the end
};

}  // namespace rocetop::dissector
