// SPDX-License-Identifier: BSD-3-Clause
// The tab of adapter counters: what the NICs of this machine count, beside what passed the capture. The two need not be
// equal: an adapter counts its own part only, whatever the capture saw.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/number_text.h"
#include "base/time_text.h"
#include "model/counter_table.h"
#include "present/screens/drawing.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

using Totals = model::ConnectionTotals;

/// What of the wire a counter should have to do with.
struct Related {
  model::OnWire what;
  std::string_view on_wire;
  std::uint64_t Totals::* count;
};
constexpr Related kRelated[] = {
    {model::OnWire::kCe, "CE", &Totals::ce},
    {model::OnWire::kCnp, "CNP", &Totals::cnps},
    {model::OnWire::kMissing, "missing", &Totals::missing},
    {model::OnWire::kNak, "NAK", &Totals::naks},
    {model::OnWire::kRnr, "RNR", &Totals::rnr_naks},
    {model::OnWire::kResent, "resent", &Totals::retransmitted},
    {model::OnWire::kBadIcrc, "bad ICRC", &Totals::bad_icrc},
};

const Related* related_to(const std::string& counter) {
  const auto* meaning = model::adapter_counter(counter);
  if (meaning == nullptr) return nullptr;
  const auto* related = std::find_if(std::begin(kRelated), std::end(kRelated),
                                     [&](const Related& r) { return r.what == meaning->on_wire; });
  return related != std::end(kRelated) ? related : nullptr;
}

struct CounterRow {
  const model::AdapterPort* port;
  const model::AdapterCounter* counter;
  std::optional<std::uint64_t> before;
  const Related* related;
};

std::vector<CounterRow> rows_of(const AdapterReadings& readings) {
  std::vector<CounterRow> rows;
  for (const model::AdapterPort& port : readings.now) {
    const auto was = std::find_if(readings.before.begin(), readings.before.end(),
                                  [&](const auto& p) { return p.device == port.device && p.port == port.port; });
    for (const model::AdapterCounter& counter : port.counters) {
      CounterRow row{&port, &counter, {}, related_to(counter.name)};
      if (was != readings.before.end()) {
        const auto then = std::find_if(was->counters.begin(), was->counters.end(),
                                       [&](const auto& c) { return c.name == counter.name; });
        if (then != was->counters.end()) row.before = then->value;
      }
      rows.push_back(row);
    }
  }
  // Those with something on the wire to hold them against first, then those that count at all.
  const auto rank = [](const CounterRow& r) { return r.related != nullptr ? 0 : r.counter->value != 0 ? 1 : 2; };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return rows;
}

Totals totals_of(const model::LiveSnapshot& s) {
  Totals sum = s.totals.gone;
  for (const auto& c : s.totals.connections) sum = model::sum(sum, model::totals(c));
  return sum;
}

std::string ports_text(const AdapterReadings& readings) {
  std::string text;
  for (const model::AdapterPort& p : readings.now) {
    text += fmt::format("{}{}/{}{}: {}, {}", text.empty() ? "" : "; ", p.device, p.port,
                        p.interface.empty() ? "" : " (" + p.interface + ")", p.state, p.rate);
  }
  return text;
}

}  // namespace

void draw_adapters(Drawing& d, Area area) {
  static const AdapterReadings nothing;
  const AdapterReadings& readings = d.in.adapters != nullptr ? *d.in.adapters : nothing;
  const std::vector<CounterRow> rows = rows_of(readings);
  const Totals wire = totals_of(d.s());
  for (const CounterRow& row : rows) {
    d.on.keys.push_back(
        std::hash<std::string>{}(row.port->device + " " + std::to_string(row.port->port) + " " + row.counter->name));
  }
  Table table;
  table.columns = {{"port", 12, 2, true, 0, kNoSort},
                   {"counter of the adapter", 40, 0, true, 24, kNoSort},
                   {"value", 13, 1, false, 0, kNoSort},
                   {"now", 7, 3, false, 0, kNoSort},
                   {"on the wire here", 17, 4, false, 0, kNoSort}};
  table.rows = rows.size();
  table.nothing = readings.now.empty() ? "This machine has no RDMA adapter (/sys/class/infiniband)."
                                       : "The adapters of this machine show no counters.";
  table.row = [&](std::size_t i, const std::vector<std::size_t>&) {
    const CounterRow& row = rows[i];
    const std::uint64_t value = row.counter->value;
    const std::uint64_t more = row.before && *row.before <= value ? value - *row.before : 0;
    TableRow out;
    out.quiet = value == 0;
    out.cells = {{fmt::format("{}/{}", row.port->device, row.port->port)},
                 {row.counter->name},
                 {grouped(value)},
                 row.before && readings.between.count > 0
                     ? Piece{a_second(more, readings.between), more == 0 ? Role::kQuiet : Role::kStrong}
                     : Piece{"-", Role::kQuiet},
                 row.related != nullptr
                     ? Piece{fmt::format("{} {}", grouped(wire.*row.related->count), row.related->on_wire)}
                     : Piece{}};
    return out;
  };
  std::vector<StyledLine> head;
  if (!readings.now.empty() && area.height > 8) add_text(head, d, ports_text(readings), Role::kQuiet, 1, 2);
  if (head.size() > area.height / 4) head.resize(area.height / 4);
  for (std::size_t i = 0; i < head.size(); ++i) d.grid.put(0, area.y + i, head[i]);
  draw_table(d, {area.y + head.size(), area.height - head.size()}, table);
}

}  // namespace rocetop::present
