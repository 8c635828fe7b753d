// SPDX-License-Identifier: BSD-3-Clause
#include "track/congestion.h"

#include <algorithm>
#include <cmath>

#include "track/cnp_copy.h"

namespace rocetop::track {
namespace {

constexpr double kFell = 0.9;              // of the rate before: less is a slowdown, more is the meter's grain
constexpr double kRecovered = 0.95;        // … and this is back
constexpr std::int64_t kQuietWindows = 8;  // without a CNP, after which the next one begins another series
constexpr double kIdleShare = 0.1;         // of a window: more, and its rate is the application's, not the loop's
constexpr double kSwing = 2.0;             // factor between peak and trough
constexpr double kSwingPackets = 8;        // … and packets: fewer are the grain of a slow flow
constexpr double kAtWorkLeast = 0.1;       // of a window: at work for less, and its rate says nothing

}  // namespace

void Congestion::begin(Nanos now) {
  if (begun_) return;
  begun_ = true;
  began_ = now;
}

/// Idle time, and time at rest: what lies before a message beyond the pace of packets within messages. A rate limit
/// spaces all packets alike; a pause before messages only is the wait for an answer, or for storage.
void Congestion::note_pause(const PacketFacts& packet, const SenderPause& pause) {
  const Nanos now = packet.time;
  const Nanos gap = last_data_ ? std::max(now - *last_data_, Nanos{}) : Nanos{};
  last_data_ = now;
  const bool begins = packet.position == wire::Position::kFirst || packet.position == wire::Position::kOnly;
  if (!begins) pace_ = {pace_.count == 0 ? gap.count : (pace_.count * 3 + gap.count) / 4};
  if (!begun_) return;
  const Nanos watched = std::max(now - began_, Nanos{});
  if (pause.idle > Nanos{}) {
    idle_length_ = std::min(pause.idle, watched);
    idle_end_ = now;
    counts_.idle = counts_.idle + idle_length_;
    swing_.idle = swing_.idle + idle_length_;
  }
  const Nanos beyond = begins && pause.rests ? gap - std::min(pace_, gap) : Nanos{};
  const Nanos rest = std::min(std::max(beyond, pause.idle), watched);
  if (rest <= Nanos{}) return;
  counts_.rest = counts_.rest + rest;
  open_rests_ = {now, open_rests_.length + rest};
}

/// How long the sender rested within the meter's window.
Nanos Congestion::rest_in(const RateMeter& meter) const {
  Nanos sum;
  for (const Rests& r : rests_) {
    if (r.end > meter.window_begin()) sum = sum + std::min(r.length, r.end - meter.window_begin());
  }
  return std::min(sum, meter.window_length());
}

/// The rate over the time of the window in which the sender had something to send.
std::optional<double> Congestion::rate_at_work(const RateMeter& meter) const {
  const auto rate = meter.rate();
  if (!rate) return std::nullopt;
  const auto length = static_cast<double>(meter.window_length().count);
  const double worked = 1.0 - static_cast<double>(rest_in(meter).count) / length;
  return worked >= kAtWorkLeast ? std::optional{*rate / worked} : std::nullopt;
}

bool Congestion::on_data(const PacketFacts& packet, const SenderPause& pause, bool moved, const RateMeter& meter) {
  const Nanos now = packet.time;
  note_pause(packet, pause);
  if (moved) {
    rests_[next_rests_] = open_rests_;
    next_rests_ = static_cast<std::uint8_t>((next_rests_ + 1) % rests_.size());
    open_rests_ = {};
    on_window(now, meter);
  }
  if (!packet.is_marked()) return false;
  begin(now);
  if (counts_.ce_packets++ == 0) {
    counts_.first_ce = packet.frame;
    counts_.first_ce_time = now;
  }
  counts_.last_ce_time = now;
  if (ce_since_cnp_++ == 0) first_ce_since_cnp_ = now;
  marks_[next_mark_] = now;
  next_mark_ = static_cast<std::uint8_t>((next_mark_ + 1) % marks_.size());
  swing_.congested = true;
  if (counts_.ce_packets > 1 && now - last_sign_ < kSignsApart) return false;
  last_sign_ = now;
  return true;
}

bool Congestion::is_copy(const PacketFacts& cnp, bool captured_twice) {
  const bool twice =
      !is_told_by_id(cnp) && captured_twice && !last_was_copy_ && cnp.time - counts_.last_cnp_time < kCopyWindow;
  last_was_copy_ = counts_.cnps > 0 && (twice || is_cnp_copy(cnp, last_ip_id_, counts_.last_cnp_time));
  last_ip_id_ = cnp.ip_id;
  return last_was_copy_;
}

void Congestion::count_gap_and_delay(const PacketFacts& cnp) {
  if (counts_.cnps > 0) counts_.cnp_gap_ns.add(cnp.time - counts_.last_cnp_time);
  // The latest mark before it; a CNP that is told late finds it among the last few.
  std::optional<Nanos> mark;
  for (std::size_t i = 0; i < std::min<std::uint64_t>(marks_.size(), counts_.ce_packets); ++i) {
    const Nanos at = marks_[(next_mark_ + marks_.size() - 1 - i) % marks_.size()];
    if (at <= cnp.time && (!mark || at > *mark)) mark = at;
  }
  const bool fresh = mark && (counts_.cnps == 0 || *mark > counts_.last_cnp_time);
  if (fresh) {
    counts_.ce_to_cnp_ns.add(cnp.time - *mark);
  } else if (ce_since_cnp_ == 0 || first_ce_since_cnp_ > cnp.time) {
    ++counts_.cnps_without_ce;
    if (!counts_.first_cnp_without_ce) counts_.first_cnp_without_ce = cnp.frame;
  }
  if (ce_since_cnp_ > 0 && cnp.time > first_ce_since_cnp_) {
    counts_.longest_unanswered = std::max(counts_.longest_unanswered, cnp.time - first_ce_since_cnp_);
    ce_since_cnp_ = 0;
  }
}

bool Congestion::on_cnp(const PacketFacts& cnp, FrameId nak, Nanos nak_time, const RateMeter& meter) {
  begin(cnp.time);
  count_gap_and_delay(cnp);
  if (counts_.cnps++ == 0) {
    counts_.first_cnp = cnp.frame;
    counts_.first_cnp_time = cnp.time;
  }
  counts_.last_cnp_time = cnp.time;
  last_cnp_ = cnp.frame;
  counts_.fast_cnps += cnp.destination_options ? 1 : 0;
  last_cnp_with_nak_ = nak && cnp.time - nak_time < kWithNak;
  if (last_cnp_with_nak_) {
    ++counts_.cnps_with_nak;
    note_nak(nak, nak_time);
  }
  swing_.congested = true;
  const auto rate = meter.rate();
  // Told too late, or before there was a rate: only counted.
  if (rate && meter.window_is_full() && cnp.time >= meter.window_end()) {
    if (!sample_) sample_ = Sample{cnp.time, *rate};
    if (const auto at_work = rate_at_work(meter)) start_series(cnp.time, *at_work, meter);
  }
  calm_.reset();
  return !last_cnp_with_nak_;
}

bool Congestion::forget_cnps(std::uint64_t cnps) {
  counts_.cnps -= std::min(counts_.cnps, cnps);
  if (counts_.cnps > 0) return true;
  CongestionCounts marks;
  marks.ce_packets = counts_.ce_packets;
  marks.first_ce = counts_.first_ce;
  marks.first_ce_time = counts_.first_ce_time;
  marks.last_ce_time = counts_.last_ce_time;
  marks.idle = counts_.idle;
  marks.rest = counts_.rest;
  counts_ = marks;
  ce_since_cnp_ = marks.ce_packets;
  first_ce_since_cnp_ = marks.first_ce_time;
  last_was_copy_ = last_cnp_with_nak_ = false;
  series_.reset();
  sample_.reset();
  calm_.reset();
  return marks.ce_packets > 0;
}

void Congestion::start_series(Nanos now, double before, const RateMeter& meter) {
  const Nanos quiet{meter.window_length().count * kQuietWindows};
  if (series_ && series_->fell && now - series_->last > quiet) {
    // It never came back to what it was; what the next CNPs do is measured from where it is now.
    ++counts_.unrecovered;
    count_cut(*series_);
    series_.reset();
  }
  if (!series_) series_ = Series{now, now, before, before, false};
  series_->last = now;
}

void Congestion::note_nak(FrameId nak, Nanos time) {
  if (counts_.first_nak_with_cnp) return;
  counts_.first_nak_with_cnp = nak;
  counts_.first_nak_with_cnp_time = time;
}

void Congestion::on_nak(const PacketFacts& nak) {
  if (counts_.cnps == 0 || last_cnp_with_nak_ || nak.time - counts_.last_cnp_time >= kWithNak) return;
  last_cnp_with_nak_ = true;
  ++counts_.cnps_with_nak;
  note_nak(nak.frame, nak.time);
}

void Congestion::on_window(Nanos now, const RateMeter& meter) {
  const auto rate = meter.rate();
  if (!rate || !meter.window_is_full()) return;
  const Nanos begin = meter.window_begin();
  const double length = static_cast<double>(meter.window_length().count);
  const bool idle = idle_end_ > begin && static_cast<double>(idle_length_.count) > kIdleShare * length;
  if (sample_ && begin >= sample_->at) {
    if (!idle && sample_->before > 0) {
      counts_.rate_before_bps.add(static_cast<std::int64_t>(sample_->before));
      counts_.rate_after_bps.add(static_cast<std::int64_t>(*rate));
      counts_.after_permille.add(static_cast<std::int64_t>(*rate / sample_->before * 1000));
    }
    sample_.reset();
  }
  const auto at_work = idle ? std::nullopt : rate_at_work(meter);
  if (at_work && counts_.cnps > 0 && begin >= counts_.first_cnp_time) {
    counts_.lowest_bps = counts_.windows == 0 ? *at_work : std::min(counts_.lowest_bps, *at_work);
    counts_.highest_bps = std::max(counts_.highest_bps, *at_work);
    ++counts_.windows;
  }
  if (at_work && series_) {
    follow_series(now, *at_work, meter);
  } else if (at_work) {
    follow_calm(*at_work, meter);
  }
  follow_swing(now, meter);
}

void Congestion::follow_series(Nanos now, double rate, const RateMeter& meter) {
  Series& s = *series_;
  if (meter.window_begin() < s.first) return;  // the window still holds what came before
  s.lowest = std::min(s.lowest, rate);
  if (!s.fell && rate < kFell * s.before) {
    s.fell = true;
    ++counts_.slowdowns;
    const Nanos prompt{meter.window_length().count * kPromptWindows};
    counts_.prompt_slowdowns += now - s.first <= prompt ? 1 : 0;
  }
  if (s.fell && rate >= kRecovered * s.before) {
    counts_.recovery_ns.add(now - s.first);
    count_cut(s);
    series_.reset();
  } else if (!s.fell && now - s.last > Nanos{meter.window_length().count * kQuietWindows}) {
    // Without CNPs for long: what the rate does from here on is not their doing.
    ++counts_.no_slowdowns;
    series_.reset();
  }
}

/// Whether the rate falls as far and as soon where no CNP tells it to.
void Congestion::follow_calm(double rate, const RateMeter& meter) {
  if (!calm_) {
    calm_ = Calm{meter.window_end(), rate};
    return;
  }
  if (meter.window_begin() < calm_->at) return;
  const bool fell = rate < kFell * calm_->before;
  if (!fell && meter.window_end() - calm_->at < Nanos{meter.window_length().count * kPromptWindows}) return;
  ++counts_.calm_stretches;
  counts_.calm_falls += fell ? 1 : 0;
  calm_.reset();
}

void Congestion::count_cut(const Series& series) {
  counts_.cut_permille.add(static_cast<std::int64_t>((series.before - series.lowest) / series.before * 1000));
}

void Congestion::follow_swing(Nanos now, const RateMeter& meter) {
  Swing& s = swing_;
  const auto at_work = rate_at_work(meter);
  if (!at_work) return;
  const double bytes = *at_work / 8e9 * static_cast<double>(meter.window_length().count);
  const double grain = kSwingPackets * meter.packet_bytes();
  if (s.falling) {
    if (bytes < s.trough) {
      s.trough = bytes;
      s.trough_time = now;
    } else if (bytes > kSwing * s.trough && bytes > s.trough + grain) {
      whole_swing(s.trough_time);
      s.falling = false;
      s.peak = bytes;
    }
    return;
  }
  if (bytes > s.peak) {
    s.peak = bytes;
  } else if (bytes * kSwing < s.peak && bytes + grain < s.peak) {
    s.falling = true;
    s.last_peak = s.peak;
    s.trough = bytes;
    s.trough_time = now;
  }
}

/// The trough at `now` is over.
void Congestion::whole_swing(Nanos now) {
  Swing& s = swing_;
  if (s.last_trough && s.last_peak > 0) {
    const Nanos period = now - *s.last_trough;
    const bool busy = static_cast<double>(s.idle.count) < kIdleShare * static_cast<double>(period.count);
    if (busy && !s.congested) ++counts_.calm_swings;
    if (busy && s.congested) {
      const auto length = static_cast<double>(period.count);
      ++counts_.swings;
      const double delta = length - s.mean_ns;
      s.mean_ns += delta / static_cast<double>(counts_.swings);
      s.m2 += delta * (length - s.mean_ns);
      s.depth_sum += (s.last_peak - s.trough) / s.last_peak;
    }
  }
  s.last_trough = now;
  s.idle = {};
  s.congested = false;
}

CongestionCounts Congestion::finish(Nanos last_data) const {
  CongestionCounts out = counts_;
  out.ce_after_last_cnp = ce_since_cnp_;
  if (ce_since_cnp_ > 0) {
    out.longest_unanswered = std::max(out.longest_unanswered, out.last_ce_time - first_ce_since_cnp_);
  }
  if (begun_) out.watched = std::max(last_data, began_) - began_;
  if (series_) ++(series_->fell ? out.unrecovered : out.no_slowdowns);
  if (out.swings > 0) {
    const auto n = static_cast<double>(out.swings);
    out.swing_ns = swing_.mean_ns;
    out.swing_spread = swing_.mean_ns > 0 ? std::sqrt(swing_.m2 / n) / swing_.mean_ns : 0;
    out.swing_depth = swing_.depth_sum / n;
  }
  return out;
}

}  // namespace rocetop::track
