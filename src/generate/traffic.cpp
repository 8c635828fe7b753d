// SPDX-License-Identifier: BSD-3-Clause
// From the logs of the plans to frames at the tap and the truth about them.
#include "generate/traffic.h"

#include <algorithm>
#include <optional>

#include "generate/traffic_model.h"

namespace rocetop::generate {
namespace {

/// Which PSNs of one space the tap saw, in which order, and what happened to the skipped ones.
class SpaceTeller {
 public:
  SpaceTeller(const RunLog& log, bool responses)
      : log_(log), responses_(responses), seen_(log.answered_by_response.size()) {}

  enum class Arrival { kNew, kCopy, kLate, kResent };

  Arrival add(const Transmission& t) {
    ++truth_.packets;
    truth_.payload_bytes += t.packet.payload.size();
    const std::size_t first = offset(t.first);
    const std::size_t end = first + t.psns;
    const bool beyond = !started_ || end > next_;
    const bool seen_before = seen_[first];
    if (late_ && !beyond && !t.copy && t.resent()) truth_.lateness_visible = false;
    late_ = false;
    if (responses_ && t.attempt >= 2) truth_.repeats_visible = false;

    if (t.copy) {
      ++truth_.duplicates;
      return Arrival::kCopy;
    }
    if (beyond) skip_to(first);
    for (std::size_t i = first; i < end; ++i) seen_[i] = true;
    next_ = std::max(next_, end);
    if (beyond) return Arrival::kNew;
    settle(first, end, t.resent() ? MissingFate::kRetransmitted : MissingFate::kReordered);
    if (!t.resent()) {
      ++truth_.reordered;
      late_ = true;
      return Arrival::kLate;
    }
    ++(seen_before ? truth_.original_seen : truth_.original_unseen);
    truth_.retransmitted_bytes += t.packet.payload.size();
    return Arrival::kResent;
  }

  SpaceTruth& truth() { return truth_; }

 private:
  std::size_t offset(Sequence s) const { return static_cast<std::size_t>(s - log_.first_psn); }

  void skip_to(std::size_t first) {
    for (std::size_t i = next_; started_ && i < first; ++i) {
      if (!responses_ || log_.answered_by_response[i]) {
        truth_.missing.push_back({wire_psn(log_.first_psn + static_cast<Sequence>(i)), MissingFate::kCaptureMissed});
        missing_at_.push_back(i);
      }
    }
    started_ = true;
  }

  void settle(std::size_t first, std::size_t end, MissingFate fate) {
    for (std::size_t k = 0; k < missing_at_.size(); ++k) {
      MissingTruth& missing = truth_.missing[k];
      if (missing_at_[k] >= first && missing_at_[k] < end && missing.fate == MissingFate::kCaptureMissed) {
        missing.fate = fate;
      }
    }
  }

  const RunLog& log_;
  const bool responses_;
  std::vector<bool> seen_;  ///< by PSN offset
  std::size_t next_ = 0;    ///< offset behind the highest PSN seen
  bool started_ = false;
  bool late_ = false;  ///< the packet before this one arrived late
  std::vector<std::size_t> missing_at_;
  SpaceTruth truth_;
};

/// Episodes as the tap could tell them, with the causes that the model knows.
class EpisodeTeller {
 public:
  EpisodeTeller(const RunLog& log, std::vector<std::uint64_t> frame_of) : log_(log), frame_of_(std::move(frame_of)) {
    answered_.assign(log.answered_by_response.size(), false);
  }

  /// `position` counts the packets at the tap.
  void on_resent(const Transmission& t, std::uint64_t frame) {
    const bool continues = open_ && t.first >= last_end_;  // a second cause, but not back
    if (t.go_back != go_back_ && !continues) begin(t, frame);
    go_back_ = t.go_back;
    open_ = true;
    last_end_ = t.first + t.psns;
    ++episodes_.back().packets;
    Extent& extent = extents_.back();
    for (Sequence s = t.first; s < last_end_; ++s) {
      extent.all_answered = extent.all_answered && (!is_answered_kind(s) || extent.answered_before[offset(s)]);
    }
    extent.end = std::max(extent.end, last_end_);
  }

  void on_other_request() { open_ = false; }

  void on_reply(const Transmission& t) {
    if (t.packet_class == PacketClass::kNak) {
      acknowledged_ = std::max(acknowledged_, t.first);
      named_ = t.first;
    } else {
      acknowledged_ = std::max(acknowledged_, t.first + 1);
    }
    if (t.packet_class == PacketClass::kResponse) answered_[offset(t.first)] = true;
  }

  std::vector<EpisodeTruth> finish() {
    for (std::size_t i = 0; i < episodes_.size(); ++i) {
      EpisodeTruth& episode = episodes_[i];
      const Extent& extent = extents_[i];
      if (extent.acknowledged_before < extent.end || !extent.all_answered) continue;
      if (episode.cause == GoBackCause::kTimeout) {
        episode.cause = GoBackCause::kSpurious;
      } else {
        episode.cause_visible = false;  // both words fit
      }
    }
    return episodes_;
  }

