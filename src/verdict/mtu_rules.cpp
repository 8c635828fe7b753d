// SPDX-License-Identifier: BSD-3-Clause
// Path MTUs: small ones, and ends that do not agree. First and Middle packets are as long as the path MTU of their
// sender (IBTA vol. 1, 9.7.5.1), so what an end uses is measured; what it could use is not.
#include <fmt/format.h>

#include "base/number_text.h"
#include "verdict/messages_view.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

/// Messages of fewer packets gain little from larger ones.
constexpr std::uint64_t kPacketsOfLargeMessage = 16;

void small(Docket& docket, const DirectionView& v) {
  const auto mtu = v.connection->path_mtu;
  if (!mtu || *mtu > docket.thresholds().small_mtu) return;
  const auto main = main_messages(*v.direction);
  if (!main) return;
  const std::uint64_t mean = main->counts->bytes / main->counts->complete;
  if (mean < kPacketsOfLargeMessage * *mtu) return;
  // One finding a connection, about the direction that moves more.
  if (v.opposite) {
    const auto theirs = main_messages(*v.opposite);
    const bool more = theirs && theirs->counts->bytes > main->counts->bytes;
    if (more || (theirs && theirs->counts->bytes == main->counts->bytes && v.direction != &*v.connection->a_to_b))
      return;
  }
  Finding& f = docket.add("mtu.small", Severity::kInfo, Confidence::kHigh, v);
  f.title = fmt::format("messages of {} bytes travel in packets of {} bytes, {}", mean, *mtu, path_name(v));
  f.explanation =
      "The path MTU is what both queue pairs were set to; software takes it from the Ethernet MTU of the host's port. "
      "Small packets cost header bytes and, in adapters and switches, packets per second.";
  f.next_steps = {"ip link show: 4200 bytes and more allow a path MTU of 4096; switches on the way need it too"};
  cite(f, v.direction->path_mtu_frame, v.direction->path_mtu_time);
  if (v.opposite) cite(f, v.opposite->path_mtu_frame, v.opposite->path_mtu_time);
  f.values = {{"path_mtu_bytes", static_cast<double>(*mtu)}, {"message_bytes", static_cast<double>(mean)}};
}

void mismatch(Docket& docket, const track::ConnectionCounts& c) {
  if (c.transport == wire::Transport::kUd || !c.a_to_b) return;
  const auto& a = *c.a_to_b;
  const auto* b = c.b_to_a ? &*c.b_to_a : nullptr;
  const DirectionView view{&c, &a, b};
  const std::uint32_t agreed = c.cm ? c.cm->path_mtu : 0;
  const auto differs = [](std::uint32_t x, std::uint32_t y) { return x != 0 && y != 0 && x != y; };
  const bool ends_differ = b && differs(a.path_mtu, b->path_mtu);
  if (!ends_differ && !differs(a.path_mtu, agreed) && !(b && differs(b->path_mtu, agreed))) return;
  Finding& f = docket.add("mtu.mismatch", Severity::kWarning, Confidence::kHigh, view);
  if (ends_differ) {
    f.title = fmt::format("{} sends packets of {} bytes, {} of {}, {}", a.src.to_string(), a.path_mtu,
                          b->src.to_string(), b->path_mtu, connection_name(c));
  } else {
    f.title = fmt::format("packets of {} bytes where the connection manager agreed on {}, {}",
                          differs(a.path_mtu, agreed) ? a.path_mtu : b->path_mtu, agreed, connection_name(c));
  }
  f.explanation =
      "Both queue pairs of a connection must use one path MTU. An end that is set to less refuses longer packets; an "
      "end "
      "that is set to more does not accept the others' First and Middle packets as whole.";
  f.next_steps = {
      "compare the MTU of both ports (ip link show, ibv_devinfo: active_mtu) and what the application sets"};
  cite(f, a.path_mtu_frame, a.path_mtu_time);
  if (b) cite(f, b->path_mtu_frame, b->path_mtu_time);
  f.values = {{"a_path_mtu_bytes", static_cast<double>(a.path_mtu)},
              {"b_path_mtu_bytes", static_cast<double>(b ? b->path_mtu : 0)},
              {"agreed_path_mtu_bytes", static_cast<double>(agreed)}};
}

}  // namespace

void judge_mtu(Docket& docket) {
  docket.each_direction([&](const DirectionView& v) { small(docket, v); });
  for (const auto& c : docket.evidence().connections) mismatch(docket, c);
}

}  // namespace rocetop::verdict
