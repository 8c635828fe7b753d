// SPDX-License-Identifier: BSD-3-Clause
// One connection, opened: who it is, how its sequence numbers went on, its rate with the marks of congestion, how long
// things took, and what happened lately in words.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_text.h"
#include "base/time_text.h"
#include "model/words.h"
#include "present/cm_text.h"
#include "present/path_table.h"
#include "present/peers_text.h"
#include "present/plot.h"
#include "present/screens/connection_columns.h"
#include "present/screens/drawing.h"
#include "present/screens/event_text.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

using model::Mark;
using model::RecentPoint;

constexpr std::size_t kAxis = 12;  // cells left of a plot
constexpr std::size_t kEventsShown = 48;
constexpr std::size_t kPathsShown = 16;  // of a direction

/// What is plotted: from when to when.
struct Span64 {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t length() const { return std::max<std::int64_t>(high - low, 1); }
  std::size_t place(std::int64_t value, std::size_t steps) const {
    if (steps == 0) return 0;
    const double share = static_cast<double>(value - low) / static_cast<double>(length());
    return static_cast<std::size_t>(std::llround(std::clamp(share, 0.0, 1.0) * static_cast<double>(steps - 1)));
  }
};

bool is_resend(Mark mark) { return mark >= Mark::kResentNak && mark <= Mark::kResentUnknown; }
bool is_data(const RecentPoint& p) {
  return p.mark == Mark::kNew || is_resend(p.mark) || p.mark == Mark::kReordered || p.mark == Mark::kDuplicate;
}

Role plot_role(Mark mark) {
  if (is_resend(mark) || mark == Mark::kReordered) return Role::kWarning;
  if (mark == Mark::kSequenceNak || mark == Mark::kFatalNak || mark == Mark::kRnrNak) return Role::kCritical;
  return mark == Mark::kDuplicate ? Role::kInfo : Role::kGraph;
}

class Page {
 public:
  Page(Drawing& d, Area area, const track::ConnectionCounts& c) : d_(d), area_(area), c_(c) {
    if (d.in.recent != nullptr && d.in.recent->id == c.id) recent_ = d.in.recent;
  }

  std::vector<StyledLine> lines() {
    who();
    if (recent_ != nullptr && !recent_->points.empty()) {
      progress();
      rate();
    } else {
      blank();
      text("No packet of it since it is followed here: the plots are empty.", Role::kQuiet);
    }
    for (const auto* direction : {&c_.a_to_b, &c_.b_to_a}) {
      if (*direction && has_paths(**direction)) paths(**direction);
    }
    delays();
    findings();
    events();
    return std::move(lines_);
  }

 private:
  void blank() { lines_.emplace_back(); }
  void text(std::string_view what, Role role = Role::kPlain, std::size_t indent = 1) {
    add_text(lines_, d_, what, role, indent, 2);
  }
  void heading(const std::string& what) {
    blank();
    lines_.push_back({{" " + what, Role::kStrong}});
  }

  void who() {
    std::string title = fmt::format("connection {}: {}", c_.id, peers_text(d_, c_, Grid::kAll));
    if (const std::string notes = connection_notes(c_); !notes.empty()) title += " (" + notes + ")";
    text(title, Role::kStrong);
    std::string facts = fmt::format("{} · {}", model::word(c_.protocol), model::word(c_.transport));
    if (c_.path_mtu) facts += fmt::format(" · path\u00A0MTU\u00A0{}", *c_.path_mtu);
    facts += c_.paired_by == track::PairedBy::kNone ? " · other direction not seen"
                                                    : fmt::format(" · joined by {}", model::in_words(c_.paired_by));
    facts += fmt::format(" · first\u00A0packet\u00A0{}, last\u00A0{}", clock_text(d_, c_.first_time, true),
                         clock_text(d_, c_.last_time, true));
    text(facts, Role::kQuiet);
    if (c_.cm) {
      const track::CmFacts& cm = *c_.cm;
      const std::string service = cm.rdma_cm_port ? fmt::format("rdma_cm port {}", *cm.rdma_cm_port)
                                                  : fmt::format("service 0x{:x}", cm.service_id);
      text(fmt::format("set up by CM: {} · ACK timeout {} · {} retries · {} RNR retries", service,
                       cm_timeout_text(cm.local_ack_timeout), cm.retry_count,
                       cm.rnr_retry_count == 7 ? "endless" : std::to_string(cm.rnr_retry_count)),
           Role::kQuiet);
    } else {
      text("CM: its setting up was not captured, so its timeout and retries are not known", Role::kQuiet);
    }
    for (const auto* direction : {&c_.a_to_b, &c_.b_to_a}) {
      if (*direction) counts(**direction);
    }
  }

