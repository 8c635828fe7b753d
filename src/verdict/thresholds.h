// SPDX-License-Identifier: BSD-3-Clause
// Thresholds: every number a rule compares with. A member holds the default; what it means, its unit and the reason for
// its value are a row of kThresholds, from which come --threshold, --thresholds, `rocetop rules` and docs/rules.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/nanos.h"
#include "base/result.h"

namespace rocetop::verdict {

struct Thresholds {
  double low_completeness = 0.99;
  double poor_completeness = 0.9;
  double duplicated_share = 0.25;
  double unfilled_icrc_share = 0.9;
  Nanos tail_silence = milliseconds(12);
  Nanos burst_window = milliseconds(1);
  std::uint64_t burst_packets = 8;
  std::uint64_t burst_connections = 4;
  double burst_over_even = 5.0;
  Nanos early_wait = milliseconds(1);
  Nanos ladder_wait = milliseconds(20);
  double waste_ratio = 8.0;
  std::uint64_t wasted_packets = 100;
  std::uint64_t rnr_naks = 2;
  double rnr_stall_share = 0.01;
  std::uint64_t silent_resends = 2;
  Nanos silent_time = seconds(1);
  std::uint64_t reordered_packets = 2;
  Nanos fatal_follows = seconds(5);
  Nanos rtt_target = microseconds(50);
  double host_limited_share = 0.8;
  Nanos host_idle = microseconds(100);
  std::uint64_t host_messages = 16;
  double straggler_ratio = 4.0;
  std::uint64_t straggler_peers = 4;
  std::uint64_t small_mtu = 1024;
  Nanos slow_set_up = milliseconds(500);
  std::uint64_t unanswered_marks = 8;
  Nanos unanswered_time = milliseconds(1);
  std::uint64_t cnps_per_turn = 20;
  std::uint64_t bare_cnps = 2;
  double with_nak_share = 0.8;
  std::uint64_t ignored_cnps = 10;
  double flat_rate = 0.85;
  double idle_share = 0.2;
  double rest_share = 0.5;
  std::uint64_t swings = 4;
  double swing_spread = 0.35;
  double swing_depth = 0.5;
  std::uint64_t queue_drops = 4;
  double rtt_inflation = 4.0;
  std::uint64_t class_packets = 100;
  std::uint64_t dscp_changes = 4;
  double paused_share = 0.05;
  double stood_still = 0.25;
  Nanos storm_time = milliseconds(5);
  std::uint64_t storm_frames = 4;
  std::uint64_t incast_senders = 3;
  std::uint64_t incast_signs = 10;
  double fair_index = 0.9;
  double unfair_ratio = 3.0;
  double shared_time = 0.5;
  std::uint64_t entropy_connections = 6;
  std::uint64_t connections_a_port = 4;
  std::uint64_t path_packets = 100;
  std::uint64_t path_lost = 5;
  double path_ratio = 4.0;
  double path_chance = 0.001;
  std::uint64_t slow_signals = 8;
  Nanos path_delay = microseconds(40);
  double spray_ratio = 3.0;
  std::uint64_t spray_packets = 1000;
  std::uint64_t needless_resends = 8;
  double needless_share = 0.25;
  std::uint64_t trimmed_packets = 10;
  std::uint64_t raw_frames = 8;
  double raw_share = 0.05;
  std::uint64_t violations = 1;

