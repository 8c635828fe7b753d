// SPDX-License-Identifier: BSD-3-Clause
// The tracker watched without end: looking at it changes nothing, and what is over is forgotten and counted.
#include <gtest/gtest.h>

#include <set>

#include "generate/scenario.h"
#include "support/packets.h"
#include "support/space_text.h"
#include "track/tracker.h"
#include "wire/decode.h"

namespace rocetop::track {
namespace {

class Feeder {
 public:
  explicit Feeder(Tracker& tracker) : tracker_(tracker) {}
  void write(std::uint32_t dst_qpn, std::uint32_t psn, Nanos time) {
    tracker_.on_packet(test::packet(1, 2, test::kWriteOnlyOpcode, dst_qpn, psn), FrameId(0, ++frame_), time, 100);
  }

 private:
  Tracker& tracker_;
  std::uint64_t frame_ = 0;
};

std::set<std::uint32_t> qpns(const std::vector<ConnectionCounts>& connections) {
  std::set<std::uint32_t> out;
  for (const auto& c : connections) out.insert(c.b_qpn->value);
  return out;
}

std::vector<generate::TimedFrame> frames_of(std::string_view text) {
  auto frames = generate::run_scenario(text);
  EXPECT_TRUE(frames);
  return frames ? std::move(frames.value()) : std::vector<generate::TimedFrame>{};
}

/// All that is counted of a run, a line a direction; `look` is called after each frame.
template <typename Look>
std::string counts_of(const std::vector<generate::TimedFrame>& frames, Look&& look) {
  Tracker tracker;
  wire::Decoded decoded;
  std::uint64_t number = 0;
  for (const auto& frame : frames) {
    const auto length = static_cast<std::uint32_t>(frame.bytes.size());
    wire::decode(LinkType::kEthernet, frame.bytes, length, {}, decoded);
    tracker.on_packet(decoded.packet, FrameId(0, ++number), frame.time, length);
    look(tracker);
  }
  std::string out;
  for (const auto& c : tracker.finish()) {
    for (const auto* d : {&c.a_to_b, &c.b_to_a}) {
      if (!*d) continue;
      out += test::space_text((*d)->requests) + " | " + test::space_text((*d)->responses) + "\n";
    }
  }
  return out;
}

constexpr std::string_view kLossy = "W 100-109 | drop 103 | NAK 103 | W 103-109 | ACK 109";

TEST(Watching, LookingChangesNothing) {
  const auto frames = frames_of(kLossy);
  const std::string plain = counts_of(frames, [](const Tracker&) {});
  const std::string watched = counts_of(frames, [](const Tracker& t) { t.connections(); });
  EXPECT_FALSE(plain.empty());
  EXPECT_EQ(watched, plain);
}

TEST(Watching, WhatIsOpenIsInNoCountAndCountsNeverGoBack) {
  std::uint64_t missing_before = 0;
  std::uint64_t packets_before = 0;
  bool open_seen = false;
  counts_of(frames_of(kLossy), [&](const Tracker& tracker) {
    const auto connections = tracker.connections();
    ASSERT_EQ(connections.size(), 1U);
    const SpaceCounts& requests = connections[0].a_to_b->requests;
    std::uint64_t missing = 0;
    for (const std::uint64_t n : requests.missing_packets) missing += n;
    EXPECT_GE(missing, missing_before);
    EXPECT_GE(requests.packets, packets_before);
    open_seen = open_seen || (requests.highest_psn == Psn{109} && missing == 0);
    missing_before = missing;
    packets_before = requests.packets;
  });
  EXPECT_TRUE(open_seen) << "the gap was given a fate before it had one";
  EXPECT_EQ(missing_before, 1U);
}

TEST(Watching, TheSilentAreForgottenAndTold) {
  Tracker tracker;
  std::uint64_t gone_frames = 0;
  tracker.tell_gone([&](const ConnectionCounts& c) { gone_frames += c.a_to_b->frames; });
  Feeder feed(tracker);
  for (std::uint32_t psn = 0; psn < 5; ++psn) feed.write(7, psn, seconds(1));
  for (std::uint32_t psn = 0; psn < 5; ++psn) feed.write(8, psn, seconds(10));
  tracker.forget_silent(seconds(5));
  EXPECT_EQ(qpns(tracker.connections()), std::set<std::uint32_t>{8});
  EXPECT_EQ(tracker.silent_connections(), 1U);
  EXPECT_EQ(gone_frames, 5U);
  feed.write(7, 5, seconds(11));  // a new one, as far as anybody knows
  EXPECT_EQ(tracker.connections().size(), 2U);
  EXPECT_EQ(tracker.connections().back().id, 3U);
}

TEST(Watching, AtTheLimitTheLeastRecentlyActiveLeave) {
  Limits limits;
  limits.endless = true;
  limits.connections = limits.live_connections = 4;
  Tracker tracker(limits);
  std::uint64_t gone = 0;
  tracker.tell_gone([&](const ConnectionCounts&) { ++gone; });
  Feeder feed(tracker);
  for (std::uint32_t qpn = 10; qpn < 20; ++qpn) {
    for (std::uint32_t psn = 0; psn < 5; ++psn) feed.write(qpn, psn, seconds(qpn));
    for (std::uint32_t psn = 0; psn < 5; ++psn) feed.write(10, psn + 5 * qpn, seconds(qpn));  // 10 stays active
    EXPECT_LE(tracker.connections().size(), 4U);
  }
  EXPECT_EQ(qpns(tracker.connections()), (std::set<std::uint32_t>{10, 17, 18, 19}));
  EXPECT_EQ(tracker.evicted_connections(), 6U);
  EXPECT_EQ(gone, 6U);
}

TEST(Watching, WhatEndedMakesRoomFirst) {
  Limits limits;
  limits.endless = true;
  limits.connections = limits.live_connections = 4;
  Tracker tracker(limits);
  Feeder feed(tracker);
  for (std::uint32_t use = 0; use < 50; ++use) {  // one QPN used again and again, each time far away
    for (std::uint32_t psn = 0; psn < 5; ++psn) feed.write(5, use * 7'000'000 + psn, seconds(use * 10 + 1));
    EXPECT_LE(tracker.connections().size(), 5U);
  }
  EXPECT_GE(tracker.evicted_connections(), 44U);
}

TEST(Watching, OldListEntriesLeaveAndMakeRoom) {
  Limits limits;
  limits.listed_total = 1;
  Tracker tracker(limits);
  Feeder feed(tracker);
  const auto lose_and_resend = [&](std::uint32_t psn, Nanos time) {
    feed.write(5, psn, time);
    feed.write(5, psn + 2, time + milliseconds(1));
    feed.write(5, psn + 1, time + milliseconds(100));
    feed.write(5, psn + 2, time + milliseconds(101));
    feed.write(5, psn + 3, time + milliseconds(102));
  };
  lose_and_resend(0, seconds(1));
  lose_and_resend(4, seconds(20));
  const auto listed = [&] {
    const SpaceCounts requests = tracker.connections()[0].a_to_b->requests;
    return std::pair{requests.missing.size() + requests.episodes.size(),
                     requests.missing_omitted + requests.episodes_omitted};
  };
  EXPECT_EQ(listed(), (std::pair<std::size_t, std::uint64_t>{1, 3}));
  tracker.make_room_in_lists(seconds(30));
  EXPECT_EQ(listed(), (std::pair<std::size_t, std::uint64_t>{0, 4}));
  lose_and_resend(8, seconds(40));
  EXPECT_EQ(listed().first, 1U);
}

TEST(Watching, ListsThatAreNotFillingKeepWhatIsOld) {
  Tracker tracker;
  Feeder feed(tracker);
  feed.write(5, 0, seconds(1));
  feed.write(5, 2, seconds(2));
  feed.write(5, 1, seconds(3));
  feed.write(5, 2, seconds(3));
  feed.write(5, 3, seconds(3));
  tracker.make_room_in_lists(seconds(30));
  EXPECT_EQ(tracker.connections()[0].a_to_b->requests.missing.size(), 1U);
}

/// What is in no list of connections is among the strays or among those told as gone, never in both, and a sum that
/// was shown never goes back.
class WatchedStrays : public testing::Test {
 protected:
  WatchedStrays() : tracker(limits()) {
    tracker.tell_gone([this](const ConnectionCounts& c) {
      gone_frames += frames_of(c);
      gone_missing += missing_of(c);
    });
  }
  static Limits limits() {
    Limits out;
    out.endless = true;
    out.listed_strays = 10;
    out.listed_total = 1'000;
    return out;
  }
  static std::uint64_t missing_of(const ConnectionCounts& c) {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : c.a_to_b->requests.missing_packets) sum += n;
    return sum;
  }
  static std::uint64_t frames_of(const ConnectionCounts& c) {
    return c.a_to_b->frames + (c.b_to_a ? c.b_to_a->frames : 0);
  }
  /// Two packets with three missing between them.
  void stray(std::uint32_t qpn, Nanos time) {
    Feeder feed(tracker);
    feed.write(qpn, 100, time);
    feed.write(qpn, 104, time);
    sent += 2;
  }
  void answered(Nanos time) {
    tracker.on_packet(test::packet(1, 2, test::kWriteOnlyOpcode, 18, 7), FrameId(0, 1'000), time, 100);
    wire::Packet ack = test::packet(2, 1, 0x11, 17, 7);
    tracker.on_packet(ack, FrameId(0, 1'001), time, 100);
    sent += 2;
  }
  struct Sums {
    std::uint64_t frames = 0;
    std::uint64_t missing = 0;
  };
  Sums sums() const {
    Sums out{gone_frames, gone_missing};
    for (const auto& c : tracker.connections()) {
      out.frames += frames_of(c);
      out.missing += missing_of(c);
    }
    return out;
  }

  Tracker tracker;
  std::uint64_t sent = 0;
  std::uint64_t gone_frames = 0;
  std::uint64_t gone_missing = 0;
};

TEST_F(WatchedStrays, AreCountedOnce) {
  Sums last;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const Nanos now = seconds(1 + i);
    stray(1'000 + i, now);
    answered(now);
    tracker.forget_silent(now - seconds(5));
    const Sums next = sums();
    EXPECT_GE(next.frames, last.frames);
    EXPECT_GE(next.missing, last.missing);
    last = next;
  }
  EXPECT_GT(tracker.stray_connections(), 30U);
  tracker.forget_silent(seconds(1'000));
  EXPECT_EQ(sums().frames + tracker.stray_packets(), sent);
  EXPECT_EQ(sums().missing + 3 * tracker.stray_connections(), 180U);
}

TEST_F(WatchedStrays, GiveTheirListsBack) {
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    const Nanos now = seconds(1 + i);
    stray(1'000 + i, now);
    if (i == 0) answered(now);
    tracker.forget_silent(now - seconds(5));
  }
  tracker.forget_silent(seconds(10'000));
  // A budget of 1,000 entries has room for one more loss.
  Feeder feed(tracker);
  for (const std::uint32_t psn : {0U, 1U, 3U, 2U, 3U, 4U}) feed.write(5, psn, seconds(20'000 + psn * 100));
  EXPECT_EQ(tracker.connections().back().a_to_b->requests.missing.size(), 1U);
}

TEST(Watching, WhatIsEvictedGivesItsListsBack) {
  Limits limits;
  limits.connections = 1;
  limits.listed_total = 8;
  Tracker tracker(limits);
  Feeder feed(tracker);
  for (std::uint32_t use = 0; use < 20;
       ++use) {  // one QPN used again and again, each time far away, and a loss in each
    const Nanos time = seconds(use * 10 + 1);
    const std::uint32_t first = use * 7'000'000;
    std::int64_t at = 0;
    for (const std::uint32_t psn : {0U, 1U, 3U, 2U, 3U, 4U}) feed.write(5, first + psn, time + milliseconds(50 * at++));
  }
  EXPECT_GT(tracker.evicted_connections(), 10U);
  EXPECT_EQ(tracker.connections().back().a_to_b->requests.missing.size(), 1U);
}

}  // namespace
}  // namespace rocetop::track
