// SPDX-License-Identifier: BSD-3-Clause
// The bridge as the plugin uses it: frames in, and what is said of each when it came, and in the end.
#include "bridge.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "generate/scenario.h"
#include "model/words.h"
#include "wire/opcode.h"

namespace rocetop {
namespace {

constexpr std::uint32_t kRoomForAll = 1'000;

struct Free {
  void operator()(roce_analysis* analysis) const { roce_free(analysis); }
};
using Analysis = std::unique_ptr<roce_analysis, Free>;

Analysis begin(std::uint32_t max_frames = kRoomForAll) {
  roce_options options = {};
  options.verify_icrc = true;
  options.max_frames = max_frames;
  return Analysis(roce_begin(&options));
}

roce_frame frame_of(const generate::TimedFrame& from, std::uint32_t number) {
  roce_frame frame = {};
  frame.bytes = from.bytes.data();
  frame.captured_length = frame.wire_length = static_cast<std::uint32_t>(from.bytes.size());
  frame.number = number;
  frame.link_type = 1;
  frame.has_time = true;
  frame.time_ns = from.time.count;
  return frame;
}

/// What was said of each frame of a scenario; index 1 is the first one.
struct Told {
  std::vector<roce_packet> at_once{{}};
  std::vector<roce_packet> settled{{}};
};

Told tell(const std::string& scenario, std::uint32_t max_frames = kRoomForAll) {
  auto frames = generate::run_scenario(scenario);
  EXPECT_TRUE(frames) << scenario;
  Told told;
  const Analysis analysis = begin(max_frames);
  std::uint32_t number = 0;
  for (const auto& from : *frames) {
    const roce_frame frame = frame_of(from, ++number);
    EXPECT_LE(roce_feed(analysis.get(), &frame), ROCE_LIMIT);
    EXPECT_TRUE(roce_describe(analysis.get(), &frame, false, &told.at_once.emplace_back())) << number;
  }
  roce_end(analysis.get());
  for (std::uint32_t n = 1; n <= number; ++n) {
    const roce_frame frame = frame_of((*frames)[n - 1], n);
    EXPECT_TRUE(roce_describe(analysis.get(), &frame, true, &told.settled.emplace_back())) << n;
  }
  return told;
}

bool knows(const roce_packet& packet, roce_known what) { return (packet.known & what) != 0; }

TEST(Bridge, SaysWhatHappenedAndWhatCameOfIt) {
  // Frames: 1 2 (102 is lost) 3, 4 NAK, 5 6 resent, 7 ACK.
  const Told told = tell("W 100-103 | drop 102 | NAK 102 | W 102-103 | ACK 103");
  EXPECT_EQ(told.at_once[3].missing_before, 1u);
  EXPECT_EQ(told.at_once[4].kind, ROCE_NAK);
  EXPECT_EQ(told.at_once[4].acks_frame, 0u) << "a NAK acknowledges nothing";
  const roce_packet& resent = told.at_once[6];
  EXPECT_EQ(resent.kind, ROCE_RETRANSMISSION);
  ASSERT_TRUE(knows(resent, ROCE_KNOWS_CAUSE));
  EXPECT_EQ(resent.cause, ROCE_CAUSE_NAK);
  EXPECT_EQ(resent.original_frame, 3u);
  EXPECT_EQ(resent.trigger_frame, 4u);
  ASSERT_TRUE(knows(resent, ROCE_KNOWS_WAIT));
  EXPECT_EQ(resent.wait_ns, 2'000);  // two steps after the NAK
  EXPECT_FALSE(knows(resent, ROCE_KNOWS_FATE));
  EXPECT_EQ(resent.acked_in, 0u) << "that is yet to come";
  EXPECT_EQ(told.settled[6].acked_in, 7u);
  EXPECT_EQ(told.settled[6].settled_kind, ROCE_RETRANSMISSION);
  EXPECT_EQ(told.settled[1].fate, ROCE_ACK);
  EXPECT_EQ(told.settled[1].settled_kind, ROCE_NEW) << "to be acknowledged is not to be an ACK";
  EXPECT_EQ(told.at_once[7].acks_frame, 6u);
}

TEST(Bridge, GivesBothDirectionsTheStreamAndBothQueuePairs) {
  const Told told = tell("W 100-101 | ACK 101 | W 102 | ACK 102");
  for (std::size_t n = 3; n < told.at_once.size(); ++n) EXPECT_EQ(told.at_once[n].stream, 1u) << n;
  EXPECT_FALSE(knows(told.at_once[1], ROCE_KNOWS_PEER_QPN)) << "nothing came back yet";
  EXPECT_EQ(told.at_once[4].dst_qpn, 18u);
  ASSERT_TRUE(knows(told.at_once[4], ROCE_KNOWS_PEER_QPN));
  EXPECT_EQ(told.at_once[4].peer_qpn, 17u);
  EXPECT_EQ(told.settled[1].peer_qpn, 17u);
  EXPECT_NE(told.at_once[4].direction, told.at_once[5].direction);
  EXPECT_EQ(told.at_once[4].relative_psn, 2u);
  ASSERT_TRUE(knows(told.at_once[5], ROCE_KNOWS_RELATIVE_PSN));
  EXPECT_EQ(told.at_once[5].relative_psn, 2u) << "of a reply: among the requests that it answers";
}

TEST(Bridge, CountsWhatIsInFlightOnceSomethingWasAcknowledged) {
  const Told told = tell("W 100-101 | ACK 101 | W 102-104 len=16 | ACK 103 | W 105");
  EXPECT_FALSE(knows(told.at_once[1], ROCE_KNOWS_PSNS_IN_FLIGHT)) << "there may be more before it";
  EXPECT_EQ(told.at_once[4].psns_in_flight, 1u);
  EXPECT_EQ(told.at_once[6].psns_in_flight, 3u);
  EXPECT_EQ(told.at_once[6].bytes_in_flight, 1024u + 1024 + 16);
  ASSERT_TRUE(knows(told.at_once[8], ROCE_KNOWS_BYTES_IN_FLIGHT));
  EXPECT_EQ(told.at_once[8].psns_in_flight, 2u);
  EXPECT_EQ(told.at_once[8].bytes_in_flight, 16u + 1024);
}

TEST(Bridge, DoesNotCountBytesThatTheCaptureDoesNotShow) {
  const Told told = tell("W 100 | ACK 100 | W 101-103 | drop 102 | ACK 103 | W 104");
  const roce_packet& behind = told.at_once[4];
  EXPECT_EQ(behind.missing_before, 1u);
  EXPECT_EQ(behind.psns_in_flight, 3u);
  EXPECT_FALSE(knows(behind, ROCE_KNOWS_BYTES_IN_FLIGHT));
  EXPECT_TRUE(knows(told.at_once[6], ROCE_KNOWS_BYTES_IN_FLIGHT)) << "acknowledged, so it is over";
}

TEST(Bridge, CountsPsnsThatAReadTakes) {
  const Told told = tell("W 99-100 | ACK 100 | R 101-104 | RR 101-104 | W 105 | ACK 105");
  EXPECT_EQ(told.at_once[4].psns_in_flight, 4u);
  EXPECT_EQ(told.at_once[4].bytes_in_flight, 0u) << "they go the other way";
  EXPECT_EQ(told.at_once[9].psns_in_flight, 1u);
}

TEST(Bridge, GivesPacketsTheirMessage) {
  const Told told = tell("W 100-102 | S 103-104 len=10 | ACK 104 | R 105-106 | RR 105-106");
  EXPECT_EQ(told.at_once[2].message, 1u);
  EXPECT_STREQ(told.at_once[2].message_operation, "write");
  EXPECT_EQ(told.at_once[2].message_first_frame, 1u);
  EXPECT_EQ(told.at_once[2].message_last_frame, 0u) << "that is yet to come";
  EXPECT_EQ(told.at_once[2].message_length, 3072u) << "by the RETH";
  EXPECT_EQ(told.settled[2].message_last_frame, 3u);
  EXPECT_FALSE(knows(told.at_once[4], ROCE_KNOWS_MESSAGE_LENGTH)) << "a SEND tells by its last packet";
  EXPECT_STREQ(told.settled[4].message_operation, "send");
  EXPECT_EQ(told.settled[4].message_length, 1034u);
  EXPECT_EQ(told.settled[4].message_completed_in, 6u);
  EXPECT_FALSE(knows(told.settled[4], ROCE_KNOWS_COMPLETION_TIME)) << "only its last packet has it";
  ASSERT_TRUE(knows(told.settled[5], ROCE_KNOWS_COMPLETION_TIME));
  EXPECT_EQ(told.settled[5].completion_time_ns, 2'000);
  EXPECT_EQ(told.settled[7].message_completed_in, 9u) << "by its last response";
  EXPECT_EQ(told.settled[7].completion_time_ns, 2'000);
}

TEST(Bridge, CompletesAReadByItsLastResponseWhereItsLengthIsCutOff) {
  auto frames = generate::run_scenario("W 99-100 | ACK 100 | R 101-103 | RR 101-103 | W 104 | ACK 104");
  constexpr std::uint32_t kRead = 4;
  constexpr std::uint32_t kUpToTheBth = 54;
  const Analysis analysis = begin();
  for (std::uint32_t n = 1; n <= frames->size(); ++n) {
    roce_frame frame = frame_of((*frames)[n - 1], n);
    if (n == kRead) frame.captured_length = kUpToTheBth;
    EXPECT_EQ(roce_feed(analysis.get(), &frame), ROCE_OK);
  }
  roce_end(analysis.get());
  roce_packet read = {};
  const roce_frame frame = frame_of((*frames)[kRead - 1], kRead);
  ASSERT_TRUE(roce_describe(analysis.get(), &frame, true, &read));
  EXPECT_EQ(read.message_completed_in, 7u);
  EXPECT_FALSE(knows(read, ROCE_KNOWS_MESSAGE_LENGTH));
}

TEST(Bridge, GivesResendsTheMessageTheyRepeat) {
  const Told told = tell("S 100-103 | drop 102 | NAK 102 | S 102-103 | ACK 103");
  EXPECT_FALSE(knows(told.at_once[3], ROCE_KNOWS_MESSAGE)) << "the gap may hide the end of one";
  EXPECT_EQ(told.settled[5].message, 1u);
  EXPECT_EQ(told.settled[6].message, 1u);
  EXPECT_EQ(told.settled[6].message_length, 4096u);
  EXPECT_EQ(told.settled[6].message_completed_in, 7u);
}

TEST(Bridge, TellsTheMarkThatACnpAnswers) {
  const Told told = tell("W 100 | ACK 100 | W 101-103 | ce 102 | ce 101 | CNP | CNP | W 104 | ACK 104");
  EXPECT_EQ(told.at_once[3].ecn, 3u);
  const roce_packet& cnp = told.at_once[6];
  ASSERT_TRUE(cnp.is_cnp);
  ASSERT_TRUE(knows(cnp, ROCE_KNOWS_CNP_DELAY));
  EXPECT_EQ(cnp.cnp_mark_frame, 4u);
  EXPECT_EQ(cnp.cnp_delay_ns, 2'000);
  EXPECT_FALSE(knows(told.at_once[7], ROCE_KNOWS_CNP_DELAY)) << "no mark since the CNP before";
}

TEST(Bridge, SaysThatAQueuePairIsUsedAgain) {
  const Told told = tell(
      "REQ 100 | REP 500 | RTU | W 100-103 | ACK 103 | qp 17/18 new | REQ 9000 | REP 800 | RTU | W 9000-9003 | ACK "
      "9003");
  std::vector<std::uint32_t> reused;
  for (const roce_packet& packet : told.settled) {
    if (packet.qp_reuse) reused.push_back(packet.frame);
  }
  ASSERT_EQ(reused.size(), 1u);
  EXPECT_EQ(told.settled[reused[0]].psn, 9000u);
  EXPECT_GT(told.settled[reused[0]].stream, told.settled[4].stream);
}

TEST(Bridge, JudgesPacketsAnewWhenTheirQueuePairWasUsedAgain) {
  // Until the second reply counts messages from 1, the packets of the other connection look as if 97 PSNs were missing.
  const Told told = tell(
      "W 100 | ACK 100 | W 101 | ACK 101 | W 102 | ACK 102 | wait 2s | qp 17/18 new | W 200-201 | ACK 201 | W 202 | "
      "ACK "
      "202");
  ASSERT_GT(told.at_once[7].missing_before, 0u) << "else the scenario shows nothing";
  std::size_t reused = 0;
  for (std::size_t n = 1; n < told.settled.size(); ++n) {
    const roce_packet& packet = told.settled[n];
    EXPECT_EQ(packet.missing_before, 0u) << n;
    EXPECT_EQ(packet.still_missing, 0u) << n;
    EXPECT_EQ(packet.stream, n < 7 ? 1u : 2u) << n;
    EXPECT_EQ(packet.settled_kind, packet.is_request ? ROCE_NEW : ROCE_ACK) << n;
    if (packet.is_request) {
      EXPECT_EQ(packet.acked_in, n == 7 ? 9u : n + 1) << n;
    }
    reused += packet.qp_reuse ? 1 : 0;
  }
  EXPECT_EQ(reused, 1u);
  EXPECT_TRUE(told.settled[7].qp_reuse);
  EXPECT_EQ(told.settled[8].relative_psn, 1u);
  EXPECT_LE(told.settled[10].psns_in_flight, 1u);
  EXPECT_EQ(told.settled[7].message_first_frame, 7u);
}

TEST(Bridge, KeepsItsVerdictWhereAQueuePairOnlySeemedToBeUsedAgain) {
  // The reply goes on counting: the PSNs between were lost.
  const Told told = tell(
      "W 100 | ACK 100 | W 101 | ACK 101 | W 102 | ACK 102 | W 103-109 | drop 103-108 | ACK 109 | W 110 | ACK 110");
  EXPECT_EQ(told.settled[7].stream, 1u);
  EXPECT_EQ(told.settled[7].missing_before, 6u);
  EXPECT_EQ(told.settled[7].acked_in, 8u) << "what was held back is told";
}

TEST(Bridge, JudgesAStrayPacketAndWhatAgreesWithItAnew) {
  const Told told =
      tell("W 100-101 | ACK 101 | wait 2s | qp 17/18 new | W 9000000-9000002 | ACK 9000002 | W 9000003 | ACK 9000003");
  for (std::size_t n = 4; n < told.settled.size(); ++n) {
    EXPECT_EQ(told.settled[n].stream, told.settled[4].stream) << n;
    EXPECT_EQ(told.settled[n].missing_before, 0u) << n;
  }
  EXPECT_EQ(told.settled[4].acked_in, 7u);
  EXPECT_TRUE(told.settled[4].qp_reuse);
}

TEST(Bridge, SettlesWhatBecameOfMissingPsns) {
  const Told late = tell("W 100-104 | late 102 after=103 | ACK 104 | wait 5ms | W 105 | ACK 105");
  EXPECT_EQ(late.at_once[3].missing_before, 1u);
  EXPECT_EQ(late.at_once[3].still_missing, 1u);
  EXPECT_EQ(late.settled[3].missing_before, 1u) << "as when it came";
  EXPECT_EQ(late.settled[3].still_missing, 0u);
  EXPECT_EQ(late.settled[3].came_late, 1u);

  const Told uncaptured = tell("W 100-104 | drop 102 | ACK 104 | wait 5ms | W 105 | ACK 105");
  EXPECT_EQ(uncaptured.settled[3].missing_before, 1u);
  EXPECT_EQ(uncaptured.settled[3].still_missing, 0u);
  EXPECT_EQ(uncaptured.settled[3].not_captured, 1u);

  const Told lost = tell("W 100-103 | drop 102 | NAK 102 | W 102-103 | ACK 103");
  EXPECT_EQ(lost.settled[3].still_missing, 1u);
  EXPECT_EQ(lost.settled[3].came_late + lost.settled[3].not_captured, 0u);
}

TEST(Bridge, GivesBothWaysOneStreamWhereTheyAreJoinedAtTheEnd) {
  // UC: nothing but the port says that they belong together.
  const Told told = tell("uc | port 49152 | W 100-103 | B: W 7000-7003");
  EXPECT_EQ(told.at_once[5].stream, 2u);
  EXPECT_EQ(told.settled[5].stream, 1u);
  EXPECT_EQ(told.settled[5].peer_qpn, 18u);
  EXPECT_EQ(told.settled[1].peer_qpn, 17u);
  EXPECT_NE(told.settled[1].direction, told.settled[5].direction);
}

TEST(Bridge, SaysOfWhatACopyThatAnotherInterfaceSawIsOne) {
  auto frames = generate::run_scenario("W 100 | ACK 100");
  const Analysis analysis = begin();
  std::vector<roce_packet> told(5);
  for (std::uint32_t n = 1; n <= 4; ++n) {
    roce_frame frame = frame_of((*frames)[(n - 1) / 2], n);
    frame.has_interface = true;
    frame.interface_id = n % 2;
    EXPECT_EQ(roce_feed(analysis.get(), &frame), ROCE_OK);
    EXPECT_TRUE(roce_describe(analysis.get(), &frame, false, &told[n]));
  }
  EXPECT_FALSE(told[1].captured_twice);
  EXPECT_TRUE(told[2].captured_twice);
  EXPECT_EQ(told[2].original_frame, 1u);
  EXPECT_EQ(told[2].stream, told[1].stream);
  EXPECT_EQ(told[4].original_frame, 3u);
  EXPECT_TRUE(knows(told[4], ROCE_KNOWS_STREAM));
}

TEST(Bridge, SaysThatSomethingUnseenWasAcknowledged) {
  const Told told = tell("W 100-101 | ACK 101 | W 102-103 | drop 103 | ACK 103 | W 104 | ACK 104");
  EXPECT_TRUE(told.at_once[5].acked_unseen);
  EXPECT_TRUE(told.settled[5].acked_unseen);
  EXPECT_FALSE(told.at_once[3].acked_unseen);
  // A capture on a host may show an ACK before what it acknowledges.
  const Told early = tell("W 100-101 | ACK 101 | W 102 more | ACK 103 | W 103 open | W 104 | ACK 104");
  bool was_early = false;
  for (std::size_t n = 1; n < early.at_once.size(); ++n) {
    was_early = was_early || early.at_once[n].acked_unseen;
    EXPECT_FALSE(early.settled[n].acked_unseen) << n;
  }
  EXPECT_TRUE(was_early) << "else the scenario shows nothing";
}

TEST(Bridge, KnowsQueuePairsThatManagementNames) {
  const Told told = tell("REQ 100 | REP 500 | RTU | W 100 | ACK 100");
  EXPECT_EQ(told.at_once[1].kind, ROCE_MANAGEMENT);
  ASSERT_TRUE(knows(told.at_once[1], ROCE_KNOWS_SPELLED_QPN));
  EXPECT_EQ(told.at_once[1].spelled_qpn, 17u);
}

TEST(Bridge, ChecksTheIcrc) {
  const Told told = tell("W 100-101 | bad 101 | ACK 100");
  EXPECT_EQ(told.at_once[1].icrc, ROCE_ICRC_GOOD);
  EXPECT_EQ(told.at_once[2].icrc, ROCE_ICRC_BAD);
}

TEST(Bridge, CountsFramesThatFindNoRoom) {
  auto frames = generate::run_scenario("W 100-109 | ACK 109");
  const Analysis analysis = begin(4);
  std::uint32_t number = 0;
  roce_packet packet = {};
  for (const auto& from : *frames) {
    const roce_frame frame = frame_of(from, ++number);
    EXPECT_EQ(roce_feed(analysis.get(), &frame), number <= 4 ? ROCE_OK : ROCE_LIMIT);
    EXPECT_TRUE(roce_describe(analysis.get(), &frame, false, &packet));
    EXPECT_EQ(knows(packet, ROCE_KNOWS_ANALYSIS), number <= 4);
    EXPECT_EQ(packet.psn, 99 + number - (number == 11 ? 1 : 0)) << "what the packet says itself is there";
  }
  EXPECT_EQ(roce_frames_omitted(analysis.get()), 7u);
}

TEST(Bridge, TakesNothingAfterTheEnd) {
  auto frames = generate::run_scenario("W 100 | ACK 100");
  const Analysis analysis = begin();
  const roce_frame frame = frame_of(frames->front(), 1);
  EXPECT_EQ(roce_feed(analysis.get(), &frame), ROCE_OK);
  roce_end(analysis.get());
  roce_end(analysis.get());
  EXPECT_EQ(roce_feed(analysis.get(), &frame), ROCE_AFTERWARDS);
}

TEST(Bridge, TakesAnyBytes) {
  auto frames = generate::run_scenario("REQ 100 | REP 500 | RTU | W 100-103 | NAK 102 | R 104-106 | RR 104-106 | CNP");
  const Analysis analysis = begin();
  std::uint32_t number = 0;
  for (const auto& from : *frames) {
    for (std::uint32_t length = 0; length <= from.bytes.size(); ++length) {
      for (const std::uint16_t link_type : std::initializer_list<std::uint16_t>{1, 101, 247, 113, 65535}) {
        // A buffer of its own size, so that a sanitizer sees a read behind its end.
        const std::vector<std::uint8_t> bytes(from.bytes.begin(), from.bytes.begin() + length);
        roce_frame frame = frame_of(from, ++number);
        frame.bytes = bytes.empty() ? nullptr : bytes.data();
        frame.captured_length = length;
        frame.link_type = link_type;
        frame.has_time = length % 7 != 0;
        frame.has_interface = length % 3 == 0;
        frame.interface_id = length * 0x01000193;
        roce_packet packet;
        roce_feed(analysis.get(), &frame);
        roce_describe(analysis.get(), &frame, length % 2 == 0, &packet);
      }
    }
  }
  EXPECT_FALSE(roce_failed(analysis.get()));
  roce_end(analysis.get());
}

TEST(Bridge, TakesAbsurdTimesAndNumbers) {
  auto frames = generate::run_scenario("W 100-103 | ACK 103 | W 104 | CNP | ce 104");
  const Analysis analysis = begin();
  const std::int64_t times[] = {INT64_MAX, INT64_MIN, 0, -1};
  std::size_t n = 0;
  for (const auto& from : *frames) {
    roce_frame frame = frame_of(from, static_cast<std::uint32_t>(n % 2 == 0 ? 0xFFFFFFFF : n));
    frame.time_ns = times[n++ % 4];
    roce_packet packet;
    roce_feed(analysis.get(), &frame);
    roce_describe(analysis.get(), &frame, true, &packet);
  }
  roce_end(analysis.get());
  EXPECT_FALSE(roce_failed(analysis.get()));
}

TEST(Bridge, ChecksThresholds) {
  char fault[200] = "";
  EXPECT_TRUE(roce_check_thresholds("early_wait=5ms, rnr_naks=3", fault, sizeof fault));
  EXPECT_STREQ(fault, "");
  EXPECT_TRUE(roce_check_thresholds(nullptr, fault, sizeof fault));
  EXPECT_FALSE(roce_check_thresholds("early_wait=5ms no_such=1", fault, sizeof fault));
  EXPECT_NE(std::strlen(fault), 0u);
  EXPECT_FALSE(roce_check_thresholds("early_wait", fault, 5));
  EXPECT_EQ(std::strlen(fault), 4u) << "cut, and ended";
}

/// What becomes a C string must end where its view does.
void expect_ends(std::string_view text) { EXPECT_EQ(std::strlen(text.data()), text.size()) << text; }

TEST(Bridge, WordsEndWhereTheirTextDoes) {
  for (const wire::OpcodeFacts& facts : wire::kOpcodeFacts) {
    expect_ends(facts.name);
    if (!facts.short_name.empty()) expect_ends(facts.short_name);
  }
  for (int kind = ROCE_NEW; kind <= ROCE_UNTRACKED; ++kind) {
    expect_ends(model::word(static_cast<track::Kind>(kind)));
    EXPECT_STREQ(roce_kind_word(static_cast<roce_kind>(kind)), model::word(static_cast<track::Kind>(kind)).data());
  }
  for (int cause = ROCE_CAUSE_NAK; cause <= ROCE_CAUSE_UNKNOWN; ++cause) {
    expect_ends(model::word(static_cast<track::Cause>(cause)));
  }
  for (std::size_t reason = 0; reason < wire::kUndecodableCount; ++reason) {
    expect_ends(wire::reason_name(static_cast<wire::Undecodable>(reason)));
    expect_ends(model::in_words(static_cast<wire::Undecodable>(reason)));
  }
  EXPECT_STREQ(roce_space_word(ROCE_SPACE_NONE), "");
  EXPECT_STREQ(roce_fate_word(ROCE_ACK), "acknowledged");
}

TEST(Bridge, WritesAddresses) {
  const Told told = tell("ip 2001:db8::1/2001:db8::2 | W 100 | ip 192.0.2.1/192.0.2.2 | qp 5/6 | W 200");
  char text[64];
  roce_address_text(told.at_once[1].src, text, sizeof text);
  EXPECT_STREQ(text, "2001:db8::1");
  roce_address_text(told.at_once[2].dst, text, sizeof text);
  EXPECT_STREQ(text, "192.0.2.2");
}

}  // namespace
}  // namespace rocetop
