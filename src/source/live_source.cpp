// SPDX-License-Identifier: BSD-3-Clause
#include "source/live_source.h"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <limits>
#include <utility>

#include "source/input_name.h"
#include "source/live_filter.h"

namespace rocetop::source {
namespace {

constexpr std::size_t kFramesAtOnce = 4'096;          // of one interface
constexpr std::size_t kRoundsMost = 128;              // of that, before some are delivered: a ring full of them
constexpr std::size_t kBacklogBytesMost = 192 << 20;  // then what comes stays in the kernel's ring
constexpr std::size_t kHeldBytesMost = 256 << 20;     // then frames are delivered out of order rather than kept
constexpr std::size_t kFreeMost = 64;                 // chunks kept to be filled again: what a lull needs
constexpr std::size_t kProblemsMost = 100;            // kept; an interface may come and go for months
constexpr std::chrono::milliseconds kLookEvery{250};  // at the interfaces: states, drops, bypass
constexpr Nanos kStep = seconds(1);                   // a clock that goes back by more was set

Nanos system_clock_now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return {std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec};
}

Nanos nanos(std::chrono::steady_clock::duration duration) {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count()};
}

/// Nothing for what is no network interface.
std::optional<InterfaceState> network_state(const std::string& name) {
  ifreq request{};
  if (name.size() >= sizeof request.ifr_name) return std::nullopt;
  std::memcpy(request.ifr_name, name.data(), name.size());
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return InterfaceState::kUp;  // cannot be told
  const bool known = ::ioctl(socket, SIOCGIFFLAGS, &request) == 0;
  ::close(socket);
  if (!known) return std::nullopt;
  const bool up = (request.ifr_flags & IFF_UP) != 0 && (request.ifr_flags & IFF_RUNNING) != 0;
  return up ? InterfaceState::kUp : InterfaceState::kDown;
}

/// RoCE as it stands right behind at most one tag: what an adapter that bypasses the kernel would hide.
bool is_plain_roce(const Frame& frame) {
  constexpr std::size_t kAddresses = 12;
  constexpr std::uint16_t kPort = 4791;
  if (frame.link_type != LinkType::kEthernet) return true;
  ByteReader reader(frame.bytes);
  reader.skip(kAddresses);
  std::uint16_t type = reader.u16();
  if (type == 0x8100) {
    reader.skip(2);
    type = reader.u16();
  }
  if (type == 0x8915) return true;
  if (type == 0x0800) {
    const std::size_t header_bytes = std::size_t{4} * (reader.u8() & 0x0F);
    if (header_bytes < 20) return false;
    reader.skip(header_bytes - 1 + 2);
  } else if (type == 0x86DD) {
    reader.skip(40 + 2);
  } else {
    return false;
  }
  return reader.u16() == kPort && !reader.failed();
}

}  // namespace

bool LiveSource::joins_filter(const std::string& filter) { return !moves_offsets(filter); }

LiveSource::LiveSource(const LiveOptions& options) : sysfs_(options.sysfs), watch_bypass_(options.filter.empty()) {
  DeviceSettings settings;
  if (joins_filter(options.filter)) settings.filter = options.filter;
  settings.roce_ports = options.roce_ports;
  settings.snap_length = options.snap_length;
  settings.buffer_bytes = options.buffer_bytes;
  channels_.reserve(options.interfaces.size());
  clock_ = stamp_ = system_clock_now();
  stamped_ = next_look_ = Clock::now();
  for (const std::string& name : options.interfaces) {
    settings.name = name;
    Channel& channel = channels_.emplace_back(settings, options.sysfs);
    LiveInterface& live = live_.emplace_back();
    live.name = name;
    live.since = clock_;
    live.rdma_devices = channel.bypass.devices();
    InterfaceFacts& facts = facts_.emplace_back();
    facts.name = name;
    facts.snap_length = options.snap_length;
  }
}

std::variant<std::unique_ptr<LiveSource>, LiveFailure> LiveSource::open(const LiveOptions& options) {
  std::unique_ptr<LiveSource> source(new LiveSource(options));
  if (auto failure = source->open_all()) return std::move(*failure);
  return source;
}

/// One that is down is waited for; one that is not there was misspelt.
std::optional<LiveFailure> LiveSource::open_all() {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    Error error;
    switch (channels_[i].device.open(error)) {
      case OpenFailure::kNone:
        describe(i);
        if (state_of(live_[i].name) == InterfaceState::kDown) {
          set_state(i, InterfaceState::kDown, "is down");
        }
        break;
      case OpenFailure::kNotUp:
        set_state(i, InterfaceState::kDown, "is down");
        break;
      case OpenFailure::kPermission:
        return LiveFailure{error, true};
      case OpenFailure::kNoDevice:
      case OpenFailure::kOther:
        return LiveFailure{error, false};
    }
  }
  return std::nullopt;
}