 private:
  struct Extent {
    Sequence end = 0;
    Sequence acknowledged_before = 0;
    std::vector<bool> answered_before;
    bool all_answered = true;
  };

  std::size_t offset(Sequence s) const { return static_cast<std::size_t>(s - log_.first_psn); }
  bool is_answered_kind(Sequence s) const { return log_.answered_by_response[offset(s)]; }

  void begin(const Transmission& t, std::uint64_t frame) {
    const GoBack& why = log_.go_backs[t.go_back - 1];
    EpisodeTruth episode;
    episode.cause = why.cause;
    episode.first_psn = wire_psn(t.first);
    episode.first_frame = frame;
    const bool by_reply = why.cause != GoBackCause::kTimeout;
    const std::uint64_t trigger = by_reply ? frame_of_[why.trigger - 1] : 0;
    if (why.cause == GoBackCause::kNak || why.cause == GoBackCause::kRnr) episode.trigger_frame = trigger;
    const bool trigger_fits = by_reply ? trigger != 0 : named_ != t.first;
    const bool by_response =
        why.cause != GoBackCause::kReadRestart || log_.sent[why.trigger - 1].packet_class == PacketClass::kResponse;
    episode.cause_visible = t.first == why.from && trigger_fits && by_response;
    episodes_.push_back(episode);
    extents_.push_back({t.first, acknowledged_, answered_, true});
    named_.reset();
  }

  const RunLog& log_;
  const std::vector<std::uint64_t> frame_of_;  ///< by index into RunLog::sent, 0: not seen
  std::vector<bool> answered_;                 ///< by PSN offset: a response passed
  Sequence acknowledged_ = 0;
  std::optional<Sequence> named_;  ///< by the latest NAK since the sender last went back
  std::size_t go_back_ = 0;
  Sequence last_end_ = 0;
  bool open_ = false;
  std::vector<EpisodeTruth> episodes_;
  std::vector<Extent> extents_;
};

}  // namespace

TrafficTruth tell_truth(const RunLog& log, const std::vector<std::size_t>& tap_order,
                        const std::vector<std::uint64_t>& frame_numbers) {
  std::vector<std::uint64_t> frame_of(log.sent.size(), 0);
  for (std::size_t i = 0; i < tap_order.size(); ++i) frame_of[tap_order[i]] = frame_numbers[i];
  TrafficTruth truth;
  SpaceTeller requests(log, false);
  SpaceTeller responses(log, true);
  EpisodeTeller episodes(log, frame_of);
  for (const std::size_t index : tap_order) {
    const Transmission& t = log.sent[index];
    if (t.packet_class != PacketClass::kRequest && !t.copy) episodes.on_reply(t);
    switch (t.packet_class) {
      case PacketClass::kRequest:
        if (requests.add(t) == SpaceTeller::Arrival::kResent) {
          episodes.on_resent(t, frame_of[index]);
        } else if (!t.copy) {
          episodes.on_other_request();
        }
        break;
      case PacketClass::kResponse:
        responses.add(t);
        break;
      case PacketClass::kAcknowledge:
        ++truth.acknowledgements;
        break;
      case PacketClass::kNak:
        ++(t.packet.aeth->syndrome == 0x60 ? truth.naks : truth.rnr_naks);
        break;
    }
  }
  truth.requests = std::move(requests.truth());
  truth.requests.episodes = episodes.finish();
  truth.responses = std::move(responses.truth());
  truth.completed = log.completed;
  truth.messages_executed = log.messages_executed;
  truth.faults_fired = log.faults_fired;
  return truth;
}

Traffic simulate(std::span<const TrafficPlan> plans) {
  struct Entry {
    Nanos time;
    std::size_t plan;
    std::size_t index;
  };
  std::vector<RunLog> logs;
  std::vector<Entry> entries;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    logs.push_back(run_plan(plans[p]));
    for (std::size_t i = 0; i < logs[p].sent.size(); ++i) {
      if (logs[p].sent[i].seen) entries.push_back({logs[p].sent[i].at_tap, p, i});
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });

  Traffic traffic;
  std::vector<std::vector<std::size_t>> tap_orders(plans.size());
  std::vector<std::vector<std::uint64_t>> frame_numbers(plans.size());
  for (const Entry& entry : entries) {
    traffic.frames.push_back({entry.time, encode(logs[entry.plan].sent[entry.index].packet)});
    tap_orders[entry.plan].push_back(entry.index);
    frame_numbers[entry.plan].push_back(traffic.frames.size());
  }
  for (std::size_t p = 0; p < plans.size(); ++p) {
    traffic.truths.push_back(tell_truth(logs[p], tap_orders[p], frame_numbers[p]));
  }
  return traffic;
}

}  // namespace rocetop::generate
