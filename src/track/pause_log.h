// SPDX-License-Identifier: BSD-3-Clause
// PauseLog: who pauses whom for how long: PFC (IEEE 802.1Q, 36) by class, and 802.3x (annex 31B), by the MAC address
// that sends the pause frames and the interface they were captured on.
//
// A pause ends with the XON (time 0), or when its time is over: quanta of 512 bit times, so how long that is depends on
// the link's speed. Where that is not known the paused time lies between two bounds: what a link of kFastest would
// make of the quanta, and what one of kSlowest would.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/frame_id.h"
#include "base/nanos.h"
#include "wire/pause.h"

namespace rocetop::track {

inline constexpr std::uint64_t kFastestLink = 800'000'000'000;  ///< bits per second; RoCE links in use go up to here
inline constexpr std::uint64_t kSlowestLink = 10'000'000'000;   ///< … and start here
/// A link of unknown speed that renews its pauses in time for this one pauses without end.
inline constexpr std::uint64_t kLikelyLink = 100'000'000'000;
inline constexpr std::size_t kPauseClasses = 9;  ///< 0..7 of PFC, and 802.3x
inline constexpr std::size_t kAllClasses = 8;    ///< 802.3x stops them all

/// One class of one pausing port.
struct PauseCounts {
  std::uint64_t xoff_frames = 0;
  std::uint64_t xon_frames = 0;
  FrameId first_xoff;
  Nanos first_time;
  Nanos last_time;
  std::uint16_t longest_quanta = 0;
  /// Paused time, if the link's speed is known; its bounds in any case.
  std::optional<Nanos> paused;
  Nanos paused_least;
  Nanos paused_most;
  /// Longest time without XON in which each XOFF came before the one before was over (on kLikelyLink, where the speed
  /// is not known), and how many XOFF it took.
  Nanos longest_stretch;
  std::uint64_t stretch_frames = 0;
  FrameId stretch_first;
  FrameId stretch_last;
};

struct PausingPort {
  std::uint32_t interface = 0;
  std::array<std::uint8_t, 6> mac{};
  std::array<PauseCounts, kPauseClasses> classes;
};

class PauseLog {
 public:
  /// `link_speed`: bits per second, if it is known for this interface.
  void on_pause(const wire::Pause& pause, std::uint32_t interface, FrameId frame, Nanos now,
                std::optional<std::uint64_t> link_speed);

  bool any() const { return !ports_.empty(); }
  /// Bit n: class n is paused by some port now, as far as XOFF and XON tell; 802.3x: all bits.
  std::uint8_t paused_classes(Nanos now) {
    if (now > mask_until_) refresh_mask(now);
    return mask_;
  }

  /// Ends pauses that are still going on at `last_time`.
  std::vector<PausingPort> finish(Nanos last_time);
  std::uint64_t ports_omitted() const { return ports_omitted_; }

 private:
  struct Open {
    bool paused = false;
    Nanos since;
    std::uint16_t quanta = 0;
    Nanos stretch_since;
    std::uint64_t stretch_frames = 0;
    FrameId stretch_first;
  };
  struct Port {
    PausingPort counts;
    std::array<Open, kPauseClasses> open;
    std::optional<std::uint64_t> link_speed;
  };

  Port* port(const wire::Pause& pause, std::uint32_t interface);
  static void xoff(Port& port, std::size_t c, std::uint16_t quanta, FrameId frame, Nanos now);
  static void xon(Port& port, std::size_t c, Nanos now);
  static void add_time(Port& port, std::size_t c, Nanos now);
  static void end_stretch(Port& port, std::size_t c, FrameId last, Nanos end);
  static Nanos expiry(const Port& port, const Open& open);

  void refresh_mask(Nanos now);

  std::vector<Port> ports_;
  std::uint8_t mask_ = 0;
  Nanos mask_until_ = Nanos::max();  // then a pause of the mask is over
  std::uint64_t ports_omitted_ = 0;
};

}  // namespace rocetop::track
