// SPDX-License-Identifier: BSD-3-Clause
// LiveMonitor: an analysis that goes on in a thread of its own and publishes a snapshot at every interval. Whoever
// shows them never holds up the reading: there is one newest snapshot, and it is immutable.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/analysis.h"
#include "engine/connection_watch.h"
#include "engine/finding_log.h"
#include "engine/ring_writer.h"
#include "model/live.h"
#include "model/pair_ledger.h"
#include "source/live_source.h"

namespace rocetop::engine {

struct LiveMonitorOptions {
  Options analysis;
  Nanos interval = seconds(1);
  bool follows_connections = false;     ///< recent() and LiveSnapshot::management are wanted
  std::optional<Nanos> first_interval;  ///< shorter, where somebody waits for the first snapshot
  /// Then it ends: on the source's clock, or, where the source has no end, on the wall's, if that is earlier.
  std::optional<Nanos> duration;
  std::size_t connections_most = 10'000;  ///< followed at one time; the least recently active leave
  Nanos silent = seconds(300);            ///< connections silent for so long leave
  Nanos window = seconds(30);             ///< findings are active for so long after they were last seen
  bool endless = false;            ///< lists that fill up keep what happened in the window, rather than what came first
  bool lossless = false;           ///< the analysis waits until each snapshot was taken: for scripts on files
  std::string version;             ///< of rocetop, into the snapshots
  std::vector<std::string> files;  ///< … and what is read
  std::optional<model::LedgerOptions> ledger;  ///< LiveSnapshot::ledger is wanted: for metrics
  const source::LiveSource* live = nullptr;    ///< the source, or what is inside it, for its interfaces
};

class LiveMonitor {
 public:
  using SnapshotPtr = std::shared_ptr<const model::LiveSnapshot>;

  /// Errors: as Analysis::create().
  static Result<std::unique_ptr<LiveMonitor>> create(std::unique_ptr<source::FrameSource> source,
                                                     const LiveMonitorOptions& options);
  /// Stops.
  ~LiveMonitor();

  void start();
  /// Ends the reading at once; a last snapshot, with `final` set, is published. May be called again, from any thread.
  void stop();
  /// From the next batch on, packets that pass the filter are written there too; null ends that. Gives what wrote until
  /// then, of which the analysis lets go before: finish() it. Waits for the batch that is being analysed.
  std::shared_ptr<RingWriter> record(std::shared_ptr<RingWriter> writer);
  /// From the next snapshot on.
  void set_interval(Nanos interval) { interval_ns_ = interval.count; }
  /// What passed lately on that connection, as of some batch not long ago; null if it was not asked for before, and is
  /// still to come.
  std::shared_ptr<const model::RecentPackets> recent(std::uint32_t connection);
  /// Counters begin again at the next batch.
  void reset() { reset_wanted_ = true; }

  /// The newest; null before the first.
  SnapshotPtr latest();
  /// A snapshot newer than `number`, waiting `most` for it; null if there is none by then.
  SnapshotPtr newer_than(std::uint64_t number, std::chrono::milliseconds most);
  /// Readable while there is a snapshot that latest() or newer_than() has not given yet.
  int descriptor() const { return ready_; }
  /// The last snapshot is published.
  bool ended() const;

  const source::FrameSource& source() const { return *source_; }  ///< for its problems, once ended()

 private:
  LiveMonitor(std::unique_ptr<source::FrameSource> source, const LiveMonitorOptions& options);
  void run();
  bool is_due(Nanos now);
  bool is_over(Nanos now) const;
  bool is_over_by_the_wall() const;
  Nanos wall_time() const;
  void wait_for_the_first();
  FrameObserver observer();
  bool step();
  void follow_writer();
  void follow_wanted(bool afresh);
  Nanos interval() const { return Nanos{interval_ns_}; }
  Options analysis_options();
  void begin_again(Nanos now);
  void publish(model::Snapshot totals, Nanos now, bool final);
  void judge_window(model::LiveSnapshot& snapshot);
  Nanos half_a_window() const { return {options_.window.count / 2}; }
  void keep_as_base(const SnapshotPtr& snapshot);
  void fill_interfaces(model::LiveSnapshot& snapshot) const;
  void hand_out(SnapshotPtr snapshot);
  SnapshotPtr take();

  std::unique_ptr<source::FrameSource> source_;
  const LiveMonitorOptions options_;
  std::unique_ptr<Analysis> analysis_;

  // Of the thread.
  std::chrono::steady_clock::time_point started_;
  Nanos silent_since_;          // wall_time() of the last look at a source that has delivered nothing yet
  std::optional<Nanos> first_;  // packet
  std::optional<Nanos> began_;
  Nanos last_published_;
  Nanos next_due_;
  std::uint64_t number_ = 0;
  std::uint64_t resets_ = 0;
  SnapshotPtr before_;
  std::deque<SnapshotPtr> bases_;  // of windows, the oldest first: half a window apart, so that two are enough
  FindingLog findings_;
  std::optional<model::PairLedger> ledger_;
  ConnectionWatch watch_;
  std::shared_ptr<RingWriter> writing_;  // changed under mutex_

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  SnapshotPtr latest_;       // under mutex_, as all below
  std::uint64_t taken_ = 0;  // number of the newest snapshot that somebody has
  bool ended_ = false;
  bool reading_ = false;
  bool opened_ = false;                 // under mutex_: the input has been opened
  std::shared_ptr<RingWriter> writer_;  // that `writing_` shall be
  std::uint32_t wanted_ = 0;            // connection that recent_ shall be of
  std::shared_ptr<const model::RecentPackets> recent_;
  std::atomic<std::int64_t> interval_ns_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> reset_wanted_ = false;
  int ready_ = -1;  // eventfd
  std::thread thread_;
};

}  // namespace rocetop::engine
