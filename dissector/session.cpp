// SPDX-License-Identifier: GPL-2.0-or-later
#include "session.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "description.h"
#include "track/veroce_layouts.h"

namespace rocetop::dissector {

namespace {

/// Each word of "name=value name=value" to `set`. A sentence about what is wrong, or "".
template <typename Set>
std::string apply_words(const char* text, std::string_view example, Set&& set) {
  std::string_view rest = text == nullptr ? "" : text;
  constexpr std::string_view kBetween = " ,\t\n";
  while (true) {
    const std::size_t begin = rest.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) return {};
    rest.remove_prefix(begin);
    const std::string_view word = rest.substr(0, rest.find_first_of(kBetween));
    rest.remove_prefix(word.size());
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return std::string(word) + ": not name=value, as " + std::string(example);
    const auto done = set(word.substr(0, equals), word.substr(equals + 1));
    if (!done) return done.error().message;
  }
}

}  // namespace

std::string apply_thresholds(const char* text, verdict::Thresholds& thresholds) {
  return apply_words(text, "early_wait=5ms", [&](std::string_view name, std::string_view value) {
    return verdict::set_threshold(thresholds, name, value);
  });
}

std::string apply_veroce_layout(const char* text, wire::VeroceLayout& layout) {
  return apply_words(text, "sack_order=psn_len", [&](std::string_view key, std::string_view word) {
    return wire::set_veroce_item(layout, key, word);
  });
}

namespace {

engine::Options engine_options(const roce_options& options, const wire::DecodeOptions& decode) {
  engine::Options out;
  out.decode = decode;
  apply_thresholds(options.thresholds, out.thresholds);
  return out;
}

wire::DecodeOptions decode_options(const roce_options& options) {
  wire::DecodeOptions out;
  out.verify_icrc = options.verify_icrc;
  if (options.port_count != 0) out.roce_ports.assign(options.ports, options.ports + options.port_count);
  apply_veroce_layout(options.veroce_layout, out.veroce_layout);
  return out;
}

}  // namespace

Session::Session(const roce_options& options)
    : decode_(decode_options(options)),
      analysis_(std::move(*engine::Analysis::create(engine_options(options, decode_)))),
      book_(options.max_frames) {
  analysis_->begin(
      source_,
      [this](const source::Frame& frame, const wire::Decoded& decoded, const track::Observation& observation) {
        roce_ = decoded.kind != wire::FrameKind::kPause;
        book_.on_frame(frame, decoded, observation);
      },
      &book_);
}

source::Frame Session::frame_of(const roce_frame& frame) {
  source::Frame out;
  out.id = FrameId(0, numbers_.take(frame.number));
  out.interface = interfaces_.index_of(frame, source_);
  out.link_type = static_cast<LinkType>(frame.link_type);
  if (frame.has_time) last_time_ = Nanos{frame.time_ns};
  out.time = last_time_;
  out.has_time = frame.has_time;
  out.wire_length = std::max(frame.wire_length, frame.captured_length);
  out.bytes = Bytes(frame.bytes, frame.captured_length);
  return out;
}

roce_status Session::feed(const roce_frame& frame) {
  if (ended_) return ROCE_AFTERWARDS;
  roce_ = false;
  const std::uint64_t omitted = book_.omitted();
  source_.push(frame_of(frame));
  analysis_->step(source_);
  if (!roce_) return ROCE_NOTHING;
  return book_.omitted() == omitted ? ROCE_OK : ROCE_LIMIT;
}

void Session::end() {
  if (ended_) return;
  analysis_->end(source_);
  snapshot_ = analysis_->finish();
  snapshot_.rocetop_version = ROCETOP_VERSION;
  ended_ = true;
}

/// veRoCE by the layout that is known of its connection by now.
void Session::decode(const roce_frame& frame, wire::Decoded& decoded) const {
  wire::decode(static_cast<LinkType>(frame.link_type), Bytes(frame.bytes, frame.captured_length),
               std::max(frame.wire_length, frame.captured_length), decode_, decoded);
  if (decoded.kind != wire::FrameKind::kRoce || decoded.packet.protocol != wire::Protocol::kVeroce) return;
  track::VeroceLayouts as_known(decode_.veroce_layout, analysis_->veroce_layouts());
  as_known.settle_copy(decoded.packet);
}

bool Session::describe_veroce(const roce_frame& frame, roce_veroce& veroce) const {
  wire::Decoded decoded;
  decode(frame, decoded);
  if (decoded.kind != wire::FrameKind::kRoce || decoded.packet.protocol != wire::Protocol::kVeroce) return false;
  describe_veroce_headers(decoded.packet, veroce);
  return true;
}

/// What is not known of a frame without a stamp.
constexpr std::uint32_t kTimes = ROCE_KNOWS_WAIT | ROCE_KNOWS_RTT | ROCE_KNOWS_CNP_DELAY | ROCE_KNOWS_COMPLETION_TIME;

bool Session::describe(const roce_frame& frame, bool settled, roce_packet& packet) const {
  wire::Decoded decoded;
  decode(frame, decoded);
  packet = {};
  packet.frame = numbers_.own(frame.number);
  packet.time_ns = frame.time_ns;
  packet.wire_bytes = std::max(frame.wire_length, frame.captured_length);
  if (!describe_frame(decoded, packet)) return false;
  if (decoded.kind == wire::FrameKind::kRoce) describe_analysis(book_, settled, packet);
  if (!frame.has_time) packet.known &= ~kTimes;
  packet.original_hidden = packet.original_frame != 0 && numbers_.shown(packet.original_frame) == 0;
  for (std::uint32_t* number :
       {&packet.frame, &packet.original_frame, &packet.trigger_frame, &packet.acks_frame, &packet.names_frame,
        &packet.acked_in, &packet.cnp_mark_frame, &packet.message_first_frame, &packet.message_last_frame,
        &packet.message_completed_in}) {
    *number = numbers_.shown(*number);
  }
  return true;
}

const model::Snapshot& Session::snapshot() {
  if (!ended_) {
    snapshot_ = analysis_->snapshot(source_);
    snapshot_.rocetop_version = ROCETOP_VERSION;
  }
  return snapshot_;
}

}  // namespace rocetop::dissector
