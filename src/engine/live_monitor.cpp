// SPDX-License-Identifier: BSD-3-Clause
#include "engine/live_monitor.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace rocetop::engine {
namespace {

/// A histogram settles when it is asked: afterwards any number of threads may ask.
void settle(const track::DirectionCounts& d) {
  const auto look = [](const Histogram& h) { static_cast<void>(h.max()); };
  look(d.round_trips.rtt_ns);
  look(d.messages.outstanding_reads);
  for (const auto& operation : d.messages.operations) {
    if (!operation) continue;
    look(operation->size_bytes);
    look(operation->completion_ns);
    look(operation->idle_ns);
  }
  if (!d.congestion) return;
  const track::CongestionCounts& c = *d.congestion;
  for (const Histogram* h : {&c.ce_to_cnp_ns, &c.cnp_gap_ns, &c.rate_before_bps, &c.rate_after_bps, &c.after_permille,
                             &c.cut_permille, &c.recovery_ns}) {
    look(*h);
  }
}

void settle(const model::Snapshot& snapshot) {
  for (const auto& connection : snapshot.connections) {
    if (connection.a_to_b) settle(*connection.a_to_b);
    if (connection.b_to_a) settle(*connection.b_to_a);
  }
}

/// Where no packet tells the time.
Nanos time_of_day() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return Nanos{std::chrono::nanoseconds(now).count()};
}

model::LinkState state_of(source::InterfaceState state) {
  switch (state) {
    case source::InterfaceState::kUp:
      return model::LinkState::kUp;
    case source::InterfaceState::kDown:
      return model::LinkState::kDown;
    case source::InterfaceState::kAbsent:
      return model::LinkState::kAbsent;
  }
  return model::LinkState::kAbsent;
}

}  // namespace

Result<std::unique_ptr<LiveMonitor>> LiveMonitor::create(std::unique_ptr<source::FrameSource> source,
                                                         const LiveMonitorOptions& options) {
  std::unique_ptr<LiveMonitor> monitor(new LiveMonitor(std::move(source), options));
  auto analysis = Analysis::create(monitor->analysis_options());
  if (!analysis) return analysis.error();
  monitor->analysis_ = std::move(analysis.value());
  return monitor;
}

LiveMonitor::LiveMonitor(std::unique_ptr<source::FrameSource> source, const LiveMonitorOptions& options)
    : source_(std::move(source)),
      options_(options),
      interval_ns_(options.interval.count),
      ready_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (options.ledger) ledger_.emplace(*options.ledger);
}

Options LiveMonitor::analysis_options() {
  Options out = options_.analysis;
  out.limits.endless = true;
  out.limits.connections = out.limits.live_connections = std::max<std::size_t>(options_.connections_most, 1);
  out.admitted = [this](const source::Frame& frame) {
    if (!first_ && frame.has_time) first_ = frame.time;
    if (writing_) writing_->add(frame, source_->interfaces()[frame.interface]);
  };
  if (ledger_) out.gone = [this](const track::ConnectionCounts& connection) { ledger_->on_gone(connection); };
  return out;
}

LiveMonitor::~LiveMonitor() {
  stop();
  if (thread_.joinable()) thread_.join();
  if (ready_ >= 0) ::close(ready_);
}

void LiveMonitor::start() {
  reading_ = true;
  thread_ = std::thread([this] { run(); });
}

void LiveMonitor::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  source_->wake();
}

void LiveMonitor::run() {
  started_ = std::chrono::steady_clock::now();
  analysis_->begin(*source_, observer());
  while (!stopping_ && step()) {
    const std::optional<Nanos> now = source_->clock();
    if (!now) {
      wait_for_the_first();
      if (is_over_by_the_wall()) break;
      continue;
    }
    if (reset_wanted_.exchange(false)) begin_again(*now);
    if (is_due(*now)) {
      // Time may have gone far at once: what is forgotten now was seen before.
      publish(analysis_->snapshot(*source_), *now, false);
      const auto before = [&](Nanos age) { return *now - age; };
      analysis_->forget(before(options_.silent),
                        options_.endless ? std::optional(before(options_.window)) : std::nullopt);
    }
    if (is_over(*now)) break;
  }
  analysis_->end(*source_);
  {
    const std::lock_guard lock(mutex_);
    reading_ = false;
  }
  follow_writer();
  model::Snapshot totals = analysis_->finish();
  const Nanos now = source_->clock().value_or(totals.capture.last_time.value_or(time_of_day()));
  publish(std::move(totals), now, true);
}

