// SPDX-License-Identifier: BSD-3-Clause
// VeroceLayout: where veRoCE's headers stand and how they are to be read, as data. Its specification (ByteDance veRoCE
// Transport Protocol v2.0.4, 18 December 2025) is known here from third parties who read it, and where they are silent
// or disagree there is more than one reading. Each such item is one entry of a table: its alternatives, the default
// first. Choosing among them by the bytes of a connection is track/veroce_layouts.h's; reading is veroce.h's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace rocetop::wire {

/// What is disputed, or told by one source alone.
enum class VeroceItem : std::uint8_t {
  kHeaders,         ///< are veRoCE's headers there at all?
  kRetransmitBit,   ///< which bit of BTH byte 8
  kWriteReth,       ///< RETH in every packet of a WRITE?
  kSackOrder,       ///< which of SACKETH's first two fields comes first
  kSackBits,        ///< where offset i of the SACK bitmap stands
  kSackStart,       ///< which PSN the bitmap starts at; it is stated too, so nothing is read by this
  kWriteImmediate,  ///< order of what follows the RETH of a WRITE with immediate data
  kSendImmediate,   ///< order of what follows the MSNETH of a SEND with immediate data
  kSendInvalidate,  ///< … of a SEND with invalidate
  kAtomicAck,       ///< order of the two headers behind an atomic acknowledgement's MSNETH
  kCnpBody,         ///< what follows a CNP's BTH
  kIcrc,            ///< how the ICRC is made
};
inline constexpr std::size_t kVeroceItems = 12;
inline constexpr std::size_t kMostAlternatives = 7;

// Alternatives of the items, in the order of the table.
enum class HeaderSet : std::uint8_t { kVeroce, kIbta };
enum class WriteReth : std::uint8_t { kEvery, kFirst };
enum class SackOrder : std::uint8_t { kLengthFirst, kPsnFirst };
enum class SackBits : std::uint8_t { kBe128, kLe128, kMsbFirst, kBe32, kBe64 };
enum class SackStart : std::uint8_t { kAcknowledged, kNext };
/// Of RQETH, POETH (where there is one) and what only this operation has: ImmDt or IETH ("own").
enum class TailOrder : std::uint8_t { kRqPoOwn, kRqOwnPo, kPoRqOwn, kPoOwnRq, kOwnRqPo, kOwnPoRq };
enum class AtomicAckOrder : std::uint8_t { kAethFirst, kAethLast };
enum class CnpBody : std::uint8_t { kEither, kNone, kReserved16 };
enum class IcrcRule : std::uint8_t { kAnnexA17, kUnmasked, kBigEndian, kUnmaskedBigEndian };

struct VeroceLayout {
  std::array<std::uint8_t, kVeroceItems> choice{};  ///< index of each item's alternative; 0 is the default
  std::uint16_t given = 0;                          ///< bit by item: the user chose, so the bytes do not

  std::uint8_t at(VeroceItem item) const { return choice[static_cast<std::size_t>(item)]; }
  void set(VeroceItem item, std::uint8_t alternative) { choice[static_cast<std::size_t>(item)] = alternative; }
  template <typename Alternative>
  void set(VeroceItem item, Alternative alternative) {
    set(item, static_cast<std::uint8_t>(alternative));
  }
  bool is_given(VeroceItem item) const { return (given >> static_cast<unsigned>(item) & 1) != 0; }

  HeaderSet headers() const { return static_cast<HeaderSet>(at(VeroceItem::kHeaders)); }
  /// Mask in BTH byte 8.
  std::uint8_t retransmit_mask() const { return static_cast<std::uint8_t>(0x40 >> at(VeroceItem::kRetransmitBit)); }
  WriteReth write_reth() const { return static_cast<WriteReth>(at(VeroceItem::kWriteReth)); }
  SackOrder sack_order() const { return static_cast<SackOrder>(at(VeroceItem::kSackOrder)); }
  SackBits sack_bits() const { return static_cast<SackBits>(at(VeroceItem::kSackBits)); }
  TailOrder tail_order(VeroceItem item) const { return static_cast<TailOrder>(at(item)); }
  AtomicAckOrder atomic_ack() const { return static_cast<AtomicAckOrder>(at(VeroceItem::kAtomicAck)); }
  CnpBody cnp_body() const { return static_cast<CnpBody>(at(VeroceItem::kCnpBody)); }
  IcrcRule icrc() const { return static_cast<IcrcRule>(at(VeroceItem::kIcrc)); }

  friend bool operator==(const VeroceLayout&, const VeroceLayout&) = default;
};

/// The default: the specification's version, and that it is not read from the specification itself.
inline constexpr std::string_view kVeroceLayoutName = "veroce-2.0.4 (third-party)";

/// Of kHeaders, for RoCEv2's headers.
inline constexpr std::string_view kPlainLayout = "ibta";

struct VeroceAlternative {
  std::string_view word;
  std::string_view help;
};
struct VeroceItemFacts {
  std::string_view key;
  std::string_view help;
  std::span<const VeroceAlternative> alternatives;  ///< the default first
};
/// Of each item.
const VeroceItemFacts& veroce_item(VeroceItem item);

/// Sets the item that `key` names. Errors: no such key, no such alternative; the hint names those there are.
Result<Done> set_veroce_item(VeroceLayout& layout, std::string_view key, std::string_view word);
/// "key=value".
Result<Done> set_veroce_item(VeroceLayout& layout, std::string_view key_and_word);
/// A file of `key = value` lines; # begins a comment.
Result<Done> read_veroce_layout(VeroceLayout& layout, std::string_view text);

/// "sack_order=psn_len, retrans_bit=0x01": what differs from the default; empty for the default.
std::string differences(const VeroceLayout& layout);
/// "veroce-2.0.4 (third-party)", with differences() behind it where there are some.
std::string layout_text(const VeroceLayout& layout);
/// All items with all alternatives, a line each, for help.
std::string veroce_layout_help();

}  // namespace rocetop::wire
