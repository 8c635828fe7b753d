// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/veroce_options.h"

#include <algorithm>

namespace rocetop::generate::sim {
namespace {

constexpr std::uint64_t kWeightMost = 1'000;

/// One thing that a layout may say.
struct LayoutWord {
  std::string_view text;
  void (*set)(VerocePlan& plan);
};

template <auto Member, auto Value>
void put(VerocePlan& plan) {
  plan.wire.*Member = Value;
}

/// Orders of what stands behind MSNETH (and RETH).
constexpr const char kRqPoOwn[] = "rq po own";
constexpr const char kRqOwnPo[] = "rq own po";
constexpr const char kPoRqOwn[] = "po rq own";
constexpr const char kPoOwnRq[] = "po own rq";
constexpr const char kOwnRqPo[] = "own rq po";
constexpr const char kOwnPoRq[] = "own po rq";

template <auto Member, const auto& Words>
void put_order(VerocePlan& plan) {
  plan.wire.*Member = Words;
}

template <bool Unmasked, bool BigEndian>
void put_icrc(VerocePlan& plan) {
  plan.wire.icrc_unmasked = Unmasked;
  plan.wire.icrc_big_endian = BigEndian;
}

using Wire = VeroceWire;
using Bit = VeroceWire::SackBit;

constexpr LayoutWord kWords[] = {
    {"headers=veroce", put<&Wire::plain, false>},
    {"headers=ibta", put<&Wire::plain, true>},
    {"headers=unknown", put<&Wire::extra_bytes, 4>},
    {"retrans_bit=0x40", put<&Wire::retransmit_bit, 0x40>},
    {"retrans_bit=0x20", put<&Wire::retransmit_bit, 0x20>},
    {"retrans_bit=0x10", put<&Wire::retransmit_bit, 0x10>},
    {"retrans_bit=0x08", put<&Wire::retransmit_bit, 0x08>},
    {"retrans_bit=0x04", put<&Wire::retransmit_bit, 0x04>},
    {"retrans_bit=0x02", put<&Wire::retransmit_bit, 0x02>},
    {"retrans_bit=0x01", put<&Wire::retransmit_bit, 0x01>},
    {"write_reth=every", put<&Wire::reth_in_every_write, true>},
    {"write_reth=first", put<&Wire::reth_in_every_write, false>},
    {"sack_order=len_psn", put<&Wire::sack_length_first, true>},
    {"sack_order=psn_len", put<&Wire::sack_length_first, false>},
    {"sack_bits=be128", put<&Wire::sack_bit, Bit::kLastFirst>},
    {"sack_bits=le128", put<&Wire::sack_bit, Bit::kByteWise>},
    {"sack_bits=msb_first", put<&Wire::sack_bit, Bit::kAsWritten>},
    {"sack_bits=be32", put<&Wire::sack_bit, Bit::kByWord>},
    {"sack_bits=be64", put<&Wire::sack_bit, Bit::kByDoubleWord>},
    {"sack_start=acked", put<&Wire::sack_starts_after, 0>},
    {"sack_start=next", put<&Wire::sack_starts_after, 1>},
    {"write_imm=rq_po_imm", put_order<&Wire::write_immediate, kRqPoOwn>},
    {"write_imm=rq_imm_po", put_order<&Wire::write_immediate, kRqOwnPo>},
    {"write_imm=po_rq_imm", put_order<&Wire::write_immediate, kPoRqOwn>},
    {"write_imm=po_imm_rq", put_order<&Wire::write_immediate, kPoOwnRq>},
    {"write_imm=imm_rq_po", put_order<&Wire::write_immediate, kOwnRqPo>},
    {"write_imm=imm_po_rq", put_order<&Wire::write_immediate, kOwnPoRq>},
    {"send_imm=rq_po_imm", put_order<&Wire::send_immediate, kRqPoOwn>},
    {"send_imm=rq_imm_po", put_order<&Wire::send_immediate, kRqOwnPo>},
    {"send_imm=po_rq_imm", put_order<&Wire::send_immediate, kPoRqOwn>},
    {"send_imm=po_imm_rq", put_order<&Wire::send_immediate, kPoOwnRq>},
    {"send_imm=imm_rq_po", put_order<&Wire::send_immediate, kOwnRqPo>},
    {"send_imm=imm_po_rq", put_order<&Wire::send_immediate, kOwnPoRq>},
    {"send_inv=rq_po_ieth", put_order<&Wire::send_invalidate, kRqPoOwn>},
    {"send_inv=rq_ieth_po", put_order<&Wire::send_invalidate, kRqOwnPo>},
    {"send_inv=po_rq_ieth", put_order<&Wire::send_invalidate, kPoRqOwn>},
    {"send_inv=po_ieth_rq", put_order<&Wire::send_invalidate, kPoOwnRq>},
    {"send_inv=ieth_rq_po", put_order<&Wire::send_invalidate, kOwnRqPo>},
    {"send_inv=ieth_po_rq", put_order<&Wire::send_invalidate, kOwnPoRq>},
    {"atomic_ack=aeth_first", put<&Wire::atomic_aeth_first, true>},
    {"atomic_ack=aeth_last", put<&Wire::atomic_aeth_first, false>},
    {"cnp_body=16", [](VerocePlan& plan) { plan.cnp_body = 16; }},
    {"cnp_body=0", [](VerocePlan& plan) { plan.cnp_body = 0; }},
    {"icrc=roce", put_icrc<false, false>},
    {"icrc=unmasked", put_icrc<true, false>},
    {"icrc=big_endian", put_icrc<false, true>},
    {"icrc=unmasked_big_endian", put_icrc<true, true>},
};

/// What stands between commas, each as a word of its own.
Result<std::vector<Word>> parts(const Option& option) {
  const auto all = value_word(option);
  if (!all) return all.error();
  std::vector<Word> words;
  Word rest = all.value();
  while (true) {
    const std::size_t length = std::min(rest.text.find(','), rest.text.size());
    words.push_back({rest.text.substr(0, length), rest.line, rest.column});
    if (length == rest.text.size()) return words;
    rest.text.remove_prefix(length + 1);
    rest.column += length + 1;
  }
}

template <typename T>
Failure set_numbers(std::vector<T>& target, const Option& option, std::uint64_t most) {
  const auto words = parts(option);
  if (!words) return words.error();
  if (words.value().size() > kPathsMost) return error_at(option.word, "more than " + std::to_string(kPathsMost));
  target.clear();
  for (const Word& word : words.value()) {
    const auto value = parse_number(word, most);
    if (!value || value.value() == 0) {
      return error_at(word, "numbers from 1 to " + std::to_string(most) + ", with commas between them, are expected");
    }
    target.push_back(static_cast<T>(value.value()));
  }
  return std::nullopt;
}

std::string_view key_of(std::string_view text) { return text.substr(0, text.find('=')); }

/// What the key of a word that is not known may be, or all keys.
std::string choices(std::string_view text) {
  std::string words;
  std::string keys;
  for (const LayoutWord& word : kWords) {
    if (key_of(word.text) == key_of(text)) words += (words.empty() ? "" : ", ") + std::string(word.text);
    const std::string key(key_of(word.text));
    if (!keys.ends_with(key)) keys += (keys.empty() ? "" : ", ") + key;
  }
  return words.empty() ? "one of " + keys + " is expected, as sack_order=psn_len" : words + " is expected";
}

}  // namespace

Failure set_protocol(ConnectionPlan& connection, const Option& option) {
  if (option.value != "rocev2" && option.value != "veroce") {
    return error_at(option.word, "protocol=rocev2 or protocol=veroce is expected");
  }
  connection.protocol = option.value == "veroce" ? Protocol::kVeroce : Protocol::kRocev2;
  return std::nullopt;
}

Failure set_ports(VerocePlan& plan, const Option& option) {
  if (auto failure = set_numbers(plan.ports, option, 65'535)) return failure;
  std::vector<std::uint16_t> sorted = plan.ports;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return std::nullopt;
  return error_at(option.word, "one port is not two paths");
}

Failure set_weights(VerocePlan& plan, const Option& option) { return set_numbers(plan.weights, option, kWeightMost); }

Failure set_fault_ports(FaultPlan& fault, const Option& option) { return set_numbers(fault.ports, option, 65'535); }

Failure set_signal(VerocePlan& plan, const Option& option) {
  if (option.value != "cnp" && option.value != "becn") {
    return error_at(option.word, "signal=cnp or signal=becn is expected");
  }
  plan.becn = option.value == "becn";
  return std::nullopt;
}

Failure set_layout(VerocePlan& plan, const Option& option) {
  const auto words = parts(option);
  if (!words) return words.error();
  for (const Word& word : words.value()) {
    const auto* known =
        std::find_if(std::begin(kWords), std::end(kWords), [&](const LayoutWord& w) { return w.text == word.text; });
    if (known == std::end(kWords)) return error_at(word, choices(word.text));
    known->set(plan);
  }
  return std::nullopt;
}

std::vector<std::string> layout_words() {
  std::vector<std::string> words;
  for (const LayoutWord& word : kWords) words.emplace_back(word.text);
  return words;
}

}  // namespace rocetop::generate::sim
