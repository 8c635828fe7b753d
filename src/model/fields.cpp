// SPDX-License-Identifier: BSD-3-Clause
#include "model/fields.h"

#include <array>

#include "base/check.h"

namespace rocetop::model {
namespace {

using Capture = CaptureCounts;
using Direction = track::DirectionCounts;
using Space = track::SpaceCounts;
using Totals = ConnectionTotals;
constexpr FieldKind kCounter = FieldKind::kCounter;
constexpr FieldKind kGauge = FieldKind::kGauge;
constexpr FieldKind kInfo = FieldKind::kInfo;

FieldValue or_null(const std::optional<double>& value) { return value ? FieldValue{*value} : FieldValue{}; }
template <typename T>
FieldValue or_null(const std::optional<T>& value) {
  return value ? FieldValue{std::uint64_t{*value}} : FieldValue{};
}

// A member of T as a field value.
template <auto Member, typename T>
FieldValue member(const T& object) {
  return object.*Member;
}
template <track::Outcome O>
FieldValue outcome(const Space& s) {
  return s.missing_packets[static_cast<std::size_t>(O)];
}
template <track::Cause C>
FieldValue episodes(const Space& s) {
  return s.episodes_by_cause[static_cast<std::size_t>(C)];
}
template <track::Cause C>
FieldValue resent(const Space& s) {
  return s.retransmitted_by_cause[static_cast<std::size_t>(C)];
}
template <track::Cause C>
FieldValue resent_bytes(const Space& s) {
  return s.retransmitted_bytes_by_cause[static_cast<std::size_t>(C)];
}
template <wire::Ecn E>
FieldValue ecn(const Direction& d) {
  return d.ecn[static_cast<std::size_t>(E)];
}
template <wire::IcrcStatus S>
FieldValue icrc(const Direction& d) {
  return d.icrc[static_cast<std::size_t>(S)];
}

constexpr std::array kCapture = {
    Field<Capture>{"frames", "frames", "frames", "Frames analysed.", kCounter, member<&Capture::frames, Capture>},
    Field<Capture>{"roce_frames", "RoCE", "frames", "Frames that hold RoCE, decodable or not.", kCounter,
                   member<&Capture::roce_frames, Capture>},
    Field<Capture>{"not_roce_frames", "other", "frames", "Frames without RoCE.", kCounter,
                   member<&Capture::not_roce_frames, Capture>},
    Field<Capture>{"bytes_on_wire", "bytes", "bytes", "Length of all frames on the wire.", kCounter,
                   member<&Capture::bytes_on_wire, Capture>},
    Field<Capture>{"truncated_frames", "truncated", "frames",
                   "Frames that the snap length cut: RoCE packets before their end, others anywhere.", kCounter,
                   member<&Capture::truncated_frames, Capture>},
    Field<Capture>{"truncated_roce_frames", "truncated RoCE", "frames",
                   "RoCE packets cut by the snap length or by a mirror.", kCounter,
                   member<&Capture::truncated_roce_frames, Capture>},
    Field<Capture>{"capture_missed_packets", "unseen", "packets",
                   "Packets that were acknowledged but are not in the capture: lost by the capture, not the network.",
                   kCounter, member<&Capture::capture_missed_packets, Capture>},
    Field<Capture>{
        "completeness", "complete", "ratio",
        "Packets seen / (packets seen + packets the capture missed), of packets with a PSN of their own; not "
        "known where nothing was acknowledged.",
        kGauge, member<&Capture::completeness, Capture>},
    Field<Capture>{"pfc_frames", "PFC", "frames", "Priority flow control frames.", kCounter,
                   member<&Capture::pfc_frames, Capture>},
    Field<Capture>{"ip_fragments", "fragments", "frames", "RoCE frames that are fragments of an IP datagram.", kCounter,
                   member<&Capture::ip_fragments, Capture>},
    Field<Capture>{"native_infiniband_frames", "InfiniBand", "frames",
                   "Native InfiniBand frames: decoded, not tracked.", kCounter,
                   member<&Capture::native_infiniband_frames, Capture>},
    Field<Capture>{"rocev1_frames", "RoCEv1", "frames", "RoCEv1 frames.", kCounter,
                   member<&Capture::rocev1_frames, Capture>},
    Field<Capture>{"veroce_frames", "veRoCE", "frames", "veRoCE frames.", kCounter,
                   member<&Capture::veroce_frames, Capture>},
    Field<Capture>{"management_frames", "management", "frames",
                   "Packets of queue pairs 0 and 1 (connection management and the like).", kCounter,
                   member<&Capture::management_frames, Capture>},
    Field<Capture>{"duplicated_frames", "copies", "frames",
                   "Second copies made by the capture: left out of the connections' counts.", kCounter,
                   member<&Capture::duplicated_frames, Capture>},
    Field<Capture>{"backward_clock_steps", "clock steps", "frames", "Frames stamped before their predecessor.",
                   kCounter, member<&Capture::backward_clock_steps, Capture>},
    Field<Capture>{"dropped_reported", "drops", "packets", "Packets that the capture itself says it dropped.", kCounter,
                   [](const Capture& c) { return or_null(c.dropped_reported); }},
    Field<Capture>{"snap_length", "snap length", "bytes", "The smallest snap length, when one cut frames.", kInfo,
                   [](const Capture& c) { return or_null(c.snap_length); }},
    Field<Capture>{"one_way_connections", "one-way", "connections", "Connections seen in one direction only.", kGauge,
                   member<&Capture::one_way_connections, Capture>},
    Field<Capture>{"cm_rejections_omitted", "unnamed rejections", "packets",
                   "CM rejections beyond the limit of what is kept: counted, not named in findings.", kCounter,
                   member<&Capture::rejections_omitted, Capture>},
    Field<Capture>{"cm_set_ups_omitted", "forgotten set-ups", "set-ups",
                   "CM set-ups beyond the limit of what is kept: not judged.", kCounter,
                   member<&Capture::set_ups_omitted, Capture>},
    Field<Capture>{"stray_connections", "strays", "connections",
                   "Queue pairs with a packet or two that nothing answered, beyond those listed: noise, most likely.",
                   kCounter, member<&Capture::stray_connections, Capture>},
    Field<Capture>{"stray_packets", "stray packets", "packets", "Packets to these queue pairs.", kCounter,
                   member<&Capture::stray_packets, Capture>},
    Field<Capture>{"unpaired_at_limit", "forgotten places", "places",
                   "PSN windows of sides that waited for their other direction, forgotten at the limit: some "
                   "connections may be given in halves.",
                   kCounter, member<&Capture::unpaired_at_limit, Capture>},
    Field<Capture>{"evicted_connections", "evicted", "connections",
                   "Connections dropped from memory at the limit; their packets are in the totals.", kCounter,
                   member<&Capture::evicted_connections, Capture>},
};

constexpr std::array kDirection = {
    Field<Direction>{"frames", "packets", "packets", "RoCE packets of this direction.", kCounter,
                     member<&Direction::frames, Direction>},
    Field<Direction>{"bytes_on_wire", "bytes", "bytes", "Length of these frames on the wire.", kCounter,
                     member<&Direction::bytes_on_wire, Direction>},
    Field<Direction>{"truncated_frames", "truncated", "packets", "Packets cut by the snap length.", kCounter,
                     member<&Direction::truncated_frames, Direction>},
    Field<Direction>{"acks", "ACK", "packets", "Acknowledgements sent.", kCounter, member<&Direction::acks, Direction>},
    Field<Direction>{"rnr_naks", "RNR", "packets", "Receiver-not-ready NAKs sent.", kCounter,
                     member<&Direction::rnr_naks, Direction>},
    Field<Direction>{"cnps", "CNP", "packets", "Congestion notification packets travelling in this direction.",
                     kCounter, member<&Direction::cnps, Direction>},
    Field<Direction>{"fast_cnps", "fast CNP", "packets", "Of these, Fast CNPs: sent by a switch (IPv6 only).", kCounter,
                     member<&Direction::fast_cnps, Direction>},
    Field<Direction>{"unacknowledged_packets", "open", "packets",
                     "Requests not acknowledged when the capture or the connection ended.", kGauge,
                     member<&Direction::unacknowledged_packets, Direction>},
    Field<Direction>{"ecn.not_ect", "Not-ECT", "packets", "Packets that routers may not mark.", kCounter,
                     ecn<wire::Ecn::kNotEct>},
    Field<Direction>{"ecn.ect0", "ECT(0)", "packets", "Packets that routers may mark.", kCounter,
                     ecn<wire::Ecn::kEct0>},
    Field<Direction>{"ecn.ect1", "ECT(1)", "packets", "Packets that routers may mark.", kCounter,
                     ecn<wire::Ecn::kEct1>},
    Field<Direction>{"ecn.ce", "CE", "packets", "Packets marked: congestion experienced.", kCounter,
                     ecn<wire::Ecn::kCe>},
    Field<Direction>{"icrc.good", "ICRC good", "packets", "Packets whose ICRC is right.", kCounter,
                     icrc<wire::IcrcStatus::kGood>},
    Field<Direction>{"icrc.bad", "ICRC bad", "packets", "Complete packets whose ICRC is wrong.", kCounter,
                     icrc<wire::IcrcStatus::kBad>},
    Field<Direction>{"icrc.unchecked", "ICRC unchecked", "packets", "Packets whose ICRC could not be checked.",
                     kCounter, icrc<wire::IcrcStatus::kUnchecked>},
};

constexpr std::array kSpace = {
    Field<Space>{"packets", "packets", "packets", "Packets that carry PSNs of this space.", kCounter,
                 member<&Space::packets, Space>},
    Field<Space>{"payload_bytes", "payload", "bytes", "Payload of these packets.", kCounter,
                 member<&Space::payload_bytes, Space>},
    Field<Space>{"missing_packets.retransmitted", "lost before the tap", "PSNs",
                 "Skipped PSNs that arrived because the sender went back.", kCounter,
                 outcome<track::Outcome::kRetransmitted>},
    Field<Space>{"missing_packets.reordered", "late", "PSNs",
                 "Skipped PSNs that arrived late without the sender going back.", kCounter,
                 outcome<track::Outcome::kReordered>},
    Field<Space>{"missing_packets.capture_missed", "unseen", "PSNs",
                 "Skipped PSNs that were acknowledged all the same: the capture lost them.", kCounter,
                 outcome<track::Outcome::kCaptureMissed>},
    Field<Space>{"missing_packets.unresolved", "unresolved", "PSNs",
                 "Skipped PSNs whose fate the capture does not show.", kCounter, outcome<track::Outcome::kUnresolved>},
    Field<Space>{"retransmitted_packets.original_seen", "resent, original seen", "packets",
                 "Packets sent again although the first was seen.", kCounter,
                 member<&Space::retransmitted_original_seen, Space>},
    Field<Space>{"retransmitted_packets.original_unseen", "resent, original unseen", "packets",
                 "Packets sent again whose first was lost before the tap.", kCounter,
                 member<&Space::retransmitted_original_unseen, Space>},
    Field<Space>{"retransmitted_bytes", "resent bytes", "bytes", "Payload sent again.", kCounter,
                 member<&Space::retransmitted_bytes, Space>},
    Field<Space>{"duplicate_packets", "duplicates", "packets", "Packets seen twice without the sender going back.",
                 kCounter, member<&Space::duplicate_packets, Space>},
    Field<Space>{"reordered_packets", "reordered", "packets",
                 "Packets that arrived late without the sender going back.", kCounter,
                 member<&Space::reordered_packets, Space>},
    Field<Space>{"episodes_by_cause.nak", "NAK", "episodes", "Times the sender went back after a sequence NAK.",
                 kCounter, episodes<track::Cause::kNak>},
    Field<Space>{"episodes_by_cause.rnr", "RNR", "episodes", "Times the sender went back after an RNR NAK.", kCounter,
                 episodes<track::Cause::kRnr>},
    Field<Space>{"episodes_by_cause.timeout", "timeout", "episodes", "Times the sender went back after silence.",
                 kCounter, episodes<track::Cause::kTimeout>},
    Field<Space>{"episodes_by_cause.read_restart", "READ restart", "episodes",
                 "Times a READ was asked again while responses flowed.", kCounter,
                 episodes<track::Cause::kReadRestart>},
    Field<Space>{"episodes_by_cause.spurious", "spurious", "episodes",
                 "Times the sender resent what the tap had seen acknowledged.", kCounter,
                 episodes<track::Cause::kSpurious>},
    Field<Space>{"episodes_by_cause.sack", "SACK", "episodes",
                 "Times a veRoCE sender resent what a SACK showed as not received.", kCounter,
                 episodes<track::Cause::kSack>},
    Field<Space>{"episodes_by_cause.unknown", "unknown", "episodes",
                 "Times the sender went back for a reason the capture does not show.", kCounter,
                 episodes<track::Cause::kUnknown>},
    Field<Space>{"retransmitted_packets_by_cause.nak", "resent, nak", "packets",
                 "Packets sent again after a sequence NAK.", kCounter, resent<track::Cause::kNak>},
    Field<Space>{"retransmitted_packets_by_cause.rnr", "resent, rnr", "packets", "Packets sent again after an RNR NAK.",
                 kCounter, resent<track::Cause::kRnr>},
    Field<Space>{"retransmitted_packets_by_cause.timeout", "resent, timeout", "packets",
                 "Packets sent again after silence.", kCounter, resent<track::Cause::kTimeout>},
    Field<Space>{"retransmitted_packets_by_cause.read_restart", "resent, read_restart", "packets",
                 "Packets sent again as a READ was asked again while responses flowed.", kCounter,
                 resent<track::Cause::kReadRestart>},
    Field<Space>{"retransmitted_packets_by_cause.spurious", "resent, spurious", "packets",
                 "Packets sent again although the tap had seen them acknowledged.", kCounter,
                 resent<track::Cause::kSpurious>},
    Field<Space>{"retransmitted_packets_by_cause.sack", "resent, sack", "packets",
                 "Packets sent again that a SACK showed as not received.", kCounter, resent<track::Cause::kSack>},
    Field<Space>{"retransmitted_packets_by_cause.unknown", "resent, unknown", "packets",
                 "Packets sent again for a reason the capture does not show.", kCounter,
                 resent<track::Cause::kUnknown>},
    Field<Space>{"retransmitted_bytes_by_cause.nak", "resent bytes, nak", "bytes",
                 "Payload sent again after a sequence NAK.", kCounter, resent_bytes<track::Cause::kNak>},
    Field<Space>{"retransmitted_bytes_by_cause.rnr", "resent bytes, rnr", "bytes",
                 "Payload sent again after an RNR NAK.", kCounter, resent_bytes<track::Cause::kRnr>},
    Field<Space>{"retransmitted_bytes_by_cause.timeout", "resent bytes, timeout", "bytes",
                 "Payload sent again after silence.", kCounter, resent_bytes<track::Cause::kTimeout>},
    Field<Space>{"retransmitted_bytes_by_cause.read_restart", "resent bytes, read_restart", "bytes",
                 "Payload sent again as a READ was asked again while responses flowed.", kCounter,
                 resent_bytes<track::Cause::kReadRestart>},
    Field<Space>{"retransmitted_bytes_by_cause.spurious", "resent bytes, spurious", "bytes",
                 "Payload sent again although the tap had seen them acknowledged.", kCounter,
                 resent_bytes<track::Cause::kSpurious>},
    Field<Space>{"retransmitted_bytes_by_cause.sack", "resent bytes, sack", "bytes",
                 "Payload sent again that a SACK showed as not received.", kCounter, resent_bytes<track::Cause::kSack>},
    Field<Space>{"retransmitted_bytes_by_cause.unknown", "resent bytes, unknown", "bytes",
                 "Payload sent again for a reason the capture does not show.", kCounter,
                 resent_bytes<track::Cause::kUnknown>},
};

constexpr std::array kConnection = {
    Field<Totals>{"packets", "packets", "packets", "RoCE packets, both directions.", kCounter,
                  member<&Totals::frames, Totals>},
    Field<Totals>{"bytes_on_wire", "bytes", "bytes", "Length of these packets on the wire.", kCounter,
                  member<&Totals::bytes_on_wire, Totals>},
    Field<Totals>{"bits_per_second", "rate", "bits_per_second", "Bits on the wire between first and last packet.",
                  kGauge, [](const Totals& t) { return or_null(t.bits_per_second()); }},
    Field<Totals>{"retransmitted_packets", "retrans", "packets", "Packets sent again.", kCounter,
                  member<&Totals::retransmitted, Totals>},
    Field<Totals>{"retransmitted_ratio", "resent %", "ratio", "Share of the packets with a PSN that were sent again.",
                  kGauge, [](const Totals& t) { return or_null(t.retransmitted_ratio()); }},
    Field<Totals>{
        "missing_packets", "missing", "PSNs",
        "PSNs skipped at the tap that were resent later or never seen (not: reordered, missed by the capture).",
        kCounter, member<&Totals::missing, Totals>},
    Field<Totals>{"capture_missed_packets", "unseen", "PSNs", "PSNs that the capture lost, not the network.", kCounter,
                  member<&Totals::capture_missed, Totals>},
    Field<Totals>{"reordered_packets", "late", "packets", "Packets that arrived late without the sender going back.",
                  kCounter, member<&Totals::reordered, Totals>},
    Field<Totals>{"duplicate_packets", "dup", "packets", "Packets seen twice without the sender going back.", kCounter,
                  member<&Totals::duplicates, Totals>},
    Field<Totals>{"naks", "NAK", "packets", "NAKs of all codes, without RNR.", kCounter, member<&Totals::naks, Totals>},
    Field<Totals>{"rnr_naks", "RNR", "packets", "Receiver-not-ready NAKs.", kCounter,
                  member<&Totals::rnr_naks, Totals>},
    Field<Totals>{"ce_packets", "CE", "packets", "Packets marked: congestion experienced.", kCounter,
                  member<&Totals::ce, Totals>},
    Field<Totals>{"cnps", "CNP", "packets", "Congestion notification packets.", kCounter,
                  member<&Totals::cnps, Totals>},
    Field<Totals>{"fast_cnps", "fast CNP", "packets", "Of these, Fast CNPs: sent by a switch (IPv6 only).", kCounter,
                  member<&Totals::fast_cnps, Totals>},
    Field<Totals>{"bad_icrc_packets", "ICRC", "packets", "Complete packets whose ICRC is wrong.", kCounter,
                  member<&Totals::bad_icrc, Totals>},
};

}  // namespace

std::span<const Field<Capture>> capture_fields() { return kCapture; }
std::span<const Field<Direction>> direction_fields() { return kDirection; }
std::span<const Field<Space>> space_fields() { return kSpace; }
std::span<const Field<Totals>> connection_fields() { return kConnection; }

const Field<Totals>& connection_field(std::string_view key) {
  for (const auto& field : kConnection) {
    if (field.key == key) return field;
  }
  ROCETOP_CHECK(false && "no such field");
  return kConnection.front();
}

}  // namespace rocetop::model