  void counts(const track::DirectionCounts& to) {
    const std::string from = host_text(d_, to.src) + " " + std::string(arrow(d_));
    std::string what = fmt::format("{} {}, {}", from, plural(to.frames, "packet"), bytes_text(to.bytes_on_wire));
    bool bad = false;
    const auto add = [&](std::uint64_t n, std::string_view name) {
      if (n == 0) return;
      what += fmt::format(", {} {}", grouped(n), name);
      bad = true;
    };
    const auto resent = [](const track::SpaceCounts& s) {
      return s.retransmitted_original_seen + s.retransmitted_original_unseen;
    };
    add(resent(to.requests) + resent(to.responses), "resent");
    std::uint64_t missing = 0;
    for (const auto* space : {&to.requests, &to.responses}) {
      for (const auto outcome : {track::Outcome::kRetransmitted, track::Outcome::kUnresolved}) {
        missing += space->missing_packets[static_cast<std::size_t>(outcome)];
      }
    }
    add(missing, "missing");
    std::uint64_t naks = 0;
    for (const std::uint64_t n : to.naks) naks += n;
    add(naks, naks == 1 ? "NAK" : "NAKs");
    add(to.rnr_naks, to.rnr_naks == 1 ? "RNR NAK" : "RNR NAKs");
    add(to.cnps, to.cnps == 1 ? "CNP" : "CNPs");
    add(to.icrc[static_cast<std::size_t>(wire::IcrcStatus::kBad)], "with a wrong ICRC");
    if (to.unacknowledged_packets != 0)
      what += fmt::format(", {} not acknowledged yet", grouped(to.unacknowledged_packets));
    text(what, bad ? Role::kWarning : Role::kPlain);
  }

  /// veRoCE.
  void paths(const track::DirectionCounts& to) {
    const PathTable table = path_table(to, kPathsShown, true, d_.width(), d_.in.unicode);
    blank();
    text(fmt::format("Paths (UDP source ports) of what {} sends, the worst first", host_text(d_, to.src)),
         Role::kStrong);
    lines_.push_back({{table.heading, Role::kQuiet}});
    for (const PathTable::Row& row : table.rows)
      lines_.push_back({{row.text, row.troubled ? Role::kWarning : Role::kPlain}});
    if (!table.rest.empty()) text("not shown: " + table.rest, Role::kQuiet, 2);
  }

  /// The direction and space of most of the data that passed lately.
  std::pair<std::uint8_t, track::SpaceName> busiest() const {
    std::array<std::array<std::uint64_t, 3>, 2> packets{};
    for (const RecentPoint& p : recent_->points) {
      if (is_data(p)) packets[p.direction & 1][static_cast<std::size_t>(p.space)] += p.packets;
    }
    std::pair<std::uint8_t, track::SpaceName> best{0, track::SpaceName::kRequests};
    std::uint64_t most = 0;
    for (std::uint8_t direction = 0; direction < 2; ++direction) {
      for (std::size_t space = 0; space < 3; ++space) {
        if (packets[direction][space] <= most) continue;
        most = packets[direction][space];
        best = {direction, static_cast<track::SpaceName>(space)};
      }
    }
    return best;
  }

