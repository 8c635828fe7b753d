// SPDX-License-Identifier: BSD-3-Clause
// The words of the tracker as rules: each line is a sentence, a scenario (generate/scenario.h) and what must be said
// about it (support/space_text.h). The sentence is the specification; a line that fails shows where the tracker departs
// from it.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "generate/scenario.h"
#include "support/scenario_run.h"
#include "support/space_text.h"

namespace rocetop::test {
namespace {

struct Rule {
  const char* sentence;
  const char* scenario;
  const char* expected;
};

std::string all_connections(const TrackerRun& run) {
  std::string out;
  for (const auto& connection : run.connections) out += (out.empty() ? "" : " || ") + connection_text(connection);
  return out;
}

class Rules : public testing::TestWithParam<Rule> {};

TEST_P(Rules, Hold) {
  EXPECT_EQ(all_connections(track_scenario(GetParam().scenario)), GetParam().expected)
      << GetParam().sentence << "\n  " << GetParam().scenario;
}

void PrintTo(const Rule& rule, std::ostream* out) { *out << '"' << rule.sentence << '"'; }

constexpr Rule kNew[] = {
    {"packets in order are new", "W 100-103 | ACK 103", "clean"},
    {"a PSN wrap is in order", "W 0xFFFFFE-1 | W 2-3 | ACK 1 | ACK 3", "clean"},
    {"a capture may begin in the middle of a message", "W 100-103 open | ACK 103", "clean"},
    {"a capture may begin with replies to what it did not see", "ACK 99 | W 100-103 | ACK 103", "clean"},
    {"a READ takes the PSNs of its responses", "R 100-107 | RR 100-107 | W 108 | ACK 108", "clean"},
    {"a READ of nothing takes one PSN", "R 100 len=0 | RR 100 len=0 | W 101 | ACK 101", "clean"},
    {"responses skip what is no READ", "R 100-101 | RR 100-101 | W 102-105 | ACK 105 | R 106-107 | RR 106-107",
     "clean"},
    {"an atomic takes one PSN", "AT 100 | ATA 100 | AT 101 | ATA 101", "clean"},
    {"requests of both sides are tracked apart", "W 100-101 | B: W 5000-5001 | A: ACK 5001 | ACK 101", "clean"},
    {"requests of one side and responses of the same are tracked apart",
     "R 100-103 | B: W 7000-7001 | RR 100-103 | A: ACK 7001 | B: W 7002 | A: ACK 7002", "clean"},
    {"acknowledgements may repeat themselves", "W 100-103 | ACK 103 | ACK 103 | ACK 103 | W 104 | ACK 104", "clean"},
    {"congestion notifications take no PSN", "W 100-101 | CNP | W 102-103 | ACK 103", "clean"},
};

constexpr Rule kMissing[] = {
    {"skipped, then sent again after a NAK: lost before the tap",
     "W 100-103 | drop 102 | NAK 102 | W 102-103 | ACK 103",
     "requests: missing 102 retransmitted; unseen 1; seen 1; nak 102 x2 by #4 at #5"},
    {"the same across the wrap", "W 0xFFFFFE-1 | drop 0 | NAK 0 | W 0-1 | ACK 1",
     "requests: missing 0 retransmitted; unseen 1; seen 1; nak 0 x2 by #4 at #5"},
    {"a burst is one run", "W 100-107 | drop 102-105 | NAK 102 | W 102-107 | ACK 107",
     "requests: missing 102-105 retransmitted; unseen 4; seen 2; nak 102 x6 by #5 at #6"},
    {"a lost READ request leaves as many PSNs missing as it takes, and is one packet",
     "W 98-99 | ACK 99 | R 100-103 | drop 100 | W 104 | NAK 100 | R 100-103 | W 104 | RR 100-103 | ACK 104",
     "requests: missing 100-103 retransmitted; unseen 1; seen 1; nak 100 x2 by #5 at #6"},
    {"late without the sender going back: reordered", "W 100-105 | late 102 after=103 | ACK 105",
     "requests: missing 102 reordered; reordered 1"},
    {"acknowledged all the same: the capture missed it", "W 100-103 | drop 102 | ACK 103 | W 104 | ACK 104",
     "requests: missing 102 capture_missed"},
    {"a response nobody asked for again: the capture missed it",
     "W 98-99 | ACK 99 | R 100-103 | RR 100-103 | drop 101 | wait 13ms | W 104 | ACK 104",
     "responses: missing 101 capture_missed"},
    {"not acknowledged before the capture ends: unresolved", "W 98-99 | ACK 99 | W 100-103 | drop 102",
     "requests: missing 102 unresolved"},
    {"without the reply direction: unresolved", "W 100-103 | drop 102 | W 104-107", "requests: missing 102 unresolved"},
    {"UC gaps never heal", "uc | W 100-103 | drop 102 | W 104-107", "requests: missing 102 unresolved"},
    {"each gap has its own fate", "W 100-107 | drop 102 | drop 104 | late 105 after=106 | ACK 107 | W 108 | ACK 108",
     "requests: missing 102 capture_missed; missing 104 capture_missed; missing 105 reordered; reordered 1"},
};

constexpr Rule kResent[] = {
    {"seen, then sent again after a NAK: lost after the tap", "W 100-103 | NAK 102 | W 102-103 | ACK 103",
     "requests: seen 2; nak 102 x2 by #5 at #6"},
    {"a NAK may name a packet in the middle of what is under way",
     "W 99 | ACK 99 | W 100-107 | NAK 104 | W 104-109 | ACK 107 | ACK 109",
     "requests: seen 4; nak 104 x4 by #11 at #12"},
    {"sent again after silence", "W 99 | ACK 99 | W 100-103 | wait 70ms | W 100-103 | ACK 103",
     "requests: seen 4; timeout 100 x4 at #7"},
    {"each round of silence is an episode",
     "W 99 | ACK 99 | W 100 | wait 70ms | W 100 | wait 70ms | W 100 | wait 70ms | W 100 | ACK 100",
     "requests: seen 3; timeout 100 x1 at #4; timeout 100 x1 at #5; timeout 100 x1 at #6"},
    {"an old NAK does not explain a later timeout",
     "W 99 | ACK 99 | W 100-103 | NAK 102 | W 102-103 | wait 70ms | W 102-103 | ACK 103",
     "requests: seen 4; nak 102 x2 by #7 at #8; timeout 102 x2 at #10"},
    {"an RNR NAK outranks the sequence NAK in its wake",
     "S 100-101 | S 102-103 | RNR 100 timer=12 | NAK 100 | wait 1ms | S 100-103 | ACK 101 | ACK 103",
     "requests: seen 4; rnr 100 x4 by #5 at #7"},
    {"… also when it is refused again", "S 100 | RNR 100 | wait 1ms | S 100 | RNR 100 | wait 1ms | S 100 | ACK 100",
     "requests: seen 2; rnr 100 x1 by #2 at #3; rnr 100 x1 by #4 at #5"},
    {"everything resent had been acknowledged: spurious", "W 100-103 | ACK 103 | wait 70ms | W 100-103 | ACK 103",
     "requests: seen 4; spurious 100 x4 at #6"},
    {"the capture ends in a go-back that began with what the NAK acknowledged: not spurious",
     "W 98-99 | ACK 99 | W 100-103 | NAK 101 | NAK 102 | W 101", "requests: seen 1; nak 101 x1 by #8 at #10"},
    {"an RNR NAK for a packet from before the capture is a trigger",
     "S 102-105 | RNR 100 | wait 8ms | S 100-105 | RNR 100 | wait 8ms | S 100-105 | ACK 105",
     "requests: unseen 4; seen 8; rnr 100 x6 by #5 at #6; rnr 100 x6 by #12 at #13"},
    {"the first go-back may answer one from before the capture",
     "S 102-105 | wait 8ms | S 100-105 | RNR 100 | wait 8ms | S 100-105 | ACK 105",
     "requests: unseen 4; seen 8; unknown 100 x6 at #5; rnr 100 x6 by #11 at #12"},
    {"… and so is a NAK", "W 102-105 | NAK 101 | W 101-105 | ACK 105",
     "requests: unseen 1; seen 4; nak 101 x5 by #5 at #6"},
    {"a sender that begins behind what is not acknowledged had replies that the capture lacks: nobody knows why",
     "W 96-99 | ACK 99 | W 100-109 | wait 6ms | W 105-109", "requests: seen 5; unknown 105 x5 at #16"},
    {"… unless it waited for long: timeout", "W 96-99 | ACK 99 | W 100-109 | wait 70ms | W 105-109",
     "requests: seen 5; timeout 105 x5 at #16"},
    {"not all of it had been acknowledged: not spurious",
     "W 100-101 | ACK 101 | W 102-103 | wait 70ms | W 100-103 | ACK 103", "requests: seen 4; timeout 100 x4 at #6"},
    {"without the reply direction nobody knows why", "W 100-103 | wait 2ms | W 102-103 | wait 2ms | W 104-105",
     "requests: seen 2; unknown 102 x2 at #5"},
    {"a NAK for something else explains nothing",
     "W 99 | ACK 99 | W 100-103 | NAK 102 | wait 70ms | W 100-103 | ACK 103", "requests: seen 4; timeout 100 x4 at #8"},
};

constexpr Rule kReads[] = {
    {"the rest of a READ asked for while responses flow: restart",
     "R 100-103 | RR 100-103 | drop 101 | R 101-103 | RR 101-103 open",
     "requests: seen 1; read_restart 101 x1 at #5 | responses: missing 101 retransmitted; unseen 1; seen 2"},
    {"… when the response was lost after the tap", "R 100-107 | RR 100-103 more | R 101-107 | RR 101-107 open",
     "requests: seen 1; read_restart 101 x1 at #6 | responses: seen 3"},
    {"… with the later requests of the window",
     "R 100-103 | R 104-107 | RR 100-103 | drop 102 | R 102-103 | R 104-107 | RR 102-103 open | RR 104-107",
     "requests: seen 2; read_restart 102 x2 at #6 | responses: missing 102 retransmitted; unseen 1; seen 1"},
    {"a READ asked for again after silence: timeout",
     "R 100-103 | RR 100-103 | drop 102-103 | wait 70ms | R 102-103 | RR 102-103 open | W 104 | ACK 104",
     "requests: seen 1; timeout 102 x1 at #4"},
    {"a READ answered in full and asked for again: spurious",
     "R 100-101 | RR 100-101 | wait 70ms | R 100-101 | RR 100-101 | W 102 | ACK 102",
     "requests: seen 1; spurious 100 x1 at #4 | responses: seen 2"},
    {"an atomic is answered again from the store",
     "AT 99 | ATA 99 | AT 100 | wait 70ms | AT 100 | ATA 100 | wait 70ms | AT 100 | ATA 100",
     "requests: seen 2; timeout 100 x1 at #4; spurious 100 x1 at #6 | responses: seen 1"},
    {"reordered responses", "R 100-105 | RR 100-105 | late 102 after=103 | W 106 | ACK 106",
     "responses: missing 102 reordered; reordered 1"},
    {"a READ of one PSN does not stretch over the lost packet behind it",
     "W 98-99 | ACK 99 | R 100 | RR 100 | W 101 | drop 101 | W 102 | NAK 101 | W 101-102 | ACK 102",
     "requests: missing 101 retransmitted; unseen 1; seen 1; nak 101 x2 by #7 at #8"},
    {"an atomic asked for again while responses flow was no silence",
     "AT 99 | ATA 99 | AT 100 | R 101-102 | RR 101-102 | AT 100 | R 101-102 | ATA 100 | RR 101-102",
     "requests: seen 2; read_restart 100 x2 at #7 | responses: missing 100 retransmitted; unseen 1; seen 2"},
    {"a READ from before the capture, asked for again while responses flow: restart",
     "R 104-107 | RR 104-107 | R 102-103 | R 104-107 | RR 102-103 open | RR 104-107",
     "requests: unseen 1; seen 1; read_restart 102 x2 at #6 | responses: unseen 2; seen 4"},
    {"… and after silence: timeout", "R 104-107 | RR 104-107 | wait 70ms | R 102-103 | RR 102-103 open",
     "requests: unseen 1; timeout 102 x1 at #6 | responses: unseen 2"},
    {"responses to a READ that is only asked for again here were missing nowhere",
     "RR 104-107 | R 102-103 | R 104-107 | RR 102-103 open | RR 104-107 | R 108-109 | RR 108-109",
     "responses: unseen 2; seen 4"},
    {"… nor those between two that were held",
     "RR 100-101 | RR 106-107 | R 102-105 | R 106-107 | RR 102-105 | RR 106-107 | R 108-109 | RR 108-109",
     "responses: seen 6"},
    {"the last of a READ's responses missing when the requester has had no time to ask again: unresolved",
     "W 98-99 | ACK 99 | R 100-103 | RR 100-103 | drop 101 | wait 6ms | R 104-107 | RR 104-107",
     "responses: missing 101 unresolved"},
    {"a new READ of the same address is new", "R 100-101 | RR 100-101 | R 102-103 | RR 102-103", "clean"},
};

constexpr Rule kDuplicates[] = {
    {"a copy of a request", "W 100-103 | dup 102 | ACK 103", "requests: duplicate 1"},
    {"a copy of the newest request", "W 100-103 | dup 103 | ACK 103 | W 104 | ACK 104", "requests: duplicate 1"},
    {"copies of everything", "W 100-103 | dup 100-103 | ACK 103", "requests: duplicate 4"},
    {"a copy of a response", "R 100-102 | RR 100-102 | dup 101 | W 103 | ACK 103", "responses: duplicate 1"},
    {"a copy of an acknowledgement is nobody's", "W 100 | ACK 100 | dup 100 | W 101 | ACK 101", "clean"},
};

// The same words when the sender went back before the first acknowledgement told whose replies these are.
constexpr Rule kLatePairing[] = {
    {"a NAK seen before the pairing is a trigger", "W 100-107 | NAK 104 | W 104-109 | ACK 107 | ACK 109",
     "requests: seen 4; nak 104 x4 by #9 at #10"},
    {"… of the first of two episodes", "W 100-103 | NAK 102 | W 102-103 | wait 70ms | W 102-103 | ACK 103",
     "requests: seen 4; nak 102 x2 by #5 at #6; timeout 102 x2 at #8"},
    {"silence before the first reply is a timeout", "W 100-101 | wait 70ms | W 100-101 | ACK 101",
     "requests: seen 2; timeout 100 x2 at #3"},
    {"… for a READ", "R 100-103 | wait 70ms | R 100-103 | RR 100-103", "requests: seen 1; timeout 100 x1 at #2"},
    {"an RNR NAK before the pairing is a trigger", "S 100-101 | RNR 100 | wait 1ms | S 100-101 | ACK 101",
     "requests: seen 2; rnr 100 x2 by #3 at #4"},
    {"a READ whose path MTU nobody showed yet takes the PSNs of its responses",
     "S 99 | ACK 99 | R 100-103 | drop 100 | S 104 | NAK 100 | R 100-103 | S 104 | RR 100-103 | ACK 104",
     "requests: missing 100-103 retransmitted; unseen 1; seen 1; nak 100 x2 by #4 at #5"},
    {"a response that the capture missed, of a READ whose path MTU nobody showed yet",
     "R 100-103 | RR 100-103 | drop 101 | wait 13ms | W 104 | ACK 104", "responses: missing 101 capture_missed"},
};

constexpr Rule kUnanswered[] = {
    {"an acknowledgement jumps over responses to what was asked before: the capture missed them",
     "W 98-99 | ACK 99 | R 100-103 | W 104 | RR 100-103 | drop 102-103 | ACK 104 | wait 13ms | W 105 | ACK 105",
     "responses: missing 102-103 capture_missed"},
    {"… all of them, even if none was seen",
     "W 98-99 | ACK 99 | R 100-103 | W 104 | RR 100-103 | B: drop 100-103 | ACK 104 | wait 13ms | W 105 | ACK 105",
     "responses: missing 100-103 capture_missed"},
    {"… unresolved where the requester sends nothing more",
     "W 98-99 | ACK 99 | R 100-103 | W 104 | RR 100-103 | drop 102-103 | ACK 104",
     "responses: missing 102-103 unresolved"},
    {"… unresolved where it asked again, and no answer was seen",
     "W 98-99 | ACK 99 | R 100-103 | W 104 | RR 100-103 | drop 102-103 | ACK 104 | R 102-103 | wait 2ms | W 105",
     "requests: seen 1; read_restart 102 x1 at #9 | responses: missing 102-103 unresolved"},
    {"an acknowledgement of the READ's neighbours jumps over nothing",
     "W 98-99 | R 100-103 | ACK 99 | RR 100-103 | W 104 | ACK 104", "clean"},
    {"responses that never come are missing",
     "W 98-99 | ACK 99 | R 100-103 | RR 100-103 | drop 102-103 | wait 70ms | CNP",
     "responses: missing 102-103 unresolved"},
    {"… unless the capture ends before they can", "W 98-99 | ACK 99 | R 100-103 | RR 100-103 | drop 102-103 | CNP",
     "clean"},
};

// Where the path MTU is not known, nor is how many PSNs a READ takes.
constexpr Rule kReadSpans[] = {
    {"what follows a READ tells its span, if nothing between is lost", "R 100-103 | R 104-107 | R 108", "clean"},
    {"a READ that takes fewer PSNs shows that the gap behind an equal one is none of it",
     "R 100-103 | R 104-107 | drop 104 | R 108-111 | R 112", "requests: missing 104-107 unresolved"},
    {"so do its responses",
     "R 100-103 | R 104-107 | drop 104 | R 108-111 | RR 100-103 | NAK 104 | R 104-107 | R 108-111 | RR 104-107 | RR "
     "108-111",
     "requests: missing 104-107 retransmitted; unseen 1; seen 1; nak 104 x2 by #7 at #8"},
    {"so does a payload", "R 100-103 | S 104 len=0 | S 105 len=0 | drop 104-105 | S 106 len=0 | S 107 len=600",
     "requests: missing 104-105 unresolved"},
    {"so does another request at a PSN it was thought to take",
     "R 100-103 | S 104 len=0 | S 105 len=0 | S 106 len=0 | S 107 len=0 | drop 104-107 | S 108 len=0 | wait 70ms | S "
     "104 "
     "len=0 | S 105 len=0 | S 106 len=0 | S 107 len=0 | S 108 len=0",
     "requests: missing 104-107 retransmitted; unseen 4; seen 1; unknown 104 x5 at #3"},
    {"of a gap that no path MTU explains, the READ takes what it can",
     "R 100-103 | S 104 len=0 | drop 104 | S 105 len=0", "requests: missing 104 unresolved"},
    {"a READ may still be lost with what follows it",
     "R 100 len=8 | R 101-104 | S 105 len=0 | drop 101 | drop 105 | S 106 len=0 | wait 70ms | R 101-104 | S 105 len=0 "
     "| "
     "S 106 len=0",
     "requests: missing 101-105 retransmitted; unseen 2; seen 1; unknown 101 x3 at #3"},
    {"the rest of a READ asked for again is no new READ, and tells the path MTU",
     "R 100-115 | R 106-115 | R 116-119 | drop 116 | R 120",
     "requests: missing 116-119 unresolved; seen 1; unknown 106 "
     "x1 at #2"},
    {"a READ that goes on where another ended is new", "R 100-107 | R 108-111 | R 112-115", "clean"},
};

constexpr Rule kReuse[] = {
    {"CM starts a new connection",
     "REQ 500 | REP 100 | RTU | W 100-101 | ACK 101 | DREQ | DREP | wait 1s | qp 17/18 new | REQ 900 | REP 7000 | RTU "
     "| "
     "W 7000-7001 | ACK 7001",
     "clean || clean"},
    {"a jump that no loss explains starts a new connection",
     "W 100-101 | ACK 101 | wait 2s | qp 17/18 new | W 9000000-9000001 | ACK 9000001 | W 9000002 | ACK 9000002",
     "clean || clean"},
    {"message numbers that start again start a new connection, however near its PSNs are",
     "W 100 | ACK 100 | W 101 | ACK 101 | W 102 | ACK 102 | wait 2s | qp 17/18 new | W 200 | ACK 200 | W 201 | ACK 201",
     "clean || clean"},
    {"message numbers that wrap do not",
     "W 100 | ACK 100 msn=0xFFFFFE | W 101 | ACK 101 msn=0xFFFFFF | W 102 | ACK 102 msn=0 | W 103 | ACK 103 msn=1",
     "clean"},
};

std::string name(const testing::TestParamInfo<Rule>& info) { return std::to_string(info.index + 1); }

INSTANTIATE_TEST_SUITE_P(ReadSpans, Rules, testing::ValuesIn(kReadSpans), name);
INSTANTIATE_TEST_SUITE_P(Unanswered, Rules, testing::ValuesIn(kUnanswered), name);
INSTANTIATE_TEST_SUITE_P(New, Rules, testing::ValuesIn(kNew), name);
INSTANTIATE_TEST_SUITE_P(Missing, Rules, testing::ValuesIn(kMissing), name);
INSTANTIATE_TEST_SUITE_P(Resent, Rules, testing::ValuesIn(kResent), name);
INSTANTIATE_TEST_SUITE_P(Reads, Rules, testing::ValuesIn(kReads), name);
INSTANTIATE_TEST_SUITE_P(Duplicates, Rules, testing::ValuesIn(kDuplicates), name);
INSTANTIATE_TEST_SUITE_P(LatePairing, Rules, testing::ValuesIn(kLatePairing), name);
INSTANTIATE_TEST_SUITE_P(Reuse, Rules, testing::ValuesIn(kReuse), name);

// Without an IPv4 identification only time and order tell a copy from a resend.
constexpr const char* kNoIds = "ip 2001:db8::1/2001:db8::2 | step 1us | ";

TEST(RowOfCopies, IsCopiesWhereRepliesAreSeen) {
  // A mirror that delivers in rows: a sender goes back within microseconds only when told to, and nothing told it.
  const auto run = track_scenario(std::string(kNoIds) +
                                  "W 96-99 | ACK 99 | W 100-103 more | W 100-103 more | W 104 "
                                  "open | ACK 104");
  const track::SpaceCounts& space = run.connections.at(0).a_to_b->requests;
  EXPECT_EQ(space.duplicate_packets, 4u);
  EXPECT_EQ(space.retransmitted_original_seen, 0u);
}

TEST(RowOfCopies, IsTheSenderGoingBackWhereNoneAre) {
  const auto run = track_scenario(std::string(kNoIds) + "W 96-99 | W 100-103 more | W 100-103 more | W 104 open");
  const track::SpaceCounts& space = run.connections.at(0).a_to_b->requests;
  EXPECT_EQ(space.duplicate_packets, 0u);
  EXPECT_EQ(space.retransmitted_original_seen, 4u);
}

// An original that is held up for longer than it takes to draw a NAK, where no identification tells it from a resend.
struct Late {
  const char* wait;  ///< from the original to the resends
};
class LateOriginal : public testing::TestWithParam<Late> {};

TEST_P(LateOriginal, IsNotLostWhereItsResendComesToo) {
  const auto first = directions_of(std::string(kNoIds) +
                                   "W 96-99 | ACK 99 | W 100-107 more | NAK 103 | W 108-110 open more | A: late 103 "
                                   "after=108 | wait " +
                                   GetParam().wait + " | W 103-110 | W 111-113 open | ACK 113");
  const track::SpaceCounts& requests = first.a.requests;
  EXPECT_EQ(requests.late_originals, 1U);
  EXPECT_EQ(requests.duplicate_packets, 0U);
  ASSERT_EQ(requests.episodes.size(), 2U);
  EXPECT_TRUE(requests.episodes[0].were_originals());
  EXPECT_EQ(requests.episodes[1].cause, track::Cause::kNak);
  EXPECT_EQ(requests.episodes[1].trigger_frame, requests.episodes[0].trigger_frame);
  EXPECT_EQ(requests.episodes[1].packets, 8U);
  EXPECT_FALSE(requests.episodes[1].were_originals());
}

TEST_P(LateOriginal, IsNotLostWhereItComesBehindItsResend) {
  const auto last = directions_of(std::string(kNoIds) +
                                  "W 96-99 | ACK 99 | W 100-107 more | drop 103 | NAK 103 | W 103-107 more | wait " +
                                  GetParam().wait + " | W 103 | W 108-111 open | ACK 111");
  EXPECT_EQ(last.a.requests.late_originals, 1U);
  EXPECT_EQ(last.a.requests.duplicate_packets, 0U);
  ASSERT_EQ(last.a.requests.episodes.size(), 1U);
  EXPECT_TRUE(last.a.requests.episodes[0].first_psn_late);
}

INSTANTIATE_TEST_SUITE_P(Waits, LateOriginal, testing::Values(Late{"1us"}, Late{"500us"}));

TEST(LateOriginal, MayBeOneWhereNothingElseIsSentAgain) {
  const auto told = [](const std::string& scenario) {
    const auto episodes = directions_of(scenario).a.requests.episodes;
    return episodes.size() == 1 && episodes[0].may_be_late && !episodes[0].were_originals();
  };
  const std::string alone = "W 96-99 | ACK 99 | W 100-107 more | drop 103 | NAK 103 | W 103 | W 108-111 open | ACK 111";
  const std::string with_the_rest =
      "W 96-99 | ACK 99 | W 100-107 more | drop 103 | NAK 103 | W 103-107 more | W 108-111 open | ACK 111";
  EXPECT_TRUE(told(kNoIds + alone));
  EXPECT_FALSE(told(alone)) << "a new identification: sent again";
  EXPECT_FALSE(told(kNoIds + with_the_rest)) << "the sender did go back";
}

TEST(CopiesOfNaks, AreNoMoreNaksWhateverPassesBetween) {
  // A slow mirror: the copies of both come behind them.
  auto frames = generate::run_scenario(
      "W 96-99 | ACK 99 | W 100-103 | RNR 100 | NAK 100 | wait 8ms | W 100-103 | wait 8ms | W 100-103 | ACK 103");
  ASSERT_TRUE(frames);
  std::vector<generate::TimedFrame>& trace = frames.value();
  constexpr std::size_t kRnr = 9;  // 96..99, ACK, 100..103 are before it
  for (const std::size_t original : {kRnr, kRnr + 1}) {
    generate::TimedFrame copy = trace[original];
    copy.time = trace[kRnr + 1].time + microseconds(1);
    trace.insert(trace.begin() + static_cast<std::ptrdiff_t>(original) + 2, copy);
  }
  const auto run = track_frames(trace);
  EXPECT_EQ(only(run).b_to_a->rnr_nak_copies, 1u);
  const auto& episodes = only(run).a_to_b->requests.episodes;
  ASSERT_EQ(episodes.size(), 2u);
  EXPECT_EQ(episodes[0].cause, track::Cause::kRnr);
  EXPECT_EQ(episodes[1].cause, track::Cause::kTimeout);
}

TEST(CopiesOfNaks, AreNotRnrNaksThatComeWhenTheWaitIsOver) {
  // Timer 1: 10 us. No identification tells them apart.
  std::string scenario = "ip 2001:db8::1/2001:db8::2 | S 99 | ACK 99 | S 100";
  for (int i = 0; i < 5; ++i) scenario += " | RNR 100 timer=1 | wait 60us | S 100";
  const auto run = track_scenario(scenario + " | ACK 100");
  EXPECT_EQ(only(run).b_to_a->rnr_naks, 5u);
  EXPECT_EQ(only(run).b_to_a->rnr_nak_copies, 0u);
}

TEST(CopiesOfPackets, ThatComeBehindANakAreNoGoingBack) {
  auto frames = generate::run_scenario("S 96-99 | ACK 99 | S 100-101 | RNR 100 | wait 8ms | S 100-101 | ACK 101");
  ASSERT_TRUE(frames);
  std::vector<generate::TimedFrame>& trace = frames.value();
  constexpr std::size_t kUnderWay = 6;  // 96..99, ACK, 100 are before it
  generate::TimedFrame copy = trace[kUnderWay];
  copy.time = trace[kUnderWay + 1].time + microseconds(1);  // behind the RNR NAK
  trace.insert(trace.begin() + kUnderWay + 2, copy);
  const auto run = track_frames(trace);
  const track::SpaceCounts& requests = only(run).a_to_b->requests;
  EXPECT_EQ(requests.duplicate_packets, 1u);
  ASSERT_EQ(requests.episodes.size(), 1u);
  EXPECT_EQ(requests.episodes[0].cause, track::Cause::kRnr);
  EXPECT_EQ(requests.episodes[0].packets, 2u);
}

TEST(ClockThatStepsBack, MakesNoNegativeWaits) {
  for (const char* scenario : {"W 96-99 | ACK 99 | W 100-103 | drop 102 | NAK 102 | wait 1ms | W 102-103 | ACK 103",
                               "S 99 | ACK 99 | S 100 | RNR 100 | wait 2ms | S 100 | ACK 100",
                               "W 96-99 | ACK 99 | W 100-103 | wait 70ms | W 100-103 | ACK 103",
                               "R 96-99 | RR 96-99 | R 100-103 | wait 70ms | R 100-103 | RR 100-103"}) {
    auto frames = generate::run_scenario(scenario);
    ASSERT_TRUE(frames);
    // What comes after the pause is stamped half a second before it.
    Nanos previous = frames.value().front().time;
    bool back = false;
    for (auto& frame : frames.value()) {
      back = back || frame.time - previous > microseconds(500);
      previous = frame.time;
      if (back) frame.time = frame.time - milliseconds(500);
    }
    ASSERT_TRUE(back) << scenario;
    const auto run = track_frames(frames.value());
    std::size_t episodes = 0;
    for (const auto& c : run.connections) {
      for (const auto& e : c.a_to_b->requests.episodes) {
        EXPECT_GE(e.wait.count, 0) << scenario;
        EXPECT_GE(e.silence.count, 0) << scenario;
        ++episodes;
      }
    }
    EXPECT_GT(episodes, 0u) << scenario;
  }
}

}  // namespace
}  // namespace rocetop::test
