// SPDX-License-Identifier: BSD-3-Clause
#include "present/packet_json.h"

#include <fmt/format.h>

#include <string>

#include "base/time_text.h"
#include "model/words.h"
#include "present/veroce_json.h"
#include "present/veroce_text.h"
#include "wire/aeth.h"
#include "wire/cm.h"
#include "wire/fast_cnp.h"
#include "wire/veroce.h"

namespace rocetop::present {
namespace {

using model::word;

std::string_view aeth_word(wire::AethKind kind) {
  switch (kind) {
    case wire::AethKind::kAck:
      return "ack";
    case wire::AethKind::kRnrNak:
      return "rnr_nak";
    case wire::AethKind::kNak:
      return "nak";
    case wire::AethKind::kReserved:
      break;
  }
  return "reserved";
}

class PacketJson {
 public:
  PacketJson(const PacketRecord& record, bool several_files, const TextSink& sink)
      : record_(record), packet_(record.decoded->packet), several_files_(several_files), json_(sink) {}

  void write() {
    json_.begin_object();
    json_.member("frame", record_.id.number());
    if (several_files_) json_.member("file", record_.id.file());
    json_.member("time_ns", record_.time ? std::optional{record_.time->count} : std::nullopt);
    // Beyond 2^53 readers of JSON may round the number: the text is exact everywhere.
    json_.member("time", record_.time ? std::optional{rfc3339(*record_.time)} : std::nullopt);
    if (record_.decoded->kind == wire::FrameKind::kUndecodable) {
      json_.member("undecodable", wire::reason_name(record_.decoded->reason));
    } else {
      network();
      bth();
      headers();
      fast_cnp();
      cm();
      if (record_.observation.connection == 0) {
        json_.null_member("connection");
      } else {
        json_.member("connection", record_.observation.connection);
      }
      analysis();
    }
    json_.end_object();
    json_.finish();
  }

 private:
  void network() {
    const bool over_udp = packet_.udp_dst != 0;
    json_.member("src", packet_.src.to_string());
    json_.member("dst", packet_.dst.to_string());
    json_.member("udp_src", over_udp ? std::optional{packet_.udp_src} : std::nullopt);
    json_.member("udp_dst", over_udp ? std::optional{packet_.udp_dst} : std::nullopt);
    json_.member("protocol", word(packet_.protocol));
    json_.member("ecn", word(packet_.ecn()));
    json_.member("dscp", packet_.dscp());
    if (packet_.network.vlan_outer != 0xFFFF) json_.member("vlan", packet_.network.vlan_outer);
    if (packet_.network.vlan_inner != 0xFFFF) json_.member("inner_vlan", packet_.network.vlan_inner);
    if (packet_.network.vni != 0xFFFFFFFF) json_.member("vni", packet_.network.vni);
  }

  void bth() {
    const wire::Bth& bth = packet_.bth;
    json_.member("opcode", bth.opcode);
    json_.member("opcode_name", opcode_name(packet_));
    json_.member("dst_qpn", bth.dest_qp.value);
    json_.member("psn", bth.psn.value);
    json_.member("ack_req", bth.ack_request);
    json_.member("se", bth.solicited);
    json_.member("mig", bth.migration);
    json_.member("pad", bth.pad);
    json_.member("fecn", bth.fecn);
    json_.member("becn", bth.becn);
    json_.member("p_key", bth.p_key);
    const bool raw = is_veroce() && packet_.veroce.check != wire::VeroceCheck::kPassed;
    json_.member("payload_bytes", raw ? std::nullopt : std::optional{packet_.payload_bytes});
    json_.member("icrc", word(packet_.icrc));
    if (packet_.truncated) json_.member("truncated", true);
  }

  bool is_veroce() const { return packet_.protocol == wire::Protocol::kVeroce; }

