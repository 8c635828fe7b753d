// SPDX-License-Identifier: BSD-3-Clause
// Communication management (IBTA vol. 1, 12.6): messages of MAD class 0x07, 24 bytes of MAD header and 232 of message.
//
//   MAD   0            1       2             3        4        6      8         16         18      20           24
//        +------------+-------+-------------+--------+--------+------+---------+----------+-------+------------+----
//        | base ver 1 | class | class ver 2 | method | status |  …   | TID 64  | AttrID   |   …   | AttrMod    | …
//        +------------+-------+-------------+--------+--------+------+---------+----------+-------+------------+----
//
// Offsets below count from byte 24; each message names its own.
#include "wire/cm.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kMadClass = 1;
constexpr std::size_t kMadTransactionId = 8;
constexpr std::size_t kMadAttribute = 16;
constexpr std::size_t kMadHeaderBytes = 24;
constexpr std::uint8_t kCmClass = 0x07;

/// Fields of a message by offset; remembers whether one of them was cut off, which then reads as 0.
class Fields {
 public:
  explicit Fields(Bytes message) : message_(message) {}

  std::uint8_t u8(std::size_t offset) {
    const auto* p = at(offset, 1);
    return p ? *p : std::uint8_t{0};
  }
  std::uint16_t u16(std::size_t offset) {
    const auto* p = at(offset, 2);
    return p ? load_be16(p) : std::uint16_t{0};
  }
  std::uint32_t u24(std::size_t offset) {
    const auto* p = at(offset, 3);
    return p ? load_be24(p) : 0;
  }
  std::uint32_t u32(std::size_t offset) {
    const auto* p = at(offset, 4);
    return p ? load_be32(p) : 0;
  }
  std::uint64_t u64(std::size_t offset) {
    const auto* p = at(offset, 8);
    return p ? load_be64(p) : 0;
  }
  IpAddress gid(std::size_t offset) {
    const auto* p = at(offset, 16);
    return p ? IpAddress::v6(p) : IpAddress();
  }
  bool cut() const { return cut_; }

 private:
  const std::uint8_t* at(std::size_t offset, std::size_t n) {
    if (offset + n > message_.size()) {
      cut_ = true;
      return nullptr;
    }
    return message_.data() + offset;
  }

  Bytes message_;
  bool cut_ = false;
};

/// Service ids of RDMA-CM's IP service (annex A11): 0x0000000001, port space 8, port 16.
std::optional<std::uint16_t> rdma_cm_port(std::uint64_t service_id) {
  if (service_id >> 24 != 1) return std::nullopt;
  return static_cast<std::uint16_t>(service_id);
}

void set_service(std::uint64_t service_id, Cm& out) {
  out.service_id = service_id;
  out.rdma_cm_port = rdma_cm_port(service_id);
}

/// IBTA: 1 is 256 bytes, 5 is 4096; the rest is reserved.
std::uint32_t path_mtu(std::uint8_t code) { return code >= 1 && code <= 5 ? 128u << code : 0; }

/// Table 99.
void parse_req(Fields& fields, Cm& out) {
  out.local_comm_id = fields.u32(0);
  out.ece_vendor = fields.u24(5);
  set_service(fields.u64(8), out);
  out.qpn = Qpn{fields.u24(32)};
  out.responder_resources = fields.u8(35);
  out.initiator_depth = fields.u8(39);
  out.transport_type = fields.u8(43) >> 1 & 3;
  out.starting_psn = Psn{fields.u24(44)};
  out.retry_count = fields.u8(47) & 7;
  out.path_mtu = path_mtu(fields.u8(50) >> 4);
  out.rnr_retry_count = fields.u8(50) & 7;
  out.extended_transport_type = fields.u8(51) & 7;
  out.local_gid = fields.gid(56);
  out.remote_gid = fields.gid(72);
  out.local_ack_timeout = fields.u8(95) >> 3;
}

/// Table 103. An XRC target has no QPN to tell, it names its end in the EE context's place.
void parse_rep(Fields& fields, Cm& out) {
  constexpr std::size_t kLocalQpn = 12;
  constexpr std::size_t kLocalEeContext = 16;
  out.local_comm_id = fields.u32(0);
  out.remote_comm_id = fields.u32(4);
  out.qpn = Qpn{fields.u24(kLocalQpn)};
  if (out.qpn == Qpn{0}) out.qpn = Qpn{fields.u24(kLocalEeContext)};
  // In three bytes that were reserved before.
  out.ece_vendor = std::uint32_t{fields.u8(15)} << 16 | std::uint32_t{fields.u8(19)} << 8 | fields.u8(23);
  out.starting_psn = Psn{fields.u24(20)};
  out.responder_resources = fields.u8(24);
  out.initiator_depth = fields.u8(25);
  out.rnr_retry_count = fields.u8(27) >> 5;
}

