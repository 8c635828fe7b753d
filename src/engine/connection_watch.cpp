// SPDX-License-Identifier: BSD-3-Clause
#include "engine/connection_watch.h"

#include <algorithm>

#include "engine/mark_of.h"

namespace rocetop::engine {
namespace {

using model::Mark;
using model::RecentEvent;
using model::RecentPoint;

constexpr Nanos kWindow = seconds(60);
constexpr Nanos kTogether = milliseconds(100);  // the same thing again within this time is one event
constexpr Nanos kEpisodeGap = milliseconds(5);  // … but for resends after silences: timers run for longer
constexpr std::size_t kLookBack = 6;            // kinds of packet that take turns on a connection

bool same_kind(const RecentPoint& a, const RecentPoint& b) {
  return a.mark == b.mark && a.direction == b.direction && a.space == b.space;
}

void absorb(RecentPoint& into, const RecentPoint& other) {
  into.last_time = std::max(into.last_time, other.last_time);
  into.low = std::min(into.low, other.low);
  into.high = std::max(into.high, other.high);
  into.bytes += other.bytes;
  into.packets += other.packets;
}

/// Among the last few of `points`: the one that `point` belongs to, in bins of 2^shift ns.
RecentPoint* bin_of(std::vector<RecentPoint>& points, const RecentPoint& point, int shift) {
  for (std::size_t i = 0; i < std::min(points.size(), kLookBack); ++i) {
    RecentPoint& before = points[points.size() - 1 - i];
    if (!same_kind(before, point)) continue;
    return before.first_time.count >> shift == point.first_time.count >> shift ? &before : nullptr;
  }
  return nullptr;
}

bool is_ordinary(Mark mark) {
  return mark == Mark::kNew || mark == Mark::kAck || mark == Mark::kOther || mark == Mark::kRoundTrip;
}

bool is_resend(Mark mark) { return mark >= Mark::kResentNak && mark <= Mark::kResentUnknown; }
bool is_nak(Mark mark) { return mark == Mark::kSequenceNak || mark == Mark::kFatalNak || mark == Mark::kRnrNak; }

/// Whether `event` is more of what `before`, of its kind, began.
bool goes_on(const RecentEvent& before, const RecentEvent& event) {
  if (event.first_time - before.last_time > kTogether) return false;
  if (is_nak(event.mark)) return event.psn == before.psn;
  // A sender that is where it began before went back once more.
  if (is_resend(event.mark)) {
    const bool close = event.trigger || event.first_time - before.last_time < kEpisodeGap;
    return close && event.trigger == before.trigger && event.psn != before.psn;
  }
  return true;
}

bool has_psn(Mark mark) { return mark != Mark::kCnp && mark != Mark::kFastCnp && mark != Mark::kOther; }

}  // namespace

void ConnectionWatch::on_frame(const source::Frame& frame, const wire::Decoded& decoded,
                               const track::Observation& observation) {
  if (decoded.kind != wire::FrameKind::kRoce) return;
  const wire::Packet& packet = decoded.packet;
  if (observation.kind == track::Kind::kManagement) note_management(frame, packet);
  if (observation.connection == 0) return;
  Slot& slot = slot_of(observation.connection);
  const Mark mark = mark_of(packet, observation);
  const std::uint8_t direction = direction_of(slot, packet);
  RecentPoint point{frame.time, frame.time, 0, 0, frame.wire_length, 1, mark, direction, observation.space};
  if (has_psn(mark)) {
    // Replies carry PSNs of the other end's requests.
    const std::size_t owner = observation.space == track::SpaceName::kRequests ? direction : 1U - direction;
    std::optional<Sequence>& reference = slot.reference[owner];
    reference = reference ? extend(*reference, packet.bth.psn) : Sequence{packet.bth.psn.value};
    point.low = point.high = *reference;
  }
  add(slot, point);
  RecentEvent event{frame.time, frame.time, frame.id, observation.trigger_frame, mark, direction, {}, 1};
  if (has_psn(mark)) event.psn = packet.bth.psn;
  if (observation.missing_before != 0) {
    RecentEvent gap = event;
    gap.mark = Mark::kGap;
    gap.packets = observation.missing_before;
    gap.psn = Psn{(packet.bth.psn.value - observation.missing_before) & 0xFFFFFF};
    log(slot, gap);
  }
  if (!is_ordinary(mark)) log(slot, event);
  if (packet.ecn() == wire::Ecn::kCe && !packet.is_cnp()) {
    event.mark = point.mark = Mark::kCe;
    log(slot, event);
    point.bytes = 0;  // counted already
    add(slot, point);
  }
}

void ConnectionWatch::clear() {
  std::fill(slots_.begin(), slots_.end(), nullptr);
  messages_.clear();
}

model::RecentPackets ConnectionWatch::recent(std::uint32_t id) const {
  const auto& slot = slots_[id % kFollowed];
  if (slot && slot->packets.id == id) {
    model::RecentPackets out = slot->packets;
    out.bin = slot->bin_shift < 0 ? Nanos{} : Nanos{std::int64_t{1} << slot->bin_shift};
    return out;
  }
  model::RecentPackets none;
  none.id = id;
  return none;
}

/// A later connection takes the place of the one 1,024 before it.
ConnectionWatch::Slot& ConnectionWatch::slot_of(std::uint32_t id) {
  std::unique_ptr<Slot>& slot = slots_[id % kFollowed];
  if (!slot || slot->packets.id != id) {
    slot = std::make_unique<Slot>();
    slot->packets.id = id;
  }
  return *slot;
}

std::uint8_t ConnectionWatch::direction_of(Slot& slot, const wire::Packet& packet) {
  auto& directions = slot.packets.directions;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    if (directions[i].dst_qpn == packet.bth.dest_qp && directions[i].src == packet.src) {
      return static_cast<std::uint8_t>(i);
    }
  }
  if (directions.size() == 2) return directions[0].src == packet.src ? 0 : 1;
  directions.push_back({packet.src, packet.dst, packet.bth.dest_qp});
  return static_cast<std::uint8_t>(directions.size() - 1);
}

