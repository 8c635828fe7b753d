// SPDX-License-Identifier: BSD-3-Clause
#include "base/number_text.h"

namespace rocetop {

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string plural(std::uint64_t n, std::string_view one, std::string_view many) {
  std::string noun(one);
  if (n != 1) noun = many.empty() ? noun + "s" : std::string(many);
  return grouped(n) + " " + noun;
}

}  // namespace rocetop
