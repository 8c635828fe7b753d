// SPDX-License-Identifier: BSD-3-Clause
#include "generate/cm_encoder.h"

#include <bit>

#include "generate/byte_writer.h"

namespace rocetop::generate {
namespace {

constexpr std::size_t kMadBytes = 256;
constexpr std::size_t kMadHeaderBytes = 24;
constexpr std::uint32_t kGsiQKey = 0x8001'0000;

// Writes `value` at `offset` of the message proper, that is behind the MAD header.
void put(std::vector<std::uint8_t>& mad, std::size_t offset, std::uint64_t value, int octets) {
  for (int i = 0; i < octets; ++i) {
    mad[kMadHeaderBytes + offset + static_cast<std::size_t>(i)] =
        static_cast<std::uint8_t>(value >> 8 * (octets - 1 - i));
  }
}

void write_req(const PacketSpec& addressed, const CmSpec& m, std::vector<std::uint8_t>& mad) {
  const auto mtu_code = static_cast<std::uint64_t>(std::bit_width(m.path_mtu)) - 8;  // 1 = 256 ... 5 = 4096
  put(mad, 5, m.ece_vendor, 3);
  put(mad, 8, m.service_id, 8);
  put(mad, 32, m.qpn.value, 3);
  put(mad, 43, std::uint64_t{m.transport_type} << 1, 1);
  put(mad, 44, m.starting_psn.value, 3);
  put(mad, 47, m.retry_count & 7U, 1);
  put(mad, 48, addressed.p_key, 2);
  put(mad, 50, mtu_code << 4 | (m.rnr_retry_count & 7U), 1);
  put(mad, 52, 0xFFFF'FFFF, 4);  // LIDs mean nothing on Ethernet
  put(mad, 56, addressed.src.high(), 8);
  put(mad, 64, addressed.src.low(), 8);
  put(mad, 72, addressed.dst.high(), 8);
  put(mad, 80, addressed.dst.low(), 8);
  put(mad, 95, std::uint64_t{m.local_ack_timeout} << 3, 1);
}

void write_rep(const CmSpec& m, std::vector<std::uint8_t>& mad) {
  put(mad, 12, m.qpn.value, 3);
  put(mad, 15, m.ece_vendor >> 16, 1);
  put(mad, 19, m.ece_vendor >> 8 & 0xFF, 1);
  put(mad, 20, m.starting_psn.value, 3);
  put(mad, 23, m.ece_vendor & 0xFF, 1);
  put(mad, 27, std::uint64_t{m.rnr_retry_count & 7U} << 5, 1);
}

std::vector<std::uint8_t> mad_bytes(const PacketSpec& addressed, const CmSpec& m) {
  ByteWriter header;
  header.u8(1);     // base version
  header.u8(0x07);  // CM
  header.u8(2);     // class version
  header.u8(0x03);  // Send
  header.u32(0);    // status, class specific
  header.u64(m.transaction_id);
  header.u16(static_cast<std::uint16_t>(m.type));
  header.zeros(kMadBytes - header.size());
  std::vector<std::uint8_t> mad = std::move(header.data());
  put(mad, 0, m.local_comm_id, 4);
  if (m.type != CmType::kReq) put(mad, 4, m.remote_comm_id, 4);
  switch (m.type) {
    case CmType::kReq:
      write_req(addressed, m, mad);
      break;
    case CmType::kRep:
      write_rep(m, mad);
      break;
    case CmType::kRej:
      put(mad, 10, m.reject_reason, 2);
      break;
    case CmType::kDreq:
      put(mad, 8, m.qpn.value, 3);
      break;
    case CmType::kRtu:
    case CmType::kDrep:
      break;
  }
  return mad;
}

}  // namespace

PacketSpec make_cm(PacketSpec addressed, const CmSpec& message) {
  addressed.set(Opcode::kUdSendOnly);
  addressed.dest_qp = Qpn{1};
  addressed.deth = DethSpec{kGsiQKey, Qpn{1}};
  addressed.payload = mad_bytes(addressed, message);
  return addressed;
}

}  // namespace rocetop::generate