/// Packets that somebody looks at are all decoded: only where there is a screen to show them.
FrameObserver LiveMonitor::observer() {
  if (!options_.follows_connections) return {};
  return [this](const auto& frame, const auto& decoded, const auto& observation) {
    watch_.on_frame(frame, decoded, observation);
  };
}

bool LiveMonitor::step() {
  follow_writer();
  const bool more = analysis_->step(*source_);
  if (!opened_) {
    const std::lock_guard lock(mutex_);
    opened_ = true;
  }
  if (writing_) writing_->hand_over();
  follow_wanted(false);
  return more;
}

void LiveMonitor::follow_writer() {
  const std::lock_guard lock(mutex_);
  if (writing_ == writer_) return;
  writing_ = writer_;
  changed_.notify_all();
}

/// What is kept of the connection that somebody looks at, if there is none of it yet or it is to be the latest.
void LiveMonitor::follow_wanted(bool afresh) {
  const std::lock_guard lock(mutex_);
  if (wanted_ == 0 || (!afresh && recent_ && recent_->id == wanted_)) return;
  recent_ = std::make_shared<const model::RecentPackets>(watch_.recent(wanted_));
}

std::shared_ptr<const model::RecentPackets> LiveMonitor::recent(std::uint32_t connection) {
  const std::lock_guard lock(mutex_);
  const bool other = wanted_ != connection;
  wanted_ = connection;
  // Nothing is added any more.
  if (!reading_ && (other || !recent_)) {
    recent_ = std::make_shared<const model::RecentPackets>(watch_.recent(wanted_));
  }
  return recent_ && recent_->id == wanted_ ? recent_ : nullptr;
}

std::shared_ptr<RingWriter> LiveMonitor::record(std::shared_ptr<RingWriter> writer) {
  std::unique_lock lock(mutex_);
  std::shared_ptr<RingWriter> before = std::exchange(writer_, std::move(writer));
  // An input that is still being opened has nothing to write, and may take for ever.
  changed_.wait(lock, [&] { return !reading_ || writing_ == writer_ || (!opened_ && writing_ == nullptr); });
  return before;
}

/// Whether an interval is over. A clock that was set back begins one.
bool LiveMonitor::is_due(Nanos now) {
  if (!began_) {
    // What came with the first look began with its first packet.
    began_ = last_published_ = std::min(now, first_.value_or(now));
    next_due_ = *began_ + options_.first_interval.value_or(interval());
  }
  if (now < last_published_) {
    last_published_ = now;
    next_due_ = now + interval();
  }
  if (now < next_due_) return false;
  next_due_ = next_due_ + interval();
  if (next_due_ <= now) next_due_ = now + interval();  // late: whole intervals are left out
  return true;
}

bool LiveMonitor::is_over(Nanos now) const {
  return is_over_by_the_wall() || (options_.duration && now >= *began_ + *options_.duration);
}

/// Since the start.
Nanos LiveMonitor::wall_time() const {
  return Nanos{std::chrono::nanoseconds(std::chrono::steady_clock::now() - started_).count()};
}

bool LiveMonitor::is_over_by_the_wall() const {
  return options_.endless && options_.duration && wall_time() >= *options_.duration;
}

/// Packets tell the time. Until one comes, intervals go by all the same: somebody may want to see that nothing does.
void LiveMonitor::wait_for_the_first() {
  if (!options_.endless) return;
  const Nanos first = options_.first_interval.value_or(interval());
  if (wall_time() < (number_ == 0 ? first : silent_since_ + interval())) return;
  silent_since_ = wall_time();
  publish(analysis_->snapshot(*source_), time_of_day(), false);
}

void LiveMonitor::begin_again(Nanos now) {
  auto analysis = Analysis::create(analysis_options());
  if (!analysis) return;  // it could be created before
  analysis_ = std::move(analysis.value());
  analysis_->begin(*source_, observer());
  watch_.clear();
  before_.reset();
  bases_.clear();
  findings_.clear();
  if (ledger_) ledger_->begin_again();
  last_published_ = now;
  ++resets_;
}

