// SPDX-License-Identifier: BSD-3-Clause
#include "base/number_text.h"

namespace rocetop {

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string plural(std::uint64_t n, std::string_view one, std::string_view many) {
  std::string noun(one);
  if (n != 1) noun = many.empty() ? noun + "s" : std::string(many);
  return grouped(n) + " " + noun;
}

}  // namespace rocetop
