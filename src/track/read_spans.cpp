// SPDX-License-Identifier: BSD-3-Clause
// RequestSpace: how many PSNs READ requests take. Length and path MTU say (IBTA vol. 1, 9.7.2), and either may not be
// known when the request passes; what follows then tells.
#include <algorithm>

#include "track/request_space.h"

namespace rocetop::track {
namespace {

constexpr std::uint32_t kLongestMessage = std::uint32_t{1} << 31;  // bytes (IBTA vol. 1, 9.7.7); a longer one is a lie

/// The path MTU that makes `packet`, with PSN `seq`, the rest of `read` asked for again: address and length say so.
std::optional<std::uint32_t> restart_pmtu(const PendingRead& read, Sequence seq, const PacketFacts& packet,
                                          const PathMtu& mtu) {
  if (!packet.is_read_request() || !packet.has_reth || !read.bytes_known || seq <= read.first) return std::nullopt;
  for (std::uint32_t pmtu = mtu.at_least(); pmtu <= mtu.at_most(); pmtu *= 2) {
    const Sequence offset = (seq - read.first) * pmtu;
    if (offset < read.bytes && packet.read_bytes == read.bytes - offset &&
        packet.read_address == read.address + static_cast<std::uint32_t>(offset)) {
      return pmtu;
    }
  }
  return std::nullopt;
}

}  // namespace

/// The PSN at which PSNs are taken from, or given to, READs whose span is not known shows something about that span.
void RequestSpace::learn_from_position(Sequence seq, const PacketFacts& packet, Context& context) {
  if (seq > highest_) {
    if (read_is_open_) close_open_read(seq, packet, context);
    return;
  }
  PendingRead* read = reads_.find(seq);
  if (!read || read->span_known || !read->bytes_known || read->first == seq) return;
  if (const auto pmtu = restart_pmtu(*read, seq, packet, mtu_)) return on_path_mtu(*pmtu, context);
  // Another request at a PSN that the READ was thought to take: it ends before.
  const bool is_open = read_is_open_ && read == reads_.newest();
  if (is_open || mtu_.narrowest(read->bytes) > seq - read->first) return;
  if (mtu_.learn_room(read->bytes, seq - read->first)) settle_spans(context);
}

/// The newest request is a READ of unknown span (path MTU not seen, or RETH cut off) and the next request follows it:
/// of the PSNs between, the READ takes as many as the path MTUs still possible allow. Should a larger one turn out to
/// be right, the rest is missing.
void RequestSpace::close_open_read(Sequence next_seq, const PacketFacts& next, Context& context) {
  PendingRead* read = reads_.newest();
  read_is_open_ = false;
  if (!read->bytes_known) {
    read->span_known = true;
    read->last = std::max(read->last, next_seq - 1);
    return reach(read->last);
  }
  if (const auto pmtu = restart_pmtu(*read, next_seq, next, mtu_)) {
    read_is_open_ = true;
    return on_path_mtu(*pmtu, context);
  }
  const Sequence room = next_seq - read->first;
  read->last = std::max(read->last, read->first + mtu_.widest_within(read->bytes, room) - 1);
  read->followed_by = next.frame;
  read->followed_time = next.time;
  reach(read->last);
  if (mtu_.learn_room(read->bytes, room)) settle_spans(context);
}

/// The PSNs up to `last` are sent.
void RequestSpace::reach(Sequence last) {
  if (last <= highest_) return;
  highest_ = last;
  history_.advance(last);
}

/// More is known of the path MTU: the READs whose span was not known are measured anew.
void RequestSpace::settle_spans(Context& context) {
  quiet_ = false;
  reads_.each([&](PendingRead& read) {
    if (read.span_known || !read.bytes_known) return;
    read.span_known = mtu_.known();
    if (read_is_open_ && &read == reads_.newest()) {
      read.last = std::max(read.last, read.first + mtu_.narrowest(read.bytes) - 1);
      read_is_open_ = !read.span_known;
      return reach(read.last);
    }
    const Sequence last = read.first + mtu_.widest(read.bytes) - 1;
    if (last > read.last) {
      missing_.drop_range(read.last + 1, last, context);
    } else {
      uncover(last + 1, read, context);
    }
    read.last = last;
  });
}

/// PSNs from `first` to the end of the READ are not the READ's: what the tap has not seen of them is missing.
void RequestSpace::uncover(Sequence first, const PendingRead& read, Context& context) {
  const auto add = [&](Sequence from, Sequence to) {
    if (from > to) return;
    missing_.add({from, to, read.followed_by, read.followed_time, false}, counts_, context);
  };
  Sequence from = first;
  for (Sequence s = std::max(first, highest_ - static_cast<Sequence>(history_.size())); s <= read.last; ++s) {
    const Slot* slot = history_.find(s);
    if (!slot || slot->state != Slot::State::kSeen) continue;
    add(from, s - 1);
    from = s + 1;
  }
  add(from, read.last);
  if (replies_.received() >= first) replies_.close_gaps_later(last_request_time_);
}

/// The last PSN that the packet takes, as far as that is known.
Sequence RequestSpace::last_of(Sequence seq, const PacketFacts& packet) const {
  if (!packet.is_read_request() || !packet.has_reth || packet.read_bytes > kLongestMessage) return seq;
  const Sequence last = seq + mtu_.narrowest(packet.read_bytes) - 1;
  if (mtu_.known()) return last;
  const PendingRead* read = reads_.find(seq);  // asked for again
  return read && read->first == seq && read->bytes == packet.read_bytes ? std::max(last, read->last) : last;
}

/// Whether its span is known.
bool RequestSpace::remember_read(Sequence seq, Sequence last, const PacketFacts& packet, Context& context) {
  PendingRead read;
  read.first = seq;
  read.last = last;
  read.answered = read.passed = seq - 1;
  read.passed_time = packet.time;
  read.frame = packet.frame;
  read.time = packet.time;
  read.bytes = packet.read_bytes;
  read.address = packet.read_address;
  read.bytes_known = packet.has_reth && packet.read_bytes <= kLongestMessage;
  // An atomic takes one PSN; a READ's span needs the RETH and the path MTU, unless one packet holds it in any case.
  read.span_known =
      !packet.is_read_request() || (packet.has_reth && (mtu_.known() || mtu_.widest(packet.read_bytes) == 1));
  reads_.add(read, counts_, context.lists);
  return read.span_known;
}

void RequestSpace::on_path_mtu(std::uint32_t pmtu, Context& context) {
  if (mtu_.known()) return;
  mtu_.learn(pmtu);
  settle_spans(context);
}

void RequestSpace::on_payload(std::uint32_t bytes, Context& context) {
  if (mtu_.learn_payload(bytes)) settle_spans(context);
}

void RequestSpace::on_response_psn(Psn psn) {
  if (!read_is_open_) return;
  PendingRead* read = reads_.newest();
  const Sequence seq = extend(highest_, psn);
  const Sequence most = read->bytes_known ? read->first + mtu_.widest(read->bytes) - 1 : highest_ + kJumpNoLossExplains;
  if (seq <= highest_ || seq > most) return;
  read->last = seq;
  reach(seq);
}

}  // namespace rocetop::track
