// SPDX-License-Identifier: BSD-3-Clause
#include "track/pause_log.h"

#include <algorithm>

namespace rocetop::track {
namespace {

constexpr std::size_t kPortsMost = 256;
constexpr std::uint64_t kQuantumBits = 512;

Nanos length_of(std::uint16_t quanta, std::uint64_t bits_per_second) {
  return {static_cast<std::int64_t>(quanta * kQuantumBits * 1'000'000'000ULL / bits_per_second)};
}

}  // namespace

PauseLog::Port* PauseLog::port(const wire::Pause& pause, std::uint32_t interface) {
  const auto found = std::find_if(ports_.begin(), ports_.end(), [&](const Port& p) {
    return p.counts.interface == interface && p.counts.mac == pause.src_mac;
  });
  if (found != ports_.end()) return &*found;
  if (ports_.size() >= kPortsMost) {
    ++ports_omitted_;
    return nullptr;
  }
  Port& p = ports_.emplace_back();
  p.counts.interface = interface;
  p.counts.mac = pause.src_mac;
  return &p;
}

/// When a pause is over without an XON: by the link's speed, or by the slowest there may be.
Nanos PauseLog::expiry(const Port& port, const Open& open) {
  return open.since + length_of(open.quanta, port.link_speed.value_or(kSlowestLink));
}

/// The pause that goes on ends or begins again at `now`: its time since the last XOFF counts.
void PauseLog::add_time(Port& port, std::size_t c, Nanos now) {
  const Open& open = port.open[c];
  PauseCounts& counts = port.counts.classes[c];
  const Nanos lasted = std::max(now - open.since, Nanos{});
  counts.paused_least = counts.paused_least + std::min(lasted, length_of(open.quanta, kFastestLink));
  counts.paused_most = counts.paused_most + std::min(lasted, length_of(open.quanta, kSlowestLink));
  if (port.link_speed) {
    counts.paused = counts.paused.value_or(Nanos{}) + std::min(lasted, length_of(open.quanta, *port.link_speed));
  }
}

void PauseLog::end_stretch(Port& port, std::size_t c, FrameId last, Nanos end) {
  Open& open = port.open[c];
  PauseCounts& counts = port.counts.classes[c];
  const Nanos lasted = end - open.stretch_since;
  if (open.stretch_frames > 0 && lasted > counts.longest_stretch) {
    counts.longest_stretch = lasted;
    counts.stretch_frames = open.stretch_frames;
    counts.stretch_first = open.stretch_first;
    counts.stretch_last = last;
  }
  open.stretch_frames = 0;
}

void PauseLog::xoff(Port& port, std::size_t c, std::uint16_t quanta, FrameId frame, Nanos now) {
  Open& open = port.open[c];
  PauseCounts& counts = port.counts.classes[c];
  if (open.paused) {
    add_time(port, c, now);
    const Nanos over = open.since + length_of(open.quanta, port.link_speed.value_or(kLikelyLink));
    if (now > over) end_stretch(port, c, counts.stretch_last, port.link_speed ? over : open.since);
  }
  if (open.stretch_frames == 0) {
    open.stretch_since = now;
    open.stretch_first = frame;
  }
  ++open.stretch_frames;
  if (counts.xoff_frames++ == 0) {
    counts.first_xoff = frame;
    counts.first_time = now;
  }
  counts.last_time = now;
  counts.longest_quanta = std::max(counts.longest_quanta, quanta);
  open.paused = true;
  open.since = now;
  open.quanta = quanta;
  // While it lasts, the newest XOFF is where it was seen to go on.
  if (now - open.stretch_since > counts.longest_stretch) {
    counts.longest_stretch = now - open.stretch_since;
    counts.stretch_frames = open.stretch_frames;
    counts.stretch_first = open.stretch_first;
    counts.stretch_last = frame;
  }
}

void PauseLog::xon(Port& port, std::size_t c, Nanos now) {
  Open& open = port.open[c];
  PauseCounts& counts = port.counts.classes[c];
  ++counts.xon_frames;
  if (!open.paused) return;
  add_time(port, c, now);
  open.paused = false;
  open.stretch_frames = 0;
}

void PauseLog::on_pause(const wire::Pause& pause, std::uint32_t interface, FrameId frame, Nanos now,
                        std::optional<std::uint64_t> link_speed) {
  Port* p = port(pause, interface);
  if (p == nullptr) return;
  p->link_speed = link_speed && *link_speed > 0 ? link_speed : std::nullopt;
  if (p->link_speed) {
    for (PauseCounts& counts : p->counts.classes) {
      if (!counts.paused) counts.paused = Nanos{};
    }
  }
  for (std::size_t c = 0; c < kAllClasses; ++c) {
    if ((pause.class_vector >> c & 1) == 0) continue;
    const std::size_t of = pause.priority ? c : kAllClasses;
    if (pause.quanta[c] != 0) {
      xoff(*p, of, pause.quanta[c], frame, now);
    } else {
      xon(*p, of, now);
    }
  }
  refresh_mask(now);
}

void PauseLog::refresh_mask(Nanos now) {
  mask_ = 0;
  mask_until_ = Nanos::max();
  for (const Port& p : ports_) {
    for (std::size_t c = 0; c < kPauseClasses; ++c) {
      const Open& open = p.open[c];
      if (!open.paused || now > expiry(p, open)) continue;
      mask_ = static_cast<std::uint8_t>(c == kAllClasses ? 0xFF : mask_ | 1U << c);
      mask_until_ = std::min(mask_until_, expiry(p, open));
    }
  }
}

std::vector<PausingPort> PauseLog::finish(Nanos last_time) {
  std::vector<PausingPort> out;
  for (Port& p : ports_) {
    for (std::size_t c = 0; c < kPauseClasses; ++c) {
      Open& open = p.open[c];
      if (!open.paused) continue;
      add_time(p, c, last_time);
      end_stretch(p, c, p.counts.classes[c].stretch_last,
                  p.link_speed ? std::min(last_time, expiry(p, open)) : open.since);
      open.paused = false;
    }
    out.push_back(p.counts);
  }
  ports_.clear();
  return out;
}

}  // namespace rocetop::track
