// SPDX-License-Identifier: BSD-3-Clause
#include "truth_check.h"

#include <algorithm>
#include <array>
#include <vector>

namespace rocetop {
namespace {

using generate::EpisodeTruth;
using generate::SpaceTruth;

constexpr std::array<std::string_view, track::kOutcomes> kOutcomeWords{"retransmitted", "reordered", "capture_missed",
                                                                       "unresolved"};
constexpr std::array<std::string_view, track::kCauses> kCauseWords{"nak",      "rnr",  "timeout", "read_restart",
                                                                   "spurious", "sack", "unknown"};
constexpr std::array<std::string_view, 5> kTrueCauseWords{"nak", "rnr", "timeout", "read_restart", "spurious"};

/// "102 retransmitted" for each missing PSN, sorted.
std::vector<std::string> missing_words(const SpaceTruth& truth) {
  std::vector<std::string> words;
  for (const auto& missing : truth.missing) {
    words.push_back(std::to_string(missing.psn.value) + " " +
                    std::string(kOutcomeWords[static_cast<std::size_t>(missing.fate)]));
  }
  std::sort(words.begin(), words.end());
  return words;
}

std::vector<std::string> missing_words(const track::SpaceCounts& counts) {
  std::vector<std::string> words;
  for (const auto& run : counts.missing) {
    for (Psn psn = run.first_psn;; psn = Psn{psn.value + 1}) {
      words.push_back(std::to_string(psn.value) + " " +
                      std::string(kOutcomeWords[static_cast<std::size_t>(run.outcome)]));
      if (psn == run.last_psn || words.size() > 10'000) break;
    }
  }
  std::sort(words.begin(), words.end());
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return "[" + out + "]";
}

class Differences {
 public:
  void number(std::string_view what, std::uint64_t expected, std::uint64_t got) {
    if (expected != got) {
      text_ +=
          "  " + std::string(what) + ": true is " + std::to_string(expected) + ", said " + std::to_string(got) + "\n";
    }
  }
  void words(std::string_view what, const std::string& expected, const std::string& got) {
    if (expected != got) text_ += "  " + std::string(what) + ": true is " + expected + ", said " + got + "\n";
  }
  std::string text() const { return text_; }

 private:
  std::string text_;
};

std::string words(const EpisodeTruth& e) {
  return std::string(kTrueCauseWords[static_cast<std::size_t>(e.cause)]) + (e.cause_visible ? "" : "?") + " " +
         std::to_string(e.first_psn.value) + " x" + std::to_string(e.packets) + " at #" + std::to_string(e.first_frame);
}

std::string words(const track::Episode& e) {
  return std::string(kCauseWords[static_cast<std::size_t>(e.cause)]) + " " + std::to_string(e.first_psn.value) + " x" +
         std::to_string(e.packets) + " at #" + std::to_string(e.first_frame.number());
}

bool agree(const EpisodeTruth& truth, const track::Episode& said) {
  if (truth.first_psn != said.first_psn || truth.first_frame != said.first_frame.number()) return false;
  if (said.packets < truth.packets) return false;  // resends above the highest PSN may be in it or not
  if (!truth.cause_visible) return true;
  if (static_cast<int>(truth.cause) != static_cast<int>(said.cause)) return false;
  return truth.trigger_frame == 0 || truth.trigger_frame == said.trigger_frame.number();
}

void compare_episodes(const SpaceTruth& truth, const track::SpaceCounts& counts, Differences& out) {
  const bool same =
      std::equal(truth.episodes.begin(), truth.episodes.end(), counts.episodes.begin(), counts.episodes.end(), agree);
  if (same) return;
  std::vector<std::string> expected;
  std::vector<std::string> got;
  for (const auto& e : truth.episodes) expected.push_back(words(e));
  for (const auto& e : counts.episodes) got.push_back(words(e));
  out.words("episodes", joined(expected), joined(got));
}

}  // namespace

std::string differences(const SpaceTruth& truth, const track::SpaceCounts& counts) {
  Differences out;
  out.number("packets", truth.packets, counts.packets);
  out.number("payload bytes", truth.payload_bytes, counts.payload_bytes);
  out.words("missing", joined(missing_words(truth)), joined(missing_words(counts)));
  out.number("sent or seen again", truth.original_seen + truth.original_unseen + truth.duplicates,
             counts.retransmitted_original_seen + counts.retransmitted_original_unseen + counts.duplicate_packets);
  out.number("reordered", truth.reordered, counts.reordered_packets);
  compare_episodes(truth, counts, out);
  if (!truth.repeats_visible) return out.text();
  out.number("original seen", truth.original_seen, counts.retransmitted_original_seen);
  out.number("original unseen", truth.original_unseen, counts.retransmitted_original_unseen);
  out.number("retransmitted bytes", truth.retransmitted_bytes, counts.retransmitted_bytes);
  out.number("duplicates", truth.duplicates, counts.duplicate_packets);
  return out.text();
}

std::string differences(const generate::TrafficPlan& plan, const generate::TrafficTruth& truth,
                        const std::vector<track::ConnectionCounts>& connections) {
  const track::DirectionCounts* forth = nullptr;
  const track::DirectionCounts* back = nullptr;
  for (const auto& connection : connections) {
    for (const auto* direction : {&connection.a_to_b, &connection.b_to_a}) {
      if (!*direction) continue;
      if ((*direction)->src == plan.requester_ip && (*direction)->dst_qpn == plan.responder_qpn) forth = &**direction;
      if ((*direction)->src == plan.responder_ip && (*direction)->dst_qpn == plan.requester_qpn) back = &**direction;
    }
  }
  if (forth == nullptr || back == nullptr) return "  a direction is not listed\n";
  std::string out;
  const auto add = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) out += std::string(name) + ":\n" + text;
  };
  add("requests", differences(truth.requests, forth->requests));
  add("responses", differences(truth.responses, back->responses));
  Differences replies;
  replies.number("acknowledgements", truth.acknowledgements, back->acks);
  replies.number("NAKs", truth.naks, back->naks[static_cast<std::size_t>(wire::NakCode::kPsnSequenceError)]);
  replies.number("RNR NAKs", truth.rnr_naks, back->rnr_naks);
  add("replies", replies.text());
  return out;
}

}  // namespace rocetop