void LiveSource::describe(std::size_t i) {
  const LiveDevice& device = channels_[i].device;
  live_[i].nanoseconds = device.has_nanoseconds();
  facts_[i].link_type = device.link_type();
  facts_[i].ticks_per_second = device.has_nanoseconds() ? 1'000'000'000 : 1'000'000;
  facts_[i].frames_dropped = live_[i].kernel.dropped;
}

void LiveSource::set_state(std::size_t i, InterfaceState state, const std::string& words) {
  LiveInterface& live = live_[i];
  live.state = state;
  live.since = system_clock_now();
  ++live.changes;
  if (state == InterfaceState::kUp || problems_.size() >= kProblemsMost) return;
  problems_.push_back({.message = input_name(live.name) + ": " + words + "; it is waited for",
                       .hint = "",
                       .fatal = false,
                       .limit = false});
}

bool LiveSource::next_batch(std::vector<Frame>& batch) {
  batch.clear();
  for (auto& chunk : spent_) {
    chunk->clear();
    if (free_.size() < kFreeMost) free_.push_back(std::move(chunk));
  }
  spent_.clear();
  if (wake_.called()) return false;
  wait();
  if (wake_.called()) return false;
  read_all();
  if (Clock::now() >= next_look_) look_at_interfaces();
  deliver(batch);
  advance_clock(batch);
  return true;
}

void LiveSource::wait() {
  if (more_) return;
  std::vector<int> descriptors;
  descriptors.reserve(channels_.size());
  for (const Channel& channel : channels_) descriptors.push_back(channel.device.descriptor());
  const bool held = std::any_of(channels_.begin(), channels_.end(), [](const Channel& c) { return !c.held.empty(); });
  constexpr std::chrono::milliseconds kShortWait{10};  // while frames are held back
  wake_.wait(descriptors, held ? kShortWait : kWait);
}

std::unique_ptr<FrameChunk> LiveSource::chunk() {
  if (free_.empty()) {
    auto made = std::make_unique<FrameChunk>();
    made->frames.reserve(kFramesAtOnce);
    made->offsets.reserve(kFramesAtOnce);
    return made;
  }
  auto out = std::move(free_.back());
  free_.pop_back();
  return out;
}

/// Takes as much as is there before any of it is looked at: the ring is to be empty when the kernel needs it, and what
/// looks at frames may be slow, or be stopped, for a while.
void LiveSource::read_all() {
  bool more = true;
  for (std::size_t round = 0; more && round < kRoundsMost && held_bytes_ < kBacklogBytesMost; ++round) {
    more = false;
    for (std::size_t i = 0; i < channels_.size(); ++i) more = read_some(i) || more;
  }
}

/// Whether the ring holds more.
bool LiveSource::read_some(std::size_t i) {
  Channel& channel = channels_[i];
  if (!channel.device.is_open()) return false;
  auto into = chunk();
  const bool alive = channel.device.read(static_cast<std::uint32_t>(i), kFramesAtOnce, *into);
  if (!alive) {
    live_[i].error = channel.device.error();
    channel.device.close();
    next_look_ = {};
    put_off(channel);
  }
  if (into->empty()) {
    free_.push_back(std::move(into));
    return false;
  }
  const bool more = alive && into->frames.size() >= kFramesAtOnce;
  channel.newest = into->frames.back().time;
  channel.backoff = {};
  held_bytes_ += into->bytes.size();
  channel.held.push_back(std::move(into));
  return more;
}

/// Everything stamped until then may be delivered: nothing older will come, or it has been waited for.
Nanos LiveSource::delivered_until() const {
  if (channels_.size() == 1 || held_bytes_ > kHeldBytesMost) return Nanos::max();
  Nanos until = Nanos::max();
  for (const Channel& channel : channels_) {
    if (channel.device.is_open()) until = std::min(until, channel.newest);
  }
  return std::max(until, system_clock_now() - kHold);
}

void LiveSource::hand_over(Channel& channel, Frame& frame, std::vector<Frame>& batch) {
  frame.id = FrameId(0, ++frames_);
  bytes_read_ += frame.bytes.size();
  LiveInterface& live = live_[frame.interface];
  ++live.frames;
  live.bytes_on_wire += frame.wire_length;
  if (!channel.roce_seen) channel.roce_seen = is_plain_roce(frame);
  batch.push_back(frame);
}

