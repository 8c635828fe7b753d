// SPDX-License-Identifier: BSD-3-Clause
// The part of the table of fields that is about congestion: the loop of a direction's data, and what the connections
// from one host to another share.
#include <array>
#include <cmath>
#include <optional>

#include "model/fields.h"

namespace rocetop::model {
namespace {

using Loop = track::CongestionCounts;
using Pair = HostPair;
constexpr FieldKind kCounter = FieldKind::kCounter;
constexpr FieldKind kGauge = FieldKind::kGauge;

/// Of a distribution; nothing where there is none.
FieldValue median(const Histogram& h) {
  return h.empty() ? FieldValue{} : static_cast<std::uint64_t>(h.percentile(0.5));
}
FieldValue median_ratio(const Histogram& permille) {
  return permille.empty() ? FieldValue{} : static_cast<double>(permille.percentile(0.5)) / 1000;
}
FieldValue rate(const Loop& c, double bps) { return c.windows > 0 ? FieldValue{std::round(bps)} : FieldValue{}; }

constexpr std::array kLoop = {
    Field<Loop>{"ce_packets", "CE", "packets", "Data packets marked: congestion experienced.", kCounter,
                [](const Loop& c) -> FieldValue { return c.ce_packets; }},
    Field<Loop>{"cnps", "CNP", "packets", "CNPs that came back for this data, without copies.", kCounter,
                [](const Loop& c) -> FieldValue { return c.cnps; }},
    Field<Loop>{"cnps_without_ce", "CNP without CE", "packets", "CNPs before which no data packet had been marked.",
                kCounter, [](const Loop& c) -> FieldValue { return c.cnps_without_ce; }},
    Field<Loop>{"cnps_with_nak", "CNP with NAK", "packets",
                "CNPs sent together with a PSN sequence error NAK: slow restart after a loss.", kCounter,
                [](const Loop& c) -> FieldValue { return c.cnps_with_nak; }},
    Field<Loop>{"fast_cnps", "fast CNP", "packets", "Fast CNPs about this data: sent by a switch (IPv6 only).",
                kCounter, [](const Loop& c) -> FieldValue { return c.fast_cnps; }},
    Field<Loop>{"ce_after_last_cnp", "CE after the last CNP", "packets", "Marked packets that no CNP followed.",
                kCounter, [](const Loop& c) -> FieldValue { return c.ce_after_last_cnp; }},
    Field<Loop>{"longest_unanswered_ns", "longest wait for a CNP", "nanoseconds",
                "From a mark to the next CNP, or to the last mark where none came: the longest.", kGauge,
                [](const Loop& c) {
                  return c.ce_packets > 0 ? FieldValue{static_cast<std::uint64_t>(c.longest_unanswered.count)}
                                          : FieldValue{};
                }},
    Field<Loop>{"rate_before_cnp_bps", "rate before a CNP", "bits_per_second",
                "On the wire, up to the CNP; the median.", kGauge,
                [](const Loop& c) { return median(c.rate_before_bps); }},
    Field<Loop>{"rate_after_cnp_bps", "rate after it", "bits_per_second",
                "In the first whole window after it; the median.", kGauge,
                [](const Loop& c) { return median(c.rate_after_bps); }},
    Field<Loop>{"rate_after_ratio", "after / before", "ratio", "The second as a share of the first; the median.",
                kGauge, [](const Loop& c) { return median_ratio(c.after_permille); }},
    Field<Loop>{"slowdowns", "slowdowns", "slowdowns", "Series of CNPs after which the rate fell.", kCounter,
                [](const Loop& c) -> FieldValue { return c.slowdowns; }},
    Field<Loop>{"slowdown_ratio", "cut", "ratio", "How much of the rate before went; the median.", kGauge,
                [](const Loop& c) { return median_ratio(c.cut_permille); }},
    Field<Loop>{"unrecovered_slowdowns", "not recovered", "slowdowns",
                "Slowdowns after which the rate did not come back before the next one, or the end.", kCounter,
                [](const Loop& c) -> FieldValue { return c.unrecovered; }},
    Field<Loop>{"lowest_rate_bps", "lowest rate", "bits_per_second",
                "Since the first CNP, in windows in which the sender had work.", kGauge,
                [](const Loop& c) { return rate(c, c.lowest_bps); }},
    Field<Loop>{"highest_rate_bps", "highest rate", "bits_per_second",
                "Since the first CNP, in windows in which the sender had work.", kGauge,
                [](const Loop& c) { return rate(c, c.highest_bps); }},
    Field<Loop>{"slowdowns_prompt", "prompt slowdowns", "slowdowns",
                "Slowdowns that came within a few windows of the first CNP.", kCounter,
                [](const Loop& c) -> FieldValue { return c.prompt_slowdowns; }},
    Field<Loop>{"series_without_slowdown", "no slowdown", "series", "Series of CNPs after which the rate did not fall.",
                kCounter, [](const Loop& c) -> FieldValue { return c.no_slowdowns; }},
    Field<Loop>{"calm_stretches", "calm stretches", "stretches", "Stretches as long without a CNP.", kCounter,
                [](const Loop& c) -> FieldValue { return c.calm_stretches; }},
    Field<Loop>{"calm_falls", "falls without a CNP", "stretches", "Of these, those in which the rate fell.", kCounter,
                [](const Loop& c) -> FieldValue { return c.calm_falls; }},
    Field<Loop>{"rest_ratio", "at rest", "ratio",
                "Share of that time in which the sender had sent what it had, and waited; idle time included.", kGauge,
                [](const Loop& c) { return c.watched.count > 0 ? FieldValue{c.rest_ratio()} : FieldValue{}; }},
    Field<Loop>{"idle_ratio", "idle", "ratio", "Share of the time since the first mark or CNP without work.", kGauge,
                [](const Loop& c) { return c.watched.count > 0 ? FieldValue{c.idle_ratio()} : FieldValue{}; }},
};

constexpr std::array kPair = {
    Field<Pair>{"connections", "connections", "connections", "Connections that sent data this way.", kCounter,
                [](const Pair& p) -> FieldValue { return p.connections; }},
    Field<Pair>{"packets", "packets", "packets", "RoCE packets this way.", kCounter,
                [](const Pair& p) -> FieldValue { return p.packets; }},
    Field<Pair>{"bytes_on_wire", "bytes", "bytes", "Length of the packets this way, on the wire.", kCounter,
                [](const Pair& p) -> FieldValue { return p.bytes_on_wire; }},
    Field<Pair>{"data_packets", "data packets", "packets", "Packets of data this way: requests and responses.",
                kCounter, [](const Pair& p) -> FieldValue { return p.data_packets; }},
    Field<Pair>{"payload_bytes", "payload", "bytes", "Payload of the data packets this way.", kCounter,
                [](const Pair& p) -> FieldValue { return p.payload_bytes; }},
    Field<Pair>{"retransmitted_packets", "resent", "packets", "Packets sent again.", kCounter,
                [](const Pair& p) -> FieldValue { return p.retransmitted; }},
    Field<Pair>{"missing_packets", "missing", "PSNs", "PSNs skipped at the tap that were resent later or never seen.",
                kCounter, [](const Pair& p) -> FieldValue { return p.missing; }},
    Field<Pair>{"reordered_packets", "late", "packets", "Packets that arrived late without the sender going back.",
                kCounter, [](const Pair& p) -> FieldValue { return p.reordered; }},
    Field<Pair>{"naks", "NAK", "packets", "NAKs sent this way, of all codes but RNR.", kCounter,
                [](const Pair& p) -> FieldValue { return p.naks; }},
    Field<Pair>{"rnr_naks", "RNR", "packets", "Receiver-not-ready NAKs sent this way.", kCounter,
                [](const Pair& p) -> FieldValue { return p.rnr_naks; }},
    Field<Pair>{"ce_packets", "CE", "packets", "Packets marked: congestion experienced.", kCounter,
                [](const Pair& p) -> FieldValue { return p.ce_packets; }},
    Field<Pair>{"cnps", "CNP", "packets", "Congestion notification packets sent this way.", kCounter,
                [](const Pair& p) -> FieldValue { return p.cnps; }},
    Field<Pair>{"fast_cnps", "fast CNP", "packets", "CNPs this way that a switch sent (Fast CNPs).", kCounter,
                [](const Pair& p) -> FieldValue { return p.fast_cnps; }},
    Field<Pair>{"udp_source_ports", "source ports", "ports",
                "UDP source ports of the connections with data: what ECMP spreads them by.", kGauge,
                [](const Pair& p) -> FieldValue { return std::uint64_t{p.ports.size()}; }},
    Field<Pair>{"jain_index", "Jain's index", "index",
                "How evenly the rate is divided among the connections: 1 when all have the same, 1/n when one has all.",
                kGauge,
                [](const Pair& p) -> FieldValue { return p.jain_index ? FieldValue{*p.jain_index} : FieldValue{}; }},
};

}  // namespace

std::span<const Field<track::CongestionCounts>> congestion_fields() { return kLoop; }
std::span<const Field<HostPair>> host_pair_fields() { return kPair; }

}  // namespace rocetop::model
