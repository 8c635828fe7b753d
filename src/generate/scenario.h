// SPDX-License-Identifier: BSD-3-Clause
// Scenarios: a trace in one line of text, as a test would say it aloud. run_scenario() turns it into correct packets,
// in the order and at the times a tap would see them. It draws packets; it does not simulate a stack (traffic.h does).
//
//   W 100-103 | drop 102 | NAK 102 | W 102-103 | ACK 103
//
// A writes four packets, the third is lost before the tap, B complains, A goes back, B acknowledges.
//
//   scenario  = statement { ("|" | newline) statement }         "#" starts a comment that ends with the line
//   statement = [ "A:" | "B:" ] verb [ argument ] { option }
//   option    = name [ "=" value ]
//   PSNs      = number [ "-" number ]      decimal or 0x; a range may cross the wrap (0xFFFFFE-1)
//   duration  = number ( "ns" | "us" | "ms" | "s" )
//
// Packets. A is the requester and B the responder unless a prefix names the sender, so `B: W 7 | A: ACK 7` is the other
// PSN space of the same connection. Each packet takes one step of time.
//
//   W PSNs, S PSNs    one WRITE or SEND: First Middle... Last, or Only; AckReq on the last packet. PSNs that the sender
//                     sent before are repeated as they were, the rest is a new message: `W 102-105` after `W 100-103`
//   R PSNs            one READ request that takes these PSNs; the same or a later part may be asked for again
//   AT PSN            FetchAdd
//   RR PSNs           READ responses; as one message, see `open` and `more`
//   ATA PSN           atomic acknowledgement
//   ACK PSN           acknowledgement
//   NAK PSN           sequence error, unless code= says another
//   RNR PSN           RNR NAK with timer code 12, unless timer= says another
//   CNP               congestion notification, to the other side's queue pair
//   FCNP              Fast CNP: a switch tells A (after "A:": B) about its data; the hosts' addresses must be IPv6
//   XOFF CLASSES      pause frame of the sender's port: one class or a range, PFC; all: 802.3x
//   XON CLASSES       the same with a time of 0: go on
//   UD PSNs           datagrams
//   REQ PSN, REP PSN, RTU, REJ, DREQ, DREP     CM; PSN is the first one that the sender of the message wants to receive
//
// Options of packets:
//   len=BYTES      payload of the last packet of the message (default: the path MTU); READ: of its last response
//   open, more     the message began before: no First; it goes on after: no Last (W, S, RR)
//   new            a new message although the PSNs were sent before (W, S)
//   imm            with immediate data (W, S)
//   noack, ackall  AckReq on no packet, on all (W, S)
//   msn=N          in an AETH, instead of the number of messages that A (or B) completed
//   timer=0..31    RNR timer code;  code=invalid|access|operational|rd  NAK code;  reason=N  of a REJ
//   quanta=N       pause time in units of 512 bit times (65535)
//   switch=IPV6    who sends a Fast CNP (2001:db8::ff)
//
// Edits change packets that were already drawn: for each PSN the latest packet that carries it, by anybody or, with a
// prefix, by that side. Times of other packets stay.
//   drop PSNs      the tap does not see it
//   dup PSNs       the tap sees it twice: a copy half a step later, same IPv4 identification
//   late PSN after=PSN     the tap sees it half a step after the latest packet with the other PSN
//   bad PSNs       wrong ICRC;  ce PSNs: marked CE
//
// Settings hold from there on:
//   wait DURATION, step DURATION (default 1us)       let time pass; time between packets
//   pmtu BYTES (1024), uc, rc (default), dscp N (26), ecn N (2), vlan N or vlan none
//   port N         UDP source port of both sides, or of one with a prefix (default: by queue pair)
//   qp A/B [new]   switch to the connection with these QPNs (default 17/18); new: forget what was sent on it
//                  (a QP used again)
//   ip A/B         addresses of the hosts, IPv4 or IPv6 (default 192.0.2.1/192.0.2.2)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "generate/encoder.h"
#include "generate/scenario_text.h"
#include "generate/scenario_trace.h"

namespace rocetop::generate {

/// When the first packet of a scenario passes.
inline constexpr Nanos kScenarioStart = seconds(1'700'000'000);
/// More packets than this are refused.
inline constexpr std::size_t kMaxScenarioPackets = 100'000;

/// The frames at the tap, by time. Errors name line, column and what was expected.
Result<std::vector<TimedFrame>> run_scenario(std::string_view text);

/// What a scenario drew, with what was done to packets afterwards.
struct DrawnScenario {
  std::vector<TimedFrame> frames;
  std::vector<DrawnEdit> edits;
};

/// Whether a verb of drawn scenarios has an argument.
bool scenario_takes_argument(std::string_view verb);
/// run_scenario() of statements that were parsed before.
Result<DrawnScenario> draw_scenario(const std::vector<Statement>& statements);
/// The truth about its first `frames` frames: a JSON object, rocetop.truth/1 (docs/generate.md).
std::string drawn_truth(const DrawnScenario& drawn, std::string_view name, std::uint64_t frames);

}  // namespace rocetop::generate
