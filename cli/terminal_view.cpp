// SPDX-License-Identifier: BSD-3-Clause
#include "terminal_view.h"

#include <poll.h>

#include <array>
#include <chrono>
#include <utility>

#include "base/number_text.h"
#include "curses_screen.h"
#include "host/adapters.h"
#include "host_name_cache.h"
#include "interrupt.h"
#include "present/screens/screen.h"

namespace rocetop::cli {
namespace {

using engine::LiveMonitor;
using SnapshotPtr = LiveMonitor::SnapshotPtr;

constexpr int kForever = -1;
constexpr int kSoonMs = 50;    // something that was asked for comes with the next batch
constexpr int kNamesMs = 500;  // names are looked up meanwhile

}  // namespace

bool could_not_open(const model::LiveSnapshot& last) {
  return last.interfaces.empty() && last.totals.capture.frames == 0 && !last.totals.problems.empty();
}

class TerminalView::Impl {
 public:
  Impl(const TerminalViewOptions& options, std::unique_ptr<CursesScreen> screen)
      : options_(options), screen_(std::move(screen)), state_(options.state), recording_(options.recording) {}

  SnapshotPtr run(LiveMonitor& monitor) {
    draw(monitor);
    while (!quit_) {
      wait(monitor);
      drain_interrupt_pipe();
      screen_->obey_signals();
      take_snapshot(monitor);
      read_keys(monitor);
      if (interrupted() || screen_->gone()) quit_ = true;
      if (newest_ && newest_->final && (options_.leave_at_end || could_not_open(*newest_))) quit_ = true;
      if (!quit_) draw(monitor);
    }
    screen_.reset();  // first: what follows may wait for the input
    monitor.stop();   // which may not have been opened yet
    end_recording(monitor);
    return last_snapshot(monitor);
  }

  const std::string& recording_error() const { return recording_error_; }