  void headers() {
    if (packet_.has(wire::kReth)) {
      object("reth");
      json_.member("va", packet_.reth.virtual_address);
      json_.member("r_key", packet_.reth.r_key);
      json_.member("dma_len", packet_.reth.dma_length);
      json_.end_object();
    }
    if (packet_.has(wire::kAeth)) aeth();
    if (packet_.has(wire::kDeth)) {
      object("deth");
      json_.member("q_key", packet_.deth.q_key);
      json_.member("src_qpn", packet_.deth.src_qp.value);
      json_.end_object();
    }
    atomics();
    if (packet_.has(wire::kImmDt)) json_.member("immediate", packet_.immediate);
    if (packet_.has(wire::kIeth)) json_.member("ieth_r_key", packet_.invalidate_r_key);
    if (packet_.has(wire::kXrceth)) json_.member("xrceth", packet_.xrc_srq.value);
    if (packet_.has(wire::kRdeth)) json_.member("rdeth", packet_.ee_context);
    if (packet_.has(wire::kFeth)) json_.member("feth", packet_.feth);
    if (is_veroce()) write_veroce_packet(json_, packet_);
  }

  void aeth() {
    const std::uint8_t syndrome = packet_.aeth.syndrome;
    const wire::AethKind kind = wire::aeth_kind(syndrome);
    object("aeth");
    json_.member("syndrome", syndrome);
    json_.member("kind", aeth_word(kind));
    json_.member("text", is_veroce() ? wire::veroce_aeth_text(syndrome) : wire::aeth_text(syndrome));
    json_.member("rnr_timer_ns",
                 kind == wire::AethKind::kRnrNak ? std::optional{wire::rnr_timer(syndrome).count} : std::nullopt);
    json_.member("credits", kind == wire::AethKind::kAck ? wire::credits(syndrome) : std::nullopt);
    json_.member("msn", packet_.aeth.msn.value);
    json_.end_object();
  }

  void fast_cnp() {
    if (!packet_.is_fast_cnp()) return;
    const wire::FastCnp cnp = wire::parse_fast_cnp(packet_);
    const bool known = cnp.data_destination.has_value();
    object("fast_cnp");
    json_.member("data_destination", known ? std::optional{cnp.data_destination->to_string()} : std::nullopt);
    json_.member("option_type", known ? std::optional{cnp.option_type} : std::nullopt);
    json_.member("options", fmt::format("{:02x}", fmt::join(packet_.options, "")));
    json_.end_object();
  }

  void atomics() {
    if (packet_.has(wire::kAtomicEth)) {
      object("atomic");
      json_.member("va", packet_.atomic.virtual_address);
      json_.member("r_key", packet_.atomic.r_key);
      json_.member("swap_or_add", packet_.atomic.swap_or_add);
      json_.member("compare", packet_.atomic.compare);
      json_.end_object();
    }
    if (packet_.has(wire::kAtomicAckEth)) {
      object("atomic_ack");
      json_.member("original", packet_.atomic_original);
      json_.end_object();
    }
  }

