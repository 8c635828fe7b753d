// SPDX-License-Identifier: BSD-3-Clause
#include "present/cm_text.h"

#include <fmt/format.h>

#include "base/time_text.h"

namespace rocetop::present {
namespace {

using wire::Cm;
using wire::CmMessage;

/// "rdma_cm port 18515" or "service 0x1234".
std::string service_text(const Cm& cm) {
  return cm.rdma_cm_port ? fmt::format("rdma_cm port {}", *cm.rdma_cm_port)
                         : fmt::format("service 0x{:x}", cm.service_id);
}

std::string_view rejected_text(std::uint8_t message) {
  constexpr std::string_view kNames[] = {"REQ", "REP", "another message"};
  return message < 3 ? kNames[message] : "?";
}

std::string_view transport_text(const Cm& cm) {
  constexpr std::string_view kNames[] = {"RC", "UC", "RD"};
  if (cm.transport_type < 3) return kNames[cm.transport_type];
  return cm.extended_transport_type == 1 ? "XRC" : "unknown";
}

std::string peers_of(const Cm& cm) { return fmt::format(" qp {} psn {}", cm.qpn.value, cm.starting_psn.value); }

}  // namespace

std::string cm_timeout_text(std::uint8_t exponent) {
  if (exponent == 0) return "infinite";
  return short_duration(Nanos{std::int64_t{4096} << (exponent & 31)});
}

std::string cm_line(const wire::Packet& packet) {
  if (packet.bth.dest_qp != Qpn{1} || packet.bth.transport() != wire::Transport::kUd) return {};
  const auto cm = wire::parse_cm(packet.payload);
  return cm ? "CM " + cm_words(*cm) : std::string();
}

std::string cm_words(const Cm& cm) {
  std::string text(wire::cm_message_name(cm.message));
  switch (cm.message) {
    case CmMessage::kReq:
      text += peers_of(cm);
      if (cm.path_mtu != 0) text += fmt::format(" mtu {}", cm.path_mtu);
      return text + " " + service_text(cm);
    case CmMessage::kRep:
      return text + peers_of(cm);
    case CmMessage::kRej:
      return text + fmt::format(" of {}: {} ({})", rejected_text(cm.rejected_message),
                                wire::reject_reason_text(cm.reject_reason), cm.reject_reason);
    case CmMessage::kMra:
      return text +
             fmt::format(" of {}: wait {}", rejected_text(cm.rejected_message), cm_timeout_text(cm.service_timeout));
    case CmMessage::kDreq:
      return text + fmt::format(" qp {}", cm.qpn.value);
    case CmMessage::kSidrReq:
      return text + " " + service_text(cm);
    case CmMessage::kSidrRep:
      return text + fmt::format(" qp {} status {}", cm.qpn.value, cm.status);
    default:
      return text;
  }
}

std::string cm_fields(const Cm& cm) {
  std::string text =
      fmt::format("{}, transaction 0x{:x}, local id 0x{:08x}, remote id 0x{:08x}", wire::cm_message_name(cm.message),
                  cm.transaction_id, cm.local_comm_id, cm.remote_comm_id);
  const bool req = cm.message == CmMessage::kReq;
  if (req || cm.message == CmMessage::kRep) {
    text +=
        fmt::format(", qp {} (0x{:x}), starting psn {}, rnr retry count {}, responder resources {}, initiator depth {}",
                    cm.qpn.value, cm.qpn.value, cm.starting_psn.value, cm.rnr_retry_count, cm.responder_resources,
                    cm.initiator_depth);
  }
  if (req) {
    text += fmt::format(", transport {}, path mtu {}, local ack timeout {} ({}), retry count {}, {}, gids {} > {}",
                        transport_text(cm), cm.path_mtu, cm.local_ack_timeout, cm_timeout_text(cm.local_ack_timeout),
                        cm.retry_count, service_text(cm), cm.local_gid.to_string(), cm.remote_gid.to_string());
  }
  if (cm.message == CmMessage::kSidrReq) text += ", " + service_text(cm);
  if (cm.message == CmMessage::kDreq) text += fmt::format(", qp {} (0x{:x})", cm.qpn.value, cm.qpn.value);
  if (cm.message == CmMessage::kSidrRep) text += fmt::format(", qp {}, status {}", cm.qpn.value, cm.status);
  if (cm.message == CmMessage::kRej || cm.message == CmMessage::kMra) {
    text += fmt::format(", of {}", rejected_text(cm.rejected_message));
  }
  if (cm.message == CmMessage::kRej) {
    text += fmt::format(", reason {} ({})", cm.reject_reason, wire::reject_reason_text(cm.reject_reason));
  }
  if (cm.message == CmMessage::kMra) {
    text += fmt::format(", service timeout {} ({})", cm.service_timeout, cm_timeout_text(cm.service_timeout));
  }
  return cm.complete ? text : text + ", cut: missing fields are 0";
}

}  // namespace rocetop::present
