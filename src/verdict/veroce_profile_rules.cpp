// SPDX-License-Identifier: BSD-3-Clause
// Which protocol connections run after all, and what of veRoCE's port could not be read.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "track/directions.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

using track::CmSetUp;
using track::ConnectionCounts;
using wire::Protocol;

using End = std::pair<IpAddress, std::uint32_t>;  // host and queue pair
using Hosts = std::pair<IpAddress, IpAddress>;    // the lower address first

Hosts hosts_of(const IpAddress& a, const IpAddress& b) { return b < a ? Hosts{b, a} : Hosts{a, b}; }

bool carries_data(const ConnectionCounts& c) {
  bool data = false;
  track::each_direction_of(
      c, [&](const track::DirectionCounts& d) { data = data || d.requests.packets + d.responses.packets > 0; });
  return data;
}

/// Reliable connections with data, which could run either protocol.
template <typename Function>
void each_choice(const Evidence& evidence, Function&& function) {
  for (const ConnectionCounts& c : evidence.connections) {
    const bool either = c.protocol == Protocol::kVeroce || c.protocol == Protocol::kRoceV2;
    if (either && c.transport == wire::Transport::kRc && carries_data(c)) function(c);
  }
}

/// Vendor of an ECE vendor id, as veRoCE is said to fill it: 20 bits of vendor, 4 of profile.
std::uint32_t vendor_of(std::uint32_t ece) { return ece >> 4; }
std::uint32_t profile_of(std::uint32_t ece) { return ece & 0xF; }

/// REQ and REP name one vendor and a profile of veRoCE. Profile 0 is RoCEv2, those above 3 are not known.
bool asks_for_veroce(std::uint32_t ece) { return vendor_of(ece) != 0 && profile_of(ece) >= 1 && profile_of(ece) <= 3; }
bool agrees_on_veroce(const CmSetUp& s) {
  return asks_for_veroce(s.request_ece) && asks_for_veroce(s.reply_ece) &&
         vendor_of(s.request_ece) == vendor_of(s.reply_ece);
}

bool declines_veroce(const CmSetUp& s) { return asks_for_veroce(s.request_ece) && profile_of(s.reply_ece) == 0; }

/// Connections by their ends: those that CM set up are found by the queue pairs that REQ and REP name.
class ByEnds {
 public:
  explicit ByEnds(const Evidence& evidence) {
    each_choice(evidence, [&](const ConnectionCounts& c) {
      track::each_direction_of(c, [&](const track::DirectionCounts& d) {
        if (d.dst_qpn) by_end_[{d.dst, d.dst_qpn->value}].push_back(&c);
      });
    });
  }

  /// The one connection between these ends; null where there is none or, a queue pair having been used again, several.
  const ConnectionCounts* find(const CmSetUp& s) const {
    std::vector<const ConnectionCounts*> found;
    add(found, {s.to, s.reply_qpn.value}, s.from);
    add(found, {s.from, s.request_qpn.value}, s.to);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found.size() == 1 ? found.front() : nullptr;
  }

 private:
  void add(std::vector<const ConnectionCounts*>& found, const End& end, const IpAddress& peer) const {
    const auto at = by_end_.find(end);
    if (at == by_end_.end()) return;
    for (const ConnectionCounts* c : at->second) {
      if (c->a_ip == peer || c->b_ip == peer) found.push_back(c);
    }
  }

  std::map<End, std::vector<const ConnectionCounts*>> by_end_;
};

struct Fallback {
  const CmSetUp* set_up = nullptr;
  const ConnectionCounts* connection = nullptr;
};
using Fallbacks = std::vector<Fallback>;

/// Set-ups by CM with a vendor id that asks for veRoCE, and whose data runs RoCEv2. What a vendor's id means is known
/// only from a connection of it that was set up in this way and does run veRoCE.
class FallenBack {
 public:
  explicit FallenBack(const Evidence& evidence);

  std::map<Hosts, Fallbacks> agreed;        ///< both sides named a profile of veRoCE
  std::map<IpAddress, Fallbacks> declined;  ///< by who did: the answer has profile 0
  std::set<std::uint32_t> connections;      ///< of both
};