  friend bool operator==(const Thresholds&, const Thresholds&) = default;
};

enum class ThresholdUnit : std::uint8_t {
  kShare,        ///< 0 to 1; written "0.99" or "99%"
  kRatio,        ///< above 0
  kPackets,      ///< a count of 1 or more, and so are the next two
  kConnections,  //
  kCount,        //
  kNaks,         //
  kMessages,     //
  kBytes,        //
  kTime,         ///< above 0; written with its unit: "12ms"
};

using ThresholdMember = std::variant<double Thresholds::*, std::uint64_t Thresholds::*, Nanos Thresholds::*>;

struct ThresholdFacts {
  std::string_view name;  ///< as the member
  ThresholdUnit unit;
  std::string_view meaning;  ///< a clause: what it decides
  std::string_view reason;   ///< a sentence: why this default
  ThresholdMember member;
};

inline constexpr std::array kThresholds = {
    ThresholdFacts{"low_completeness", ThresholdUnit::kShare,
                   "share of the sequenced packets that the capture must hold for a verdict about loss to keep its "
                   "confidence",
                   "One packet in a hundred that the capture missed makes as many false gaps as real loss does where "
                   "it hurts.",
                   &Thresholds::low_completeness},
    ThresholdFacts{"poor_completeness", ThresholdUnit::kShare,
                   "share of the sequenced packets below which every verdict about loss has low confidence, and a peer "
                   "that leaves one or two resends unanswered is no more than a warning",
                   "Real loss is a packet in a hundred at its worst: nine of ten gaps are the capture's then.",
                   &Thresholds::poor_completeness},
    ThresholdFacts{"duplicated_share", ThresholdUnit::kShare,
                   "share of packets that are copies from which the capture is taken for the one that makes them",
                   "A mirror of two ports copies half of them; a network that duplicates copies a few.",
                   &Thresholds::duplicated_share},
    ThresholdFacts{"unfilled_icrc_share", ThresholdUnit::kShare,
                   "share of wrong ICRCs in a direction from which they are taken as not filled in yet",
                   "A link that damages nine packets in ten carries no connection.", &Thresholds::unfilled_icrc_share},
    ThresholdFacts{"tail_silence", ThresholdUnit::kTime,
                   "pause in mid-message from which a sender is taken to wait for an answer",
                   "Longer than a host's scheduling (10 ms and less), shorter than the QP timeouts in use (n = 12 is "
                   "17 ms).",
                   &Thresholds::tail_silence},
    ThresholdFacts{"burst_window", ThresholdUnit::kTime, "losses this near in time are one event",
                   "A buffer of a few megabytes drains in about this time at 100 Gb/s.", &Thresholds::burst_window},
    ThresholdFacts{"burst_packets", ThresholdUnit::kPackets,
                   "packets lost in a row, or in one event, that make a burst",
                   "Single bit errors do not take so many.", &Thresholds::burst_packets},
    ThresholdFacts{"burst_connections", ThresholdUnit::kConnections,
                   "connections that lose something in one event that make a burst",
                   "Independent losses rarely meet in one window.", &Thresholds::burst_connections},
    ThresholdFacts{
        "burst_over_even", ThresholdUnit::kRatio,
        "losses in an event over those that the same losses, spread evenly over the capture, would put there; in a "
        "capture of fewer than one more such windows, the rate of losses within the event over that of all others",
        "Steady loss at a high rate fills every window and is no burst.", &Thresholds::burst_over_even},
    ThresholdFacts{"early_wait", ThresholdUnit::kTime, "waits under this are no QP timeout",
                   "Shorter than any QP timeout in use (n = 8 is 1.05 ms): adaptive retransmission, firmware, or a "
                   "cause that the capture does not show.",
                   &Thresholds::early_wait},
    ThresholdFacts{"ladder_wait", ThresholdUnit::kTime,
                   "waits under this that double from one resend to the next are adaptive retransmission",
                   "Adapters that adapt start at 2 ms and double: 2, 4, 8, 16 ms.", &Thresholds::ladder_wait},
    ThresholdFacts{"waste_ratio", ThresholdUnit::kRatio, "needless resent packets for each one that was needed",
                   "From here on going back costs more than the loss itself.", &Thresholds::waste_ratio},
    ThresholdFacts{"wasted_packets", ThresholdUnit::kPackets, "needless resent packets that are worth a word",
                   "A few windows' worth.", &Thresholds::wasted_packets},
    ThresholdFacts{"rnr_naks", ThresholdUnit::kNaks, "RNR NAKs that make a stall",
                   "A single one happens when an application starts.", &Thresholds::rnr_naks},
    ThresholdFacts{"rnr_stall_share", ThresholdUnit::kShare,
                   "share of a connection's time spent waiting after RNR NAKs", "Less is noise of a start.",
                   &Thresholds::rnr_stall_share},
    ThresholdFacts{"silent_resends", ThresholdUnit::kPackets, "resends without any reply that make a silent peer",
                   "One may be a lost tail, cut off by the end of the capture.", &Thresholds::silent_resends},
    ThresholdFacts{"silent_time", ThresholdUnit::kTime,
                   "time without any reply, after at least one resend, that makes a silent peer",
                   "Longer than the QP timeouts in use.", &Thresholds::silent_time},
    ThresholdFacts{"reordered_packets", ThresholdUnit::kPackets, "late packets of a direction that make reordering",
                   "One late packet can be anything; from two on it is a pattern.", &Thresholds::reordered_packets},
    ThresholdFacts{"fatal_follows", ThresholdUnit::kTime,
                   "time after a fatal NAK in which others of the same hosts are taken for its consequences",
                   "A failing rank tears down its job within seconds.", &Thresholds::fatal_follows},
    ThresholdFacts{"rtt_target", ThresholdUnit::kTime,
                   "round trips above this count as above the target, as Swift would take it",
                   "Several times the round trip of a quiet data centre; a target suits one fabric only.",
                   &Thresholds::rtt_target},
    ThresholdFacts{"host_limited_share", ThresholdUnit::kShare,
                   "share of its time that a sender has nothing outstanding for it to be what limits the connection",
                   "Less is the turn-around between two messages, which near the receiver holds a round trip.",
                   &Thresholds::host_limited_share},
    ThresholdFacts{"host_idle", ThresholdUnit::kTime, "median pause between messages from which it is the host's",
                   "Longer than the round trip of a data centre, which is part of the pause at a distant tap.",
                   &Thresholds::host_idle},
    ThresholdFacts{"host_messages", ThresholdUnit::kMessages, "messages that make a habit",
                   "A few messages with pauses are a start or a heartbeat.", &Thresholds::host_messages},
    ThresholdFacts{"straggler_ratio", ThresholdUnit::kRatio,
                   "how many times slower than the median of its like a connection is, to be a straggler",
                   "Fair shares of a congested port differ by two or three.", &Thresholds::straggler_ratio},
    ThresholdFacts{"straggler_peers", ThresholdUnit::kConnections,
                   "connections of the same kind that a straggler is compared with",
                   "Of fewer, none is the normal one.", &Thresholds::straggler_peers},
    ThresholdFacts{"small_mtu", ThresholdUnit::kBytes, "path MTUs up to this are small",
                   "An Ethernet MTU of 1500 leaves 1024; headers then cost 7 %, and packets per second count.",
                   &Thresholds::small_mtu},
    ThresholdFacts{"slow_set_up", ThresholdUnit::kTime,
                   "time from a CM REQ to the RTU from which setting up a connection was slow",
                   "Adapters take a few milliseconds, a busy server some tens.", &Thresholds::slow_set_up},
    ThresholdFacts{"unanswered_marks", ThresholdUnit::kPackets, "CE-marked packets of a receiver that no CNP answered",
                   "One mark may be the last of the capture.", &Thresholds::unanswered_marks},
    ThresholdFacts{"unanswered_time", ThresholdUnit::kTime, "time between the first and the last of them",
                   "Adapters answer within tens of microseconds, software within a millisecond.",
                   &Thresholds::unanswered_time},
    ThresholdFacts{"cnps_per_turn", ThresholdUnit::kPackets,
                   "CNPs that a receiver sent elsewhere for each of its marked connections, after which one that got "
                   "none was left out",
                   "Where turns come at random, one misses this many in a row once in 5 * 10^8.",
                   &Thresholds::cnps_per_turn},
    ThresholdFacts{"bare_cnps", ThresholdUnit::kPackets, "CNPs for data that was never marked",
                   "One may answer a mark that the capture missed.", &Thresholds::bare_cnps},
    ThresholdFacts{"with_nak_share", ThresholdUnit::kShare,
                   "share of CNPs that go out together with NAKs from which that is why they are sent",
                   "Slow restart sends one with every sequence NAK.", &Thresholds::with_nak_share},
    ThresholdFacts{"ignored_cnps", ThresholdUnit::kPackets,
                   "CNPs, none of which shows in the rate, before a sender takes no notice",
                   "Congestion control that halves has then gone down a thousandfold.", &Thresholds::ignored_cnps},
    ThresholdFacts{"flat_rate", ThresholdUnit::kShare,
                   "lowest rate as a share of the highest above which a sender never slowed down",
                   "Windows of some tens of packets are off by a packet or two.", &Thresholds::flat_rate},
    ThresholdFacts{"idle_share", ThresholdUnit::kShare,
                   "share of time with nothing outstanding from which a rate is the application's",
                   "A sender that always has work shows what the loop does.", &Thresholds::idle_share},
    ThresholdFacts{"rest_share", ThresholdUnit::kShare,
                   "share of time in which a sender has sent what it has and waits for an answer, from which it has no "
                   "rate to cut",
                   "One small message at a time waits for nine tenths; large ones wait for little.",
                   &Thresholds::rest_share},
    ThresholdFacts{"swings", ThresholdUnit::kCount, "whole swings of the rate that make an oscillation",
                   "Fewer are single events.", &Thresholds::swings},
    ThresholdFacts{"swing_spread", ThresholdUnit::kRatio,
                   "standard deviation over mean of their periods up to which they are regular",
                   "That of a random walk is above 0.5.", &Thresholds::swing_spread},
    ThresholdFacts{"swing_depth", ThresholdUnit::kShare, "mean depth of the swings, of the peak",
                   "Less is the ordinary sawtooth of congestion control.", &Thresholds::swing_depth},
    ThresholdFacts{"queue_drops", ThresholdUnit::kPackets,
                   "packets lost by each of several senders to one receiver that speak for its queue",
                   "A bad link takes few, and from one sender.", &Thresholds::queue_drops},
    ThresholdFacts{"rtt_inflation", ThresholdUnit::kRatio,
                   "median round trip over the shortest, of several senders to one receiver, that speaks for its queue",
                   "Queues in use are deeper than the fabric is long.", &Thresholds::rtt_inflation},
    ThresholdFacts{"class_packets", ThresholdUnit::kPackets,
                   "data packets below which a class or a codepoint is not worth a word",
                   "A few packets are a start or a test.", &Thresholds::class_packets},
    ThresholdFacts{"dscp_changes", ThresholdUnit::kCount,
                   "changes of DSCP up to which somebody changed it; more are packets of one kind that differ",
                   "Settings are changed a few times, not at every packet.", &Thresholds::dscp_changes},
    ThresholdFacts{"paused_share", ThresholdUnit::kShare, "share of the capture that a class must be paused for",
                   "Less costs nothing that would be noticed.", &Thresholds::paused_share},
    ThresholdFacts{
        "stood_still", ThresholdUnit::kShare,
        "data in pauses, of what would pass there if it were spread evenly, up to which a sender stood still",
        "What is under way when the pause comes still passes.", &Thresholds::stood_still},
    ThresholdFacts{"storm_time", ThresholdUnit::kTime, "pause without XON that makes a storm",
                   "The buffer of a switch drains in a millisecond.", &Thresholds::storm_time},
    ThresholdFacts{"storm_frames", ThresholdUnit::kPackets, "… and the XOFF frames that it took",
                   "One long pause is no refreshed one.", &Thresholds::storm_frames},
    ThresholdFacts{"incast_senders", ThresholdUnit::kCount,
                   "hosts that congest the way to one receiver within a millisecond",
                   "Two senders are a crossing of paths.", &Thresholds::incast_senders},
    ThresholdFacts{"incast_signs", ThresholdUnit::kPackets,
                   "CE-marked packets and CNPs of that receiver, together, from which it was overrun",
                   "A few marks are a queue that was long for a moment.", &Thresholds::incast_signs},
    ThresholdFacts{"fair_index", ThresholdUnit::kShare,
                   "Jain's index of connections that share a congested receiver, below which the shares are unfair",
                   "Two rates as 1 to 2 have this index.", &Thresholds::fair_index},
    ThresholdFacts{"unfair_ratio", ThresholdUnit::kRatio, "… and the fastest over the slowest rate",
                   "Fair loops differ by a factor of two for a while.", &Thresholds::unfair_ratio},
    ThresholdFacts{"shared_time", ThresholdUnit::kShare,
                   "how long, of the longest-lived, a connection must have sent to be compared",
                   "Rates of different times are not shares of one thing.", &Thresholds::shared_time},
    ThresholdFacts{"entropy_connections", ThresholdUnit::kConnections,
                   "connections of a host pair from which few UDP source ports are a pattern",
                   "Of fewer, some share a port by chance.", &Thresholds::entropy_connections},
    ThresholdFacts{"connections_a_port", ThresholdUnit::kConnections, "connections that share a port on average",
                   "Chance makes two share one, not four.", &Thresholds::connections_a_port},
    ThresholdFacts{
        "path_packets", ThresholdUnit::kPackets, "packets over a veRoCE path below which it is compared with no other",
        "Loss or delay worth a word shows in a hundred packets; fewer are a start.", &Thresholds::path_packets},
    ThresholdFacts{"path_lost", ThresholdUnit::kPackets, "packets lost over one path from which it is called lossy",
                   "Fewer are a moment's doing, not a path's.", &Thresholds::path_lost},
    ThresholdFacts{
        "path_ratio", ThresholdUnit::kRatio,
        "loss rate of a path, or rate of Slow-Packet Signals for it, over that of all others of its direction together",
        "Equal links differ by chance and load; a bad one differs by a factor.", &Thresholds::path_ratio},
    ThresholdFacts{"path_chance", ThresholdUnit::kShare,
                   "chance up to which losses that hit every packet alike would come to lie so unevenly over the paths",
                   "Of a thousand connections that lose evenly, one is blamed wrongly at most.",
                   &Thresholds::path_chance},
    ThresholdFacts{"slow_signals", ThresholdUnit::kPackets,
                   "Slow-Packet Signals for one path from which it is called slow",
                   "Senders act on several; one or two are a queue of a moment.", &Thresholds::slow_signals},
    ThresholdFacts{
        "path_delay", ThresholdUnit::kTime,
        "how much later than over the others the median packet of a path, or its median RTT probe, arrives",
        "At 100 Gb/s as many packets of 4 KiB pass meanwhile as a SACK's bitmap holds; receivers put up with "
        "less.",
        &Thresholds::path_delay},
    ThresholdFacts{"spray_ratio", ThresholdUnit::kRatio,
                   "packets of the busiest path over the mean of the others; twice as much where there is one other",
                   "Weights of two to one are set on purpose; beyond, one path carries most of the traffic.",
                   &Thresholds::spray_ratio},
    ThresholdFacts{"spray_packets", ThresholdUnit::kPackets,
                   "packets of a direction from which its spread over paths is compared",
                   "Of fewer, a few long messages decide.", &Thresholds::spray_packets},
    ThresholdFacts{"needless_resends", ThresholdUnit::kPackets,
                   "resends of packets that had arrived that are worth a word",
                   "A few cross the acknowledgements on their way.", &Thresholds::needless_resends},
    ThresholdFacts{"needless_share", ThresholdUnit::kShare, "… and their share of all resends",
                   "Where it is less, resending does its work.", &Thresholds::needless_share},
    ThresholdFacts{"trimmed_packets", ThresholdUnit::kPackets,
                   "packets without their payload, or Packet Drop NAKs, from which trimming is a warning",
                   "A few are a queue that was full for a moment, which is what trimming is for.",
                   &Thresholds::trimmed_packets},
    ThresholdFacts{"raw_frames", ThresholdUnit::kPackets,
                   "frames to veRoCE's port that fit no layout which are worth a word", "A few may be anybody's.",
                   &Thresholds::raw_frames},
    ThresholdFacts{"raw_share", ThresholdUnit::kShare,
                   "their share of the frames to veRoCE's port from which it is a warning",
                   "With one in twenty unread, counts of connections are off by as much.", &Thresholds::raw_share},
    ThresholdFacts{"violations", ThresholdUnit::kPackets, "packets that contradict an expectation",
                   "Nothing was to be expected that does not hold.", &Thresholds::violations},
};

// Each member is 8 bytes: one without a row, or a row without one, does not compile.
static_assert(sizeof(Thresholds) == 8 * kThresholds.size());

/// Null if there is none of that name.
const ThresholdFacts* find_threshold(std::string_view name);

/// "99%", "8", "12ms": what set_threshold() reads.
std::string threshold_text(const ThresholdFacts& facts, const Thresholds& thresholds);

/// "share", "packets", "time": the unit in a table.
std::string_view unit_text(ThresholdUnit unit);

/// Errors: no such threshold, not a value of its unit, out of range.
Result<Done> set_threshold(Thresholds& thresholds, std::string_view name, std::string_view value);

/// Lines "name = value"; "#" starts a comment, empty lines are skipped. Errors name the line.
Result<Done> read_thresholds(Thresholds& thresholds, std::string_view text);

}  // namespace rocetop::verdict