  void cm() {
    if (packet_.bth.dest_qp != Qpn{1} || packet_.bth.transport() != wire::Transport::kUd) return;
    const auto cm = wire::parse_cm(packet_.payload);
    if (!cm) return;
    object("cm");
    json_.member("message", wire::cm_message_name(cm->message));
    json_.member("complete", cm->complete);
    json_.member("transaction_id", cm->transaction_id);
    json_.member("local_comm_id", cm->local_comm_id);
    json_.member("remote_comm_id", cm->remote_comm_id);
    using wire::CmMessage;
    const CmMessage m = cm->message;
    const bool connects = m == CmMessage::kReq || m == CmMessage::kRep;
    if (connects || m == CmMessage::kDreq || m == CmMessage::kLap || m == CmMessage::kSidrRep)
      json_.member("qpn", cm->qpn.value);
    if (connects) {
      json_.member("starting_psn", cm->starting_psn.value);
      json_.member("rnr_retry_count", cm->rnr_retry_count);
      json_.member("responder_resources", cm->responder_resources);
      json_.member("initiator_depth", cm->initiator_depth);
    }
    if (m == CmMessage::kReq) {
      json_.member("transport_type", cm->transport_type);
      if (cm->transport_type == 3) json_.member("extended_transport_type", cm->extended_transport_type);
      json_.member("path_mtu", cm->path_mtu == 0 ? std::nullopt : std::optional{cm->path_mtu});
      json_.member("local_ack_timeout", cm->local_ack_timeout);
      json_.member("retry_count", cm->retry_count);
    }
    if (m == CmMessage::kReq || m == CmMessage::kSidrReq) {
      json_.member("service_id", cm->service_id);
      json_.member("rdma_cm_port", cm->rdma_cm_port);
    }
    if (m == CmMessage::kRej) {
      json_.member("reason", cm->reject_reason);
      json_.member("reason_text", wire::reject_reason_text(cm->reject_reason));
    }
    if (m == CmMessage::kRej || m == CmMessage::kMra) json_.member("rejected_message", cm->rejected_message);
    if (m == CmMessage::kMra) json_.member("service_timeout", cm->service_timeout);
    if (m == CmMessage::kSidrRep || m == CmMessage::kApr) json_.member("status", cm->status);
    json_.end_object();
  }

  void analysis() {
    const track::Observation& o = record_.observation;
    object("analysis");
    word_or_null("space", word(o.space));
    json_.member("kind", word(o.kind));
    word_or_null("cause", record_.cause() ? word(*record_.cause()) : std::string_view{});
    frame("original", "_frame", "_file", o.original_frame);
    frame("trigger", "_frame", "_file", record_.trigger_frame());
    if (o.captured_twice) json_.member("captured_twice", true);
    json_.member("missing_before", o.missing_before);
    // A NAK names a packet, it does not acknowledge it.
    const bool refuses = o.kind == track::Kind::kNak || o.kind == track::Kind::kRnrNak;
    frame("acks", "_frame", "_file", refuses ? FrameId{} : o.acks_frame);
    if (refuses) frame("names", "_frame", "_file", o.acks_frame);
    json_.member("rtt_ns", o.rtt ? std::optional{o.rtt->count} : std::nullopt);
    final();
    json_.end_object();
  }

  void final() {
    if (!record_.final) return json_.null_member("final");
    object("final");
    frame("acked_in", "", "_file", record_.final->acked_in);
    word_or_null("fate", record_.final->fate ? word(*record_.final->fate) : std::string_view{});
    if (record_.observation.missing_before != 0) {
      const track::Gap gap = record_.gap_before();
      json_.member("missing_before", gap.missing);
      json_.member("came_late", gap.came_late);
      json_.member("not_captured", gap.not_captured);
    }
    json_.end_object();
  }

  void frame(const std::string& what, std::string_view frame_ending, std::string_view file_ending, FrameId id) {
    json_.member(what + std::string(frame_ending), id ? std::optional{id.number()} : std::nullopt);
    if (several_files_) json_.member(what + std::string(file_ending), id ? std::optional{id.file()} : std::nullopt);
  }

  void word_or_null(std::string_view name, std::string_view text) {
    json_.member(name, text.empty() ? std::nullopt : std::optional{text});
  }

  void object(std::string_view name) {
    json_.key(name);
    json_.begin_object();
  }

  const PacketRecord& record_;
  const wire::Packet& packet_;
  const bool several_files_;
  JsonWriter json_;
};

}  // namespace

void write_packet_json(const PacketRecord& record, bool several_files, const TextSink& sink) {
  const wire::FrameKind kind = record.decoded->kind;
  if (kind != wire::FrameKind::kRoce && kind != wire::FrameKind::kUndecodable) return;
  PacketJson(record, several_files, sink).write();
}

}  // namespace rocetop::present
