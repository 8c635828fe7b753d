// SPDX-License-Identifier: BSD-3-Clause
#include "engine/recorder.h"

#include <algorithm>
#include <utility>

#include "engine/mark_of.h"
#include "engine/timeline_builder.h"
#include "wire/fast_cnp.h"
#include "wire/veroce_opcode.h"

namespace rocetop::engine {
namespace {

using model::Cell;
using model::DirectionTimeline;
using model::Mark;
using model::MarkedSeries;
using track::Kind;
using track::SpaceName;

constexpr std::size_t kPauseCells = 4'096;  // of each series of pause frames
constexpr std::size_t kToldMost = 256;      // directions with Fast CNPs about them: 32 MB; the JSON counts all

bool may_still_change(Kind kind) {
  return kind == Kind::kRetransmission || kind == Kind::kReordered || kind == Kind::kDuplicate;
}

bool is_trouble(Mark mark) { return mark != Mark::kNew && mark != Mark::kAck && mark != Mark::kRoundTrip; }

}  // namespace

Recorder::Recorder(const RecorderLimits& limits) : limits_(limits), slots_(1), paths_(limits.paths) {
  for (std::size_t i = 0; i < pauses_.size(); ++i)
    pauses_[i] = {static_cast<std::uint8_t>(i), model::Series(kPauseCells), model::Series(kPauseCells)};
  link_pause_ = {0, model::Series(kPauseCells), model::Series(kPauseCells)};
}

FrameObserver Recorder::observer() {
  return [this](const source::Frame& frame, const wire::Decoded& decoded, const track::Observation& observation) {
    on_frame(frame, decoded, observation);
  };
}

void Recorder::on_frame(const source::Frame& frame, const wire::Decoded& decoded,
                        const track::Observation& observation) {
  if (decoded.kind == wire::FrameKind::kPause) on_pause(frame, decoded.pause);
  if (decoded.kind == wire::FrameKind::kRoce && observation.connection != 0)
    on_packet(frame, decoded.packet, observation);
  early_.clear();
  early_losses_.clear();
}

void Recorder::on_packet(const source::Frame& frame, const wire::Packet& packet,
                         const track::Observation& observation) {
  const RecordedPlace place = place_of(packet, observation);
  Mark mark = mark_of(packet, observation);
  const bool has_psn = model::has_psns(mark) && place.slot != 0;
  const Sequence seq = has_psn ? sequence_of(place, packet) : 0;
  Cell cell{frame.time, frame.time, seq, seq, frame.id, frame.wire_length, 1};
  if (!may_still_change(observation.kind)) {
    add(place, mark, cell);
  } else {
    hold(place, mark, cell);
    for (const track::Resolution& resolution : std::exchange(early_, {})) on_resolution(resolution);
  }
  if (place.slot != 0) {
    paths_.on_packet(sender(place), packet, observation.kind, cell);
    for (const track::PathLoss& loss : early_losses_) paths_.on_loss(sender(place), loss);
  }
  cell.bytes = 0;
  if (mark == Mark::kFastCnp) note_told(packet, cell);
  if (packet.ecn() == wire::Ecn::kCe && !packet.is_cnp()) add(place, Mark::kCe, cell);
  if (observation.missing_before != 0) {
    Cell gap = cell;
    gap.packets = observation.missing_before;
    if (place.slot != 0) {
      gap.low = seq - observation.missing_before;
      gap.high = seq - 1;
    }
    add(place, Mark::kGap, gap);
  }
  if (observation.rtt) {
    cell.low = cell.high = observation.rtt->count;
    add({place.slot, place.direction, SpaceName::kNone}, Mark::kRoundTrip, cell);
  }
}

void Recorder::on_pause(const source::Frame& frame, const wire::Pause& pause) {
  const auto note = [&](model::PauseTimeline& timeline, std::uint16_t quanta) {
    const Cell cell{frame.time, frame.time, quanta, quanta, frame.id, frame.wire_length, 1};
    (quanta != 0 ? timeline.xoff : timeline.xon).add(cell);
  };
  if (!pause.priority) return note(link_pause_, pause.quanta[0]);
  for (std::size_t i = 0; i < pauses_.size(); ++i) {
    if ((pause.class_vector >> i & 1) != 0) note(pauses_[i], pause.quanta[i]);
  }
}

RecordedPlace Recorder::place_of(const wire::Packet& packet, const track::Observation& observation) {
  const std::uint32_t id = observation.connection;
  if (id >= slots_.size() && id <= limits_.connections) slots_.resize(id + 1);
  if (id >= slots_.size()) {
    if (id >= is_other_.size()) is_other_.resize(id + 1);
    if (!is_other_[id]) ++other_connections_;
    is_other_[id] = true;
    return {0, 0, observation.space};
  }
  Slot& slot = slots_[id];
  if (slot.series_limit == 0) slot.series_limit = limits_.series_cells;
  const auto same = [&](const DirectionTimeline& d) {
    return d.dst_qpn == packet.bth.dest_qp && d.src == packet.src && d.dst == packet.dst;
  };
  auto found = std::find_if(slot.directions.begin(), slot.directions.end(), same);
  if (found == slot.directions.end()) {
    if (slot.directions.size() < 2) {
      slot.directions.push_back({packet.src, packet.dst, packet.bth.dest_qp, {}});
      found = slot.directions.end() - 1;
    } else {
      found = slot.directions.begin() + (slot.directions[0].src == packet.src ? 0 : 1);
    }
  }
  return {id, static_cast<std::uint8_t>(found - slot.directions.begin()), observation.space};
}

/// Replies carry PSNs of the other end's requests; but under veRoCE responses have PSNs of their own.
Sequence Recorder::sequence_of(const RecordedPlace& place, const wire::Packet& packet) {
  std::size_t owner = place.space == SpaceName::kRequests ? place.direction : 1 - place.direction;
  if (packet.protocol == wire::Protocol::kVeroce) {
    const wire::VeroceOpcode opcode = wire::veroce_opcode(packet.bth.opcode);
    owner = opcode.sequenced ? place.direction : 1 - place.direction;
    if (opcode.space == wire::VeroceSpace::kResponses) owner += 2;
  }
  const Psn psn = packet.bth.psn;
  std::optional<Sequence>& reference = slots_[place.slot].reference[owner];
  reference = reference ? extend(*reference, psn) : Sequence{psn.value};
  return *reference;
}

/// A repeat: its kind and cause may be settled by later packets.
void Recorder::hold(const RecordedPlace& place, Mark mark, const Cell& cell) {
  unsettled_[cell.frame] = {place, mark, cell};
  unsettled_order_.push_back(cell.frame);
  while (unsettled_order_.size() > limits_.unsettled) {
    if (const auto oldest = unsettled_.find(unsettled_order_.front()); oldest != unsettled_.end()) {
      add(oldest->second.place, oldest->second.mark, oldest->second.cell);
      unsettled_.erase(oldest);
    }
    unsettled_order_.pop_front();
  }
}

void Recorder::on_resolution(const track::Resolution& resolution) {
  if (resolution.fate == track::Resolution::Fate::kAcknowledged) return;
  const auto found = unsettled_.find(resolution.frame);
  if (found == unsettled_.end()) {
    early_.push_back(resolution);
    return;
  }
  UnsettledPacket item = found->second;
  unsettled_.erase(found);
  if (resolution.fate == track::Resolution::Fate::kRetransmission) item.mark = model::resent(resolution.cause);
  if (resolution.fate == track::Resolution::Fate::kReordered) item.mark = Mark::kReordered;
  if (resolution.fate == track::Resolution::Fate::kDuplicate) item.mark = Mark::kDuplicate;
  add(item.place, item.mark, item.cell);
}

/// Told with the resend, which is observed right after; or of one that was observed before.
void Recorder::on_path_loss(const track::PathLoss& loss) {
  if (loss.taken_back) return paths_.take_back(loss.resend);
  const auto seen = unsettled_.find(loss.resend);
  if (seen == unsettled_.end()) {
    early_losses_.push_back(loss);
  } else if (seen->second.place.slot != 0) {
    paths_.on_loss(sender(seen->second.place), loss);
  }
}

void Recorder::add(const RecordedPlace& place, Mark mark, const Cell& cell) {
  if (place.slot == 0) {
    model::series_of(others_, mark, place.space, model::kOtherCells).series.add(cell);
    return;
  }
  Slot& slot = slots_[place.slot];
  if (is_trouble(mark)) slot.trouble += cell.packets;
  model::Series& series =
      model::series_of(slot.directions[place.direction].marks, mark, place.space, slot.series_limit).series;
  const std::size_t before = series.cells().size();
  series.add(cell);
  cells_ += series.cells().size() - before;  // may wrap around: a series that is merged shrinks
  if (cells_ > limits_.cells) make_room();
}

/// It travels in a connection of its own, from the switch: what it is about is found by its addresses at the end.
void Recorder::note_told(const wire::Packet& packet, const Cell& cell) {
  const std::optional<IpAddress> dst = wire::parse_fast_cnp(packet).data_destination;
  if (!dst) return;
  const auto same = [&](const DirectionTimeline& d) {
    return d.dst_qpn == packet.bth.dest_qp && d.src == packet.dst && d.dst == *dst;
  };
  auto found = std::find_if(told_.begin(), told_.end(), same);
  if (found == told_.end()) {
    if (told_.size() >= kToldMost) return;
    found = told_.insert(told_.end(), {packet.dst, *dst, packet.bth.dest_qp, {}});
  }
  model::series_of(found->marks, Mark::kToldBySwitch, SpaceName::kNone, model::kOtherCells).series.add(cell);
}

/// Half of the room is for the connections with the most trouble; what does not fit there shares the other half.
void Recorder::make_room() {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  std::size_t series = 1;
  for (std::uint32_t i = 1; i < slots_.size(); ++i) {
    if (slots_[i].directions.empty()) continue;
    order.emplace_back(slots_[i].trouble, i);
    for (const DirectionTimeline& d : slots_[i].directions) series += d.marks.size();
  }
  std::sort(order.begin(), order.end(), std::greater<>());
  std::size_t room = limits_.cells / 2;
  const std::size_t share = limits_.cells / 4 / series;
  cells_ = 0;
  for (const auto& [trouble, index] : order) {
    Slot& slot = slots_[index];
    std::size_t wanted = 0;
    for (const DirectionTimeline& d : slot.directions) {
      for (const MarkedSeries& marked : d.marks) wanted += marked.series.cells().size();
    }
    if (wanted <= room) {
      room -= wanted;
      cells_ += wanted;
      continue;
    }
    slot.series_limit = std::max<std::size_t>(share, 2);
    for (DirectionTimeline& d : slot.directions) {
      for (MarkedSeries& marked : d.marks) {
        marked.series.restrict_to(slot.series_limit);
        cells_ += marked.series.cells().size();
      }
    }
  }
}

model::Timeline Recorder::finish(const model::Snapshot& snapshot) {
  for (const FrameId frame : std::exchange(unsettled_order_, {})) {
    if (const auto found = unsettled_.find(frame); found != unsettled_.end()) {
      add(found->second.place, found->second.mark, found->second.cell);
    }
  }
  unsettled_.clear();
  paths_.finish();
  TimelineBuilder builder(snapshot);
  for (std::uint32_t id = 1; id < slots_.size(); ++id) {
    std::uint8_t direction = 0;
    for (DirectionTimeline& d : slots_[id].directions) {
      RecordedPaths recorded = paths_.take(sender({id, direction++, SpaceName::kNone}));
      d.paths = std::move(recorded.own);
      d.told = std::move(recorded.told);
      builder.add(id, std::move(d));
    }
    slots_[id] = {};
  }
  for (DirectionTimeline& d : told_) builder.add(0, std::move(d));
  model::Timeline timeline = builder.build();
  for (MarkedSeries& marked : others_) timeline.others.push_back(std::move(marked));
  timeline.other_connections = other_connections_;
  for (model::PauseTimeline& pause : pauses_) {
    if (pause.xoff.packets() + pause.xon.packets() != 0) timeline.pauses.push_back(std::move(pause));
  }
  timeline.link_pause = std::move(link_pause_);
  return timeline;
}

}  // namespace rocetop::engine