FallenBack::FallenBack(const Evidence& evidence) {
  if (std::none_of(evidence.set_ups.begin(), evidence.set_ups.end(), agrees_on_veroce)) return;
  const ByEnds by_ends(evidence);
  std::set<std::uint32_t> speakers;
  for (const CmSetUp& s : evidence.set_ups) {
    if (s.rejected || !agrees_on_veroce(s)) continue;
    const ConnectionCounts* c = by_ends.find(s);
    if (c && c->protocol == Protocol::kVeroce) speakers.insert(vendor_of(s.request_ece));
  }
  for (const CmSetUp& s : evidence.set_ups) {
    const bool agrees = agrees_on_veroce(s);
    if (s.rejected || (!agrees && !declines_veroce(s)) || !speakers.contains(vendor_of(s.request_ece))) continue;
    const ConnectionCounts* c = by_ends.find(s);
    if (!c || c->protocol != Protocol::kRoceV2) continue;
    (agrees ? agreed[hosts_of(s.from, s.to)] : declined[s.to]).push_back({&s, c});
    connections.insert(c->id);
  }
}

void name_fallbacks(Finding& f, const Fallbacks& group) {
  for (const Fallback& one : group) {
    if (f.connections.size() < kConnectionsNamed) f.connections.push_back(one.connection->id);
    cite(f, one.set_up->request_frame, one.set_up->request_time);
    cite(f, one.set_up->reply_frame, one.set_up->reply_time);
    cite(f, one.connection->first_frame, one.connection->first_time);
  }
  f.values = {{"connections", static_cast<double>(group.size())}};
}

void agreed_and_not_run(Docket& docket, const Hosts& hosts, const Fallbacks& group) {
  const CmSetUp& first = *group.front().set_up;
  Finding& f = docket.add("veroce.fallback", Severity::kWarning, Confidence::kLow);
  f.title = fmt::format("{} of {} and {} {} RoCEv2 though CM seems to have agreed on veRoCE",
                        plural(group.size(), "connection"), hosts.first.to_string(), hosts.second.to_string(),
                        group.size() == 1 ? "runs" : "run");
  f.explanation = fmt::format(
      "REQ and REP carry ECE vendor id {:#08x} and {:#08x}; read as veRoCE is said to fill it, that is vendor {:#07x} "
      "with profiles {} and {}, and 1 to 3 are veRoCE. Another connection of this capture with that vendor does run "
      "veRoCE. The data of {} goes to UDP port 4791 all the same. That the profile is told in this field is an "
      "inference: no public text says so.",
      first.request_ece, first.reply_ece, vendor_of(first.request_ece), profile_of(first.request_ece),
      profile_of(first.reply_ece), group.size() == 1 ? "this one" : "these");
  f.next_steps = {fmt::format("compare firmware and veRoCE settings of the adapters of {} and {}",
                              hosts.first.to_string(), hosts.second.to_string()),
                  "is UDP port 4794 filtered between them?"};
  f.hosts = {hosts.first, hosts.second};
  name_fallbacks(f, group);
}

void asked_and_declined(Docket& docket, const IpAddress& who, const Fallbacks& group) {
  const CmSetUp& first = *group.front().set_up;
  Finding& f = docket.add("veroce.fallback", Severity::kInfo, Confidence::kLow);
  f.title = fmt::format("{} {} RoCEv2: {} seems to have declined veRoCE", plural(group.size(), "connection"),
                        group.size() == 1 ? "runs" : "run", who.to_string());
  f.explanation = fmt::format(
      "The REQ of {} carries ECE vendor id {:#08x}; read as veRoCE is said to fill it, that is vendor {:#07x} with "
      "profile {}, one of veRoCE's. The REP carries {:#08x}: profile 0, RoCEv2. So it is one path and go-back-N. "
      "Another "
      "connection of this capture with that vendor does run veRoCE. That the profile is told in this field is an "
      "inference: no public text says so.",
      first.from.to_string(), first.request_ece, vendor_of(first.request_ece), profile_of(first.request_ece),
      first.reply_ece);
  f.next_steps = {fmt::format("does the adapter of {} support veRoCE, and is it turned on there?", who.to_string())};
  f.hosts = {who};
  name_fallbacks(f, group);
}