void LiveMonitor::publish(model::Snapshot totals, Nanos now, bool final) {
  auto snapshot = std::make_shared<model::LiveSnapshot>();
  snapshot->number = ++number_;
  snapshot->resets = resets_;
  snapshot->time = now;
  snapshot->final = final;
  snapshot->totals = std::move(totals);
  snapshot->totals.rocetop_version = options_.version;
  snapshot->totals.files = options_.files;
  settle(snapshot->totals);
  const Nanos since = began_ ? last_published_ : snapshot->totals.capture.first_time.value_or(now);
  model::add_interval(*snapshot, before_.get(), std::max(now - since, Nanos{}));
  source_->keep_up();
  judge_window(*snapshot);
  source_->keep_up();
  fill_interfaces(*snapshot);
  snapshot->management = watch_.messages();
  follow_wanted(true);
  if (writing_) snapshot->recording = writing_->state();
  if (ledger_) snapshot->ledger = ledger_->advance(snapshot->totals, snapshot->recent, now);
  source_->keep_up();
  last_published_ = now;
  before_ = snapshot;
  keep_as_base(before_);
  hand_out(std::move(snapshot));
}

/// A window ends with this snapshot and begins with an earlier one; until there is one that old, with everything.
void LiveMonitor::judge_window(model::LiveSnapshot& snapshot) {
  if (!bases_.empty() && bases_.front()->time > snapshot.time) bases_.clear();  // the clock was set back
  while (bases_.size() > 1 && snapshot.time - bases_[1]->time >= half_a_window()) bases_.pop_front();
  const Nanos start = snapshot.totals.start.value_or(snapshot.time);
  if (bases_.empty() || snapshot.time - start <= options_.window) {
    snapshot.window = std::max(snapshot.time - start, Nanos{});
    return findings_.apply(snapshot, snapshot.totals.findings, start);
  }
  const model::LiveSnapshot& base = *bases_.front();
  snapshot.window = snapshot.time - base.time;
  findings_.apply(snapshot, analysis_->judge_since(snapshot.totals, base.totals, base.time), base.time);
}

void LiveMonitor::keep_as_base(const SnapshotPtr& snapshot) {
  if (bases_.empty() || snapshot->time - bases_.back()->time >= half_a_window()) bases_.push_back(snapshot);
}

void LiveMonitor::fill_interfaces(model::LiveSnapshot& snapshot) const {
  if (options_.live == nullptr) return;
  for (const source::LiveInterface& from : options_.live->live_interfaces()) {
    model::LiveInterface& to = snapshot.interfaces.emplace_back();
    to.name = from.name;
    to.state = state_of(from.state);
    to.since = from.since;
    to.changes = from.changes;
    to.error = from.error;
    to.nanoseconds = from.nanoseconds;
    to.frames = from.frames;
    to.bytes_on_wire = from.bytes_on_wire;
    to.dropped = from.kernel.dropped;
    to.dropped_by_interface = from.kernel.dropped_by_interface;
    to.rdma_devices = from.rdma_devices;
    to.bypass_suspected = from.bypass_suspected;
  }
}

void LiveMonitor::hand_out(SnapshotPtr snapshot) {
  std::unique_lock lock(mutex_);
  const bool final = snapshot->final;
  const std::uint64_t number = snapshot->number;
  // The last one does not push out one that nobody has seen: whoever takes each of them wants that as well.
  if (options_.lossless) changed_.wait(lock, [&] { return stopping_ || taken_ + 1 >= number; });
  latest_ = std::move(snapshot);
  ended_ = final;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(ready_, &one, sizeof one);
  changed_.notify_all();
}

/// Under the lock.
LiveMonitor::SnapshotPtr LiveMonitor::take() {
  if (!latest_) return nullptr;
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t read = ::read(ready_, &count, sizeof count);
  taken_ = latest_->number;
  changed_.notify_all();
  return latest_;
}

LiveMonitor::SnapshotPtr LiveMonitor::latest() {
  const std::lock_guard lock(mutex_);
  return take();
}

LiveMonitor::SnapshotPtr LiveMonitor::newer_than(std::uint64_t number, std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  const bool there = changed_.wait_for(lock, most, [&] { return latest_ && latest_->number > number; });
  return there ? take() : nullptr;
}

bool LiveMonitor::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

}  // namespace rocetop::engine
