// SPDX-License-Identifier: BSD-3-Clause
#include "track/copy_log.h"

#include <algorithm>
#include <cstring>

#include "track/flow_key.h"
#include "track/limits.h"

namespace rocetop::track {
namespace {

constexpr std::size_t kHashed = 48;  // bytes behind the BTH: all headers, and of data a little payload

std::uint64_t add_bytes(std::uint64_t hash, Bytes bytes) {
  std::size_t at = 0;
  for (; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    hash = detail::mix(hash, word);
  }
  return hash;
}

/// Saturates: what was never seen is far from everything.
bool is_near(Nanos a, Nanos b) { return std::max(a, b) - std::min(a, b) < kCopyWindow; }

/// Packets that share a place in the log, of which the newest are remembered: one alone would be overwritten within the
/// window now and then.
constexpr std::ptrdiff_t kRow = 4;
std::ptrdiff_t row_of(std::uint64_t identity, std::size_t places) {
  return static_cast<std::ptrdiff_t>(identity % (places / kRow)) * kRow;
}

}  // namespace

std::uint64_t identity_of(const wire::Packet& packet) {
  const wire::Bth& bth = packet.bth;
  std::uint64_t hash = HostPairHash::of(packet.src, packet.dst, {}, packet.protocol);
  hash = detail::mix(hash, std::uint64_t{bth.dest_qp.value} << 32 | bth.psn.value);
  hash = detail::mix(hash, std::uint64_t{packet.udp_src} << 48 | std::uint64_t{packet.ip_id} << 32 |
                               std::uint64_t{bth.opcode} << 16 | std::uint64_t{bth.reserved7} << 8 |
                               (bth.becn ? 4 : 0) | (bth.ack_request ? 2 : 0) | (packet.has_ip_id ? 1 : 0));
  hash = detail::mix(hash, std::uint64_t{bth.p_key} << 16 | std::uint64_t{bth.version} << 8 | (bth.solicited ? 8 : 0) |
                               (bth.migration ? 4 : 0));
  const Bytes raw = packet.veroce.raw;
  return add_bytes(detail::mix(hash, packet.veroce.raw_bytes), raw.first(std::min(raw.size(), kHashed)));
}

bool CopyLog::holds(std::uint64_t identity, Nanos time) const {
  const auto row = seen_.begin() + row_of(identity, kSeen);
  return std::any_of(row, row + kRow,
                     [&](const Seen& seen) { return seen.identity == identity && is_near(seen.time, time); });
}

bool CopyLog::is_copy(std::uint64_t identity, Nanos time, Told told) {
  const auto row = seen_.begin() + row_of(identity, kSeen);
  auto seen = std::find_if(row, row + kRow,
                           [&](const Seen& known) { return known.identity == identity && is_near(known.time, time); });
  if (seen == row + kRow) {
    seen = std::min_element(row, row + kRow, [](const Seen& a, const Seen& b) { return a.time < b.time; });
  } else if (told == Told::kCertain || (told == Told::kByNumber && !seen->copied)) {
    seen->copied = true;
    return true;
  }
  *seen = {identity, time, false};
  return false;
}

}  // namespace rocetop::track
