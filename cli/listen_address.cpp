// SPDX-License-Identifier: BSD-3-Clause
#include "listen_address.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

namespace rocetop::cli {
namespace {

constexpr int kWaitingMost = 128;  // connections that nobody has accepted yet

std::string shown(std::string_view host, std::uint16_t port) {
  return host.find(':') == std::string_view::npos ? fmt::format("{}:{}", host, port)
                                                  : fmt::format("[{}]:{}", host, port);
}

/// As it is bound, in numbers.
std::string bound_address(int descriptor) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  if (getsockname(descriptor, address, &length) != 0) return "?";
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (getnameinfo(address, length, host.data(), host.size(), port.data(), port.size(),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "?";
  }
  std::uint16_t number = 0;
  std::from_chars(port.data(), port.data() + std::strlen(port.data()), number);
  return shown(host.data(), number);
}

std::uint16_t port_of(const std::string& address) {
  std::uint16_t port = 0;
  const std::size_t colon = address.rfind(':');
  std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
  return port;
}

Error cannot_listen(const std::string& address, int reason) {
  const char* hint = reason == EADDRINUSE ? "Another program listens there. --web.listen-address takes another port."
                     : reason == EACCES   ? "Ports below 1024 take the right CAP_NET_BIND_SERVICE."
                     : reason == EADDRNOTAVAIL ? "No interface of this machine has that address."
                                               : "";
  return Error{"cannot listen on " + address + ": " + std::strerror(reason), hint};
}

/// `address` for messages. -1 and errno where it fails.
int bind_one(const addrinfo& info, bool both_protocols) {
  const int descriptor = socket(info.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -1;
  const int on = 1;
  const int only_ipv6 = both_protocols ? 0 : 1;
  // A server that was just stopped leaves connections behind that do not count.
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (info.ai_family == AF_INET6) setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &only_ipv6, sizeof only_ipv6);
  if (bind(descriptor, info.ai_addr, info.ai_addrlen) == 0 && listen(descriptor, kWaitingMost) == 0) return descriptor;
  const int reason = errno;
  ::close(descriptor);
  errno = reason;
  return -1;
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses> resolve(const std::string& host, std::uint16_t port, int family) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int failed = getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (failed != 0) {
    return Error{"cannot listen on " + shown(host, port) + ": " + gai_strerror(failed),
                 "Give an address of this machine, or nothing before the colon for all of them."};
  }
  return Addresses(list);
}

/// Every address of this machine: by one socket, where there is IPv6.
Result<std::vector<ListeningSocket>> listen_everywhere(std::uint16_t port) {
  std::vector<ListeningSocket> out;
  int reason = 0;
  for (const int family : {AF_INET6, AF_INET}) {
    auto addresses = resolve("", port, family);
    if (!addresses) continue;
    const int descriptor = bind_one(**addresses, true);
    if (descriptor >= 0) {
      out.emplace_back(descriptor, bound_address(descriptor), family == AF_INET6);
      return out;
    }
    if (reason == 0 || errno != EADDRINUSE) reason = errno;
    if (errno == EADDRINUSE || errno == EACCES) break;  // IPv4 alone would serve half of those who ask
  }
  return cannot_listen(":" + std::to_string(port), reason);
}

}  // namespace

Result<ListenAddress> parse_listen_address(std::string_view text) {
  const Error wrong{"--web.listen-address " + std::string(text) + ": not an address",
                    "Give [HOST]:PORT, for example :14791, 127.0.0.1:14791 or [::1]:14791."};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong;
  ListenAddress out;
  const std::string_view digits = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return wrong;
  std::string_view host = text.substr(0, colon);
  const bool brackets = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  if (brackets) host = host.substr(1, host.size() - 2);
  if (!brackets && host.find_first_of(":[]") != std::string_view::npos) return wrong;
  if (host.find('\0') != std::string_view::npos) return wrong;
  out.host = host;
  return out;
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : descriptor_(other.release()), address_(std::move(other.address_)), is_ipv6_(other.is_ipv6_) {}

ListeningSocket::~ListeningSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int ListeningSocket::release() { return std::exchange(descriptor_, -1); }

Result<std::vector<ListeningSocket>> listen_on(const ListenAddress& address) {
  if (address.host.empty()) return listen_everywhere(address.port);
  const std::string wildcard = "::";
  std::vector<ListeningSocket> out;
  std::uint16_t port = address.port;
  auto addresses = resolve(address.host, port, AF_UNSPEC);
  if (!addresses) return addresses.error();
  for (const addrinfo* info = addresses->get(); info != nullptr; info = info->ai_next) {
    // One port for all addresses of a name, although somebody may choose it.
    if (port != 0 && info->ai_family == AF_INET) reinterpret_cast<sockaddr_in*>(info->ai_addr)->sin_port = htons(port);
    if (port != 0 && info->ai_family == AF_INET6) {
      reinterpret_cast<sockaddr_in6*>(info->ai_addr)->sin6_port = htons(port);
    }
    const int descriptor = bind_one(*info, address.host == wildcard);
    if (descriptor < 0) {
      // "localhost" is both, also where a machine has no IPv6.
      if (errno == EADDRNOTAVAIL || errno == EAFNOSUPPORT) {
        if (info->ai_next != nullptr || !out.empty()) continue;
      }
      return cannot_listen(shown(address.host, port), errno);
    }
    out.emplace_back(descriptor, bound_address(descriptor), info->ai_family == AF_INET6);
    port = port_of(out.back().address());
  }
  return out;
}

}  // namespace rocetop::cli
