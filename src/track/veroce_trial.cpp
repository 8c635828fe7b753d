// SPDX-License-Identifier: BSD-3-Clause
#include "track/veroce_trial.h"

namespace rocetop::track {
namespace {

using wire::Packet;
using wire::VeroceItem;
using wire::VeroceLayout;
using wire::VeroceOpcode;
using wire::VeroceReading;
using wire::VeroceShape;

constexpr std::uint32_t bit(std::uint8_t alternative) { return 1U << alternative; }

ConcernedItems of(VeroceItem item) { return {{item, item}, 1}; }

/// Reads one combination of alternatives and notes what fits.
class Trial {
 public:
  Trial(const Packet& packet, const VeroceContext& context, const VeroceOpcode& opcode, VeroceTrial& out)
      : packet_(packet), context_(context), opcode_(opcode), out_(out) {}

  void take(const VeroceLayout& layout) {
    const VeroceReading reading = wire::read_veroce(packet_, layout, context_.path_mtu());
    if (!reading.passed()) return;
    if (!context_.agrees(packet_, opcode_, reading)) {
      out_.disagrees = true;
      return;
    }
    out_.passes = true;
    out_.follows = out_.follows || context_.follows(packet_, opcode_, reading);
    if (opcode_.shape == VeroceShape::kAtomicAck && !takes_aeth(reading)) return;
    for (std::uint8_t i = 0; i < out_.concerned.count; ++i) out_.fitting[i] |= bit(layout.at(out_.concerned.items[i]));
  }

 private:
  /// Eight bytes of any value stand beside the AETH: of two readings that pass, the one that is nearer to the AETH
  /// before. MSNs count from 1: an AETH of a response with 0 is none.
  bool takes_aeth(const VeroceReading& reading) {
    if (!reading.has(wire::kAeth)) return true;
    if (reading.aeth.msn.value == 0) return false;
    const std::uint32_t distance = context_.aeth_distance(reading.aeth);
    if (out_.fitting[0] != 0 && distance > best_distance_) return false;
    if (distance < best_distance_) out_.fitting[0] = 0;
    best_distance_ = distance;
    return true;
  }

  const Packet& packet_;
  const VeroceContext& context_;
  const VeroceOpcode& opcode_;
  VeroceTrial& out_;
  std::uint32_t best_distance_ = UINT32_MAX;
};

template <typename Visit>
void each_alternative(VeroceItem item, const VeroceLayout& base, Visit visit) {
  const std::uint32_t possible = possible_alternatives(item, base);
  for (std::uint8_t i = 0; i < wire::kMostAlternatives; ++i) {
    if ((possible & bit(i)) != 0) visit(i);
  }
}

}  // namespace

ConcernedItems concerned_items(const VeroceOpcode& opcode) {
  const bool begins = opcode.position == wire::Position::kFirst || opcode.position == wire::Position::kOnly;
  switch (opcode.shape) {
    case VeroceShape::kWrite:
      return begins ? ConcernedItems{} : of(VeroceItem::kWriteReth);
    case VeroceShape::kWriteImmediate:
      if (begins) return of(VeroceItem::kWriteImmediate);
      return {{VeroceItem::kWriteReth, VeroceItem::kWriteImmediate}, 2};
    case VeroceShape::kSendImmediate:
      return of(VeroceItem::kSendImmediate);
    case VeroceShape::kSendInvalidate:
      return of(VeroceItem::kSendInvalidate);
    case VeroceShape::kSack:
      return {{VeroceItem::kSackOrder, VeroceItem::kSackBits}, 2};
    case VeroceShape::kAtomicAck:
      return of(VeroceItem::kAtomicAck);
    default:
      return {};
  }
}

std::uint32_t possible_alternatives(VeroceItem item, const VeroceLayout& base) {
  if (base.is_given(item)) return bit(base.at(item));
  return (1U << wire::veroce_item(item).alternatives.size()) - 1;
}

std::uint32_t same_reading(VeroceItem item, const Packet& packet, const VeroceLayout& layout) {
  const VeroceOpcode opcode = wire::veroce_opcode(packet.bth.opcode);
  if (item == VeroceItem::kSackOrder || item == VeroceItem::kSackBits) return 0;  // one chain, read differently
  const wire::HeaderChain chain = wire::header_chain(opcode, layout);
  std::uint32_t same = 0;
  VeroceLayout other = layout;
  const auto alternatives = static_cast<std::uint8_t>(wire::veroce_item(item).alternatives.size());
  for (std::uint8_t i = 0; i < alternatives; ++i) {
    other.set(item, i);
    if (wire::header_chain(opcode, other) == chain) same |= bit(i);
  }
  return same;
}

VeroceTrial try_readings(const Packet& packet, const VeroceContext& context, const VeroceLayout& layout,
                         const VeroceLayout& base) {
  VeroceTrial out;
  const VeroceOpcode opcode = wire::veroce_opcode(packet.bth.opcode);
  out.concerned = concerned_items(opcode);
  out.fits_ibta = wire::fits_ibta(packet);
  Trial trial(packet, context, opcode, out);
  VeroceLayout attempt = layout;
  if (out.concerned.count == 0) {
    trial.take(attempt);
  } else {
    each_alternative(out.concerned.items[0], base, [&](std::uint8_t first) {
      attempt.set(out.concerned.items[0], first);
      if (out.concerned.count == 1) return trial.take(attempt);
      each_alternative(out.concerned.items[1], base, [&](std::uint8_t second) {
        attempt.set(out.concerned.items[1], second);
        trial.take(attempt);
      });
    });
  }
  out.disagrees = out.disagrees && !out.passes;
  return out;
}

}  // namespace rocetop::track
