// SPDX-License-Identifier: BSD-3-Clause
// Metrics over random traffic that is looked at while it goes on, with connections that are forgotten, dropped at a
// limit, joined and begun anew: no counter of any row ever goes back, and all rows together are what the tracker
// counted of those that are there and those that are gone.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "engine/analysis.h"
#include "model/pair_ledger.h"
#include "present/metrics.h"
#include "support/memory_source.h"
#include "track/directions.h"
#include "traffic_plans.h"

namespace rocetop {
namespace {

using generate::FaultKind;
using generate::PacketClass;
using generate::TrafficPlan;

IpAddress host(int n) {
  const std::uint8_t bytes[4] = {192, 0, 2, static_cast<std::uint8_t>(n)};
  return IpAddress::v4(bytes);
}

/// Some requesters and responders among few hosts, one after the other and at the same time; QPNs are used again.
std::vector<generate::TimedFrame> any_traffic() {
  std::vector<generate::TimedFrame> frames;
  const int plans = *rc::gen::inRange(2, 9);
  for (int i = 0; i < plans; ++i) {
    TrafficPlan plan = any_clean_plan();
    const int requester = *rc::gen::inRange(1, 6);
    plan.requester_ip = host(requester);
    plan.responder_ip = host(requester + *rc::gen::inRange(1, 4));
    plan.requester_qpn = Qpn{*rc::gen::inRange<std::uint32_t>(16, 19)};
    plan.responder_qpn = Qpn{*rc::gen::inRange<std::uint32_t>(16, 19)};
    plan.start = plan.start + Nanos{*rc::gen::inRange<std::int64_t>(0, 40) * 100'000'000};
    const auto offsets = offsets_of(plan, PacketClass::kRequest);
    for (int f = *rc::gen::inRange(0, 4); f > 0; --f) {
      const auto kind =
          *rc::gen::element(FaultKind::kLostBeforeTap, FaultKind::kLostAfterTap, FaultKind::kCaptureMissed,
                            FaultKind::kDelayedBeforeTap, FaultKind::kCopiedAtTap);
      plan.faults.push_back({kind, PacketClass::kRequest, *rc::gen::elementOf(offsets), 0});
    }
    std::vector<generate::TimedFrame> more = generate::simulate({&plan, 1}).frames;
    // Sometimes one direction is not captured, or only from some time on.
    if (*rc::gen::inRange(0, 3) == 0) {
      const std::size_t hidden = *rc::gen::inRange<std::size_t>(0, more.size() + 1);
      std::size_t n = 0;
      std::erase_if(more, [&](const auto&) { return n++ < hidden && n % 2 == 0; });
    }
    frames.insert(frames.end(), more.begin(), more.end());
  }
  std::stable_sort(frames.begin(), frames.end(), [](const auto& x, const auto& y) { return x.time < y.time; });
  return frames;
}

/// Every counter by its name and labels; those of histograms too.
std::map<std::string, double> counters(const std::vector<prometheus::MetricFamily>& families) {
  std::map<std::string, double> out;
  for (const auto& family : families) {
    for (const auto& metric : family.metric) {
      std::string key = family.name;
      for (const auto& label : metric.label) key += ' ' + label.name + '=' + label.value;
      if (family.type == prometheus::MetricType::Counter) out[key] = metric.counter.value;
      if (family.type != prometheus::MetricType::Histogram) continue;
      const auto& h = metric.histogram;
      out[key + " count"] = static_cast<double>(h.sample_count);
      out[key + " sum"] = h.sample_sum;
      std::uint64_t below = 0;
      for (const auto& bucket : h.bucket) {
        RC_ASSERT(bucket.cumulative_count >= below);
        below = bucket.cumulative_count;
        out[key + " le=" + std::to_string(bucket.upper_bound)] = static_cast<double>(below);
      }
      RC_ASSERT(below == h.sample_count);
    }
  }
  return out;
}

/// What must come out in all rows together; corrections among causes and outcomes leave these sums alone.
struct Sums {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t data_packets = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t retransmitted_bytes = 0;
  std::uint64_t episodes = 0;
  std::uint64_t missing = 0;
  std::uint64_t reordered = 0;
  std::uint64_t naks = 0;
  std::uint64_t messages = 0;
  std::uint64_t round_trips = 0;

