// SPDX-License-Identifier: BSD-3-Clause
// The ledger: rows that only grow, whatever becomes of connections, pairs and what was known of them.
#include "model/pair_ledger.h"

#include <gtest/gtest.h>

#include <string>

#include "sample_snapshot.h"

namespace rocetop::model {
namespace {

using testing::ip;
using testing::quiet_connection;

std::string host(int n) { return "10.0." + std::to_string(n / 256) + "." + std::to_string(n % 256); }

/// One direction only, of so many packets of 100 bytes.
track::ConnectionCounts one_way(std::uint32_t id, const std::string& src, const std::string& dst,
                                std::uint64_t packets) {
  track::ConnectionCounts c;
  c.id = id;
  c.a_ip = ip(src);
  c.b_ip = ip(dst);
  c.a_to_b.emplace();
  c.a_to_b->src = c.a_ip;
  c.a_to_b->dst = c.b_ip;
  c.a_to_b->frames = packets;
  c.a_to_b->bytes_on_wire = 100 * packets;
  c.a_to_b->requests.packets = packets;
  c.a_to_b->first_dscp_of.fill(26);
  return c;
}

Snapshot snapshot(std::vector<track::ConnectionCounts> connections) {
  Snapshot out;
  out.connections = std::move(connections);
  return out;
}

/// The row of a pair, or null.
const PairRow* row(const LedgerRows& rows, const std::string& src, const std::string& dst) {
  for (const PairRow& r : rows.pairs) {
    if (!r.is_rest && r.src == ip(src) && r.dst == ip(dst)) return &r;
  }
  return nullptr;
}
std::uint64_t packets(const LedgerRows& rows, const std::string& src, const std::string& dst) {
  const PairRow* found = row(rows, src, dst);
  return found ? found->amounts.packets : 0;
}
std::uint64_t rest(const LedgerRows& rows) {
  std::uint64_t sum = 0;
  for (const PairRow& r : rows.pairs) sum += r.is_rest ? r.amounts.packets : 0;
  return sum;
}

TEST(PairLedger, CountsEachPairAndDirection) {
  PairLedger ledger({});
  const auto rows =
      ledger.advance(snapshot({quiet_connection(1, "10.0.0.1", "10.0.0.2"), quiet_connection(2, "10.0.0.1", "10.0.0.2"),
                               quiet_connection(3, "10.0.0.3", "10.0.0.1")}),
                     {}, seconds(1));
  EXPECT_EQ(packets(*rows, "10.0.0.1", "10.0.0.2"), 2'000U);
  EXPECT_EQ(packets(*rows, "10.0.0.2", "10.0.0.1"), 2'000U);
  EXPECT_EQ(packets(*rows, "10.0.0.3", "10.0.0.1"), 1'000U);
  EXPECT_EQ(rest(*rows), 0U);
  EXPECT_EQ(rows->connections_in_all, 3U);
  EXPECT_EQ(rows->protocols[0].packets, 6'000U);
  EXPECT_TRUE(rows->pairs.back().is_rest) << "the row of the rest is there at zero";
}

TEST(PairLedger, KeepsWhatIsGone) {
  PairLedger ledger({});
  ledger.advance(snapshot({one_way(1, host(1), host(2), 10)}), {}, seconds(1));
  ledger.on_gone(one_way(1, host(1), host(2), 12));
  ledger.on_gone(one_way(2, host(1), host(3), 5));  // came and went between two snapshots
  const auto rows = ledger.advance(snapshot({one_way(3, host(1), host(2), 1)}), {}, seconds(2));
  EXPECT_EQ(packets(*rows, host(1), host(2)), 13U);
  EXPECT_EQ(packets(*rows, host(1), host(3)), 5U);
  EXPECT_EQ(rows->connections_in_all, 3U);
}

TEST(PairLedger, AddsUpPairsThatFindNoPlaceAndCountsThem) {
  PairLedger ledger({.pairs_most = 2});
  std::vector<track::ConnectionCounts> connections;
  for (std::uint32_t i = 0; i < 5; ++i) connections.push_back(one_way(i + 1, host(0), host(10 + i), 10));
  auto rows = ledger.advance(snapshot(connections), {}, seconds(1));
  EXPECT_EQ(rows->pairs.size(), 3U);
  EXPECT_EQ(rest(*rows), 30U);
  EXPECT_EQ(rows->pairs_limited, 3U);
  rows = ledger.advance(snapshot(connections), {}, seconds(2));
  EXPECT_EQ(rows->pairs_limited, 3U) << "each once";
  EXPECT_EQ(rest(*rows), 30U);
  ledger.on_gone(one_way(9, host(0), host(99), 7));
  ledger.on_gone(one_way(10, host(0), host(99), 7));
  rows = ledger.advance(snapshot(connections), {}, seconds(3));
  EXPECT_EQ(rows->pairs_limited, 4U);
  EXPECT_EQ(rest(*rows), 44U);
  EXPECT_EQ(rows->protocols[0].packets, 64U);
}

/// What was ever counted, over all rows.
std::uint64_t in_all(const LedgerRows& rows) { return rows.protocols[0].packets; }

TEST(PairLedger, ForgetsNothingOfAPairThatIsListedLater) {
  PairLedger ledger({.pairs_most = 1, .silent = seconds(10)});
  Nanos time = seconds(1);
  std::shared_ptr<const LedgerRows> rows;
  const auto look = [&](std::vector<track::ConnectionCounts> connections) {
    rows = ledger.advance(snapshot(std::move(connections)), {}, time);
    time = time + seconds(1);
  };
  std::uint32_t id = 0;
  const auto comes_and_goes = [&](std::uint32_t n, const std::vector<track::ConnectionCounts>& others) {
    auto connections = others;
    connections.push_back(one_way(++id, host(n), host(99), 10));
    look(connections);
    ledger.on_gone(connections.back());
    time = time + seconds(10);
    look(others);
  };
  for (std::uint32_t n = 1; n <= 3; ++n) comes_and_goes(n, {});
  const auto has_the_row = one_way(++id, host(4), host(99), 10);
  look({has_the_row});
  const auto back = one_way(++id, host(1), host(99), 1'000);  // and finds no place
  look({has_the_row, back});
  ledger.on_gone(has_the_row);
  time = time + seconds(12);
  look({back});
  for (std::uint32_t n = 2; n <= 4; ++n) comes_and_goes(n, {back});
  look({one_way(++id, host(5), host(99), 1), back});
  EXPECT_EQ(in_all(*rows), 3 * 10U + 10 + 1'000 + 3 * 10 + 1);
}

TEST(PairLedger, ForgetsNothingThatIsNotInARowYet) {
  PairLedger ledger({.pairs_most = 1, .silent = seconds(10)});
  Nanos time = seconds(1);
  for (std::uint32_t n = 1; n <= 4; ++n) {
    const auto connection = one_way(n, host(n), host(99), 10);
    ledger.advance(snapshot({connection}), {}, time);
    ledger.on_gone(connection);
    time = time + seconds(11);
    ledger.advance(snapshot({}), {}, time);
  }
  // All places are taken, none has a row. The oldest comes and goes between two looks, and then a new one does.
  ledger.on_gone(one_way(5, host(1), host(99), 500));
  ledger.on_gone(one_way(6, host(7), host(99), 3));
  EXPECT_EQ(in_all(*ledger.advance(snapshot({}), {}, time)), 4 * 10U + 500 + 3);
}

TEST(PairLedger, ARowLeavesWhenItsPairIsGoneAndSilentAndComesBackAsItWas) {
  PairLedger ledger({.silent = seconds(60)});
  ledger.advance(snapshot({one_way(1, host(1), host(2), 10)}), {}, seconds(1));
  auto rows = ledger.advance(snapshot({one_way(1, host(1), host(2), 10)}), {}, seconds(100));
  EXPECT_NE(row(*rows, host(1), host(2)), nullptr) << "its connection is still there";
  ledger.on_gone(one_way(1, host(1), host(2), 10));
  rows = ledger.advance(snapshot({}), {}, seconds(101));
  EXPECT_EQ(row(*rows, host(1), host(2)), nullptr) << "silent since the first second";
  rows = ledger.advance(snapshot({one_way(2, host(1), host(2), 4)}), {}, seconds(200));
  EXPECT_EQ(packets(*rows, host(1), host(2)), 14U);
  EXPECT_EQ(rest(*rows), 0U);
}

TEST(PairLedger, AFreePlaceGoesToAPairOfTheRestFromThenOn) {
  PairLedger ledger({.pairs_most = 1, .silent = seconds(60)});
  ledger.advance(snapshot({one_way(1, host(1), host(2), 10), one_way(2, host(3), host(4), 20)}), {}, seconds(1));
  ledger.on_gone(one_way(1, host(1), host(2), 10));
  auto rows = ledger.advance(snapshot({one_way(2, host(3), host(4), 25)}), {}, seconds(100));
  EXPECT_EQ(rest(*rows), 25U);
  rows = ledger.advance(snapshot({one_way(2, host(3), host(4), 31)}), {}, seconds(101));
  EXPECT_EQ(packets(*rows, host(3), host(4)), 6U) << "what was counted with the rest stays there";
  EXPECT_EQ(rest(*rows), 25U);
  ledger.on_gone(one_way(2, host(3), host(4), 33));
  rows = ledger.advance(snapshot({}), {}, seconds(102));
  EXPECT_EQ(packets(*rows, host(3), host(4)), 8U);
  EXPECT_EQ(rest(*rows), 25U);
  EXPECT_EQ(rows->protocols[0].packets, 43U);
}

TEST(PairLedger, APairThatComesBackAndFindsNoPlaceIsOneOfTheRest) {
  PairLedger ledger({.pairs_most = 1, .silent = seconds(60)});
  ledger.advance(snapshot({one_way(1, host(1), host(2), 10)}), {}, seconds(1));
  ledger.on_gone(one_way(1, host(1), host(2), 10));
  ledger.advance(snapshot({}), {}, seconds(100));
  ledger.advance(snapshot({one_way(2, host(3), host(4), 5)}), {}, seconds(101));
  auto rows =
      ledger.advance(snapshot({one_way(2, host(3), host(4), 5), one_way(3, host(1), host(2), 7)}), {}, seconds(102));
  EXPECT_EQ(row(*rows, host(1), host(2)), nullptr);
  EXPECT_EQ(rest(*rows), 7U);
  EXPECT_EQ(rows->pairs_limited, 1U);
  ledger.on_gone(one_way(2, host(3), host(4), 5));
  rows = ledger.advance(snapshot({one_way(3, host(1), host(2), 8)}), {}, seconds(400));
  rows = ledger.advance(snapshot({one_way(3, host(1), host(2), 9)}), {}, seconds(401));
  EXPECT_EQ(packets(*rows, host(1), host(2)), 11U) << "10 from its first time, and what came since there was a place";
}

TEST(PairLedger, RemembersABoundedNumberOfPairs) {
  PairLedger ledger({.pairs_most = 2, .silent = seconds(1)});
  std::uint64_t all = 0;
  std::shared_ptr<const LedgerRows> rows;
  for (int i = 0; i < 100; ++i) {
    const auto connection = one_way(static_cast<std::uint32_t>(i + 1), host(i), host(500), 10);
    all += 10;
    ledger.advance(snapshot({connection}), {}, seconds(10 * i));
    ledger.on_gone(connection);
    rows = ledger.advance(snapshot({}), {}, seconds(10 * i + 5));
    EXPECT_LE(rows->pairs.size(), 3U);
  }
  EXPECT_EQ(rows->protocols[0].packets, all);
  // The first pairs are forgotten: one of them is a new pair.
  rows = ledger.advance(snapshot({one_way(200, host(0), host(500), 3)}), {}, seconds(2'000));
  EXPECT_EQ(packets(*rows, host(0), host(500)), 3U);
  EXPECT_EQ(rows->protocols[0].packets, all + 3);
}

TEST(PairLedger, ACorrectionKeepsTheSumOverTheCauses) {
  PairLedger ledger({});
  const auto with = [](std::uint64_t unknown, std::uint64_t timeout) {
    auto c = one_way(1, host(1), host(2), 100);
    c.a_to_b->requests.episodes_by_cause[static_cast<std::size_t>(track::Cause::kUnknown)] = unknown;
    c.a_to_b->requests.episodes_by_cause[static_cast<std::size_t>(track::Cause::kTimeout)] = timeout;
    return snapshot({c});
  };
  const auto at = [&](const LedgerRows& rows, track::Cause cause) {
    return row(rows, host(1), host(2))->amounts.episodes[static_cast<std::size_t>(cause)];
  };
  auto rows = ledger.advance(with(2, 0), {}, seconds(1));
  rows = ledger.advance(with(0, 3), {}, seconds(2));
  EXPECT_EQ(at(*rows, track::Cause::kUnknown), 2U);
  EXPECT_EQ(at(*rows, track::Cause::kTimeout), 1U);
  rows = ledger.advance(with(0, 4), {}, seconds(3));
  EXPECT_EQ(at(*rows, track::Cause::kTimeout), 2U);
}

TEST(PairLedger, ALossThatIsTakenBackLowersNoCount) {
  PairLedger ledger({});
  const auto lost_by_now = [&](std::uint64_t lost, std::int64_t at_s) {
    track::ConnectionCounts c = one_way(1, host(1), host(2), 10);
    c.protocol = wire::Protocol::kVeroce;
    c.a_to_b->veroce.use().paths.push_back({});
    c.a_to_b->veroce.use().paths.back().lost = lost;
    return row(*ledger.advance(snapshot({c}), {}, seconds(at_s)), host(1), host(2))->amounts.veroce_lost_on_paths;
  };
  EXPECT_EQ(lost_by_now(5, 1), 5U);
  EXPECT_EQ(lost_by_now(4, 2), 5U) << "one had arrived after all";
  EXPECT_EQ(lost_by_now(5, 3), 5U) << "which the next one makes up for";
  EXPECT_EQ(lost_by_now(7, 4), 7U);
}

TEST(PairLedger, CountsClassesByTheFirstDscp) {
  PairLedger ledger({});
  auto c = one_way(1, host(1), host(2), 100);
  c.a_to_b->requests.retransmitted_original_seen = 3;
  c.a_to_b->requests.missing_packets = {2, 0, 0, 1};
  ledger.advance(snapshot({c}), {}, seconds(1));
  ledger.on_gone(c);
  c.a_to_b->first_dscp_of[static_cast<std::size_t>(wire::Role::kRequest)] = 5;
  const auto rows = ledger.advance(snapshot({c}), {}, seconds(2));
  EXPECT_EQ(rows->classes[26].retransmitted_packets, 3U);
  EXPECT_EQ(rows->classes[5].retransmitted_packets, 3U);
  EXPECT_EQ(rows->classes[26].missing_packets, (std::array<std::uint64_t, 4>{2, 0, 0, 1}));
}

TEST(PairLedger, PausesOfUnknownSpeedAreALowerBound) {
  PairLedger ledger({});
  Snapshot s;
  s.pauses.resize(2);
  s.pauses[0].classes[3].paused = milliseconds(5);
  s.pauses[1].classes[3].paused_least = milliseconds(1);
  s.pauses[1].classes[3].paused_most = milliseconds(80);
  s.capture.pfc[3].xoff_frames = 9;
  s.capture.pause_802_3x.xon_frames = 2;
  auto rows = ledger.advance(s, {}, seconds(1));
  EXPECT_EQ(rows->pauses[3].paused_ns, 6'000'000U);
  EXPECT_EQ(rows->pauses[3].frames[0], 9U);
  EXPECT_EQ(rows->pauses[track::kAllClasses].frames[1], 2U);
  s.pauses[1].classes[3].paused_least = {};  // what goes on is estimated anew
  rows = ledger.advance(s, {}, seconds(2));
  EXPECT_EQ(rows->pauses[3].paused_ns, 6'000'000U);
}

TEST(PairLedger, BeginningAgainGoesOnFromTheRows) {
  PairLedger ledger({});
  ledger.advance(snapshot({one_way(1, host(1), host(2), 10)}), {}, seconds(1));
  ledger.begin_again();
  const auto rows = ledger.advance(snapshot({one_way(1, host(1), host(2), 4)}), {}, seconds(2));
  EXPECT_EQ(packets(*rows, host(1), host(2)), 14U);
  EXPECT_EQ(rows->connections_in_all, 2U);
}

std::vector<ConnectionTotals> recent_of(const std::vector<std::uint64_t>& bytes) {
  std::vector<ConnectionTotals> out(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) out[i].bytes_on_wire = bytes[i];
  return out;
}

TEST(PairLedger, ConnectionsWithARowAreTheBusiestAndKeepItWhileTheyAreActive) {
  PairLedger ledger({.connections_most = 2, .silent = seconds(60)});
  const auto three =
      snapshot({one_way(1, host(1), host(2), 10), one_way(2, host(1), host(2), 20), one_way(3, host(1), host(2), 30)});
  const auto ids = [](const LedgerRows& rows) {
    std::vector<std::uint32_t> out;
    for (const ConnectionRow& r : rows.connections) out.push_back(r.id);
    return out;
  };
  using Ids = std::vector<std::uint32_t>;
  auto rows = ledger.advance(three, recent_of({1'000, 2'000, 3'000}), seconds(1));
  EXPECT_EQ(ids(*rows), (Ids{2, 3}));
  EXPECT_EQ(rows->connections_limited, 1U);
  EXPECT_EQ(rows->connections[1].amounts.frames, 30U);
  rows = ledger.advance(three, recent_of({9'000, 1, 1}), seconds(2));
  EXPECT_EQ(ids(*rows), (Ids{2, 3})) << "rows do not come and go with the load";
  rows = ledger.advance(three, recent_of({9'000, 0, 1}), seconds(70));
  EXPECT_EQ(ids(*rows), (Ids{1, 3})) << "the second one was silent for a minute";
  EXPECT_EQ(rows->connections_limited, 1U) << "it asks for none";
  rows = ledger.advance(three, recent_of({9'000, 5, 1}), seconds(71));
  EXPECT_EQ(ids(*rows), (Ids{1, 3}));
  EXPECT_EQ(rows->connections_limited, 2U);
}

TEST(LedgerAmounts, BucketsAreCumulativeAndNeverGoBack) {
  Histogram h;
  std::array<std::uint64_t, kRttEdges.size()> counts{};
  count_at_most(h, kRttEdges, counts);
  EXPECT_EQ(counts.back(), 0U);
  for (const std::int64_t value : {3'000, 5'000, 12'000, 12'000, 90'000, 60'000'000}) h.add(value);
  count_at_most(h, kRttEdges, counts);
  EXPECT_EQ(counts[0], 2U);  // 5 us
  EXPECT_EQ(counts[1], 2U);  // 10 us
  EXPECT_EQ(counts[2], 4U);  // 20 us
  EXPECT_EQ(counts[4], 5U);  // 100 us
  EXPECT_EQ(counts.back(), 5U);
}

TEST(LedgerAmounts, AFullHistogramKeepsItsCount) {
  PairLedger ledger({});
  auto c = one_way(1, host(1), host(2), 1);
  Histogram& rtt = c.a_to_b->round_trips.rtt_ns;
  constexpr std::uint32_t kMany = 4'000'000'000;
  Buckets<kRttEdges.size()> before;
  for (int i = 0; i < 8; ++i) {
    rtt.add(12'000, kMany);  // the counters of the histogram are halved on the way
    rtt.add(70'000, 7);
    const auto rows = ledger.advance(snapshot({c}), {}, seconds(i));
    const auto& now = row(*rows, host(1), host(2))->amounts.rtt;
    EXPECT_EQ(now.count, rtt.count());
    for (std::size_t b = 0; b < now.at_most.size(); ++b) {
      EXPECT_GE(now.at_most[b], before.at_most[b]);
      EXPECT_LE(now.at_most[b], now.count);
      EXPECT_GE(now.at_most[b], b > 0 ? now.at_most[b - 1] : 0);
    }
    EXPECT_EQ(now.at_most.back(), now.count) << "nothing was above the last edge";
    before = now;
  }
}

}  // namespace
}  // namespace rocetop::model