void ConnectionWatch::add(Slot& slot, const RecentPoint& point) {
  std::vector<RecentPoint>& points = slot.packets.points;
  if (slot.bin_shift >= 0) {
    if (RecentPoint* bin = bin_of(points, point, slot.bin_shift)) return absorb(*bin, point);
  }
  if (points.size() >= kPoints) make_room(slot, point.first_time);
  points.push_back(point);
}

/// What is older than the window goes; if that is little, neighbours are drawn together.
void ConnectionWatch::make_room(Slot& slot, Nanos now) {
  std::vector<RecentPoint>& points = slot.packets.points;
  const Nanos oldest = now - kWindow;
  const auto fresh = std::find_if(points.begin(), points.end(), [&](const auto& p) { return p.last_time >= oldest; });
  points.erase(points.begin(), fresh);
  if (points.empty()) slot.bin_shift = -1;
  while (points.size() > kPoints * 3 / 4 && slot.bin_shift < 40) coarsen(slot);
  // Many kinds at once may not fit even so.
  if (points.size() >= kPoints) points.erase(points.begin(), points.begin() + kPoints / 4);
}

void ConnectionWatch::coarsen(Slot& slot) {
  constexpr int kFirstShift = 10;  // 1 µs
  slot.bin_shift = slot.bin_shift < 0 ? kFirstShift : slot.bin_shift + 1;
  std::vector<RecentPoint> merged;
  for (const RecentPoint& point : slot.packets.points) {
    RecentPoint* bin = bin_of(merged, point, slot.bin_shift);
    bin != nullptr ? absorb(*bin, point) : merged.push_back(point);
  }
  slot.packets.points = std::move(merged);
}

void ConnectionWatch::log(Slot& slot, const RecentEvent& event) {
  std::vector<RecentEvent>& events = slot.packets.events;
  for (std::size_t i = 0; i < std::min(events.size(), kLookBack); ++i) {
    RecentEvent& before = events[events.size() - 1 - i];
    if (is_nak(event.mark) && is_resend(before.mark)) break;  // that one was answered
    if (before.mark != event.mark || before.direction != event.direction) continue;
    if (!goes_on(before, event)) break;
    before.last_time = event.last_time;
    before.packets += event.packets;
    return;
  }
  if (events.size() >= kEvents) events.erase(events.begin());
  events.push_back(event);
}

void ConnectionWatch::note_management(const source::Frame& frame, const wire::Packet& packet) {
  if (packet.bth.dest_qp != Qpn{1}) return;
  const auto cm = wire::parse_cm(packet.payload);
  if (!cm) return;
  if (messages_.size() >= kMessages) messages_.pop_front();
  messages_.push_back({frame.time, frame.id, packet.src, packet.dst, *cm});
}

}  // namespace rocetop::engine
