// SPDX-License-Identifier: BSD-3-Clause
#include "engine/path_recorder.h"

#include <algorithm>
#include <utility>

#include "model/path_order.h"
#include "wire/veroce_opcode.h"

namespace rocetop::engine {
namespace {

using model::Cell;
using model::PathMark;
using model::PathTimeline;
using model::PathTimelines;
using track::Kind;
using wire::VeroceShape;

/// Those that the path's counts have: not a copy of a packet, nor what is followed in nothing.
bool counts(Kind kind) { return kind == Kind::kNew || kind == Kind::kRetransmission || kind == Kind::kReordered; }

}  // namespace

RecordedPaths* PathRecorder::of(std::uint64_t sender) {
  if (const auto known = recorded_.find(sender); known != recorded_.end()) return &known.value();
  if (recorded_.size() >= limits_.directions) return nullptr;
  return &recorded_.try_emplace(sender).first.value();
}

void PathRecorder::on_packet(std::uint64_t sender, const wire::Packet& packet, Kind kind, const Cell& cell) {
  if (packet.protocol != wire::Protocol::kVeroce || packet.veroce.check != wire::VeroceCheck::kPassed) return;
  const wire::VeroceOpcode opcode = wire::veroce_opcode(packet.bth.opcode);
  if (!opcode.known() || opcode.acknowledges()) return;
  RecordedPaths* recorded = of(sender);
  if (recorded == nullptr) return;
  Cell bare = cell;
  bare.low = bare.high = 0;
  Cell mark = bare;
  mark.bytes = 0;
  const std::uint16_t port = packet.udp_src;
  if (opcode.sequenced && counts(kind)) {
    add(recorded->own, port, PathMark::kSent, bare);
    if (kind == Kind::kRetransmission) add(recorded->own, port, PathMark::kResent, mark);
    if (packet.ecn() == wire::Ecn::kCe) add(recorded->own, port, PathMark::kCe, mark);
    if (packet.veroce.trimmed && packet.icrc != wire::IcrcStatus::kBad)
      add(recorded->own, port, PathMark::kTrimmed, mark);
  } else if (opcode.shape == VeroceShape::kCnp) {
    add(recorded->told, port, PathMark::kCnp, mark);
  } else if (opcode.shape == VeroceShape::kSlowPath) {
    add(recorded->told, port, PathMark::kSlowSignal, mark);
  } else if (packet.bth.opcode == wire::kVeroceRttResponse && packet.veroce.rtt_beyond_tap) {
    mark.low = mark.high = packet.veroce.rtt_beyond_tap->count;
    add(recorded->told, port, PathMark::kProbe, mark);
  }
}

void PathRecorder::on_loss(std::uint64_t sender, const track::PathLoss& loss) {
  Cell cell;
  cell.first_time = cell.last_time = loss.time;
  cell.frame = loss.frame;
  pending_[loss.resend] = {sender, loss.udp_src, cell};
  pending_order_.push_back(loss.resend);
  while (pending_order_.size() > limits_.pending_losses) {
    settle(pending_order_.front());
    pending_order_.pop_front();
  }
}

void PathRecorder::take_back(FrameId resend) { pending_.erase(resend); }

void PathRecorder::settle(FrameId resend) {
  const auto found = pending_.find(resend);
  if (found == pending_.end()) return;
  const PendingLoss loss = found->second;
  pending_.erase(found);
  if (RecordedPaths* recorded = of(loss.sender)) add(recorded->own, loss.udp_src, PathMark::kLost, loss.cell);
}

void PathRecorder::add(PathTimelines& paths, std::uint16_t udp_src, PathMark mark, const Cell& cell) {
  PathTimeline* path = paths.find(udp_src);
  if (path == nullptr && series_ < limits_.series && paths.paths.size() < track::kVerocePaths) {
    path = &paths.paths.emplace_back();
    path->udp_src = udp_src;
  }
  if (path == nullptr) path = &paths.others;
  const std::size_t kinds = path->marks.size();
  model::Series& series = path->use(mark, series_cells_).series;
  series_ += path->marks.size() - kinds;
  const std::size_t before = series.cells().size();
  series.add(cell);
  cells_ += series.cells().size() - before;  // may wrap around: a series that is merged shrinks
  if (cells_ > limits_.cells && series_cells_ > limits_.series_least) make_room();
}

void PathRecorder::make_room() {
  while (cells_ > limits_.cells / 2 && series_cells_ > limits_.series_least) {
    series_cells_ = std::max(series_cells_ / 2, limits_.series_least);
    cells_ = 0;
    for (auto entry = recorded_.begin(); entry != recorded_.end(); ++entry) {
      for (PathTimelines* paths : {&entry.value().own, &entry.value().told}) {
        paths->each_series([&](model::Series& series) {
          series.restrict_to(series_cells_);
          cells_ += series.cells().size();
        });
      }
    }
  }
}

void PathRecorder::finish() {
  for (const FrameId resend : std::exchange(pending_order_, {})) settle(resend);
}

RecordedPaths PathRecorder::take(std::uint64_t sender) {
  const auto found = recorded_.find(sender);
  return found == recorded_.end() ? RecordedPaths{} : std::exchange(found.value(), {});
}

PathTimelines paths_to_draw(PathTimelines own, PathTimelines told, const track::VeroceDirection& counts) {
  PathTimelines drawn;
  std::uint64_t used = counts.packets_elsewhere > 0 ? 1 : 0;
  for (const track::VerocePath& path : counts.paths) used += path.packets > 0 ? 1 : 0;
  if (used < 2) return drawn;
  own.absorb(std::move(told));
  for (const std::size_t i : model::worst_paths_first(counts.paths)) {
    if (drawn.paths.size() == model::kPathsDrawn) break;
    PathTimeline* path = own.find(counts.paths[i].udp_src);
    if (path == nullptr || path->find(PathMark::kSent) == nullptr) continue;
    drawn.paths.push_back(std::exchange(*path, {}));
  }
  drawn.other_paths = used - drawn.paths.size();
  drawn.more_paths = counts.packets_elsewhere > 0;
  drawn.others = std::move(own.others);
  for (const PathTimeline& path : own.paths) drawn.others.absorb(path);
  drawn.each_series([](model::Series& series) {
    series.sort();
    series.restrict_to(model::kPathCells);
  });
  return drawn;
}

}  // namespace rocetop::engine
