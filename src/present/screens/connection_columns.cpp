// SPDX-License-Identifier: BSD-3-Clause
#include "present/screens/connection_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "base/time_text.h"
#include "present/peers_text.h"
#include "present/plot.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

using Row = ConnectionRow;

Piece count_piece(std::uint64_t n, Role role) { return {short_count(n), n == 0 ? Role::kQuiet : role}; }

Piece share_piece(double share, Role role) {
  if (!(share > 0)) return {"0", Role::kQuiet};
  return {percent(share), role};
}

template <typename Function>
void each_direction(const track::ConnectionCounts& c, Function function) {
  for (const auto* direction : {&c.a_to_b, &c.b_to_a}) {
    if (*direction) function(**direction);
  }
}

double ce_share(const Row& r) {
  std::uint64_t marked = 0;
  each_direction(r.c, [&](const auto& d) { marked += d.congestion ? d.congestion->ce_packets : 0; });
  return r.all.psn_packets == 0 ? 0 : static_cast<double>(marked) / static_cast<double>(r.all.psn_packets);
}

std::uint64_t outstanding(const Row& r) {
  std::uint64_t sum = 0;
  each_direction(r.c, [&](const auto& d) { sum += d.unacknowledged_packets; });
  return sum;
}

double rtt(const Row& r, double share) {
  const auto* trips = round_trips(r.c);
  return trips == nullptr ? -1 : static_cast<double>(trips->rtt_ns.percentile(share));
}

double message_time(const Row& r) {
  const auto* m = messages(r.c);
  return m == nullptr ? -1 : static_cast<double>(m->completion_ns.percentile(0.99));
}

Piece time_piece(double ns) {
  if (ns < 0) return {"-", Role::kQuiet};
  return {short_duration(Nanos{static_cast<std::int64_t>(ns)})};
}

Role state_role(std::string_view state) {
  if (state == "resends" || state == "not ready") return Role::kWarning;
  if (state == "marked" || state == "one-way") return Role::kInfo;
  return state == "active" ? Role::kGood : Role::kQuiet;
}

Piece trouble_cell(const Row& r, std::size_t room) {
  const auto& severity = r.trouble.severity;
  const std::string mark = severity ? mark_text(r.d, *severity) : " ";
  return {mark + " " + pad_left(std::to_string(r.c.id), room > 2 ? room - 2 : 1),
          severity ? severity_role(*severity) : Role::kPlain};
}

Piece peers_cell(const Row& r, std::size_t room) { return {peers_text(r.d, r.c, room)}; }
Piece state_cell(const Row& r, std::size_t) { return {std::string(state_word(r)), state_role(state_word(r))}; }
Piece rate_cell(const Row& r, std::size_t) {
  const double rate = r.recent.bits_per_second().value_or(0);
  return {rate > 0 ? rate_text(r.d, rate) : "-", rate > 0 ? Role::kPlain : Role::kQuiet};
}
Piece trend_cell(const Row& r, std::size_t room) {
  if (r.d.in.history == nullptr) return {};
  return {sparkline(r.d.in.history->bits_per_second(r.c.id), room, r.d.in.unicode), Role::kGraph};
}
Piece packets_cell(const Row& r, std::size_t) {
  const double rate = model::per_second(r.recent.frames, r.recent.duration);
  const auto whole = static_cast<std::uint64_t>(std::llround(std::min(rate, 1e18)));
  if (r.recent.frames != 0 && whole == 0) return {"<1"};
  return count_piece(whole, Role::kPlain);
}
Piece resent_cell(const Row& r, std::size_t) {
  return share_piece(r.all.retransmitted_ratio().value_or(0), Role::kWarning);
}
Piece missing_cell(const Row& r, std::size_t) {
  Piece piece = count_piece(r.all.missing, Role::kWarning);
  if (r.all.inexact) piece.text = (r.d.in.unicode ? "≥" : ">") + piece.text;
  return piece;
}
Piece nak_cell(const Row& r, std::size_t) { return count_piece(r.all.naks, Role::kWarning); }
Piece rnr_cell(const Row& r, std::size_t) { return count_piece(r.all.rnr_naks, Role::kWarning); }
Piece ce_cell(const Row& r, std::size_t) { return share_piece(std::min(ce_share(r), 1.0), Role::kInfo); }
Piece cnp_cell(const Row& r, std::size_t) {
  const double rate = model::per_second(r.recent.cnps, r.recent.duration);
  if (r.recent.cnps != 0 && rate < 0.5) return {"<1", Role::kInfo};
  return count_piece(static_cast<std::uint64_t>(std::llround(std::min(rate, 1e18))), Role::kInfo);
}
Piece rtt50_cell(const Row& r, std::size_t) { return time_piece(rtt(r, 0.5)); }
Piece rtt99_cell(const Row& r, std::size_t) { return time_piece(rtt(r, 0.99)); }
Piece message_cell(const Row& r, std::size_t) { return time_piece(message_time(r)); }
Piece outstanding_cell(const Row& r, std::size_t) { return count_piece(outstanding(r), Role::kPlain); }
Piece seen_cell(const Row& r, std::size_t) {
  const Nanos ago = r.d.s().time - r.c.last_time;
  if (r.recent.frames != 0 || ago < milliseconds(1)) return {"now"};
  return {short_duration(ago), Role::kQuiet};
}

