// SPDX-License-Identifier: BSD-3-Clause
// Congestion: the loop of one direction's data while it is watched: from its first CE or CNP on. Fixed size, whatever
// passes. It is told of data packets, marks and CNPs, and asks a RateMeter for rates.
#pragma once

#include <array>
#include <optional>

#include "track/congestion_counts.h"
#include "track/packet_facts.h"
#include "track/rate_meter.h"

namespace rocetop::track {

/// Whoever counts congested senders need not hear of each mark.
inline constexpr Nanos kSignsApart = microseconds(100);

/// What the sender of a data packet did since its data packet before.
struct SenderPause {
  Nanos idle;          ///< nothing was outstanding, and nobody had asked for anything
  bool rests = false;  ///< it had sent what it had, and an answer (or a READ, or the data for one) came before this one
};

class Congestion {
 public:
  /// A data packet. `moved`: the meter's window has. True when it was marked, and that has not been told for
  /// kSignsApart.
  bool on_data(const PacketFacts& packet, const SenderPause& pause, bool moved, const RateMeter& meter);
  /// Whether a CNP is a second copy of the one before. Asked once for each, before on_cnp(). Where the IP
  /// identification tells nothing, the capture does: `captured_twice` says that it holds most of the data two times.
  bool is_copy(const PacketFacts& cnp, bool captured_twice);
  /// A CNP for this data. `nak`: the last PSN sequence error NAK of its sender. False for one that was sent with a NAK.
  bool on_cnp(const PacketFacts& cnp, FrameId nak, Nanos nak_time, const RateMeter& meter);
  /// As many of its CNPs were not for this data. False where nothing is left of it: no mark, no CNP. (Of CNPs that are
  /// its own beside these, what was measured stays.)
  bool forget_cnps(std::uint64_t cnps);
  /// A PSN sequence error NAK for this data.
  void on_nak(const PacketFacts& nak);

  CongestionCounts finish(Nanos last_data) const;

 private:
  /// A series of CNPs and what the rate did since.
  struct Series {
    Nanos first;
    Nanos last;
    double before = 0;  // bits per second
    double lowest = 0;
    bool fell = false;
  };
  /// One CNP whose window after is awaited.
  struct Sample {
    Nanos at;
    double before = 0;
  };
  /// The rate's ups and downs, told apart by a factor of two.
  struct Swing {
    bool falling = false;
    double peak = 0;  // bytes a window
    double trough = 0;
    Nanos trough_time;
    std::optional<Nanos> last_trough;
    double last_peak = 0;
    Nanos idle;              // since the last trough
    bool congested = false;  // a CE or CNP since then
    // Welford's sums over whole swings.
    double mean_ns = 0;
    double m2 = 0;
    double depth_sum = 0;
  };

  /// The sender's rests that ended between two moves of the window.
  struct Rests {
    Nanos end;
    Nanos length;
  };
  /// A rate with no CNP near, to see whether it falls by itself.
  struct Calm {
    Nanos at;
    double before = 0;
  };

  void begin(Nanos now);
  void note_pause(const PacketFacts& packet, const SenderPause& pause);
  Nanos rest_in(const RateMeter& meter) const;
  std::optional<double> rate_at_work(const RateMeter& meter) const;
  void follow_calm(double rate, const RateMeter& meter);
  void note_nak(FrameId nak, Nanos time);
  void count_gap_and_delay(const PacketFacts& cnp);
  void start_series(Nanos now, double before, const RateMeter& meter);
  void on_window(Nanos now, const RateMeter& meter);
  void follow_series(Nanos now, double rate, const RateMeter& meter);
  void count_cut(const Series& series);
  void follow_swing(Nanos now, const RateMeter& meter);
  void whole_swing(Nanos now);

  CongestionCounts counts_;
  std::array<Nanos, 16> marks_{};  // the latest CE times, for CNPs that are told late (until pairing)
  std::uint8_t next_mark_ = 0;
  std::uint64_t ce_since_cnp_ = 0;
  Nanos first_ce_since_cnp_;
  std::uint16_t last_ip_id_ = 0;
  bool last_was_copy_ = false;
  bool last_cnp_with_nak_ = false;
  FrameId last_cnp_;
  bool begun_ = false;
  Nanos began_;
  Nanos last_sign_;
  Nanos idle_end_;     // of the last pause of the sender …
  Nanos idle_length_;  // … and how long it was
  std::optional<Nanos> last_data_;
  Nanos pace_;  // between packets of a message, of late
  Rests open_rests_;
  std::array<Rests, RateMeter::kWindow> rests_{};
  std::uint8_t next_rests_ = 0;
  std::optional<Sample> sample_;
  std::optional<Series> series_;
  std::optional<Calm> calm_;
  Swing swing_;
};

}  // namespace rocetop::track
