// SPDX-License-Identifier: BSD-3-Clause
// Timeline: what the plots of a report show, as plain data: when each packet of a connection passed, and what it was.
// Bounded; what had to be drawn together is said (Series::binned), and no kind of event is ever left out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ip_address.h"
#include "base/nanos.h"
#include "base/psn.h"
#include "model/series.h"
#include "track/observation.h"

namespace rocetop::model {

/// What a plotted packet was. The first group has every packet exactly once; the second marks packets again.
enum class Mark : std::uint8_t {
  kNew,
  kResentNak,
  kResentRnr,
  kResentTimeout,
  kResentReadRestart,
  kResentSpurious,
  kResentSack,
  kResentUnknown,
  kReordered,
  kDuplicate,
  kAck,
  kSequenceNak,
  kFatalNak,  ///< any other code
  kRnrNak,
  kCnp,
  kFastCnp,  ///< from a switch: no packet of the connection that it is about
  kOther,

  kGap,  ///< the PSNs that a packet jumped over
  kCe,
  kToldBySwitch,  ///< a Fast CNP about this data, which another connection counts
  kRoundTrip,     ///< plots nanoseconds, not PSNs
};
inline constexpr std::size_t kMarks = 21;
std::string_view word(Mark mark);  ///< "resent_nak"
/// False for the marks that a packet gets besides another.
constexpr bool counts_packets(Mark mark) { return mark < Mark::kGap; }

/// False for the marks whose cells say when, and no PSN.
constexpr bool has_psns(Mark mark) {
  return (mark < Mark::kCnp || mark > Mark::kOther) && mark != Mark::kToldBySwitch && mark != Mark::kRoundTrip;
}

/// The mark of a packet sent again because of `cause`.
Mark resent(track::Cause cause);

struct MarkedSeries {
  Mark mark = Mark::kNew;
  track::SpaceName space = track::SpaceName::kNone;  ///< of replies: responses; of ACKs, NAKs and CNPs: none
  Series series;
};

/// The series of that kind, added with room for `limit` cells if there is none.
MarkedSeries& series_of(std::vector<MarkedSeries>& marks, Mark mark, track::SpaceName space, std::size_t limit);

/// Cells of each series of the connections that are drawn together.
inline constexpr std::size_t kOtherCells = 2'048;

/// What is plotted of a path of a veRoCE connection. The first has every packet that takes a PSN exactly once.
enum class PathMark : std::uint8_t {
  kSent,  ///< first transmissions and resends
  kResent,
  kLost,     ///< passed the tap at that time, was sent again, and nothing says that it had arrived
  kTrimmed,  ///< payload cut off before the tap
  kCe,
  kCnp,         ///< of the other end, with this UDP source port
  kSlowSignal,  ///< … Slow-Packet Signals
  kProbe,       ///< RTT Responses: plots nanoseconds
};
inline constexpr std::size_t kPathMarks = 8;
std::string_view word(PathMark mark);  ///< "slow_signal"

struct PathSeries {
  PathMark mark = PathMark::kSent;
  Series series;
};

/// One path (UDP source port), or several drawn together.
struct PathTimeline {
  std::uint16_t udp_src = 0;
  std::vector<PathSeries> marks;

  PathSeries& use(PathMark mark, std::size_t limit);  ///< added with room for `limit` cells if there is none
  const Series* find(PathMark mark) const;            ///< null: nothing of it
  void absorb(const PathTimeline& other);
};

/// Of one direction; empty unless its packets took several paths.
struct PathTimelines {
  std::vector<PathTimeline> paths;
  PathTimeline others;            ///< the paths that found no room, together
  std::uint64_t other_paths = 0;  ///< how many those are …
  bool more_paths = false;        ///< … at least: more were in use than the tracker tells apart

  PathTimeline* find(std::uint16_t udp_src);
  PathTimeline& use(std::uint16_t udp_src);  ///< added if there is none
  template <typename Function>
  void each_series(Function&& function) {
    for (PathTimeline& path : paths) each_of(path, function);
    each_of(others, function);
  }
  template <typename Function>
  void each_series(Function&& function) const {
    for (const PathTimeline& path : paths) each_of(path, function);
    each_of(others, function);
  }
  void absorb(PathTimelines&& other);

 private:
  template <typename Path, typename Function>
  static void each_of(Path& path, Function&& function) {
    for (auto& one : path.marks) function(one.series);
  }
};

/// Paths of a direction that are drawn each by itself: as many as lines can be told apart by colour.
inline constexpr std::size_t kPathsDrawn = 8;
/// Cells of each series of a path: lines and marks over time, as wide as a screen.
inline constexpr std::size_t kPathCells = 1'024;

/// What one end of a connection sent. Requests (and gaps among them) plot this end's PSNs; responses, ACKs and NAKs
/// those of the other end.
struct DirectionTimeline {
  IpAddress src;
  IpAddress dst;
  std::optional<Qpn> dst_qpn;
  std::vector<MarkedSeries> marks;
  PathTimelines paths{};
  PathTimelines told{};  ///< while the timeline is built: what this end said of the other's paths
};

struct ConnectionTimeline {
  std::uint32_t id = 0;  ///< ConnectionCounts::id
  std::vector<DirectionTimeline> directions;

  /// True if each packet is drawn by itself, in the plots that show packets.
  bool in_full() const;
  std::size_t cells() const;
  std::size_t series() const;
  void restrict_to(std::size_t cells_a_series);
};

/// Pause frames of one class.
struct PauseTimeline {
  std::uint8_t priority = 0;
  Series xoff;
  Series xon;
};

struct Timeline {
  std::vector<ConnectionTimeline> connections;  ///< by id
  /// Packets of the connections that found no room: plotted together, without PSNs.
  std::vector<MarkedSeries> others;
  std::uint64_t other_connections = 0;
  std::vector<PauseTimeline> pauses;  ///< PFC
  PauseTimeline link_pause;           ///< 802.3x

  /// Reduces the cells to `most_cells`: the connections in `order` (ids, the most important first) keep theirs as long
  /// as half of the room lasts, the others are drawn in bins. Behind the first `most_connections` they are drawn
  /// together; those that `order` does not name are left out.
  void fit(std::size_t most_cells, std::size_t most_connections, const std::vector<std::uint32_t>& order);
  /// Adds a connection to the ones that are drawn together.
  void draw_with_others(const ConnectionTimeline& connection);
};

}  // namespace rocetop::model