double severity_value(const Row& r) { return r.trouble.severity ? 1 + static_cast<double>(*r.trouble.severity) : 0; }
double peers_value(const Row& r) { return -static_cast<double>(r.c.id); }
double state_value(const Row& r) {
  static constexpr std::array<std::string_view, 7> kOrder = {"ended",  "idle",      "one-way", "active",
                                                             "marked", "not ready", "resends"};
  return static_cast<double>(std::find(kOrder.begin(), kOrder.end(), state_word(r)) - kOrder.begin());
}
double rate_value(const Row& r) { return r.recent.bits_per_second().value_or(0); }
double packets_value(const Row& r) { return static_cast<double>(r.recent.frames); }
double resent_value(const Row& r) { return r.all.retransmitted_ratio().value_or(0); }
double missing_value(const Row& r) { return static_cast<double>(r.all.missing); }
double nak_value(const Row& r) { return static_cast<double>(r.all.naks); }
double rnr_value(const Row& r) { return static_cast<double>(r.all.rnr_naks); }
double cnp_value(const Row& r) { return static_cast<double>(r.recent.cnps); }
double rtt50_value(const Row& r) { return rtt(r, 0.5); }
double rtt99_value(const Row& r) { return rtt(r, 0.99); }
double outstanding_value(const Row& r) { return static_cast<double>(outstanding(r)); }
double seen_value(const Row& r) { return static_cast<double>(r.c.last_time.count); }

constexpr ConnectionColumn kColumns[] = {
    {"id", "number of the connection, and the mark of its worst finding", 6, 0, trouble_cell, severity_value},
    {"connection", "the two ends: address and queue pair number", 90, 0, peers_cell, peers_value},
    {"state", "what it does now, as far as the capture shows", 9, 3, state_cell, state_value},
    {"rate", "on the wire, both directions, in the last interval", 9, 2, rate_cell, rate_value},
    {"trend", "the same over the last intervals, each row to its own scale", 8, 11, trend_cell, rate_value},
    {"pkt/s", "packets in the last interval", 6, 10, packets_cell, packets_value},
    {"resent", "share of the data packets sent again, since the start", 7, 1, resent_cell, resent_value},
    {"miss", "packets that did not pass in their turn, since the start", 5, 6, missing_cell, missing_value},
    {"NAK", "negative acknowledgements, without RNR, since the start", 5, 4, nak_cell, nak_value},
    {"RNR", "receiver not ready: please wait; since the start", 5, 5, rnr_cell, rnr_value},
    {"CE", "share of the data packets marked by a switch, since the start", 6, 7, ce_cell, ce_share},
    {"CNP/s", "congestion notifications in the last interval", 6, 8, cnp_cell, cnp_value},
    {"RTT p50", "round trip as seen here: half of them took no longer", 8, 13, rtt50_cell, rtt50_value},
    {"RTT p99", "round trip as seen here: 99 of 100 took no longer", 8, 9, rtt99_cell, rtt99_value},
    {"msg p99", "messages of the commonest kind: 99 of 100 took no longer", 8, 12, message_cell, message_time},
    {"outst", "packets sent and not acknowledged yet", 6, 14, outstanding_cell, outstanding_value},
    {"seen", "time since its last packet", 7, 15, seen_cell, seen_value},
};

std::optional<std::uint32_t> number_of(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}
bool has(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same_letter) != text.end() || part.empty();
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_letter);
}