/// Both ids, which all but REQ and SIDR begin with.
void parse_ids(Fields& fields, Cm& out) {
  out.local_comm_id = fields.u32(0);
  out.remote_comm_id = fields.u32(4);
}

void parse_message(Fields& fields, Cm& out) {
  switch (out.message) {
    case CmMessage::kReq:
      return parse_req(fields, out);
    case CmMessage::kRep:
      return parse_rep(fields, out);
    case CmMessage::kRej:
      parse_ids(fields, out);
      out.rejected_message = fields.u8(8) >> 6;
      out.reject_reason = fields.u16(10);
      return;
    case CmMessage::kMra:
      parse_ids(fields, out);
      out.rejected_message = fields.u8(8) >> 6;
      out.service_timeout = fields.u8(9) >> 3;
      return;
    case CmMessage::kDreq:
    case CmMessage::kLap:
      parse_ids(fields, out);
      out.qpn = Qpn{fields.u24(out.message == CmMessage::kDreq ? 8 : 12)};
      return;
    case CmMessage::kApr:
      parse_ids(fields, out);
      out.status = fields.u8(9);
      return;
    case CmMessage::kRtu:
    case CmMessage::kDrep:
      return parse_ids(fields, out);
    case CmMessage::kSidrReq:
      out.local_comm_id = fields.u32(0);
      set_service(fields.u64(8), out);
      return;
    case CmMessage::kSidrRep:
      out.remote_comm_id = fields.u32(0);
      out.status = fields.u8(4);
      out.qpn = Qpn{fields.u24(8)};
      set_service(fields.u64(12), out);
      return;
  }
}

}  // namespace

std::string_view cm_message_name(CmMessage message) {
  switch (message) {
    case CmMessage::kReq:
      return "REQ";
    case CmMessage::kMra:
      return "MRA";
    case CmMessage::kRej:
      return "REJ";
    case CmMessage::kRep:
      return "REP";
    case CmMessage::kRtu:
      return "RTU";
    case CmMessage::kDreq:
      return "DREQ";
    case CmMessage::kDrep:
      return "DREP";
    case CmMessage::kSidrReq:
      return "SIDR REQ";
    case CmMessage::kSidrRep:
      return "SIDR REP";
    case CmMessage::kLap:
      return "LAP";
    case CmMessage::kApr:
      return "APR";
  }
  return "unknown";
}

std::string_view reject_reason_text(std::uint16_t reason) {
  switch (reason) {
    case 1:
      return "no QP available";
    case 2:
      return "no EE context available";
    case 3:
      return "no resources available";
    case 4:
      return "timeout";
    case 5:
      return "unsupported request";
    case 6:
      return "invalid communication ID";
    case 7:
      return "invalid communication instance";
    case 8:
      return "invalid service ID";
    case 9:
      return "invalid transport service type";
    case 10:
      return "stale connection";
    case 11:
      return "reliable datagram channel does not exist";
    case 12:
      return "primary remote port GID rejected";
    case 13:
      return "primary remote port LID rejected";
    case 14:
      return "invalid primary SL";
    case 15:
      return "invalid primary traffic class";
    case 16:
      return "invalid primary hop limit";
    case 17:
      return "invalid primary packet rate";
    case 18:
      return "alternate remote port GID rejected";
    case 19:
      return "alternate remote port LID rejected";
    case 20:
      return "invalid alternate SL";
    case 21:
      return "invalid alternate traffic class";
    case 22:
      return "invalid alternate hop limit";
    case 23:
      return "invalid alternate packet rate";
    case 24:
      return "port and CM redirection";
    case 25:
      return "port redirection";
    case 26:
      return "invalid path MTU";
    case 27:
      return "insufficient responder resources";
    case 28:
      return "consumer defined";
    case 29:
      return "RNR retry count rejected";
    case 30:
      return "duplicate local communication ID";
    case 31:
      return "invalid class version";
    case 32:
      return "invalid primary flow label";
    case 33:
      return "invalid alternate flow label";
    case 35:
      return "vendor option not supported";
    default:
      return "reserved reason";
  }
}

std::optional<Cm> parse_cm(Bytes mad) {
  if (mad.size() < kMadHeaderBytes || mad[kMadClass] != kCmClass) return std::nullopt;
  const std::uint16_t attribute = load_be16(mad.data() + kMadAttribute);
  if (attribute < static_cast<std::uint16_t>(CmMessage::kReq) ||
      attribute > static_cast<std::uint16_t>(CmMessage::kApr)) {
    return std::nullopt;
  }
  Cm cm;
  cm.message = static_cast<CmMessage>(attribute);
  cm.transaction_id = load_be64(mad.data() + kMadTransactionId);
  Fields fields(mad.subspan(kMadHeaderBytes));
  parse_message(fields, cm);
  cm.complete = !fields.cut();
  return cm;
}

}  // namespace rocetop::wire
