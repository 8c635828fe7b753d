// SPDX-License-Identifier: BSD-3-Clause
#include "base/ip_address.h"

#include <arpa/inet.h>

namespace rocetop {

IpAddress IpAddress::v6(const std::uint8_t* p) {
  IpAddress a;
  a.high_ = load_be64(p);
  a.low_ = load_be64(p + 8);
  return a;
}

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string terminated(text);
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET, terminated.c_str(), bytes.data()) == 1) return v4(bytes.data());
  if (inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return v6(bytes.data());
  return std::nullopt;
}

std::string IpAddress::to_string() const {
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::uint8_t>(high_ >> (56 - 8 * i));
    bytes[8 + i] = static_cast<std::uint8_t>(low_ >> (56 - 8 * i));
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (is_v4()) {
    inet_ntop(AF_INET, bytes.data() + 12, text.data(), text.size());
  } else {
    inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
  }
  return text.data();
}

}  // namespace rocetop
