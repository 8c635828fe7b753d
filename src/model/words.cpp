// SPDX-License-Identifier: BSD-3-Clause
#include "model/words.h"

#include <array>

namespace rocetop::model {
namespace {

/// The entry of an enum whose values count from 0; "?" for a value outside it.
template <typename Enum, std::size_t N>
std::string_view pick(const std::array<std::string_view, N>& words, Enum value) {
  const auto i = static_cast<std::size_t>(value);
  return i < N ? words[i] : "?";
}

constexpr std::array<std::string_view, 4> kProtocolWords = {"RoCEv2", "RoCEv1", "veRoCE", "InfiniBand"};
constexpr std::array<std::string_view, 8> kTransports = {"RC", "UC", "RD", "UD", "CNP", "XRC", "vendor_6", "vendor_7"};
constexpr std::array<std::string_view, 4> kEcn = {"not_ect", "ect1", "ect0", "ce"};
constexpr std::array<std::string_view, 3> kIcrc = {"unchecked", "good", "bad"};
constexpr std::array<std::string_view, track::kOutcomes> kOutcomes = {"retransmitted", "reordered", "capture_missed",
                                                                      "unresolved"};
constexpr std::array<std::string_view, track::kCauses> kCauses = {"nak",      "rnr",  "timeout", "read_restart",
                                                                  "spurious", "sack", "unknown"};
constexpr std::array<std::string_view, 3> kTaps = {"unknown", "near_source", "near_destination"};
constexpr std::array<std::string_view, 3> kSureties = {"unknown", "inferred", "confirmed"};
constexpr std::array<std::string_view, track::kOperations> kOperations = {"write", "send", "read", "atomic"};
constexpr std::array<std::string_view, 4> kPairings = {"", "cm", "ack", "udp_port"};
constexpr std::array<std::string_view, 3> kSpaces = {"", "requests", "responses"};
constexpr std::array<std::string_view, 11> kKinds = {
    "new", "retransmission", "reordered",  "duplicate", "ack", "nak", "rnr_nak",
    "cnp", "datagram",       "management", "untracked"};
constexpr std::array<std::string_view, 4> kFates = {"acknowledged", "retransmission", "reordered", "duplicate"};
constexpr std::array<std::string_view, 3> kSeverities = {"info", "warning", "critical"};
constexpr std::array<std::string_view, 3> kConfidences = {"low", "medium", "high"};

constexpr std::array<std::string_view, wire::kUndecodableCount> kUndecodableWords = {
    "no reason",
    "the snap length ends before the BTH does",
    "too short for its headers by the UDP or IP length",
    "the BTH version is not 0",
    "RoCEv1 with a broken GRH",
    "the UDP length exceeds what the IP header says it carries"};
constexpr std::array<std::string_view, 4> kEcnWords = {"Not-ECT", "ECT(1)", "ECT(0)", "CE"};
constexpr std::array<std::string_view, track::kCauses> kCauseWords = {
    "NAK", "RNR NAK", "timeout", "READ asked again", "needless", "SACK", "cause unknown"};
constexpr std::array<std::string_view, track::kOutcomes> kOutcomeWords = {"sent again", "late, not lost",
                                                                          "not captured", "not known"};
constexpr std::array<std::string_view, 11> kKindWords = {
    "new", "retransmission", "reordered",  "duplicate",  "ACK", "NAK", "RNR NAK",
    "CNP", "datagram",       "management", "not tracked"};
constexpr std::array<std::string_view, 3> kTapWords = {"unknown", "near the source", "near the destination"};
constexpr std::array<std::string_view, 4> kPairingWords = {"", "CM messages", "acknowledgements", "UDP port"};
constexpr std::array<std::string_view, 7> kLoopWords = {
    "unknown", "idle", "closed", "notification missing", "reaction missing", "not marked", "oscillating"};

}  // namespace

std::string_view word(wire::Protocol protocol) { return pick(kProtocolWords, protocol); }
std::string_view word(wire::Transport transport) { return pick(kTransports, transport); }
std::string_view word(wire::Ecn ecn) { return pick(kEcn, ecn); }
std::string_view word(wire::IcrcStatus status) { return pick(kIcrc, status); }
std::string_view word(track::Outcome outcome) { return pick(kOutcomes, outcome); }
std::string_view word(track::Cause cause) { return pick(kCauses, cause); }
std::string_view word(track::Tap tap) { return pick(kTaps, tap); }
std::string_view word(track::TapEvidence::Sure sure) { return pick(kSureties, sure); }
std::string_view word(track::Operation operation) { return pick(kOperations, operation); }
std::string_view word(track::PairedBy paired_by) { return pick(kPairings, paired_by); }
std::string_view word(track::SpaceName space) { return pick(kSpaces, space); }
std::string_view word(track::Kind kind) { return pick(kKinds, kind); }
std::string_view word(track::Resolution::Fate fate) { return pick(kFates, fate); }
std::string_view word(verdict::Severity severity) { return pick(kSeverities, severity); }
std::string_view word(verdict::Confidence confidence) { return pick(kConfidences, confidence); }

std::string_view word(track::Loop loop) {
  constexpr std::string_view kWords[] = {"unknown",          "idle",       "closed",     "notification_missing",
                                         "reaction_missing", "not_marked", "oscillating"};
  return kWords[static_cast<std::size_t>(loop)];
}

std::string_view word(Carrier carrier) {
  constexpr std::array<std::string_view, kCarriers> kWords = {"roce", "tcp", "udp", "other_ip", "not_ip"};
  return pick(kWords, carrier);
}

std::string_view word(TimeState state) {
  constexpr std::array<std::string_view, kTimeStates> kWords = {"moving", "network", "peer", "host"};
  return pick(kWords, state);
}

std::string_view word(PauseKind kind) { return kind == PauseKind::kXoff ? "xoff" : "xon"; }

std::string_view in_words(wire::Undecodable reason) { return pick(kUndecodableWords, reason); }
std::string_view in_words(wire::Ecn ecn) { return pick(kEcnWords, ecn); }
std::string_view in_words(track::Cause cause) { return pick(kCauseWords, cause); }
std::string_view in_words(track::Outcome outcome) { return pick(kOutcomeWords, outcome); }
std::string_view in_words(track::Kind kind) { return pick(kKindWords, kind); }
std::string_view in_words(track::Tap tap) { return pick(kTapWords, tap); }
std::string_view in_words(track::PairedBy paired_by) { return pick(kPairingWords, paired_by); }
std::string_view in_words(track::Loop loop) { return pick(kLoopWords, loop); }

std::string pacing_text(const track::CnpPacing& p) {
  // A gap that holds across the finer keys of a scope, too, is one that the scope keeps.
  constexpr double kHolds = 0.8;
  constexpr std::uint64_t kEnoughCnps = 16;
  if (p.qp_gap.count == 0 || p.cnps < kEnoughCnps) return {};
  struct Scope {
    std::string_view name;
    Nanos across;
  };
  const Scope scopes[] = {
      {"ip_pair", p.pair_gap_across}, {"destination", p.destination_gap_across}, {"port", p.port_gap_across}};
  std::string text = "queue_pair";
  for (const Scope& scope : scopes) {
    if (scope.across.count == 0) {
      text += " or " + std::string(scope.name);  // nothing of the kind was seen: it may hold
      continue;
    }
    if (static_cast<double>(scope.across.count) < kHolds * static_cast<double>(p.qp_gap.count)) break;
    text = scope.name;
  }
  return text;
}

std::optional<verdict::Severity> severity_from(std::string_view text) {
  for (std::size_t i = 0; i < kSeverities.size(); ++i) {
    if (kSeverities[i] == text) return static_cast<verdict::Severity>(i);
  }
  return std::nullopt;
}

}  // namespace rocetop::model