/// Two hosts that speak veRoCE on some connections, and RoCEv2 on others of which nothing better is known.
void mixed(Docket& docket, const std::set<std::uint32_t>& explained) {
  struct Pair {
    std::vector<const ConnectionCounts*> veroce;
    std::vector<const ConnectionCounts*> plain;
  };
  std::map<Hosts, Pair> pairs;
  each_choice(docket.evidence(), [&](const ConnectionCounts& c) {
    if (explained.contains(c.id)) return;
    Pair& pair = pairs[hosts_of(c.a_ip, c.b_ip)];
    (c.protocol == Protocol::kVeroce ? pair.veroce : pair.plain).push_back(&c);
  });
  for (const auto& [hosts, pair] : pairs) {
    if (pair.veroce.empty() || pair.plain.empty()) continue;
    Finding& f = docket.add("veroce.fallback", Severity::kInfo, Confidence::kMedium);
    f.title =
        fmt::format("{} and {} run veRoCE on {} and RoCEv2 on {}", hosts.first.to_string(), hosts.second.to_string(),
                    plural(pair.veroce.size(), "connection"), grouped(pair.plain.size()));
    f.explanation =
        "Both hosts speak veRoCE, as their other connections show. Where it is not agreed on when a connection is set "
        "up, it runs RoCEv2: one path, go-back-N. Whether that was meant the packets do not say; an application may "
        "ask for what veRoCE does not offer.";
    f.next_steps = {"who sets up these connections, and do both of their queue pairs have veRoCE turned on?"};
    f.hosts = {hosts.first, hosts.second};
    for (const ConnectionCounts* c : pair.plain) {
      if (f.connections.size() < kConnectionsNamed) f.connections.push_back(c->id);
      cite(f, c->first_frame, c->first_time);
      date(f, c->last_time);
    }
    cite(f, pair.veroce.front()->first_frame, pair.veroce.front()->first_time);
    f.values = {{"veroce_connections", static_cast<double>(pair.veroce.size())},
                {"rocev2_connections", static_cast<double>(pair.plain.size())}};
  }
}

void unread(Docket& docket) {
  const CaptureEvidence& c = docket.evidence().capture;
  const Thresholds& t = docket.thresholds();
  if (c.veroce_raw_frames < t.raw_frames) return;
  const double share =
      static_cast<double>(c.veroce_raw_frames) / static_cast<double>(std::max(c.veroce_frames, c.veroce_raw_frames));
  Finding& f = docket.add("veroce.unknown_layout", share >= t.raw_share ? Severity::kWarning : Severity::kInfo,
                          Confidence::kHigh);
  f.title = fmt::format("{} of the frames to veRoCE's port fit no known layout: {} of {}", percent(share),
                        grouped(c.veroce_raw_frames), grouped(c.veroce_frames));
  f.explanation =
      "Lengths, reserved bytes and fields of these packets fit none of the readings of veRoCE's headers. They are "
      "shown raw and counted as frames; nothing else is said about them, and what they carried is missing from every "
      "count of their connections.";
  if (c.veroce_unknown_opcodes > 0) {
    f.explanation += fmt::format(" {} of them {} no reading describes.", grouped(c.veroce_unknown_opcodes),
                                 c.veroce_unknown_opcodes == 1 ? "carries an opcode that" : "carry opcodes that");
  }
  f.next_steps = {
      "look at some of them (rocetop packets --json, \"raw\"): is it veRoCE at all that passes on UDP port 4794?",
      "settle what is known of the layout by --veroce-layout"};
  track::each_direction(docket.evidence().connections,
                        [&](const ConnectionCounts& connection, const track::DirectionCounts& d) {
                          if (!d.veroce || d.veroce->raw_packets == 0) return;
                          name_flow(f, {&connection, &d, nullptr});
                        });
  cite(f, c.veroce_raw);
  f.frames_total = c.veroce_raw_frames;
  f.values = {{"raw_frames", static_cast<double>(c.veroce_raw_frames)},
              {"veroce_frames", static_cast<double>(c.veroce_frames)},
              {"raw_ratio", share},
              {"unknown_opcode_frames", static_cast<double>(c.veroce_unknown_opcodes)}};
}

}  // namespace

void judge_veroce_profiles(Docket& docket) {
  const FallenBack fallen(docket.evidence());
  for (const auto& [hosts, group] : fallen.agreed) agreed_and_not_run(docket, hosts, group);
  for (const auto& [who, group] : fallen.declined) asked_and_declined(docket, who, group);
  mixed(docket, fallen.connections);
  unread(docket);
}

}  // namespace rocetop::verdict
