// SPDX-License-Identifier: BSD-3-Clause
// Settled: what the first of two passes found out about each frame, kept for the second. Bounded: frames beyond the
// limit are shown as they were known when read, and counted.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "present/packet_record.h"
#include "track/observation.h"
#include "track/settlement.h"

namespace rocetop::cli {

class Settled final : public track::ResolutionSink {
 public:
  /// 8 Mi frames: 200 MB.
  static constexpr std::uint64_t kFrameLimit = std::uint64_t{8} << 20;

  explicit Settled(std::uint64_t frame_limit = kFrameLimit) : page_limit_((frame_limit + kPage - 1) / kPage) {}

  void on_resolution(const track::Resolution& resolution) override;
  std::optional<present::Final> find(FrameId frame) const;
  /// Resolutions that found no room.
  std::uint64_t omitted() const { return omitted_; }

 private:
  // Frames are numbered densely and nearly all of them get settled, so pages of entries cost half of what a map does.
  static constexpr std::size_t kPage = 1024;
  using Page = std::array<track::Settlement, kPage>;

  static std::uint64_t page_of(FrameId frame) { return std::uint64_t{frame.file()} << 48 | frame.number() / kPage; }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t page_limit_;
  std::uint64_t omitted_ = 0;
};

}  // namespace rocetop::cli