  friend bool operator==(const Sums&, const Sums&) = default;
};

template <typename Numbers>
std::uint64_t total(const Numbers& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

void add(Sums& sum, const model::PairAmounts& a) {
  sum.packets += a.packets;
  sum.bytes += a.bytes;
  sum.data_packets += a.data_packets;
  sum.payload_bytes += a.payload_bytes;
  sum.retransmitted += total(a.retransmitted_packets);
  sum.retransmitted_bytes += total(a.retransmitted_bytes);
  sum.episodes += total(a.episodes);
  sum.missing += total(a.missing_packets);
  sum.reordered += a.reordered_packets;
  sum.naks += total(a.naks);
  sum.messages += total(a.messages);
  sum.round_trips += a.rtt.count;
}

/// Of a connection that is over, by the counts that a report shows.
void add(Sums& sum, const track::ConnectionCounts& connection) {
  track::each_direction_of(connection, [&](const track::DirectionCounts& d) {
    sum.packets += d.frames;
    sum.bytes += d.bytes_on_wire;
    for (const track::SpaceCounts* s : {&d.requests, &d.responses}) {
      sum.data_packets += s->packets;
      sum.payload_bytes += s->payload_bytes;
      sum.retransmitted += s->retransmitted_original_seen + s->retransmitted_original_unseen;
      sum.retransmitted_bytes += s->retransmitted_bytes;
      sum.episodes += total(s->episodes_by_cause);
      sum.missing += total(s->missing_packets);
      sum.reordered += s->reordered_packets;
    }
    sum.naks += total(d.naks);
    for (const auto& operation : d.messages.operations) sum.messages += operation ? operation->complete : 0;
    sum.round_trips += d.round_trips.rtt_ns.count();
  });
}

std::ostream& operator<<(std::ostream& out, const Sums& s) {
  return out << s.packets << " packets, " << s.bytes << " bytes, " << s.data_packets << " data, " << s.payload_bytes
             << " payload, " << s.retransmitted << " resent (" << s.retransmitted_bytes << " bytes), " << s.episodes
             << " episodes, " << s.missing << " missing, " << s.reordered << " late, " << s.naks << " NAKs, "
             << s.messages << " messages, " << s.round_trips << " round trips";
}

Sums sums_of(const std::vector<model::PairRow>& rows) {
  Sums out;
  for (const model::PairRow& row : rows) add(out, row.amounts);
  return out;
}

/// An analysis that is looked at now and then, as a monitor does.
class Watch {
 public:
  Watch(const model::LedgerOptions& ledger, track::Limits limits) : ledger_(ledger), pairs_most_(ledger.pairs_most) {
    options_.limits = limits;
    options_.gone = [this](const track::ConnectionCounts& connection) {
      ledger_.on_gone(connection);
      add(counted_, connection);
    };
    options_.limits.endless = true;
  }

  void run(source::FrameSource& source, bool forgets) {
    auto analysis = engine::Analysis::create(options_);
    RC_ASSERT(static_cast<bool>(analysis));
    (*analysis)->begin(source);
    while ((*analysis)->step(source)) {
      const model::Snapshot now = (*analysis)->snapshot(source);
      if (forgets && now.capture.last_time && *rc::gen::inRange(0, 3) == 0) {
        (*analysis)->forget(*now.capture.last_time - milliseconds(*rc::gen::inRange(0, 2'000)), std::nullopt);
      }
      look((*analysis)->snapshot(source));
    }
    (*analysis)->end(source);
    look((*analysis)->finish());
    for (const auto& connection : live_.totals.connections) add(counted_, connection);
  }

  /// What the tracker told of all connections when they were over.
  const Sums& counted() const { return counted_; }
  const model::LedgerRows& rows() const { return *live_.ledger; }

 private:
  void look(model::Snapshot totals) {
    const Nanos now = totals.capture.last_time.value_or(Nanos{});
    model::LiveSnapshot next;
    next.totals = std::move(totals);
    model::add_interval(next, &live_, seconds(1));
    next.ledger = ledger_.advance(next.totals, next.recent, now);
    live_ = std::move(next);
    compare();
    const auto& pairs = live_.ledger->pairs;
    const auto with_row = std::count_if(pairs.begin(), pairs.end(), [](const auto& row) { return !row.is_rest; });
    RC_ASSERT(static_cast<std::size_t>(with_row) <= pairs_most_);
  }

  void compare() {
    auto after = counters(present::metric_families(live_, {.pair_histograms = *rc::gen::arbitrary<bool>()}));
    for (const auto& [key, value] : after) {
      const auto then = before_.find(key);
      if (then != before_.end() && value < then->second) RC_FAIL(key + " went back");
    }
    // Rows that left go on where they were, unless there were so many pairs that they are forgotten.
    for (const auto& row : live_.ledger->pairs) pairs_.insert({row.src, row.dst});
    if (pairs_.size() > 4 * pairs_most_) before_.clear();
    for (const auto& [key, value] : after) before_[key] = value;
  }

  model::PairLedger ledger_;
  const std::size_t pairs_most_;
  engine::Options options_;
  Sums counted_;
  model::LiveSnapshot live_;
  std::map<std::string, double> before_;
  std::set<std::pair<IpAddress, IpAddress>> pairs_;
};

std::vector<std::size_t> any_batches() {
  return *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 60)));
}

RC_GTEST_PROP(Ledger, NoCounterGoesBackAndTheRowsAreEverything, ()) {
  const auto frames = any_traffic();
  const bool rows_leave = *rc::gen::arbitrary<bool>();
  const model::LedgerOptions ledger{
      .pairs_most = *rc::gen::inRange<std::size_t>(0, 8),
      .connections_most = 3,
      .silent = rows_leave ? milliseconds(*rc::gen::inRange(1, 3'000)) : seconds(1'000'000)};
  track::Limits limits;
  limits.connections = limits.live_connections = *rc::gen::inRange<std::size_t>(2, 12);
  Watch watch(ledger, limits);
  test::MemorySource source(frames, any_batches());
  watch.run(source, true);

  Sums all;
  for (const auto& protocol : watch.rows().protocols) add(all, protocol);
  RC_LOG() << all << "\ncounted " << watch.counted() << "\n";
  RC_ASSERT(all == watch.counted());
  if (!rows_leave) RC_ASSERT(sums_of(watch.rows().pairs) == watch.counted());
}

/// How often one looks, and how many rows there are, changes nothing: it is what a report on the whole says.
RC_GTEST_PROP(Ledger, RowsOfAWholeCaptureAreItsTriage, ()) {
  const auto frames = any_traffic();
  Watch watch({.pairs_most = *rc::gen::inRange<std::size_t>(0, 30)}, {});
  test::MemorySource source(frames, any_batches());
  watch.run(source, false);

  auto triage = engine::Analysis::create({});
  RC_ASSERT(static_cast<bool>(triage));
  test::MemorySource again(frames, {});
  (*triage)->run(again, {}, {}, nullptr);
  Sums want;
  for (const auto& connection : (*triage)->finish().connections) add(want, connection);
  const Sums got = sums_of(watch.rows().pairs);
  RC_LOG() << got << "\ntriage " << want << "\n";
  RC_ASSERT(got == want);
}

}  // namespace
}  // namespace rocetop
