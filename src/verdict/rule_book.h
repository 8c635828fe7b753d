// SPDX-License-Identifier: BSD-3-Clause
// The rule book: what each rule is called, when it fires and when it must not, which thresholds it compares with, and
// what to do next. `rocetop rules` and docs/rules.md are made from it. A rule cannot be used before it has its row
// here: RuleId does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "verdict/finding.h"
#include "verdict/thresholds.h"

namespace rocetop::verdict {

struct RuleFacts {
  std::string_view id;
  Severity least;           ///< findings have a severity from `least` …
  Severity worst;           ///< … to `worst`
  std::string_view fires;   ///< a clause: what must be beyond doubt
  std::string_view silent;  ///< a clause: what looks like it and must not draw it; empty if nothing does
  std::string_view next;    ///< what to do, in short; findings say more, with addresses
  std::array<std::string_view, 6> thresholds{};  ///< names of kThresholds; empty ones at the end
};

/// By theme, in the order in which a person asks.
inline constexpr std::array kRuleBook = {
    RuleFacts{
        "capture.incomplete",
        Severity::kInfo,
        Severity::kWarning,
        "the capture missed packets that were acknowledged, reports drops of its own, or holds nothing of a time in "
        "which the connections went on",
        "packets that the network lost",
        "capture with a larger buffer, a shorter snap length, a filter, or less traffic",
        {"low_completeness", "poor_completeness"}},
    RuleFacts{"capture.one_way", Severity::kInfo, Severity::kWarning,
              "packets of reliable connections pass in one direction only", "UC and UD, which have no replies",
              "mirror both directions of the port"},
    RuleFacts{"capture.truncated", Severity::kInfo, Severity::kWarning,
              "packets are cut by the snap length; a warning where headers are cut that the analysis needs",
              "IP fragments; padding that is cut", "capture with a snap length of 128 bytes or more"},
    RuleFacts{"capture.duplicated",
              Severity::kWarning,
              Severity::kWarning,
              "a large share of the packets is there twice, one right after the other",
              "packets that were sent again",
              "mirror one port, or one direction of each; or remove duplicates (editcap -d)",
              {"duplicated_share"}},
    RuleFacts{"loss.before_tap",
              Severity::kWarning,
              Severity::kWarning,
              "PSNs never passed the capture point until their sender went back; with low confidence where they came "
              "behind a NAK, alone, and no identification tells resends from originals that were overtaken",
              "reordering; PSNs that only the capture missed; a range sent again by a capture with gaps of its own",
              "look at drops, buffers and PFC between the sender and the capture point",
              {"low_completeness", "poor_completeness", "tail_silence"}},
    RuleFacts{"loss.after_tap",
              Severity::kWarning,
              Severity::kWarning,
              "PSNs passed once and in order, and then a sequence NAK named them (lost, or overtaken on that side), or "
              "they were the first to be sent again after silence with no acknowledgement seen",
              "PSNs that were acknowledged before they were sent again, or merely late; a sequence NAK in the wake of "
              "an RNR NAK",
              "look at drops between the capture point and the receiver, its adapter included",
              {"low_completeness", "poor_completeness"}},
    RuleFacts{"loss.uc", Severity::kWarning, Severity::kWarning, "PSNs are missing on an unreliable connection (UC)",
              "UD, where PSNs prove nothing", "compare the message counts of both ends; capture at the receiver"},
    RuleFacts{"loss.burst",
              Severity::kWarning,
              Severity::kWarning,
              "several PSNs in a row, or of many connections at one moment, were lost",
              "single losses spread over the capture; one PSN that is lost again and again",
              "look for overflowing buffers, PFC watchdogs and link flaps at that moment",
              {"burst_window", "burst_packets", "burst_connections", "burst_over_even"}},
    RuleFacts{
        "retransmit.nak", Severity::kWarning, Severity::kWarning, "the sender went back after a PSN sequence error NAK",
        "a sequence NAK for a PSN that had drawn an RNR NAK", "find the loss or the reordering that made the gap"},
    RuleFacts{"retransmit.timeout",
              Severity::kWarning,
              Severity::kWarning,
              "the sender went back after silence; the waits are given, and an estimate of the QP timeout where they "
              "agree on one",
              "a NAK for that PSN just before; waits that are shorter than any QP timeout",
              "find the loss first; then consider a shorter QP timeout",
              {"early_wait", "low_completeness", "poor_completeness"}},
    RuleFacts{"retransmit.early",
              Severity::kInfo,
              Severity::kInfo,
              "the sender repeated after a wait far below any QP timeout, or after waits that double from a few "
              "milliseconds",
              "waits of a whole QP timeout",
              "compare with roce_adp_retrans of the sender's adapter",
              {"early_wait", "ladder_wait"}},
    RuleFacts{"retransmit.read_restart", Severity::kWarning, Severity::kWarning,
              "a READ was asked again, from the missing PSN on, while its responses were passing",
              "a new READ of the same address with new PSNs; a READ repeated after silence",
              "look for drops on the way from responder to requester"},
    RuleFacts{"retransmit.spurious", Severity::kWarning, Severity::kWarning,
              "packets were sent again after their acknowledgement had passed the capture point",
              "resends whose original was lost, or not yet acknowledged here",
              "look for lost acknowledgements, then for a QP timeout that is too short"},
    RuleFacts{"retransmit.waste",
              Severity::kWarning,
              Severity::kWarning,
              "many times more packets were sent again than were needed (go-back-N)",
              "selective recovery; few resends",
              "use selective repeat, or keep less in flight",
              {"waste_ratio", "wasted_packets", "low_completeness", "poor_completeness"}},
    RuleFacts{
        "rnr.stall",
        Severity::kWarning,
        Severity::kCritical,
        "RNR NAKs cost a noticeable share of a connection's time, or were not followed by a resend; critical where "
        "the last one never was, though the capture went on",
        "a single RNR NAK at start-up",
        "post more receives, earlier; look at min_rnr_timer",
        {"rnr_naks", "rnr_stall_share"}},
    RuleFacts{"rnr.timer_zero", Severity::kWarning, Severity::kWarning,
              "an RNR NAK carried timer code 0, which is 655.36 ms", "any other timer code",
              "set min_rnr_timer to a small code (12 is 0.64 ms)"},
    RuleFacts{"nak.fatal",
              Severity::kCritical,
              Severity::kCritical,
              "a responder refused a request: invalid request, remote access error, remote operational error, invalid "
              "RD request",
              "PSN sequence errors and RNR NAKs, which connections survive",
              "look at the completion errors of the responder, and at what it registered or posted",
              {"fatal_follows"}},
    RuleFacts{"peer.silent",
              Severity::kWarning,
              Severity::kCritical,
              "a peer that had answered stopped: resends without any reply until the connection or the capture ends; a "
              "warning of low confidence where the capture misses replies",
              "connections with one direction captured; senders that moved on to new data",
              "is the peer up, its process, its queue pair? Try the path with the same UDP source port",
              {"silent_resends", "silent_time", "low_completeness", "poor_completeness"}},
    RuleFacts{"peer.unreachable",
              Severity::kWarning,
              Severity::kCritical,
              "nothing ever came back on a connection that was resent on, while replies of others were captured",
              "captures without any reply direction; replies that may be its own but could not be paired",
              "check routing, ARP and filters of UDP 4791; does the queue pair exist?",
              {"silent_resends", "silent_time", "low_completeness", "poor_completeness"}},
    RuleFacts{
        "stream.stopped",
        Severity::kInfo,
        Severity::kWarning,
        "a message was not sent to its end, and nothing followed while the capture went on; as information: a READ was "
        "answered in part, or an answer that was due is not in the capture, and nobody asked again",
        "the capture ends soon after, or missed the end; the connection was refused, or its peer is silent; RNR "
        "retries "
        "ran out; UC",
        "look at the process and the queue pair that stopped first; did the flow move to another path?",
        {"silent_time"}},
    RuleFacts{"order.reordered",
              Severity::kWarning,
              Severity::kWarning,
              "PSNs came late, repeatedly, without their sender having gone back",
              "packets that were sent again",
              "look for packet spraying, adaptive routing or a LAG before the capture point",
              {"reordered_packets", "low_completeness", "poor_completeness"}},
    RuleFacts{"icrc.bad",
              Severity::kInfo,
              Severity::kWarning,
              "complete packets carry a wrong ICRC; only info where nearly all of a direction do (not filled in yet)",
              "packets cut by the snap length, whose ICRC cannot be checked",
              "look at CRC, symbol and FEC errors of the links before the capture point",
              {"unfilled_icrc_share"}},
    RuleFacts{"ip.fragments", Severity::kInfo, Severity::kInfo, "the capture holds IP fragments",
              "packets cut by the snap length", "check that the path MTU plus headers fits every link"},
    RuleFacts{
        "host.limited",
        Severity::kWarning,
        Severity::kWarning,
        "a sender of large messages has nothing outstanding for most of its time; what it waits for is not in the "
        "packets",
        "a request is outstanding meanwhile; the peers take turns; other connections of the host keep it busy",
        "look for what the application waits for between two messages",
        {"host_limited_share", "host_idle", "host_messages"}},
    RuleFacts{
        "straggler",
        Severity::kInfo,
        Severity::kWarning,
        "one of several connections that move messages of one size, by one operation, is far slower than the "
        "others while it has work outstanding; only info where its round trips are as much longer: it is far away",
        "it has pauses of its own; all are slow; the rates of all differ",
        "compare its path, adapter, PCIe and CPU with those of the others",
        {"straggler_ratio", "straggler_peers"}},
    RuleFacts{"mtu.small",
              Severity::kInfo,
              Severity::kInfo,
              "messages of many packets travel in packets of a small path MTU",
              "messages of few packets",
              "raise the Ethernet MTU of hosts and switches to 4200 or more",
              {"small_mtu"}},
    RuleFacts{"mtu.mismatch", Severity::kWarning, Severity::kWarning,
              "the two ends of a connection use different path MTUs, or another one than CM agreed on",
              "an end that sent no packet as long as its path MTU", "set one MTU on both ends"},
    RuleFacts{"ecn.not_ect",
              Severity::kInfo,
              Severity::kWarning,
              "data carries no ECN codepoint (Not-ECT); a warning where other signs show congestion on its way; also "
              "says where switches mark it all the same",
              "ACKs and CNPs; a warning without such signs",
              "set ECT(0) for RoCE on the senders, if ECN is meant to be on",
              {"class_packets", "queue_drops", "rtt_inflation"}},
    RuleFacts{"ecn.marks_without_cnp",
              Severity::kWarning,
              Severity::kWarning,
              "data was marked CE, the way back was captured, and no CNP passed, nor of veRoCE an acknowledgement with "
              "BECN",
              "one direction captured; a receiver that paces CNPs over many connections; veRoCE senders that probe",
              "is the notification point on? Compare np_ecn_marked_roce_packets with np_cnp_sent",
              {"unanswered_marks", "unanswered_time", "cnps_per_turn"}},
    RuleFacts{
        "ecn.cnp_without_marks",
        Severity::kWarning,
        Severity::kWarning,
        "CNPs came for data that was not marked once, near the receiver, or they went out with NAKs (slow restart)",
        "a capture point before the queue that marks",
        "find the loss that the NAKs tell of; compare np_cnp_sent with np_ecn_marked_roce_packets",
        {"bare_cnps", "with_nak_share"}},
    RuleFacts{"ecn.cnp_without_slowdown",
              Severity::kWarning,
              Severity::kWarning,
              "a sender with work all the time got CNPs and its rate stayed flat, where its own rate is seen",
              "an application that offers less, or sends one message at a time; a rate held down by a queue before the "
              "capture point",
              "is the reaction point on? Compare rp_cnp_handled with rp_cnp_ignored",
              {"ignored_cnps", "flat_rate", "idle_share", "rest_share"}},
    RuleFacts{
        "ecn.oscillation",
        Severity::kWarning,
        Severity::kWarning,
        "the rate falls and comes back in a regular period, with marks or CNPs in each",
        "one congestion event; an application, a READ or a storage that pauses; swings that come without marks too",
        "look at the marking thresholds and the senders' decrease and increase parameters",
        {"swings", "swing_spread", "swing_depth", "idle_share"}},
    RuleFacts{"ecn.cnp_class", Severity::kWarning, Severity::kWarning, "CNPs carry the DSCP of the data they are about",
              "CNPs in a class of their own", "give CNPs a DSCP and a strict priority of their own"},
    RuleFacts{
        "cnp.unmatched", Severity::kInfo, Severity::kWarning,
        "CNPs came for queue pairs that send nothing here; only info where the capture holds no data of their hosts",
        "connections whose own queue pair is not known",
        "capture where data and CNPs both pass; compare rp_cnp_ignored"},
    RuleFacts{"dscp.asymmetric", Severity::kWarning, Severity::kWarning,
              "the two directions of a connection carry different DSCPs", "CNPs, which have a class of their own",
              "compare the traffic classes of both hosts, and which ports trust DSCP"},
    RuleFacts{"dscp.changed",
              Severity::kWarning,
              Severity::kWarning,
              "packets of one kind of a direction change their DSCP",
              "CNPs among ACKs",
              "look for changes of the traffic class, and for re-marking on one of several paths",
              {"dscp_changes"}},
    RuleFacts{"pfc.paused",
              Severity::kWarning,
              Severity::kWarning,
              "a class is paused for a noticeable share of the capture; of links of unknown speed, for certain, or "
              "while senders stood still",
              "XON only",
              "follow the pause downstream to the port that is paused and does not pause others",
              {"paused_share", "stood_still", "class_packets"}},
    RuleFacts{"pfc.storm",
              Severity::kCritical,
              Severity::kCritical,
              "a pause is refreshed on and on without an XON",
              "many pauses that each end with an XON",
              "find the port that pauses: is its host hung? Turn on the PFC watchdog",
              {"storm_time", "storm_frames"}},
    RuleFacts{
        "incast",
        Severity::kWarning,
        Severity::kWarning,
        "data of several hosts to one receiver was marked, answered by CNPs, or lost within a millisecond, or stood "
        "still in the same pauses",
        "many senders without congestion; losses that are spread evenly",
        "stagger the senders, or let fewer of them send at a time",
        {"incast_senders", "incast_signs", "burst_window", "burst_over_even", "paused_share"}},
    RuleFacts{"unfair",
              Severity::kWarning,
              Severity::kWarning,
              "connections with work all the time that share a congested receiver get very different rates",
              "different offered loads; senders of one message at a time",
              "compare the congestion control settings and paths of the fastest and the slowest",
              {"fair_index", "unfair_ratio", "shared_time", "idle_share", "rest_share"}},
    RuleFacts{"ecmp.low_entropy",
              Severity::kWarning,
              Severity::kWarning,
              "many connections of a host pair share one or few UDP source ports",
              "a few connections",
              "let the source port follow from the queue pairs, or hash on the destination QP",
              {"entropy_connections", "connections_a_port"}},
    RuleFacts{"veroce.path_lossy",
              Severity::kWarning,
              Severity::kWarning,
              "one path of a veRoCE direction (UDP source port) loses several times what all its other paths together "
              "lose, too unevenly for chance",
              "losses that all paths share; a few that fall on one path; losses before the capture point, which have "
              "no path",
              "trace the path of that UDP source port, and look at the error and drop counters of its links",
              {"path_packets", "path_lost", "path_ratio", "path_chance", "low_completeness", "poor_completeness"}},
    RuleFacts{"veroce.path_slow",
              Severity::kInfo,
              Severity::kWarning,
              "Slow-Packet Signals name one path, its packets come far behind those of the others, or its RTT probes "
              "take far longer; only info where no signal, SACK or resend came of it",
              "the skew of ordinary spraying; paths that are all alike",
              "trace the path of that UDP source port: is it longer, or is a queue on it full?",
              {"slow_signals", "path_ratio", "path_chance", "path_delay", "path_packets"}},
    RuleFacts{"veroce.spray_imbalance",
              Severity::kInfo,
              Severity::kWarning,
              "one path carries several times the mean of the others; a warning where it is also the one that is "
              "marked or loses",
              "few packets; weights of two to one",
              "are path weights or a fixed source port set? How many ports may the sender spread over?",
              {"spray_packets", "spray_ratio", "incast_signs"}},
    RuleFacts{"veroce.timeout_recovery",
              Severity::kWarning,
              Severity::kWarning,
              "a veRoCE sender resent when its timer ran out, no SACK or NAK having asked for it",
              "resends that a SACK or a Packet Drop NAK asked for",
              "find the loss; keep several messages under way, so that a later packet tells of a lost one",
              {"low_completeness", "poor_completeness"}},
    RuleFacts{"veroce.spurious",
              Severity::kWarning,
              Severity::kWarning,
              "a large share of a veRoCE direction's resends was of packets that had arrived: told as received before, "
              "or answered sooner than any round trip",
              "a few resends that crossed the acknowledgement",
              "compare the delays of the paths with the receiver's threshold for SACKs; look for lost acknowledgements",
              {"needless_resends", "needless_share", "low_completeness", "poor_completeness"}},
    RuleFacts{"veroce.reorder_window",
              Severity::kWarning,
              Severity::kWarning,
              "SACKs have no room left in their bitmap of 128 PSNs, or packets pass as far out of order; with low "
              "confidence where only the capture point saw it",
              "reordering that a bitmap holds",
              "look for a path that is much slower; keep less in flight",
              {"low_completeness", "poor_completeness"}},
    RuleFacts{"veroce.trimmed",
              Severity::kInfo,
              Severity::kWarning,
              "packets passed without the payload that their headers promise, or Packet Drop NAKs asked for some; only "
              "info where they are few",
              "empty messages; captures that cut packets",
              "look for the queue that is full, and for senders that are not told to slow down",
              {"trimmed_packets"}},
    RuleFacts{
        "veroce.fallback", Severity::kInfo, Severity::kWarning,
        "a connection runs RoCEv2 though CM seems to have agreed on veRoCE (an inference from the ECE vendor id, "
        "made only for vendors of which another connection does run it); info: a peer seems to have declined it (the "
        "same inference), or two hosts run both protocols",
        "vendor ids of which nothing is known; UD, UC and XRC",
        "compare firmware and veRoCE settings of both "
        "adapters; is UDP 4794 filtered?"},
    RuleFacts{"veroce.unknown_layout",
              Severity::kInfo,
              Severity::kWarning,
              "frames to veRoCE's port fit no known layout of its headers; a warning where they are a noticeable share",
              "plain RoCEv2 on that port; layouts that the packets choose by themselves",
              "look at these packets; settle what is known of the layout by --veroce-layout",
              {"raw_frames", "raw_share"}},
    RuleFacts{"expect.violated",
              Severity::kWarning,
              Severity::kWarning,
              "what --expect says does not hold",
              "nothing was said",
              "look at the setting that the finding names",
              {"violations"}},
    RuleFacts{"expect.unchecked", Severity::kInfo, Severity::kInfo,
              "the capture holds nothing that shows whether something --expect says holds", "nothing was said",
              "capture for longer, or where such packets pass"},
    RuleFacts{"cm.slow",
              Severity::kWarning,
              Severity::kWarning,
              "setting up a connection by CM took long, or needed repeats",
              "copies made by a mirror; a rejected request",
              "look for loss of packets of queue pair 1, and for a server that is slow to accept",
              {"slow_set_up"}},
    RuleFacts{"cm.rejected", Severity::kWarning, Severity::kWarning,
              "a connection manager refused a connection (CM REJ); the reason is given", "an orderly disconnect",
              "is the service listening? Did the application refuse?"},
};

constexpr std::size_t kNoRule = static_cast<std::size_t>(-1);

constexpr std::size_t rule_index(std::string_view id) {
  for (std::size_t i = 0; i < kRuleBook.size(); ++i) {
    if (kRuleBook[i].id == id) return i;
  }
  return kNoRule;
}

void this_rule_has_no_row_in_the_rule_book();  // never defined: what the compiler names in its error

/// A rule of the book, checked when it is compiled: docket.add("loss.uc", …).
class RuleId {
 public:
  consteval RuleId(const char* id) : index_(rule_index(id)) {  // NOLINT(google-explicit-constructor)
    if (index_ == kNoRule) this_rule_has_no_row_in_the_rule_book();
  }

  constexpr const RuleFacts& facts() const { return kRuleBook[index_]; }
  constexpr std::string_view id() const { return facts().id; }

 private:
  std::size_t index_;
};

/// Null if there is none of that name.
constexpr const RuleFacts* find_rule(std::string_view id) {
  const std::size_t index = rule_index(id);
  return index == kNoRule ? nullptr : &kRuleBook[index];
}

}  // namespace rocetop::verdict
