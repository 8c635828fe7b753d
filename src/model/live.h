// SPDX-License-Identifier: BSD-3-Clause
// LiveSnapshot: an analysis that goes on, at one moment: everything since it began (or was reset), and what was added
// since the snapshot before. Faces that follow time show this.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/nanos.h"
#include "model/recent.h"
#include "model/snapshot.h"
#include "model/totals.h"

namespace rocetop::model {

enum class LinkState : std::uint8_t {
  kUp,
  kDown,    ///< nothing comes
  kAbsent,  ///< gone; waited for
};
std::string_view word(LinkState state);  ///< "up", "down", "absent"

/// An interface that is captured.
struct LiveInterface {
  std::string name;  ///< as the user gave it
  LinkState state = LinkState::kUp;
  Nanos since;                ///< of the state
  std::uint64_t changes = 0;  ///< of the state
  std::string error;          ///< why nothing is captured although it is up; empty if something is
  bool nanoseconds = false;   ///< stamps are finer than microseconds
  std::uint64_t frames = 0;   ///< captured
  std::uint64_t bytes_on_wire = 0;
  std::uint64_t dropped = 0;               ///< by the kernel: the ring was full
  std::uint64_t dropped_by_interface = 0;  ///< by the adapter or its driver, whatever they were
  std::vector<std::string> rdma_devices;   ///< that belong to it
  bool bypass_suspected = false;           ///< these count packets, and none is captured
};

/// A recording of matching packets while the analysis goes on.
struct Recording {
  std::string file;           ///< being written; empty when there is none
  std::uint64_t frames = 0;   ///< written
  std::uint64_t dropped = 0;  ///< not written: the disk was too slow
  std::string error;          ///< why it ended; empty while all is well
};

/// What came between two snapshots.
struct Interval {
  Nanos duration;
  std::uint64_t frames = 0;
  std::uint64_t roce_frames = 0;
  std::uint64_t bytes_on_wire = 0;
  std::uint64_t dropped = 0;  ///< by the kernel
  ConnectionTotals sum;       ///< over all connections
  std::uint64_t active = 0;   ///< connections of which something was seen
  std::uint64_t pfc_frames = 0;
  std::uint64_t pauses = 0;  ///< XOFF of 802.3x
};

/// Whether a finding goes on.
struct FindingState {
  bool active = false;                     ///< it happened within the window
  std::optional<Nanos> last_seen;          ///< latest that it did
  std::optional<verdict::Finding> recent;  ///< what the window alone says of it; its ids are those of totals.findings
};

/// `count` a second; 0 where no time passed.
double per_second(std::uint64_t count, Nanos duration);

struct LedgerRows;

struct LiveSnapshot {
  std::uint64_t number = 0;  ///< of the snapshot, from 1
  std::uint64_t resets = 0;  ///< of the counters, so far
  Nanos time;                ///< on the packets' clock
  bool final = false;        ///< the last one: everything open has its final fate
  /// The findings in `totals` are about all since the beginning. Those that go on come first, and some may be among
  /// them that only the window shows; in the last snapshot they are what a report on the whole says, in its order.
  Snapshot totals;
  Interval interval;
  std::vector<ConnectionTotals> recent;      ///< by index of totals.connections: what the interval added to it
  Nanos window;                              ///< up to `time`: what is active happened in it
  std::vector<FindingState> finding_states;  ///< by index of totals.findings
  std::vector<LiveInterface> interfaces;
  std::vector<ManagementMessage> management;  ///< the latest, oldest first
  Recording recording;
  std::shared_ptr<const LedgerRows> ledger;  ///< what metrics count (pair_ledger.h), if somebody wants it

  /// Of totals.findings[i]; null where nothing is known.
  const FindingState* state_of_finding(std::size_t i) const {
    return i < finding_states.size() ? &finding_states[i] : nullptr;
  }
};

/// Fills `interval` and `recent` of `now`. `before` may be null: then all of it came in `duration`.
void add_interval(LiveSnapshot& now, const LiveSnapshot* before, Nanos duration);

}  // namespace rocetop::model
