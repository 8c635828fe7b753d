// SPDX-License-Identifier: BSD-3-Clause
// The part of the table of fields that is about times: messages, round trips, and where a direction's time went.
#include <algorithm>
#include <array>
#include <optional>

#include "base/check.h"
#include "model/fields.h"

namespace rocetop::model {
namespace {

using Direction = track::DirectionCounts;
using Messages = track::MessageCounts;
using Split = track::TimeSplit;
constexpr FieldKind kCounter = FieldKind::kCounter;
constexpr FieldKind kGauge = FieldKind::kGauge;

FieldValue nanos(Nanos time) { return static_cast<std::uint64_t>(std::max<std::int64_t>(time.count, 0)); }

/// Per second over the time from the first to the last; nothing for a single moment.
std::optional<double> over_time(std::uint64_t n, const Messages& m) {
  const Nanos lasted = m.last_time - m.first_time;
  if (m.complete < 2 || lasted.count <= 0) return std::nullopt;
  return static_cast<double>(n) * 1e9 / static_cast<double>(lasted.count);
}

FieldValue or_null(std::optional<double> value) { return value ? FieldValue{*value} : FieldValue{}; }

template <Nanos Split::* Member>
FieldValue split(const Direction& d) {
  return d.messages.time.wall.count > 0 ? nanos(d.messages.time.*Member) : FieldValue{};
}

FieldValue of_wall(const Direction& d, Nanos time) {
  const auto wall = static_cast<double>(d.messages.time.wall.count);
  return wall > 0 ? FieldValue{static_cast<double>(time.count) / wall} : FieldValue{};
}

constexpr std::array kMessages = {
    Field<Messages>{"count", "messages", "messages", "Messages completed: from first packet to the reply that did.",
                    kCounter, [](const Messages& m) -> FieldValue { return m.complete; }},
    Field<Messages>{"bytes", "bytes", "bytes", "Payload of the completed messages.", kCounter,
                    [](const Messages& m) -> FieldValue { return m.bytes; }},
    Field<Messages>{"partial", "partial", "messages",
                    "Messages that the capture holds in part: begun before it, or with a piece it missed. Not timed.",
                    kCounter, [](const Messages& m) -> FieldValue { return m.partial; }},
    Field<Messages>{"open", "open", "messages", "Messages that no reply had completed at the end.", kGauge,
                    [](const Messages& m) -> FieldValue { return m.open; }},
    Field<Messages>{"messages_per_second", "messages/s", "messages_per_second",
                    "Completed messages per second, from the first packet of the first to the completion of the last.",
                    kGauge, [](const Messages& m) { return or_null(over_time(m.complete, m)); }},
    Field<Messages>{"bytes_per_second", "bytes/s", "bytes_per_second", "Their payload per second of the same time.",
                    kGauge, [](const Messages& m) { return or_null(over_time(m.bytes, m)); }},
};

constexpr std::array kDelays = {
    Field<Direction>{"rtt_gradient.largest", "gradient", "ratio",
                     "Largest smoothed difference of two round trips in a row, over the smallest round trip (TIMELY).",
                     kGauge,
                     [](const Direction& d) -> FieldValue {
                       if (d.round_trips.compared == 0) return {};
                       return d.round_trips.largest_gradient;
                     }},
    Field<Direction>{"rtt_gradient.rising_ratio", "rising", "ratio",
                     "Share of the round trips at which this gradient was above 0.25.", kGauge,
                     [](const Direction& d) -> FieldValue {
                       if (d.round_trips.compared == 0) return {};
                       return static_cast<double>(d.round_trips.rising) / static_cast<double>(d.round_trips.compared);
                     }},
    Field<Direction>{"time_split.wall_ns", "time", "nanoseconds",
                     "From the first message to the last thing that happened to one.", kCounter, split<&Split::wall>},
    Field<Direction>{"time_split.moving_ns", "moving data", "nanoseconds",
                     "Messages being sent, or READ responses flowing.", kCounter, split<&Split::moving>},
    Field<Direction>{"time_split.network_ns", "held up by the network", "nanoseconds",
                     "Held up in mid-message for 0.1 ms and more, or recovering from a loss.", kCounter,
                     split<&Split::network>},
    Field<Direction>{"time_split.peer_ns", "waiting for the peer", "nanoseconds",
                     "All sent, the reply outstanding; RNR waits. Near the requester the round trip is part of it.",
                     kCounter, split<&Split::peer>},
    Field<Direction>{"time_split.host_ns", "nothing asked of the wire", "nanoseconds", "No message was outstanding.",
                     kCounter, split<&Split::host>},
    Field<Direction>{"rnr_stalls.count", "RNR waits", "waits", "Resends after an RNR NAK.", kCounter,
                     [](const Direction& d) -> FieldValue { return d.messages.rnr_waits; }},
    Field<Direction>{"rnr_stalls.waited_ns", "waited", "nanoseconds", "Time from RNR NAKs to the resends.", kCounter,
                     [](const Direction& d) { return nanos(d.messages.rnr_waited); }},
    Field<Direction>{"rnr_stalls.advertised_ns", "advertised", "nanoseconds", "Time that the RNR NAKs asked for.",
                     kCounter, [](const Direction& d) { return nanos(d.messages.rnr_advertised); }},
    Field<Direction>{"rnr_stalls.wall_ratio", "of the time", "ratio", "RNR waits as a share of time_split.wall_ns.",
                     kGauge, [](const Direction& d) { return of_wall(d, d.messages.rnr_waited); }},
    Field<Direction>{"credits.replies", "with credits", "packets", "Acknowledgements that carried a credit count.",
                     kCounter, [](const Direction& d) -> FieldValue { return d.messages.credit_replies; }},
    Field<Direction>{"credits.none_left_replies", "no credits", "packets", "Of these, with none left.", kCounter,
                     [](const Direction& d) -> FieldValue { return d.messages.no_credit_replies; }},
    Field<Direction>{"credits.limited_ns", "credit-limited", "nanoseconds",
                     "From acknowledgements with no credits left to the next with some: SENDs had to wait.", kCounter,
                     [](const Direction& d) -> FieldValue {
                       return d.messages.credit_replies == 0 ? FieldValue{} : nanos(d.messages.without_credit);
                     }},
};

}  // namespace

std::span<const Field<Messages>> message_fields() { return kMessages; }
std::span<const Field<Direction>> delay_fields() { return kDelays; }

const Field<Direction>& delay_field(std::string_view key) {
  for (const auto& field : kDelays) {
    if (field.key == key) return field;
  }
  ROCETOP_CHECK(false && "no such field");
  return kDelays.front();
}

}  // namespace rocetop::model
