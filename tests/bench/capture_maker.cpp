// SPDX-License-Identifier: BSD-3-Clause
#include "capture_maker.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <random>
#include <vector>

namespace rocetop::bench {
namespace {

constexpr std::uint32_t kPathMtu = 4096;                       // bytes
constexpr std::int64_t kStart_ns = 1'700'000'000'000'000'000;  // an arbitrary day
constexpr std::int64_t kDataGap_ns = 332;                      // a 4 KiB frame at 100 Gb/s
constexpr std::int64_t kReplyDelay_ns = 2'000;                 // tap to responder and back
constexpr std::int64_t kReturnDelay_ns = 8'000;                // tap to requester
constexpr std::int64_t kTimeout_ns = 67'108'864;               // 4.096 us * 2^14
constexpr std::size_t kMaxBurst = 4;                           // packets a queue pair sends back to back
constexpr std::uint64_t kWindow = 2;                           // messages in flight
constexpr std::uint8_t kTrafficClass = 26 << 2 | 2;            // DSCP 26, ECT(0)

// Opcodes (IBTA vol. 1, table 38), class RC.
constexpr std::uint8_t kWriteFirst = 0x06;
constexpr std::uint8_t kWriteMiddle = 0x07;
constexpr std::uint8_t kWriteLast = 0x08;
constexpr std::uint8_t kAcknowledge = 0x11;
// AETH syndromes (IBTA vol. 1, 9.7.5.2): an ACK without credit information, a NAK for a PSN sequence error.
constexpr std::uint8_t kSyndromeAck = 0x1F;
constexpr std::uint8_t kSyndromeSequenceNak = 0x60;

/// A connection: requester writes messages of a fixed size, responder acknowledges. Sequences count from 0, PSNs from
/// base.
struct Connection {
  std::uint32_t requester_ip = 0;
  std::uint32_t responder_ip = 0;
  std::uint32_t requester_qpn = 0;
  std::uint32_t responder_qpn = 0;
  std::uint32_t base_psn = 0;
  std::uint16_t udp_src = 0;
  std::uint16_t ip_id = 0;
  std::uint64_t message_packets = 2;
  std::uint64_t next = 0;      // requester: next sequence to send
  std::uint64_t acked = 0;     // requester: all below are acknowledged
  std::uint64_t expected = 0;  // responder
  bool nak_sent = false;       // responder: one NAK a gap
  bool ready = true;           // is in the list of those that may send
  std::int64_t went_back_ns = 0;

  bool window_full() const { return next - acked >= kWindow * message_packets; }
  std::uint32_t psn(std::uint64_t sequence) const { return static_cast<std::uint32_t>(base_psn + sequence) & 0xFFFFFF; }
  std::uint32_t msn() const { return static_cast<std::uint32_t>(expected / message_packets) & 0xFFFFFF; }
};

/// The captured part of a frame, written front to back.
class FrameBuilder {
 public:
  void u8(std::uint32_t v) { bytes_[size_++] = static_cast<std::uint8_t>(v); }
  void u16(std::uint32_t v) {
    u8(v >> 8);
    u8(v);
  }
  void u24(std::uint32_t v) {
    u8(v >> 16);
    u16(v);
  }
  void u32(std::uint32_t v) {
    u16(v >> 16);
    u16(v);
  }
  void zeros(std::size_t n) {
    std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(size_), n, std::uint8_t{0});
    size_ += n;
  }
  void set_u16(std::size_t at, std::uint32_t v) {
    bytes_[at] = static_cast<std::uint8_t>(v >> 8);
    bytes_[at + 1] = static_cast<std::uint8_t>(v);
  }
  std::size_t size() const { return size_; }
  const std::uint8_t* data() const { return bytes_.data(); }

