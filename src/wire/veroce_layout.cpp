// SPDX-License-Identifier: BSD-3-Clause
// The table of disputed items. Where the words come from: notes on the specification, a simulator's model that says it
// follows v2.0.4, and articles; docs/veroce.md says which item rests on what.
#include "wire/veroce_layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace rocetop::wire {
namespace {

constexpr VeroceAlternative kHeaderSets[] = {
    {"veroce", "MSNETH and its like follow the BTH"},
    {kPlainLayout, "plain RoCEv2 on veRoCE's port: the headers are those of the InfiniBand specification"},
};
constexpr VeroceAlternative kRetransmitBits[] = {{"0x40", "the bit after AckReq"},
                                                 {"0x20", ""},
                                                 {"0x10", ""},
                                                 {"0x08", ""},
                                                 {"0x04", ""},
                                                 {"0x02", ""},
                                                 {"0x01", ""}};
constexpr VeroceAlternative kWriteReths[] = {
    {"every", "RETH in each packet of a WRITE"},
    {"first", "RETH in First and Only alone, as in RoCEv2"},
};
constexpr VeroceAlternative kSackOrders[] = {
    {"len_psn", "Bitmap Valid Length, then Bitmap Starting PSN"},
    {"psn_len", "Bitmap Starting PSN, then Bitmap Valid Length"},
};
constexpr VeroceAlternative kSackBitOrders[] = {
    {"be128", "one big-endian number: offset 0 is the lowest bit of the last byte"},
    {"le128", "one little-endian number: offset 0 is the lowest bit of the first byte"},
    {"msb_first", "as written: offset 0 is the highest bit of the first byte"},
    {"be32", "four big-endian words, the first one first: offset 0 is the lowest bit of byte 3"},
    {"be64", "two big-endian words, the first one first: offset 0 is the lowest bit of byte 7"},
};
constexpr VeroceAlternative kSackStarts[] = {
    {"acked", "the bitmap starts at the acknowledged PSN"},
    {"next", "the bitmap starts at the PSN after it"},
};
constexpr VeroceAlternative kImmediateOrders[] = {
    {"rq_po_imm", "RQETH, POETH, ImmDt"}, {"rq_imm_po", "RQETH, ImmDt, POETH"}, {"po_rq_imm", "POETH, RQETH, ImmDt"},
    {"po_imm_rq", "POETH, ImmDt, RQETH"}, {"imm_rq_po", "ImmDt, RQETH, POETH"}, {"imm_po_rq", "ImmDt, POETH, RQETH"},
};
constexpr VeroceAlternative kInvalidateOrders[] = {
    {"rq_po_ieth", "RQETH, POETH, IETH"}, {"rq_ieth_po", "RQETH, IETH, POETH"}, {"po_rq_ieth", "POETH, RQETH, IETH"},
    {"po_ieth_rq", "POETH, IETH, RQETH"}, {"ieth_rq_po", "IETH, RQETH, POETH"}, {"ieth_po_rq", "IETH, POETH, RQETH"},
};
constexpr VeroceAlternative kAtomicAcks[] = {
    {"aeth_first", "AETH, AtomicAckETH"},
    {"aeth_last", "AtomicAckETH, AETH"},
};
constexpr VeroceAlternative kCnpBodies[] = {
    {"either", "nothing or 16 reserved bytes, by the length"},
    {"0", "nothing"},
    {"16", "16 reserved bytes, as in RoCEv2"},
};
constexpr VeroceAlternative kIcrcRules[] = {
    {"roce", "as RoCEv2's"},
    {"unmasked", "as RoCEv2's, but BTH byte 4 as it stands"},
    {"big_endian", "as RoCEv2's, but most significant byte first"},
    {"unmasked_big_endian", "both"},
};

constexpr std::array<VeroceItemFacts, kVeroceItems> kItems = {{
    {"headers", "what follows the BTH", kHeaderSets},
    {"retrans_bit", "Retrans flag: bit of BTH byte 8", kRetransmitBits},
    {"write_reth", "RETH of a WRITE", kWriteReths},
    {"sack_order", "first fields of SACKETH", kSackOrders},
    {"sack_bits", "bits of the SACK bitmap", kSackBitOrders},
    {"sack_start", "start of the SACK bitmap", kSackStarts},
    {"write_imm", "WRITE with immediate, behind MSNETH and RETH", kImmediateOrders},
    {"send_imm", "SEND with immediate, behind MSNETH", kImmediateOrders},
    {"send_inv", "SEND with invalidate, behind MSNETH", kInvalidateOrders},
    {"atomic_ack", "atomic acknowledgement, behind MSNETH", kAtomicAcks},
    {"cnp_body", "behind a CNP's BTH", kCnpBodies},
    {"icrc", "ICRC (all are tried unless one is given)", kIcrcRules},
}};

std::string keys() {
  std::string text;
  for (const VeroceItemFacts& item : kItems) text += (text.empty() ? "" : ", ") + std::string(item.key);
  return text;
}

std::string words(const VeroceItemFacts& item) {
  std::string text;
  for (const VeroceAlternative& a : item.alternatives) text += (text.empty() ? "" : ", ") + std::string(a.word);
  return text;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = std::min(text.find_first_not_of(kBlank), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

}  // namespace

const VeroceItemFacts& veroce_item(VeroceItem item) { return kItems[static_cast<std::size_t>(item)]; }

Result<Done> set_veroce_item(VeroceLayout& layout, std::string_view key, std::string_view word) {
  const auto item = std::ranges::find(kItems, key, &VeroceItemFacts::key);
  if (item == kItems.end()) return Error{fmt::format("veRoCE's layout has no '{}'", key), "There are: " + keys() + "."};
  const auto found = std::ranges::find(item->alternatives, word, &VeroceAlternative::word);
  if (found == item->alternatives.end()) {
    return Error{fmt::format("veRoCE's layout: {} cannot be '{}'", key, word),
                 fmt::format("{}: {}.", item->key, words(*item))};
  }
  const auto index = static_cast<std::size_t>(item - kItems.begin());
  layout.choice[index] = static_cast<std::uint8_t>(found - item->alternatives.begin());
  layout.given = static_cast<std::uint16_t>(layout.given | 1U << index);
  return Done{};
}

Result<Done> set_veroce_item(VeroceLayout& layout, std::string_view key_and_word) {
  const std::size_t equals = key_and_word.find('=');
  if (equals == std::string_view::npos) {
    return Error{fmt::format("veRoCE's layout: '{}' is not key=value", key_and_word), "Keys: " + keys() + "."};
  }
  return set_veroce_item(layout, trimmed(key_and_word.substr(0, equals)), trimmed(key_and_word.substr(equals + 1)));
}

Result<Done> read_veroce_layout(VeroceLayout& layout, std::string_view text) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto set = set_veroce_item(layout, line);
    if (!set) return Error{fmt::format("line {}: {}", number, set.error().message), set.error().hint};
  }
  return Done{};
}

std::string differences(const VeroceLayout& layout) {
  std::string text;
  for (std::size_t i = 0; i < kVeroceItems; ++i) {
    if (layout.choice[i] == 0) continue;
    text +=
        fmt::format("{}{}={}", text.empty() ? "" : ", ", kItems[i].key, kItems[i].alternatives[layout.choice[i]].word);
  }
  return text;
}

std::string layout_text(const VeroceLayout& layout) {
  const std::string different = differences(layout);
  return std::string(kVeroceLayoutName) + (different.empty() ? "" : " with " + different);
}

std::string veroce_layout_help() {
  std::string text;
  for (const VeroceItemFacts& item : kItems) text += fmt::format("  {}\t{}: {}\n", item.key, item.help, words(item));
  return text;
}

}  // namespace rocetop::wire
