// SPDX-License-Identifier: BSD-3-Clause
#include "track/management.h"

namespace rocetop::track {

std::optional<Announcement> Management::on_message(const HostPair& hosts, const wire::Cm& cm, FrameId frame,
                                                   Nanos time) {
  switch (cm.message) {
    case wire::CmMessage::kReq:
      on_request(hosts, cm, frame, time);
      return std::nullopt;
    case wire::CmMessage::kRep:
      return on_reply(hosts, cm);
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
  if (!inserted && exchange.request.transaction_id == cm.transaction_id) return;  // asked again
  exchange = Exchange{cm, frame, time, std::nullopt};
  if (!inserted) return;
  order_.push_back(key);
  if (order_.size() > most_) {
    exchanges_.erase(order_.front());
    order_.pop_front();
  }
}

std::optional<Announcement> Management::on_reply(const HostPair& hosts, const wire::Cm& cm) {
  const auto found = exchanges_.find(Key{hosts.reversed(), cm.remote_comm_id});
  if (found == exchanges_.end() || !cm.complete) return std::nullopt;
  Exchange& exchange = found->second;
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
  a.facts.service_id = exchange.request.service_id;
  a.facts.rdma_cm_port = exchange.request.rdma_cm_port;
  a.facts.local_ack_timeout = exchange.request.local_ack_timeout;
  a.facts.retry_count = exchange.request.retry_count;
  a.facts.rnr_retry_count = exchange.request.rnr_retry_count;
  a.facts.request_frame = exchange.request_frame;
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
    r.request_frame = found->second.request_frame;
    r.service_id = found->second.request.service_id;
    r.rdma_cm_port = found->second.request.rdma_cm_port;
  }
  rejections_.push_back(r);
}

}  // namespace rocetop::track