 private:
  std::array<std::uint8_t, kSnapLength> bytes_{};
  std::size_t size_ = 0;
};

constexpr std::size_t kIpOffset = 14;
constexpr std::size_t kUdpOffset = kIpOffset + 20;
constexpr std::size_t kBthOffset = kUdpOffset + 8;

/// RFC 1071 over the IPv4 header of `frame`.
std::uint32_t ip_checksum(const FrameBuilder& frame) {
  std::uint32_t sum = 0;
  for (std::size_t i = kIpOffset; i < kUdpOffset; i += 2) {
    sum += static_cast<std::uint32_t>(frame.data()[i] << 8 | frame.data()[i + 1]);
  }
  sum = (sum & 0xFFFF) + (sum >> 16);
  return ~(sum + (sum >> 16)) & 0xFFFF;
}

/// Ethernet, IPv4 and UDP in front of `roce_bytes` of BTH and what follows it, ICRC included.
void add_network(FrameBuilder& frame, std::uint32_t src, std::uint32_t dst, std::uint16_t udp_src, std::uint16_t ip_id,
                 std::uint32_t roce_bytes) {
  frame.u16(0x0200);
  frame.u32(dst);
  frame.u16(0x0200);
  frame.u32(src);
  frame.u16(0x0800);

  frame.u8(0x45);
  frame.u8(kTrafficClass);
  frame.u16(20 + 8 + roce_bytes);
  frame.u16(ip_id);
  frame.u16(0x4000);  // do not fragment
  frame.u8(64);
  frame.u8(17);
  frame.u16(0);
  frame.u32(src);
  frame.u32(dst);
  frame.set_u16(kIpOffset + 10, ip_checksum(frame));

  frame.u16(udp_src);
  frame.u16(4791);
  frame.u16(8 + roce_bytes);
  frame.u16(0);
}

void add_bth(FrameBuilder& frame, std::uint8_t opcode, std::uint32_t dest_qpn, bool ack_request, std::uint32_t psn) {
  frame.u8(opcode);
  frame.u8(0x40);     // MigReq, as adapters send it
  frame.u16(0xFFFF);  // default P_Key
  frame.u8(0);
  frame.u24(dest_qpn);
  frame.u8(ack_request ? 0x80 : 0);
  frame.u24(psn);
}

/// ICRC of a whole frame (annex A17): CRC-32 over eight bytes of ones and the packet, what routers change set to ones.
void add_icrc(FrameBuilder& frame) {
  std::array<std::uint8_t, 8 + kSnapLength> masked;
  masked.fill(0xFF);
  const std::size_t length = frame.size() - kIpOffset;
  std::copy_n(frame.data() + kIpOffset, length, masked.begin() + 8);
  const auto ones = [&](std::size_t frame_offset) { masked[8 + frame_offset - kIpOffset] = 0xFF; };
  for (const std::size_t offset : {1, 8, 10, 11}) ones(kIpOffset + offset);  // TOS, TTL, header checksum
  for (const std::size_t offset : {6, 7}) ones(kUdpOffset + offset);         // UDP checksum
  ones(kBthOffset + 4);                                                      // FECN, BECN, reserved
  const auto crc = static_cast<std::uint32_t>(crc32(0, masked.data(), static_cast<uInt>(8 + length)));
  for (int shift = 0; shift < 32; shift += 8) frame.u8(crc >> shift);
}

/// pcap records through a buffer of its own, to keep the C library out of the loop.
class PcapWriter {
 public:
  explicit PcapWriter(std::FILE* out) : out_(out) {
    buffer_.reserve(kFlushAt + 2 * kSnapLength);
    // Magic for nanoseconds, version 2.4, zone and accuracy 0, snap length, Ethernet.
    for (const std::uint32_t word : {0xA1B23C4Du, 0x00040002u, 0u, 0u, kSnapLength, 1u}) u32(word);
  }
  void frame(std::int64_t time_ns, const FrameBuilder& frame, std::uint32_t wire_length) {
    u32(static_cast<std::uint32_t>(time_ns / 1'000'000'000));
    u32(static_cast<std::uint32_t>(time_ns % 1'000'000'000));
    u32(static_cast<std::uint32_t>(frame.size()));
    u32(wire_length);
    buffer_.insert(buffer_.end(), frame.data(), frame.data() + frame.size());
    ++frames_;
    if (buffer_.size() >= kFlushAt) flush();
  }
  std::uint64_t frames() const { return frames_; }
  bool failed() const { return failed_; }
  bool flush() {
    failed_ = failed_ || std::fwrite(buffer_.data(), 1, buffer_.size(), out_) != buffer_.size();
    buffer_.clear();
    return !failed_;
  }

 private:
  static constexpr std::size_t kFlushAt = std::size_t{1} << 20;
  void u32(std::uint32_t v) {  // little-endian
    for (int shift = 0; shift < 32; shift += 8) buffer_.push_back(static_cast<std::uint8_t>(v >> shift));
  }

  std::FILE* out_;
  std::vector<std::uint8_t> buffer_;
  std::uint64_t frames_ = 0;
  bool failed_ = false;
};

/// Something that happens to a connection later. Delays are constant, so each kind waits in a plain queue.
struct Event {
  std::int64_t time_ns = 0;
  std::uint32_t connection = 0;
  bool nak = false;
  std::uint64_t sequence = 0;  // ACK: the last one acknowledged; NAK: the one asked for; timeout: the one sent
  std::uint32_t msn = 0;
};

class Traffic {
 public:
  Traffic(const CaptureShape& shape, PcapWriter& writer) : shape_(shape), writer_(writer), random_(shape.seed) {
    for (std::uint32_t i = 0; i < std::max(shape.queue_pairs, 1u); ++i) {
      connections_.push_back(make_connection(i));
      ready_.push_back(i);
    }
  }

  void run() {
    while (!full()) {
      settle();
      if (ready_.empty()) {
        now_ns_ = next_event_ns();
      } else {
        burst();
      }
    }
  }

 private:
  bool full() const { return writer_.frames() >= shape_.packets || writer_.failed(); }
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  Connection make_connection(std::uint32_t i) {
    Connection c;
    // 16 by 16 hosts; every second group of 256 connections writes the other way.
    c.requester_ip = 0x0A000001 + i % 16;
    c.responder_ip = 0x0A000101 + i / 16 % 16;
    if (i / 256 % 2 == 1) std::swap(c.requester_ip, c.responder_ip);
    c.requester_qpn = 0x1000 + 2 * i;
    c.responder_qpn = 0x1001 + 2 * i;
    c.base_psn = static_cast<std::uint32_t>(below(0x1000000));
    c.udp_src = static_cast<std::uint16_t>(0xC000 | below(0x4000));
    c.message_packets = 2 + below(31);  // 8 to 128 KiB
    return c;
  }

  std::int64_t next_event_ns() const {
    std::int64_t next = now_ns_ + kTimeout_ns;
    for (const auto* queue : {&replies_, &arrivals_, &timeouts_}) {
      if (!queue->empty()) next = std::min(next, queue->front().time_ns);
    }
    return next;
  }

  /// All that is due by now, oldest first within each kind: replies pass the tap, replies arrive, timers expire.
  void settle() {
    while (due(replies_) && !full()) {
      const Event reply = take(replies_);
      write_reply(reply);
      arrivals_.push_back(reply);
      arrivals_.back().time_ns += kReturnDelay_ns;
    }
    while (due(arrivals_)) arrive(take(arrivals_));
    while (due(timeouts_)) expire(take(timeouts_));
  }
  bool due(const std::deque<Event>& queue) const { return !queue.empty() && queue.front().time_ns <= now_ns_; }
  static Event take(std::deque<Event>& queue) {
    const Event event = queue.front();
    queue.pop_front();
    return event;
  }

  void arrive(const Event& reply) {
    Connection& c = connections_[reply.connection];
    c.acked = std::max(c.acked, reply.nak ? reply.sequence : reply.sequence + 1);
    if (reply.nak) {
      go_back(reply.connection);
    } else {
      c.next = std::max(c.next, c.acked);
      wake(reply.connection);
    }
  }
  void expire(const Event& timer) {
    const Connection& c = connections_[timer.connection];
    // After going back the packet is sent anew, with a timer of its own.
    if (c.acked <= timer.sequence && c.went_back_ns + kTimeout_ns <= now_ns_) go_back(timer.connection);
  }
  void go_back(std::uint32_t index) {
    Connection& c = connections_[index];
    c.next = c.acked;
    c.went_back_ns = now_ns_;
    wake(index);
  }
  void wake(std::uint32_t index) {
    Connection& c = connections_[index];
    if (c.ready || c.window_full()) return;
    c.ready = true;
    ready_.push_back(index);
  }

  /// A few packets of a connection drawn by lot.
  void burst() {
    const std::size_t slot = below(ready_.size());
    const std::uint32_t index = ready_[slot];
    Connection& c = connections_[index];
    for (std::size_t left = 1 + below(kMaxBurst); left > 0 && !c.window_full() && !full(); --left) send(index, c);
    if (c.window_full()) {
      c.ready = false;
      ready_[slot] = ready_.back();
      ready_.pop_back();
    }
  }

  void send(std::uint32_t index, Connection& c) {
    now_ns_ += kDataGap_ns;
    settle();
    if (full() || c.window_full()) return;
    const std::uint64_t sequence = c.next++;
    const bool last = sequence % c.message_packets == c.message_packets - 1;
    if (last && shape_.loss > 0) timeouts_.push_back({now_ns_ + kTimeout_ns, index, false, sequence, 0});
    constexpr double kUnit = 1.0 / 18'446'744'073'709'551'616.0;  // 2^-64
    if (shape_.loss > 0 && static_cast<double>(random_()) * kUnit < shape_.loss) return;
    write_data(c, sequence, last);
    respond(index, c, sequence, last);
  }

  void respond(std::uint32_t index, Connection& c, std::uint64_t sequence, bool ack_request) {
    if (sequence > c.expected) {
      if (!c.nak_sent) replies_.push_back({now_ns_ + kReplyDelay_ns, index, true, c.expected, c.msn()});
      c.nak_sent = true;
      return;
    }
    if (sequence == c.expected) {
      ++c.expected;
      c.nak_sent = false;
    }
    if (ack_request) replies_.push_back({now_ns_ + kReplyDelay_ns, index, false, c.expected - 1, c.msn()});
  }

  void write_data(Connection& c, std::uint64_t sequence, bool last) {
    const bool first = sequence % c.message_packets == 0;
    const std::uint32_t roce_bytes = 12 + (first ? 16 : 0) + kPathMtu + 4;
    FrameBuilder frame;
    add_network(frame, c.requester_ip, c.responder_ip, c.udp_src, c.ip_id++, roce_bytes);
    add_bth(frame, first ? kWriteFirst : last ? kWriteLast : kWriteMiddle, c.responder_qpn, last, c.psn(sequence));
    if (first) {
      frame.u32(0x00007F00);  // virtual address
      frame.u32(static_cast<std::uint32_t>(sequence * kPathMtu));
      frame.u32(0x1234);  // R_Key
      frame.u32(static_cast<std::uint32_t>(c.message_packets * kPathMtu));
    }
    frame.zeros(kSnapLength - frame.size());
    writer_.frame(now_ns_, frame, static_cast<std::uint32_t>(kBthOffset) + roce_bytes);
  }

  void write_reply(const Event& reply) {
    Connection& c = connections_[reply.connection];
    constexpr std::uint32_t kRoceBytes = 12 + 4 + 4;
    FrameBuilder frame;
    add_network(frame, c.responder_ip, c.requester_ip, c.udp_src, c.ip_id++, kRoceBytes);
    add_bth(frame, kAcknowledge, c.requester_qpn, false, c.psn(reply.sequence));
    frame.u8(reply.nak ? kSyndromeSequenceNak : kSyndromeAck);
    frame.u24(reply.msn);
    add_icrc(frame);
    writer_.frame(reply.time_ns, frame, static_cast<std::uint32_t>(kBthOffset) + kRoceBytes);
  }

  const CaptureShape shape_;
  PcapWriter& writer_;
  std::mt19937_64 random_;  // its numbers are fixed by the standard; those of the distributions are not
  std::int64_t now_ns_ = kStart_ns;
  std::vector<Connection> connections_;
  std::vector<std::uint32_t> ready_;
  std::deque<Event> replies_;   // on their way from the responder to the tap
  std::deque<Event> arrivals_;  // on their way from the tap to the requester
  std::deque<Event> timeouts_;
};

}  // namespace

bool make_capture(const CaptureShape& shape, std::FILE* out) {
  PcapWriter writer(out);
  Traffic(shape, writer).run();
  return writer.flush() && std::fflush(out) == 0;
}

}  // namespace rocetop::bench
