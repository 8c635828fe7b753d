// SPDX-License-Identifier: BSD-3-Clause
// LiveSource: frames of one or several interfaces as they come. It never ends by itself; an interface that goes down or
// vanishes is waited for and opened again. With several interfaces frames are held back for a moment, so that they come
// in order of time.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "source/frame_source.h"
#include "source/live_device.h"
#include "source/live_interfaces.h"
#include "source/wake_up.h"

namespace rocetop::source {

struct LiveOptions {
  std::vector<std::string> interfaces;  ///< names, or "any"
  std::string filter;                   ///< the user's, see joins_filter()
  std::vector<std::uint16_t> roce_ports;
  std::uint32_t snap_length = 256;        ///< bytes: every header of RoCE, and what tunnels put before them
  std::uint32_t buffer_bytes = 64 << 20;  ///< for each interface: a burst of about a second
  std::string sysfs = "/sys";
};

enum class InterfaceState : std::uint8_t {
  kUp,
  kDown,    ///< there, but down or without a carrier: nothing comes
  kAbsent,  ///< gone
};

/// An interface that is captured, as it is now.
struct LiveInterface {
  std::string name;
  InterfaceState state = InterfaceState::kUp;
  Nanos since;                ///< of the state, on the system's clock
  std::uint64_t changes = 0;  ///< of the state
  std::string error;          ///< why it is not captured although it is up; empty if it is
  bool nanoseconds = false;   ///< stamps are finer than microseconds
  std::uint64_t frames = 0;   ///< delivered
  std::uint64_t bytes_on_wire = 0;
  DeviceCounts kernel;
  std::vector<std::string> rdma_devices;
  bool bypass_suspected = false;  ///< the RDMA device counts packets, and none is captured
};

/// Why a live capture cannot begin.
struct LiveFailure {
  Error error;
  bool permission = false;  ///< the right to capture is missing
};

class LiveSource final : public FrameSource {
 public:
  static std::variant<std::unique_ptr<LiveSource>, LiveFailure> open(const LiveOptions& options);

  /// Waits kWait at most; an empty batch says that time went by. False only after wake().
  bool next_batch(std::vector<Frame>& batch) override;
  std::optional<Nanos> clock() const override { return clock_; }
  /// While an interface that frames came from is not up, nobody knows what passes there.
  std::optional<Nanos> known_until() const override;
  const std::vector<InterfaceFacts>& interfaces() const override { return facts_; }
  const std::vector<Problem>& problems() const override { return problems_; }
  std::uint64_t bytes_read() const override { return bytes_read_; }
  std::optional<std::uint64_t> bytes_total() const override { return std::nullopt; }

  /// As of the last next_batch().
  const std::vector<LiveInterface>& live_interfaces() const { return live_; }

  /// Whether the kernel judges the user's filter; otherwise whoever reads has to.
  static bool joins_filter(const std::string& filter);

  void keep_up() override {
    if (!wake_.called()) read_all();
  }
  void wake() override { wake_.call(); }

  static constexpr std::chrono::milliseconds kWait{100};
  /// An interface that cannot be opened, or fails at once, is tried again after this time.
  static constexpr std::chrono::milliseconds kBackoffMost{1'000};
  /// With several interfaces a frame is held back this long, for one of another interface that is older.
  static constexpr Nanos kHold = milliseconds(250);

 private:
  using Clock = std::chrono::steady_clock;
  struct Channel {
    LiveDevice device;
    BypassWatch bypass;
    std::deque<std::unique_ptr<FrameChunk>> held;
    Nanos newest;                          // stamp of the last frame read
    bool roce_seen = false;                // since the bypass was looked at
    std::uint64_t roce = 0;                // looks at which some had been seen
    Clock::time_point retry_at;            // not opened again before
    std::chrono::milliseconds backoff{0};  // until then; 0 once frames came

    Channel(const DeviceSettings& settings, const std::string& sysfs)
        : device(settings), bypass(settings.name, sysfs) {}
  };

  explicit LiveSource(const LiveOptions& options);
  std::optional<LiveFailure> open_all();
  void wait();
  void read_all();
  bool read_some(std::size_t i);
  void deliver(std::vector<Frame>& batch);
  Nanos delivered_until() const;
  void hand_over(Channel& channel, Frame& frame, std::vector<Frame>& batch);
  void look_at_interfaces();
  void look_at(std::size_t i);
  void look_at_state(std::size_t i);
  void open_again(std::size_t i);
  static void put_off(Channel& channel);
  InterfaceState state_of(const std::string& name) const;
  void set_state(std::size_t i, InterfaceState state, const std::string& words);
  void describe(std::size_t i);
  void advance_clock(const std::vector<Frame>& batch);
  std::unique_ptr<FrameChunk> chunk();

  std::vector<Channel> channels_;
  std::vector<LiveInterface> live_;
  std::vector<InterfaceFacts> facts_;
  std::vector<Problem> problems_;
  std::vector<std::unique_ptr<FrameChunk>> spent_;  // delivered with the last batch
  std::vector<std::unique_ptr<FrameChunk>> free_;
  std::string sysfs_;
  bool watch_bypass_ = true;
  bool more_ = false;  // frames could be delivered that were not
  WakeUp wake_;
  std::uint64_t frames_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::size_t held_bytes_ = 0;
  Nanos clock_;
  Nanos stamp_;                // of the last frame …
  Clock::time_point stamped_;  // … and when it was delivered
  Clock::time_point next_look_;
};

}  // namespace rocetop::source
