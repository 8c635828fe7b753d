// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/simulation.h"

#include "generate/sim/frame_writer.h"
#include "generate/sim/hosts.h"

namespace rocetop::generate::sim {
namespace {

constexpr std::uint64_t kMissStream = 5;
constexpr Time kLingers = 5'000'000'000'000;  // 5 s: after applications stopped asking, for what is under way

constexpr std::uint64_t kLookEvery = 1 << 16;       // events
constexpr std::uint64_t kQuietEvents = 50'000'000;  // half a minute of computing

class Simulation final : public NetworkUser {
 public:
  Simulation(const Plan& plan, const RunOptions& options, const FrameSink& sink, Truth& truth)
      : plan_(plan),
        options_(options),
        sink_(sink),
        truth_(truth),
        misses_(options.seed, kMissStream),
        writer_(plan),
        hosts_(plan, options.seed, agenda_),
        network_(plan, options.seed, agenda_, packets_, *this) {
    hosts_.connect(network_);
  }

  std::uint64_t run();

 private:
  std::optional<std::uint32_t> next_packet(std::size_t host, bool paused) override {
    const auto packet = hosts_.next_packet(host, paused);
    if (!packet) return std::nullopt;
    return packets_.take(*packet);
  }
  void deliver(std::size_t host, const Packet& packet) override { hosts_.deliver(host, packet); }
  void seen(Packet& packet) override;
  void gone(const Packet& packet) override {
    if (packet.deeds != 0) truth_.gone(packet, network_);
  }
  std::uint64_t flow_hash(const Packet& packet) const override {
    const ConnectionPlan& connection = plan_.connections[packet.sender / 2];
    return std::uint64_t{packet.udp_src} << 32 | connection.a << 16 | connection.b;
  }
  std::size_t destination(std::uint32_t queue_pair) const override {
    const ConnectionPlan& connection = plan_.connections[queue_pair / 2];
    return queue_pair % 2 == 0 ? connection.b : connection.a;
  }

  void stop_asking();
  bool goes_on();
  bool full() const { return stopped_ || (options_.packets != 0 && frames_ >= options_.packets); }

  const Plan& plan_;
  const RunOptions& options_;
  const FrameSink& sink_;
  Truth& truth_;
  Random misses_;
  FrameWriter writer_;
  Agenda agenda_;
  PacketPool packets_;
  Hosts hosts_;
  Network network_;
  std::uint64_t frames_ = 0;
  std::uint64_t frames_then_ = 0;
  std::uint64_t quiet_events_ = 0;  ///< since the last frame
  bool asking_ = true;
  bool stopped_ = false;
};

std::uint64_t Simulation::run() {
  const Time end = plan_.duration == Nanos::max() ? kNever : from_nanos(plan_.duration);
  while (!agenda_.empty() && !full()) {
    const Event event = agenda_.next();
    if (asking_ && event.time >= end) stop_asking();
    if (!goes_on()) break;
    if ((!asking_ && event.time - end > kLingers) || event.time >= kHorizon) break;
    switch (event.kind) {
      case EventKind::kWake:
      case EventKind::kTimeout:
      case EventKind::kConnect:
      case EventKind::kPost:
      case EventKind::kTrouble:
        hosts_.handle(event);
        break;
      default:
        network_.handle(event);
    }
  }
  if (stopped_) return frames_;
  packets_.visit([&](const Packet& packet) { gone(packet); });
  std::vector<TransportDeeds> deeds;
  for (const QueuePair& pair : hosts_.queue_pairs()) deeds.push_back(pair.transport->deeds());
  truth_.end(frames_, deeds);
  return frames_;
}

/// False where nobody waits for it any more, or where nothing passes the tap though much happens elsewhere.
bool Simulation::goes_on() {
  if (frames_ != frames_then_) {
    frames_then_ = frames_;
    quiet_events_ = 0;
  }
  if (++quiet_events_ % kLookEvery == 0 && options_.interrupted && options_.interrupted()) stopped_ = true;
  return !stopped_ && quiet_events_ < kQuietEvents;
}

void Simulation::stop_asking() {
  asking_ = false;
  hosts_.stop_asking();
  for (const TroublePlan& trouble : plan_.troubles) {
    if (trouble.kind == TroubleKind::kStorm) network_.storm(trouble.host, false);
  }
}

void Simulation::seen(Packet& packet) {
  if (full()) return;
  if (plan_.miss > 0 && misses_.happens(plan_.miss)) {
    packet.note({DeedKind::kMissed, 0, agenda_.now()});
    return;
  }
  packet.frame = ++frames_;
  truth_.seen(packet);
  CapturedFrame frame;
  frame.time = options_.start + Nanos{agenda_.now() / 1'000};
  if (packet.kind == PacketKind::kPause) {
    frame.bytes = writer_.write_pause(network_.port(packet.sender).node, packet.quanta);
    frame.wire_length = static_cast<std::uint32_t>(frame.bytes.size());
  } else {
    frame.bytes = writer_.write(packet, options_.snap_length, frame.wire_length);
  }
  if (!sink_(frame)) stopped_ = true;
}

}  // namespace

std::uint64_t simulate(const Plan& plan, const RunOptions& options, const FrameSink& sink, Truth& truth) {
  return Simulation(plan, options, sink, truth).run();
}

}  // namespace rocetop::generate::sim