  Span64 times() const {
    Span64 span{recent_->points.front().first_time.count, recent_->points.front().last_time.count};
    for (const RecentPoint& p : recent_->points) {
      span.low = std::min(span.low, p.first_time.count);
      span.high = std::max(span.high, p.last_time.count);
    }
    return span;
  }

  std::size_t plot_columns() const {
    return d_.width() > kAxis + 2 ? std::min<std::size_t>(d_.width() - kAxis - 1, 150) : 1;
  }

  void progress() {
    const auto most = busiest();
    const std::uint8_t direction = most.first;
    const track::SpaceName space = most.second;
    const Span64 time = times();
    // A NAK or an ACK of a request names one of its PSNs; those of responses are told by the requests.
    const auto belongs = [&](const RecentPoint& p) {
      if (is_data(p)) return p.direction == direction && p.space == space;
      const bool nak = p.mark == Mark::kSequenceNak || p.mark == Mark::kFatalNak || p.mark == Mark::kRnrNak;
      return nak && space == track::SpaceName::kRequests && p.direction != direction;
    };
    Span64 psn;
    bool any = false;
    for (const RecentPoint& p : recent_->points) {
      if (!belongs(p) || !is_data(p)) continue;
      psn.low = any ? std::min(psn.low, p.low) : p.low;
      psn.high = any ? std::max(psn.high, p.high) : p.high;
      any = true;
    }
    if (!any) return;
    const auto& to = recent_->directions[std::min<std::size_t>(direction, recent_->directions.size() - 1)];
    heading(fmt::format("PSN of {} {} {} qp {}", space == track::SpaceName::kResponses ? "READ responses" : "requests",
                        to.src.to_string() + " " + std::string(arrow(d_)), to.dst.to_string(), to.dst_qpn.value));
    const std::size_t rows = std::clamp<std::size_t>(area_.height / 4, 4, 10);
    Canvas canvas(plot_columns(), rows, d_.in.unicode);
    bool resent = false;
    bool refused = false;
    for (const RecentPoint& p : recent_->points) {
      if (!belongs(p)) continue;
      resent = resent || is_resend(p.mark);
      refused = refused || !is_data(p);
      canvas.line(time.place(p.first_time.count, canvas.width()), psn.place(p.low, canvas.height()),
                  time.place(p.last_time.count, canvas.width()), psn.place(p.high, canvas.height()), plot_role(p.mark));
    }
    draw(canvas, grouped(static_cast<std::uint64_t>(psn.length())), "+0");
    StyledLine legend = time_axis(time);
    legend.push_back({fmt::format("  from PSN {}", wire_psn(psn.low).value), Role::kQuiet});
    if (resent) legend.push_back({"  resent", Role::kWarning});
    if (refused) legend.push_back({"  NAK", Role::kCritical});
    lines_.push_back(std::move(legend));
  }

  void draw(const Canvas& canvas, const std::string& top, const std::string& bottom) {
    const std::size_t rows = canvas.height() / 4;
    for (std::size_t y = 0; y < rows; ++y) {
      const std::string label = y == 0 ? top : y + 1 == rows ? bottom : "";
      StyledLine line = {{pad_left(label, kAxis - 2) + (d_.in.unicode ? " │" : " |"), Role::kQuiet}};
      for (Piece& piece : canvas.row(y)) line.push_back(std::move(piece));
      lines_.push_back(std::move(line));
    }
  }

  StyledLine time_axis(const Span64& time) const {
    return {
        {std::string(kAxis, ' ') + clock_text(d_, Nanos{time.low}, true) + " + " + short_duration(Nanos{time.length()}),
         Role::kQuiet}};
  }

