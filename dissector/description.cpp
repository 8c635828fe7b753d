// SPDX-License-Identifier: GPL-2.0-or-later
#include "description.h"

#include <algorithm>
#include <cstring>

#include "model/words.h"
#include "present/veroce_text.h"
#include "wire/aeth.h"
#include "wire/cm.h"
#include "wire/opcode.h"
#include "wire/veroce.h"
#include "wire/veroce_opcode.h"

namespace rocetop::dissector {
namespace {

static_assert(static_cast<int>(track::Kind::kUntracked) == ROCE_UNTRACKED);
static_assert(static_cast<int>(track::Kind::kRnrNak) == ROCE_RNR_NAK);
static_assert(static_cast<int>(track::Cause::kUnknown) == ROCE_CAUSE_UNKNOWN);
static_assert(static_cast<int>(track::SpaceName::kResponses) == ROCE_SPACE_RESPONSES);
static_assert(static_cast<int>(wire::Protocol::kInfiniband) == ROCE_INFINIBAND);

std::uint32_t number(FrameId id) { return static_cast<std::uint32_t>(id.number()); }

roce_icrc icrc_of(wire::IcrcStatus status) {
  switch (status) {
    case wire::IcrcStatus::kGood:
      return ROCE_ICRC_GOOD;
    case wire::IcrcStatus::kBad:
      return ROCE_ICRC_BAD;
    case wire::IcrcStatus::kUnchecked:
      break;
  }
  return ROCE_ICRC_UNVERIFIED;
}

roce_kind kind_of(track::Resolution::Fate fate) {
  switch (fate) {
    case track::Resolution::Fate::kRetransmission:
      return ROCE_RETRANSMISSION;
    case track::Resolution::Fate::kReordered:
      return ROCE_REORDERED;
    case track::Resolution::Fate::kDuplicate:
      return ROCE_DUPLICATE;
    case track::Resolution::Fate::kAcknowledged:
      break;
  }
  return ROCE_ACK;
}

void store(const IpAddress& address, std::uint8_t out[16]) {
  for (unsigned i = 0; i < 8; ++i) {
    out[i] = static_cast<std::uint8_t>(address.high() >> (56 - 8 * i));
    out[8 + i] = static_cast<std::uint8_t>(address.low() >> (56 - 8 * i));
  }
}

template <std::size_t Size>
void copy(const std::string& from, char (&to)[Size]) {
  const std::size_t length = std::min(from.size(), Size - 1);
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

void describe_syndrome(const wire::Packet& p, roce_packet& out) {
  if (!p.has(wire::kAeth)) return;
  out.known |= ROCE_KNOWS_SYNDROME;
  out.syndrome = p.aeth.syndrome;
  const wire::AethKind kind = wire::aeth_kind(p.aeth.syndrome);
  out.is_reply_negative = kind == wire::AethKind::kNak || kind == wire::AethKind::kRnrNak;
  const bool veroce = p.protocol == wire::Protocol::kVeroce;
  copy(veroce ? wire::veroce_aeth_text(p.aeth.syndrome) : wire::aeth_text(p.aeth.syndrome), out.syndrome_text);
}

/// Where the BTH begins: behind the innermost header that can be in front of one.
std::uint32_t bth_offset(const wire::Packet& p) {
  for (std::size_t i = p.layer_count; i > 0; --i) {
    const wire::Layer& layer = p.layers[i - 1];
    if (layer.offset == 0xFFFF) return 0;
    if (layer.kind == wire::Layer::Kind::kUdp) return layer.offset + 8u;
    if (layer.kind == wire::Layer::Kind::kGrh) return layer.offset + 40u;
    if (layer.kind == wire::Layer::Kind::kLrh) return layer.offset + 8u;
  }
  return 0;
}

void describe_rtt(const wire::Packet& p, roce_veroce& out) {
  const wire::RttEth& rtt = p.veroce.rtt;
  out.rtt_context = rtt.context;
  out.rtt_tx1 = rtt.tx1;
  out.rtt_rx1 = rtt.rx1;
  out.rtt_tx2 = rtt.tx2;
  out.rtt_rx2 = rtt.rx2;
  if (p.bth.opcode != wire::kVeroceRttResponse) return;
  out.has |= ROCE_HAS_HOST_DELAY;
  out.host_delay_ns = rtt.host_delay().count;
  if (const auto network = rtt.network_delay()) {
    out.has |= ROCE_HAS_NETWORK_DELAY;
    out.network_delay_ns = network->count;
  }
}

/// What its opcodes mean is its own.
void describe_veroce(const wire::Packet& p, roce_packet& out) {
  const wire::VeroceOpcode opcode = wire::veroce_opcode(p.bth.opcode);
  out.opcode_short_name = opcode.short_name.empty() ? out.opcode_name : opcode.short_name.data();
  out.is_data = opcode.sequenced;
  out.is_request = opcode.sequenced && opcode.space == wire::VeroceSpace::kRequests;
}

/// A queue pair that the packet names besides the one it goes to.
void describe_spelled_qpn(const wire::Packet& p, roce_packet& out) {
  if (p.bth.dest_qp == Qpn{1}) {
    const auto cm = wire::parse_cm(p.payload);
    if (!cm || cm->qpn.value == 0) return;
    out.spelled_qpn = cm->qpn.value;
  } else if (p.has(wire::kDeth)) {
    out.spelled_qpn = p.deth.src_qp.value;
  } else {
    return;
  }
  out.known |= ROCE_KNOWS_SPELLED_QPN;
}

void describe_message(const engine::FrameBook& book, const engine::PacketNote& note, bool settled, roce_packet& out) {
  const engine::MessageNote* message = book.notes().message(note.message);
  if (message == nullptr) return;
  out.known |= ROCE_KNOWS_MESSAGE;
  out.message = note.message;
  out.message_operation = model::word(message->operation).data();
  out.message_first_frame = message->first_frame;
  const bool known_when_read = message->last_frame != 0 && message->last_frame <= out.frame;
  if (settled || known_when_read) out.message_last_frame = message->last_frame;
  if (message->bytes && message->bytes_known_in != 0 && (settled || message->bytes_known_in <= out.frame)) {
    out.known |= ROCE_KNOWS_MESSAGE_LENGTH;
    out.message_length = *message->bytes;
  }
  if (!settled) return;
  out.message_completed_in = book.completed_in(*message);
  const auto time = out.frame == message->last_frame ? book.completion_time(*message) : std::nullopt;
  if (!time) return;
  out.known |= ROCE_KNOWS_COMPLETION_TIME;
  out.completion_time_ns = time->count;
}

void describe_settlement(const track::Settlement& settlement, const track::Observation& o, roce_packet& out) {
  const track::Gap gap = settlement.gap_before(o);
  out.still_missing = gap.missing;
  out.came_late = gap.came_late;
  out.not_captured = gap.not_captured;
  if (!settlement.fate) return;
  out.known |= ROCE_KNOWS_FATE;
  out.fate = kind_of(*settlement.fate);
  out.acked_in = number(settlement.acked_in);
  if (out.fate != ROCE_ACK) out.settled_kind = out.fate;
  if (settlement.cause) {
    out.known |= ROCE_KNOWS_CAUSE;
    out.cause = static_cast<roce_cause>(*settlement.cause);
  }
  if (settlement.trigger_frame) out.trigger_frame = number(settlement.trigger_frame);
}

void describe_observation(const track::Observation& o, roce_packet& out) {
  out.space = static_cast<roce_space>(o.space);
  out.kind = out.settled_kind = static_cast<roce_kind>(o.kind);
  if (o.cause) {
    out.known |= ROCE_KNOWS_CAUSE;
    out.cause = static_cast<roce_cause>(*o.cause);
  }
  out.original_frame = number(o.original_frame);
  out.trigger_frame = number(o.trigger_frame);
  out.missing_before = out.still_missing = o.missing_before;
  out.captured_twice = o.captured_twice;
  // A NAK names a packet, it does not acknowledge it.
  const bool refuses = o.kind == track::Kind::kNak || o.kind == track::Kind::kRnrNak;
  (refuses ? out.names_frame : out.acks_frame) = number(o.acks_frame);
  if (o.rtt) {
    out.known |= ROCE_KNOWS_RTT;
    out.rtt_ns = o.rtt->count;
  }
}

/// How long the sender of a retransmission waited: since what made it go back, else since the original.
void describe_wait(const engine::FrameBook& book, Nanos now, roce_packet& out) {
  if (out.settled_kind != ROCE_RETRANSMISSION) return;
  const engine::FrameRecord* since = book.find(out.trigger_frame != 0 ? out.trigger_frame : out.original_frame);
  if (since == nullptr) return;
  // Hosts may stamp the two directions out of order: of that no wait is known.
  if (now < since->time) return;
  out.known |= ROCE_KNOWS_WAIT;
  out.wait_ns = (now - since->time).count;
}

/// The connection and its two ends. `note` has a direction.
void describe_stream(const engine::FrameBook& book, const engine::PacketNote& note, bool settled, roce_packet& out) {
  const engine::PacketNotes& notes = book.notes();
  const engine::DirectionNote& direction = *notes.direction(note.direction);
  const engine::DirectionNote* other = notes.direction(direction.other);
  if (settled) out.stream = direction.connection;
  out.direction = direction.second ? 1 : 0;
  out.qp_reuse = direction.qp_reuse && direction.first_frame == out.frame;
  if (other != nullptr) {
    out.known |= ROCE_KNOWS_PEER_QPN;
    out.peer_qpn = other->dst_qpn.value;
  } else if (direction.src_qpn) {
    out.known |= ROCE_KNOWS_PEER_QPN;
    out.peer_qpn = direction.src_qpn->value;
  }
  // Replies carry PSNs of the other end's requests.
  const engine::DirectionNote* owner = out.space == ROCE_SPACE_REQUESTS ? &direction : other;
  if (owner == nullptr || !owner->first_request || out.is_cnp) return;
  const std::uint32_t relative = (out.psn - owner->first_request->value) & kMask24;
  if (relative > kMask24 / 2) return;  // from before the first that was seen
  out.known |= ROCE_KNOWS_RELATIVE_PSN;
  out.relative_psn = relative;
}

void describe_note(const engine::FrameRecord& record, bool settled, roce_packet& out) {
  const engine::PacketNote& note = record.note;
  if (note.psns_in_flight) {
    out.known |= ROCE_KNOWS_PSNS_IN_FLIGHT;
    out.psns_in_flight = *note.psns_in_flight;
  }
  if (note.bytes_in_flight) {
    out.known |= ROCE_KNOWS_BYTES_IN_FLIGHT;
    out.bytes_in_flight = *note.bytes_in_flight;
  }
  if (note.mark_frame != 0) {
    out.known |= ROCE_KNOWS_CNP_DELAY;
    out.cnp_delay_ns = note.mark_to_cnp.count;
    out.cnp_mark_frame = note.mark_frame;
  }
  out.acked_unseen = note.acked_unseen && !(settled && record.seen_after_all);
}

/// What the capture holds once more belongs to the connection that its original belongs to, and counts for nothing.
void describe_copy(const engine::FrameBook& book, const track::Observation& o, bool settled, roce_packet& out) {
  describe_observation(o, out);
  const engine::FrameRecord* original = book.find(out.original_frame);
  if (original == nullptr || original->observation.connection == 0) return;
  out.known |= ROCE_KNOWS_STREAM;
  out.stream = original->observation.connection;
  if (original->note.direction != 0) describe_stream(book, original->note, settled, out);
}

}  // namespace

void describe_veroce_headers(const wire::Packet& p, roce_veroce& out) {
  const wire::VeroceHeaders& v = p.veroce;
  out = {};
  copy(wire::layout_text(v.layout), out.layout);
  out.confidence = wire::word(v.confidence).data();
  if (v.check != wire::VeroceCheck::kPassed) {
    out.fault = wire::in_words(v.check).data();
    return;
  }
  const auto has = [&](wire::Header header, roce_veroce_header bit) {
    if (p.has(header)) out.has |= bit;
  };
  has(wire::kMsneth, ROCE_HAS_MSNETH);
  has(wire::kPoeth, ROCE_HAS_POETH);
  has(wire::kRqeth, ROCE_HAS_RQETH);
  has(wire::kSacketh, ROCE_HAS_SACKETH);
  has(wire::kRtteth, ROCE_HAS_RTTETH);
  if (wire::veroce_opcode(p.bth.opcode).sequenced) out.has |= ROCE_HAS_RETRANS;
  out.retrans = v.retransmit;
  out.trimmed = v.trimmed;
  out.msn = v.msn;
  out.packet_order = v.packet_order;
  out.rq_msn = v.rq_msn;
  if (p.has(wire::kSacketh)) {
    out.sack_start = v.sack.start.value;
    out.sack_length = v.sack.valid_length;
    copy(present::sack_ranges_text(v.sack, true), out.sack_received);
    copy(present::sack_ranges_text(v.sack, false), out.sack_missing);
  }
  if (p.has(wire::kRtteth)) describe_rtt(p, out);
}

bool describe_frame(const wire::Decoded& decoded, roce_packet& out) {
  if (decoded.kind == wire::FrameKind::kUndecodable) {
    out.kind_of_frame = ROCE_FRAME_UNDECODABLE;
    out.undecodable = wire::reason_name(decoded.reason).data();
    out.undecodable_words = model::in_words(decoded.reason).data();
    return true;
  }
  if (decoded.kind != wire::FrameKind::kRoce) return false;
  const wire::Packet& p = decoded.packet;
  const wire::OpcodeFacts& facts = wire::opcode_facts(p.bth.opcode);
  out.kind_of_frame = ROCE_FRAME_PACKET;
  out.protocol = static_cast<roce_protocol>(p.protocol);
  out.bth_offset = bth_offset(p);
  out.fragment = p.fragment;
  out.opcode = p.bth.opcode;
  out.opcode_name = present::opcode_name(p).data();
  out.opcode_short_name = facts.short_name.empty() ? out.opcode_name : facts.short_name.data();
  out.psn = p.bth.psn.value;
  out.dst_qpn = p.bth.dest_qp.value;
  out.ack_request = p.bth.ack_request;
  out.fecn = p.bth.fecn;
  out.becn = p.bth.becn;
  out.is_cnp = p.is_cnp();
  out.is_fast_cnp = p.is_fast_cnp();
  out.is_request = facts.role == wire::Role::kRequest;
  out.is_data = out.is_request || facts.role == wire::Role::kResponse;
  if (p.protocol == wire::Protocol::kVeroce) describe_veroce(p, out);
  out.truncated = p.truncated;
  out.has_ip = p.ip_protocol != 0 || p.protocol == wire::Protocol::kRoceV1;  // RoCEv1: the GRH has these
  out.ecn = static_cast<std::uint8_t>(p.ecn());
  out.dscp = p.dscp();
  out.icrc = icrc_of(p.icrc);
  if (p.protocol != wire::Protocol::kVeroce || p.veroce.check == wire::VeroceCheck::kPassed) {
    out.known |= ROCE_KNOWS_PAYLOAD;
    out.payload_bytes = p.payload_bytes;
  }
  store(p.src, out.src);
  store(p.dst, out.dst);
  describe_syndrome(p, out);
  describe_spelled_qpn(p, out);
  return true;
}

void describe_analysis(const engine::FrameBook& book, bool settled, roce_packet& out) {
  const engine::FrameRecord* record = book.find(out.frame);
  if (record == nullptr) return;
  out.known |= ROCE_KNOWS_ANALYSIS;
  const track::Observation& o = record->observation;
  if (o.captured_twice) return describe_copy(book, o, settled, out);
  if (o.connection != 0) {
    out.known |= ROCE_KNOWS_STREAM;
    out.stream = o.connection;
  }
  describe_observation(o, out);
  if (settled) describe_settlement(record->settlement, o, out);
  describe_wait(book, record->time, out);
  if (record->note.direction != 0) describe_stream(book, record->note, settled, out);
  describe_note(*record, settled, out);
  describe_message(book, record->note, settled, out);
}

}  // namespace rocetop::dissector