constexpr std::array<std::string_view, 7> kStates{"ended",  "idle",    "not ready", "resends",
                                                  "marked", "one-way", "active"};

/// Takes the next word off `words`; empty at the end.
std::string_view next_word(std::string_view& words) {
  words.remove_prefix(std::min(words.find_first_not_of(' '), words.size()));
  const std::string_view word = words.substr(0, words.find(' '));
  words.remove_prefix(word.size());
  return word;
}

bool begins_a_state(std::string_view text) {
  return std::any_of(std::begin(kStates), std::end(kStates), [&](auto state) { return state.starts_with(text); });
}

/// What stands before a colon of an IPv6 address.
bool may_be_in_address(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
}

bool matches_word(std::string_view w, const Row& r) {
  const std::string a = r.c.a_ip.to_string();
  const std::string b = r.c.b_ip.to_string();
  if (w.starts_with("ip:")) return has(a, w.substr(3)) || has(b, w.substr(3));
  if (w.starts_with("qp:")) {
    if (w.size() == 3) return true;  // being typed
    const auto qpn = number_of(w.substr(3));
    return qpn && ((r.c.a_qpn && r.c.a_qpn->value == *qpn) || (r.c.b_qpn && r.c.b_qpn->value == *qpn));
  }
  if (w.starts_with("state:")) return state_word(r).starts_with(w.substr(6));
  return has(a, w) || has(b, w) || has(state_word(r), w) || has(end_point_text(r.c.a_ip, r.c.a_qpn), w) ||
         has(end_point_text(r.c.b_ip, r.c.b_qpn), w) || has(connection_notes(r.c), w) ||
         has(host_text(r.d, r.c.a_ip), w) || has(host_text(r.d, r.c.b_ip), w);
}

}  // namespace

std::span<const ConnectionColumn> connection_columns() { return kColumns; }

std::optional<std::size_t> connection_column(std::string_view heading) {
  for (std::size_t i = 0; i < std::size(kColumns); ++i) {
    if (same_word(kColumns[i].heading, heading)) return i;
  }
  return std::nullopt;
}

std::string_view state_word(const ConnectionRow& r) {
  enum : std::size_t { kEnded, kIdle, kNotReady, kResends, kMarked, kOneWay, kActive };
  const auto state = [&]() -> std::size_t {
    if (r.c.ended_early) return kEnded;
    if (r.recent.frames == 0) return kIdle;
    if (r.recent.rnr_naks != 0) return kNotReady;
    if (r.recent.retransmitted != 0) return kResends;
    if (r.recent.ce != 0 || r.recent.cnps != 0) return kMarked;
    return r.c.a_to_b && r.c.b_to_a ? kActive : kOneWay;
  };
  return kStates[state()];
}

bool matches(std::string_view filter, const ConnectionRow& row) {
  for (std::string_view w = next_word(filter); !w.empty(); w = next_word(filter)) {
    const bool inverse = w.starts_with("!");
    if (inverse) w.remove_prefix(1);
    if (!w.empty() && matches_word(w, row) == inverse) return false;
  }
  return true;
}

std::string_view impossible_word(std::string_view filter) {
  for (std::string_view whole = next_word(filter); !whole.empty(); whole = next_word(filter)) {
    std::string_view w = whole;
    if (w.starts_with("!")) w.remove_prefix(1);
    const std::size_t colon = w.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = w.substr(0, colon);
    const std::string_view rest = w.substr(colon + 1);
    if (key == "ip") continue;
    if (key == "qp" ? number_of(rest).has_value() : key == "state" ? begins_a_state(rest) : may_be_in_address(key))
      continue;
    return whole;
  }
  return {};
}

const track::RoundTripCounts* round_trips(const track::ConnectionCounts& c) {
  const track::RoundTripCounts* best = nullptr;
  each_direction(c, [&](const auto& d) {
    if (d.round_trips.rtt_ns.empty()) return;
    if (best == nullptr || d.round_trips.rtt_ns.count() > best->rtt_ns.count()) best = &d.round_trips;
  });
  return best;
}

const track::MessageCounts* messages(const track::ConnectionCounts& c) {
  const track::MessageCounts* best = nullptr;
  each_direction(c, [&](const auto& d) {
    for (const auto& m : d.messages.operations) {
      if (m && m->complete != 0 && (best == nullptr || m->complete > best->complete)) best = &*m;
    }
  });
  return best;
}

}  // namespace rocetop::present