  void rate() {
    const Span64 time = times();
    const std::size_t columns = plot_columns();
    std::vector<double> bits(columns, 0);
    std::vector<std::uint64_t> ce(columns, 0);
    std::vector<std::uint64_t> cnp(columns, 0);
    std::vector<std::uint64_t> resent(columns, 0);
    std::vector<std::uint64_t> nak(columns, 0);
    std::vector<std::uint64_t> rnr(columns, 0);
    const double column_s = static_cast<double>(time.length()) / static_cast<double>(columns) / 1e9;
    for (const RecentPoint& p : recent_->points) {
      const std::size_t at = time.place(p.first_time.count, columns);
      if (p.mark == Mark::kCe) ce[at] += p.packets;
      if (p.mark == Mark::kCnp || p.mark == Mark::kFastCnp) cnp[at] += p.packets;
      if (is_resend(p.mark)) resent[at] += p.packets;
      if (p.mark == Mark::kSequenceNak || p.mark == Mark::kFatalNak) nak[at] += p.packets;
      if (p.mark == Mark::kRnrNak) rnr[at] += p.packets;
      spread(bits, time, p, column_s);
    }
    const double top = *std::max_element(bits.begin(), bits.end());
    if (top <= 0) return;
    heading("Rate, both directions");
    constexpr std::size_t kRows = 3;
    Canvas canvas(columns, kRows, d_.in.unicode);
    for (std::size_t x = 0; x < columns; ++x) {
      const auto height = static_cast<std::size_t>(std::llround(bits[x] / top * static_cast<double>(canvas.height())));
      for (std::size_t y = 0; y < height; ++y) canvas.dot(2 * x, y), canvas.dot(2 * x + 1, y);
    }
    draw(canvas, rate_text(d_, top), "0");
    marks("CE", ce, Role::kInfo);
    marks("CNP", cnp, Role::kGraphMark);
    marks("NAK", nak, Role::kCritical);
    marks("RNR", rnr, Role::kCritical);
    marks("resent", resent, Role::kWarning);
    lines_.push_back(time_axis(time));
  }

  /// The bytes of a point over the columns that it covers.
  static void spread(std::vector<double>& bits, const Span64& time, const RecentPoint& p, double column_s) {
    const std::size_t from = time.place(p.first_time.count, bits.size());
    const std::size_t to = std::max(from, time.place(p.last_time.count, bits.size()));
    const double each = 8 * static_cast<double>(p.bytes) / static_cast<double>(to - from + 1) / column_s;
    for (std::size_t x = from; x <= to; ++x) bits[x] += each;
  }

  void marks(std::string_view name, const std::vector<std::uint64_t>& counts, Role role) {
    std::string line;
    std::uint64_t sum = 0;
    for (const std::uint64_t n : counts) {
      line += n == 0 ? " " : d_.in.unicode ? "▪" : "x";
      sum += n;
    }
    if (sum == 0) return;
    lines_.push_back({{pad_left(name, kAxis - 2) + (d_.in.unicode ? " │" : " |"), Role::kQuiet}, {line, role}});
  }

  template <typename Direction>
  static bool has_times(const Direction& to) {
    if (!to) return false;
    const auto& operations = to->messages.operations;
    return !to->round_trips.rtt_ns.empty() || std::any_of(operations.begin(), operations.end(),
                                                          [](const auto& m) { return m && !m->completion_ns.empty(); });
  }

  void delays() {
    bool first = true;
    const auto distribution = [&](const std::string& name, const Histogram& h) {
      if (h.empty()) return;
      if (first) heading("Times");
      first = false;
      std::string what = fmt::format("p50 {}, p99 {}, most {}, {}", short_duration(Nanos{h.percentile(0.5)}),
                                     short_duration(Nanos{h.percentile(0.99)}), short_duration(Nanos{h.max()}),
                                     plural(h.count(), "sample"));
      lines_.push_back({{pad_right("   " + name, 18), Role::kQuiet}, {what}});
      histogram(h);
    };
    const bool both = has_times(c_.a_to_b) && has_times(c_.b_to_a);
    for (const auto* direction : {&c_.a_to_b, &c_.b_to_a}) {
      if (!*direction) continue;
      if (both) {
        if (first) heading("Times");
        first = false;
        text("of what " + host_text(d_, (*direction)->src) + " asked for:", Role::kQuiet, 3);
      }
      if (!(*direction)->round_trips.rtt_ns.empty()) {
        distribution("round trip", (*direction)->round_trips.rtt_ns);
        tap(**direction);
      }
      for (std::size_t i = 0; i < track::kOperations; ++i) {
        if (const auto& m = (*direction)->messages.operations[i]) {
          distribution(std::string(model::word(static_cast<track::Operation>(i))) + " message", m->completion_ns);
        }
      }
    }
  }

