// SPDX-License-Identifier: BSD-3-Clause
// Settled: what the first of two passes found out about each frame, kept for the second. Bounded: what is beyond the
// limits is shown as it was known when read, and counted.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "present/packet_record.h"
#include "track/joins.h"
#include "track/observation.h"
#include "track/settlement.h"

namespace rocetop::cli {

class Settled final : public track::ResolutionSink {
 public:
  /// 8 Mi frames: 300 MB.
  static constexpr std::uint64_t kFrameLimit = std::uint64_t{8} << 20;
  static constexpr std::size_t kSecondLooksMost = std::size_t{1} << 20;  ///< 130 MB

  explicit Settled(std::uint64_t frame_limit = kFrameLimit) : page_limit_((frame_limit + kPage - 1) / kPage) {}

  void on_resolution(const track::Resolution& resolution) override;
  void on_gap_fate(const track::GapFate& fate) override;
  void on_second_look(const track::SecondLook& look) override;
  void on_join(std::uint32_t kept, std::uint32_t gone) override;

  std::optional<present::Final> find(FrameId frame) const;
  /// What `observation`, which was made when the frame was read, is in the end: of the connection as it is called then.
  track::Observation final_observation(FrameId frame, const track::Observation& observation) const;
  /// What found no room.
  std::uint64_t omitted() const { return omitted_; }

 private:
  // Frames are numbered densely and nearly all of them get settled, so pages of entries cost half of what a map does.
  static constexpr std::size_t kPage = 1024;
  using Page = std::array<track::Settlement, kPage>;

  track::Settlement* use(FrameId frame);
  static std::uint64_t page_of(FrameId frame) { return std::uint64_t{frame.file()} << 48 | frame.number() / kPage; }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  struct FrameIdHash {
    std::size_t operator()(FrameId id) const { return page_of(id) * kPage + id.number() % kPage; }
  };
  std::unordered_map<FrameId, track::Observation, FrameIdHash> second_looks_;
  track::Joins joins_;
  std::uint64_t page_limit_;
  std::uint64_t omitted_ = 0;
};

}  // namespace rocetop::cli
