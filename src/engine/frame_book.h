// SPDX-License-Identifier: BSD-3-Clause
// FrameBook: what is remembered of every RoCE frame of an analysis, so that a face can show any of them at any time:
// what was said of it when it was read, what later packets settled, and what PacketNotes adds. Hand on_frame()
// and the book itself (as the sink) to Analysis::begin(). Bounded: frames beyond the limit are counted, not remembered.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engine/analysis.h"
#include "engine/packet_notes.h"
#include "track/joins.h"
#include "track/observation.h"
#include "track/settlement.h"

namespace rocetop::engine {

struct FrameRecord {
  Nanos time;
  bool observed = false;  ///< false: only something was settled about it so far
  track::Observation observation;
  track::Settlement settlement;
  PacketNote note;
  bool seen_after_all = false;  ///< settled: PacketNote::acked_unseen is not so
};

class FrameBook final : public track::ResolutionSink {
 public:
  explicit FrameBook(std::size_t frame_limit) : frame_limit_(frame_limit), notes_(frame_limit), joins_(frame_limit) {}

  /// As a FrameObserver.
  void on_frame(const source::Frame& frame, const wire::Decoded& decoded, const track::Observation& observation);
  void on_resolution(const track::Resolution& resolution) override;
  void on_gap_fate(const track::GapFate& fate) override;
  void on_second_look(const track::SecondLook& look) override;
  void on_join(std::uint32_t kept, std::uint32_t gone) override;

  /// Null for a frame that holds no RoCE, or found no room.
  const FrameRecord* find(std::uint32_t frame) const;
  const PacketNotes& notes() const { return notes_; }
  /// By which number a connection goes now.
  std::uint32_t final_connection(std::uint32_t connection) const { return joins_.final_number(connection); }

  /// From the first packet of a message to the reply that completed it, where both are known.
  std::optional<Nanos> completion_time(const MessageNote& message) const;
  /// That reply; 0 where it is not known.
  std::uint32_t completed_in(const MessageNote& message) const;

  /// Frames that found no room.
  std::uint64_t omitted() const { return omitted_; }
  std::size_t size() const { return records_.size(); }

 private:
  static constexpr std::size_t kPage = 4096;
  using Page = std::array<std::uint32_t, kPage>;  // by frame number: place in records_, from 1

  const FrameRecord* record_of(std::uint32_t frame) const;
  FrameRecord* use(std::uint32_t frame);
  void note(const track::FlowKey& key, const track::PacketFacts& packet, FrameRecord& record);

  std::size_t frame_limit_;
  std::vector<std::unique_ptr<Page>> pages_;  // frames are numbered densely: the next one's place is at hand
  std::deque<FrameRecord> records_;
  PacketNotes notes_;
  track::Joins joins_;
  std::uint64_t omitted_ = 0;
};

}  // namespace rocetop::engine
