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

void Management::on_request(const HostPair& hosts, const wire::Cm& cm, FrameId frame, Nanos time) {
  const Key key{hosts, cm.local_comm_id};
  const auto [at, inserted] = exchanges_.try_emplace(key);
  Exchange& exchange = at->second;
  CmSetUp& set_up = exchange.set_up;
  if (!inserted && exchange.request.transaction_id == cm.transaction_id) {  // asked again, unless it is a copy
    if (time - set_up.last_request_time < kCopyWindow) return;
    ++set_up.request_repeats;
    set_up.last_request_frame = frame;
    set_up.last_request_time = time;
    return;
  }
  exchange = Exchange{cm, {}, std::nullopt};
  set_up.from = hosts.src;
  set_up.to = hosts.dst;
  set_up.rdma_cm_port = cm.rdma_cm_port;
  set_up.request_frame = set_up.last_request_frame = frame;
  set_up.request_time = set_up.last_request_time = time;
  if (!inserted) return;
  order_.push_back(key);
  if (order_.size() > most_) {
    exchanges_.erase(order_.front());
    order_.pop_front();
  }
}

void Management::on_ready(const HostPair& hosts, const wire::Cm& cm, FrameId frame, Nanos time) {
  const auto found = exchanges_.find(Key{hosts, cm.local_comm_id});
  if (found == exchanges_.end() || found->second.set_up.ready_frame) return;
  found->second.set_up.ready_frame = frame;
  found->second.set_up.ready_time = time;
}

std::vector<CmSetUp> Management::set_ups() const {
  std::vector<CmSetUp> out;
  out.reserve(order_.size());
  for (const Key& key : order_) {
    if (const auto found = exchanges_.find(key); found != exchanges_.end()) out.push_back(found->second.set_up);
  }
  return out;
}

std::optional<Announcement> Management::on_reply(const HostPair& hosts, const wire::Cm& cm, FrameId frame, Nanos time) {
  const auto found = exchanges_.find(Key{hosts.reversed(), cm.remote_comm_id});
  if (found == exchanges_.end()) return std::nullopt;
  Exchange& exchange = found->second;
  CmSetUp& set_up = exchange.set_up;
  if (!set_up.reply_frame) {
    set_up.reply_frame = frame;
    set_up.reply_time = time;
  } else if (time - set_up.reply_time >= kCopyWindow) {
    ++set_up.reply_repeats;
  }
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
  if (const auto found = exchanges_.find(Key{hosts.reversed(), cm.remote_comm_id}); found != exchanges_.end()) {
    found->second.set_up.rejected = true;
    r.request_frame = found->second.set_up.request_frame;
    r.service_id = found->second.request.service_id;
    r.rdma_cm_port = found->second.request.rdma_cm_port;
  }
  rejections_.push_back(r);
}

}  // namespace rocetop::track