 private:
  void wait(LiveMonitor& monitor) {
    const bool ended = newest_ && newest_->final;
    std::array<pollfd, 3> fds = {{{screen_->key_descriptor(), POLLIN, 0},
                                  {interrupt_descriptor(), POLLIN, 0},
                                  {ended ? -1 : monitor.descriptor(), POLLIN, 0}}};
    int patience = kForever;
    if (state_.names && names_.busy()) patience = kNamesMs;
    if (waits_for_packets_) patience = kSoonMs;
    poll(fds.data(), fds.size(), patience);
    if ((fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) quit_ = true;  // the terminal is gone
  }

  void take_snapshot(LiveMonitor& monitor) {
    const auto snapshot = monitor.newer_than(newest_ ? newest_->number : 0, std::chrono::milliseconds(0));
    if (!snapshot) return;
    const std::uint64_t news = history_.news().snapshot;
    history_.add(*snapshot);
    if (state_.bell && history_.news().snapshot > news) screen_->ring();
    newest_ = snapshot;
    read_adapters();
    if (state_.names) names_.want(*snapshot);
  }

  /// Only while somebody looks: it is a hundred files.
  void read_adapters() {
    if (state_.tab != present::Tab::kAdapters || state_.paused) {
      adapters_read_.reset();
      return;
    }
    const auto now = std::chrono::steady_clock::now();
    adapters_.before = std::exchange(adapters_.now, host::read_adapters(options_.adapter_root));
    adapters_.between = adapters_read_
                            ? Nanos{std::chrono::duration_cast<std::chrono::nanoseconds>(now - *adapters_read_).count()}
                            : Nanos{};
    adapters_read_ = now;
  }

  void read_keys(LiveMonitor& monitor) {
    while (const auto key = screen_->key()) {
      const bool paused = state_.paused;
      const present::Tab tab = state_.tab;
      present::Step step = present::press(*key, on_screen_, std::move(state_));
      state_ = std::move(step.state);
      if (state_.paused && !paused) {
        paused_ = newest_;
        paused_history_ = history_;
      }
      if (state_.tab != tab) read_adapters();
      obey(step.command, monitor);
      // The next key acts on what this one has changed.
      lay_out(monitor);
    }
  }

  void obey(present::Command command, LiveMonitor& monitor) {
    switch (command) {
      case present::Command::kNone:
        return;
      case present::Command::kQuit:
        quit_ = true;
        return;
      case present::Command::kReset:
        if (newest_ && newest_->final) {
          state_.message = "not reset: the input has ended";
          return;
        }
        monitor.reset();
        return;
      case present::Command::kRecord:
        recording_ ? end_recording(monitor) : begin_recording(monitor);
        return;
      case present::Command::kInterval:
        monitor.set_interval(
            Nanos{static_cast<std::int64_t>(static_cast<double>(state_.interval.count) * options_.clock_speed)});
        return;
      case present::Command::kRedraw:
        screen_->forget();
        return;
    }
  }

  void begin_recording(LiveMonitor& monitor) {
    if (newest_ && newest_->final) {
      state_.message = "nothing comes any more that could be written";
      return;
    }
    auto writer = options_.begin_recording();
    if (!writer) {
      state_.message = "not written: " + writer.error().message;
      return;
    }
    recording_ = writer.value();
    monitor.record(recording_);
    state_.message = "writing to " + recording_->state().file + " (w ends it)";
  }

  void end_recording(LiveMonitor& monitor) {
    if (!recording_) return;
    monitor.record(nullptr);
    const std::string file = recording_->state().file;
    const auto done = recording_->finish();
    const std::uint64_t frames = recording_->state().frames;
    recording_.reset();
    state_.message =
        done ? plural(frames, "packet") + " written to " + file : "not written to its end: " + done.error().message;
    if (!done) recording_error_ = done.error().message;
  }

  void lay_out(LiveMonitor& monitor) {
    present::ScreenInput in;
    in.snapshot = state_.paused ? paused_.get() : newest_.get();
    in.history = state_.paused ? &paused_history_ : &history_;
    in.adapters = &adapters_;
    in.names = &names_.known();
    in.title = options_.title;
    in.zone = options_.zone;
    in.width = screen_->width();
    in.height = screen_->height();
    in.unicode = options_.unicode;
    const bool opened = state_.overlay == present::Overlay::kConnection;
    const bool known = recent_ && recent_->id == state_.connection;
    if (opened && !(state_.paused && known)) {
      if (auto recent = monitor.recent(state_.connection)) recent_ = std::move(recent);
    }
    waits_for_packets_ = opened && !(recent_ && recent_->id == state_.connection);
    in.recent = recent_.get();
    present::ScreenView view = present::draw_screen(in, state_);
    on_screen_ = std::move(view.on);
    grid_ = std::move(view.grid);
  }

  void draw(LiveMonitor& monitor) {
    lay_out(monitor);
    screen_->draw(grid_, state_.theme);
  }

  SnapshotPtr last_snapshot(LiveMonitor& monitor) {
    monitor.stop();
    while (!(newest_ && newest_->final)) {
      const auto snapshot = monitor.newer_than(newest_ ? newest_->number : 0, std::chrono::milliseconds(1'000));
      if (snapshot) newest_ = snapshot;
    }
    return newest_;
  }

  const TerminalViewOptions options_;
  std::unique_ptr<CursesScreen> screen_;
  present::UiState state_;
  present::OnScreen on_screen_;
  present::Grid grid_;
  present::LiveHistory history_;
  present::LiveHistory paused_history_;
  present::AdapterReadings adapters_;
  std::optional<std::chrono::steady_clock::time_point> adapters_read_;
  HostNameCache names_;
  SnapshotPtr newest_;
  SnapshotPtr paused_;
  std::shared_ptr<const model::RecentPackets> recent_;
  bool waits_for_packets_ = false;
  std::shared_ptr<engine::RingWriter> recording_;
  std::string recording_error_;
  bool quit_ = false;
};

bool TerminalView::possible() { return CursesScreen::possible(); }

std::unique_ptr<TerminalView> TerminalView::open(const TerminalViewOptions& options) {
  auto screen = CursesScreen::open(options.colour);
  if (!screen) return nullptr;
  return std::unique_ptr<TerminalView>(new TerminalView(std::make_unique<Impl>(options, std::move(screen))));
}

TerminalView::TerminalView(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TerminalView::~TerminalView() = default;

SnapshotPtr TerminalView::run(LiveMonitor& monitor) { return impl_->run(monitor); }
const std::string& TerminalView::recording_error() const { return impl_->recording_error(); }

}  // namespace rocetop::cli