  void tap(const track::DirectionCounts& to) {
    if (to.tap == track::Tap::kUnknown) return;
    lines_.push_back(
        {{std::string(18, ' ') + fmt::format("(captured near {}: {})",
                                             host_text(d_, to.tap == track::Tap::kNearSource ? to.src : to.dst),
                                             to.tap == track::Tap::kNearSource ? "the whole round trip"
                                                                               : "the time that host itself takes"),
          Role::kQuiet}});
  }

  /// How often each length was, from the shortest to the longest, in steps of equal ratio.
  void histogram(const Histogram& h) {
    if (h.count() < 3 || h.min() == h.max()) return;
    constexpr std::size_t kAround = 38;  // cells: indent and the two ends
    const std::size_t columns = std::clamp<std::size_t>(d_.width() - std::min(d_.width(), kAround), 1, 48);
    const auto log_of = [](std::int64_t v) { return std::log(static_cast<double>(std::max<std::int64_t>(v, 1))); };
    const double low = log_of(h.min());
    const double high = std::max(log_of(h.max()), low + 1e-9);
    std::vector<double> bins(columns, 0);
    h.each_bucket([&](std::int64_t from, std::int64_t to, std::uint64_t values) {
      const double at = (log_of(from / 2 + to / 2) - low) / (high - low);
      const auto x =
          static_cast<std::size_t>(std::llround(std::clamp(at, 0.0, 1.0) * static_cast<double>(columns - 1)));
      bins[x] += static_cast<double>(values);
    });
    lines_.push_back({{std::string(18, ' ')},
                      {short_duration(Nanos{h.min()}) + " ", Role::kQuiet},
                      {sparkline(bins, columns, d_.in.unicode), Role::kGraph},
                      {" " + short_duration(Nanos{h.max()}), Role::kQuiet}});
  }

  void findings() {
    bool first = true;
    for (const verdict::Finding& f : d_.s().totals.findings) {
      if (std::find(f.connections.begin(), f.connections.end(), c_.id) == f.connections.end()) continue;
      if (first) heading("Findings about it");
      first = false;
      text(mark_text(d_, f.severity) + " " + f.title, severity_role(f.severity), 3);
    }
  }

  void events() {
    heading("What happened lately, newest first");
    if (recent_ == nullptr || recent_->events.empty()) {
      text("nothing out of the ordinary", Role::kQuiet, 3);
      return;
    }
    std::size_t shown = 0;
    for (auto e = recent_->events.rbegin(); e != recent_->events.rend() && shown < kEventsShown; ++e, ++shown) {
      const auto& directions = recent_->directions;
      const std::string who = e->direction < directions.size() ? host_text(d_, directions[e->direction].src) : "";
      text(clock_text(d_, e->first_time, true) + "  " + event_text(*e, who, d_.s().totals.files.size() > 1),
           plot_role(e->mark) == Role::kGraph ? Role::kPlain : plot_role(e->mark), 3);
    }
  }

  Drawing& d_;
  Area area_;
  const track::ConnectionCounts& c_;
  const model::RecentPackets* recent_ = nullptr;
  std::vector<StyledLine> lines_;
};

}  // namespace

void draw_connection(Drawing& d, Area area) {
  const auto& connections = d.s().totals.connections;
  const auto found = std::lower_bound(connections.begin(), connections.end(), d.state.connection,
                                      [](const auto& c, std::uint32_t id) { return c.id < id; });
  if (found == connections.end() || found->id != d.state.connection) {
    return draw_page(
        d, area,
        {{{fmt::format(" Connection {} left: nothing is known of it any more.", d.state.connection), Role::kQuiet}}});
  }
  draw_page(d, area, Page(d, area, *found).lines());
}

}  // namespace rocetop::present