/// Not all of a backlog at once: more may have come when this has been looked at.
void LiveSource::deliver(std::vector<Frame>& batch) {
  const Nanos until = delivered_until();
  more_ = false;
  while (true) {
    if (batch.size() >= kFramesAtOnce) {
      more_ = true;
      return;
    }
    Channel* oldest = nullptr;
    for (Channel& channel : channels_) {
      if (channel.held.empty()) continue;
      const auto front = [](const Channel& c) { return c.held.front()->frames[c.held.front()->next].time; };
      if (oldest == nullptr || front(channel) < front(*oldest)) oldest = &channel;
    }
    if (oldest == nullptr) return;
    FrameChunk& chunk = *oldest->held.front();
    if (channels_.size() == 1) {
      for (Frame& frame : chunk.frames) hand_over(*oldest, frame, batch);
      chunk.next = chunk.frames.size();
    } else {
      if (chunk.frames[chunk.next].time > until) return;
      hand_over(*oldest, chunk.frames[chunk.next++], batch);
    }
    if (!chunk.empty()) continue;
    held_bytes_ -= chunk.bytes.size();
    spent_.push_back(std::move(oldest->held.front()));
    oldest->held.pop_front();
  }
}

/// The last packet's stamp plus the time since. It does not go back because a packet comes late, only when it was set.
void LiveSource::advance_clock(const std::vector<Frame>& batch) {
  const Clock::time_point now = Clock::now();
  if (!batch.empty()) {
    stamp_ = batch.back().time;
    stamped_ = now;
  }
  const Nanos time = stamp_ + nanos(now - stamped_);
  if (time > clock_ || clock_ - time > kStep) clock_ = time;
}

std::optional<Nanos> LiveSource::known_until() const {
  const bool blind = std::any_of(live_.begin(), live_.end(), [](const LiveInterface& i) {
    return i.frames != 0 && (i.state != InterfaceState::kUp || !i.error.empty());
  });
  return blind ? stamp_ : clock_;
}

void LiveSource::look_at_interfaces() {
  next_look_ = Clock::now() + kLookEvery;
  for (std::size_t i = 0; i < channels_.size(); ++i) look_at(i);
}

/// "any" is always there; an RDMA device that libpcap captures by its name is, as long as the kernel has it.
InterfaceState LiveSource::state_of(const std::string& name) const {
  if (name == "any") return InterfaceState::kUp;
  if (const auto state = network_state(name)) return *state;
  return is_rdma_device(name, sysfs_) ? InterfaceState::kUp : InterfaceState::kAbsent;
}

/// The first time at once, then after longer and longer: opening takes a ring of 64 MB each time.
void LiveSource::put_off(Channel& channel) {
  channel.retry_at = Clock::now() + channel.backoff;
  channel.backoff = std::clamp(2 * channel.backoff, kLookEvery, kBackoffMost);
}

void LiveSource::look_at_state(std::size_t i) {
  Channel& channel = channels_[i];
  LiveInterface& live = live_[i];
  const InterfaceState state = state_of(live.name);
  const bool other = channel.device.is_open() && channel.device.index() != 0 &&
                     if_nametoindex(live.name.c_str()) != channel.device.index();
  if (state == InterfaceState::kAbsent || other) channel.device.close();
  if (other && live.state == InterfaceState::kUp) set_state(i, InterfaceState::kAbsent, "was removed");
  if (state == live.state) return;
  set_state(i, state, state == InterfaceState::kAbsent ? "is gone" : "went down");
  channel.backoff = {};
  channel.retry_at = {};
}

/// Not before it is up: what is down fails at once.
void LiveSource::open_again(std::size_t i) {
  Channel& channel = channels_[i];
  LiveInterface& live = live_[i];
  if (channel.device.is_open() || live.state != InterfaceState::kUp || Clock::now() < channel.retry_at) return;
  Error error;
  const OpenFailure failure = channel.device.open(error);
  live.error = failure == OpenFailure::kNone || failure == OpenFailure::kNotUp ? "" : error.message;
  if (failure != OpenFailure::kNone) put_off(channel);
}

void LiveSource::look_at(std::size_t i) {
  Channel& channel = channels_[i];
  LiveInterface& live = live_[i];
  look_at_state(i);
  open_again(i);
  live.kernel = channel.device.counts();
  if (channel.device.is_open()) describe(i);
  facts_[i].frames_dropped = live.kernel.dropped;
  if (!watch_bypass_) return;
  channel.roce += channel.roce_seen ? 1 : 0;
  channel.roce_seen = false;
  channel.bypass.look(channel.roce, nanos(Clock::now().time_since_epoch()));
  live.bypass_suspected = channel.bypass.suspected();
}

}  // namespace rocetop::source
