// SPDX-License-Identifier: BSD-3-Clause
#include "track/management.h"

#include "track/limits.h"

namespace rocetop::track {

std::optional<Announcement> Management::on_message(const HostPair& hosts, const wire::Cm& cm, FrameId frame,
                                                   Nanos time) {
  switch (cm.message) {
    case wire::CmMessage::kReq:
      on_request(hosts, cm, frame, time);
      return std::nullopt;
    case wire::CmMessage::kRep:
      return on_reply(hosts, cm, frame, time);
    case wire::CmMessage::kRtu:
      on_ready(hosts, cm, frame, time);
      return std::nullopt;
    case wire::CmMessage::kRej:
      on_rejection(hosts, cm, frame, time);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

Management::Exchange* Management::find(const Key& key) {
  const auto found = numbers_.find(key);
  return found == numbers_.end() ? nullptr : &exchanges_[found->second - first_];
}

void Management::begin(const Key& key, const wire::Cm& cm, FrameId frame, Nanos time) {
  Exchange exchange;
  exchange.key = key;
  exchange.request = cm;
  CmSetUp& set_up = exchange.set_up;
  set_up.from = key.hosts.src;
  set_up.to = key.hosts.dst;
  set_up.rdma_cm_port = cm.rdma_cm_port;
  set_up.request_frame = set_up.last_request_frame = frame;
  set_up.request_time = set_up.last_request_time = time;
  set_up.request_qpn = cm.qpn;
  set_up.request_ece = cm.ece_vendor;
  numbers_[key] = first_ + exchanges_.size();
  exchanges_.push_back(exchange);
  if (exchanges_.size() > most_) forget_oldest();
}

void Management::forget_oldest() {
  const auto oldest = numbers_.find(exchanges_.front().key);
  if (oldest != numbers_.end() && oldest->second == first_) numbers_.erase(oldest);
  exchanges_.pop_front();
  ++first_;
}

void Management::make_room(Nanos before) {
  if (exchanges_.size() >= most_ / 2) {
    while (!exchanges_.empty() && exchanges_.front().set_up.request_time < before) forget_oldest();
  }
  if (rejections_.size() < kRejectionsMost / 2) return;
  rejections_omitted_ += std::erase_if(rejections_, [&](const CmRejection& r) { return r.time < before; });
}

/// A communication ID may be used again, after a restart even with the transaction ID of the first time: the same
/// request is one for the same queue pair.
void Management::on_request(const HostPair& hosts, const wire::Cm& cm, FrameId frame, Nanos time) {
  const Key key{hosts, cm.local_comm_id};
  Exchange* exchange = find(key);
  const bool again = exchange && exchange->request.transaction_id == cm.transaction_id &&
                     exchange->request.qpn == cm.qpn && exchange->request.starting_psn == cm.starting_psn;
  if (!again) return begin(key, cm, frame, time);
  CmSetUp& set_up = exchange->set_up;
  if (time - set_up.last_request_time < kCopyWindow) return;
  ++set_up.request_repeats;
  set_up.last_request_frame = frame;
  set_up.last_request_time = time;
}

void Management::on_ready(const HostPair& hosts, const wire::Cm& cm, FrameId frame, Nanos time) {
  Exchange* exchange = find(Key{hosts, cm.local_comm_id});
  if (!exchange || exchange->set_up.ready_frame) return;
  exchange->set_up.ready_frame = frame;
  exchange->set_up.ready_time = time;
}

std::vector<CmSetUp> Management::set_ups() const {
  std::vector<CmSetUp> out;
  out.reserve(exchanges_.size());
  for (const Exchange& exchange : exchanges_) out.push_back(exchange.set_up);
  return out;
}

std::optional<Announcement> Management::on_reply(const HostPair& hosts, const wire::Cm& cm, FrameId frame, Nanos time) {
  Exchange* found = find(Key{hosts.reversed(), cm.remote_comm_id});
  if (!found) return std::nullopt;
  Exchange& exchange = *found;
  CmSetUp& set_up = exchange.set_up;
  if (!set_up.reply_frame) {
    set_up.reply_frame = frame;
    set_up.reply_time = time;
    set_up.reply_qpn = cm.qpn;
    set_up.reply_ece = cm.ece_vendor;
  } else if (time - exchange.last_reply_time >= kCopyWindow) {
    ++set_up.reply_repeats;
  }
  exchange.last_reply_time = time;
  if (!cm.complete) return std::nullopt;
  if (exchange.announced_qpn == cm.qpn) return std::nullopt;
  exchange.announced_qpn = cm.qpn;
  Announcement a;
  a.a_to_b = {hosts.reversed(), cm.qpn, Qpn{}, false};
  a.b_to_a = {hosts, exchange.request.qpn, Qpn{}, false};
  if (a.a_to_b == a.b_to_a) return std::nullopt;  // a host with itself and one queue pair: no two sides to tell apart
  // StartingPSN is what the announcing side wants to receive.
  a.a_to_b_psn = cm.starting_psn;
  a.b_to_a_psn = exchange.request.starting_psn;
  a.path_mtu = exchange.request.path_mtu;
  a.facts.path_mtu = exchange.request.path_mtu;
  a.facts.service_id = exchange.request.service_id;
  a.facts.rdma_cm_port = exchange.request.rdma_cm_port;
  a.facts.local_ack_timeout = exchange.request.local_ack_timeout;
  a.facts.retry_count = exchange.request.retry_count;
  a.facts.rnr_retry_count = exchange.request.rnr_retry_count;
  a.facts.request_frame = exchange.set_up.request_frame;
  return a;
}

void Management::on_rejection(const HostPair& hosts, const wire::Cm& cm, FrameId frame, Nanos time) {
  Exchange* exchange = find(Key{hosts.reversed(), cm.remote_comm_id});
  if (exchange) {
    const bool copy = exchange->set_up.rejected && time - exchange->last_rejection_time < kCopyWindow;
    exchange->set_up.rejected = true;
    exchange->last_rejection_time = time;
    if (copy) return;
  }
  if (rejections_.size() >= kRejectionsMost) {
    ++rejections_omitted_;
    return;
  }
  CmRejection r;
  r.frame = frame;
  r.time = time;
  r.from = hosts.src;
  r.to = hosts.dst;
  r.reason = cm.reject_reason;
  if (exchange) {
    r.request_frame = exchange->set_up.request_frame;
    r.request_time = exchange->set_up.request_time;
    r.service_id = exchange->request.service_id;
    r.rdma_cm_port = exchange->request.rdma_cm_port;
  }
  rejections_.push_back(r);
}

}  // namespace rocetop::track
