// SPDX-License-Identifier: BSD-3-Clause
// Where a server listens: "[HOST]:PORT" as the neighbours' --web.listen-address has it, and the sockets for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace rocetop::cli {

struct ListenAddress {
  std::string host;  ///< name or address without brackets; empty: every address of this machine, IPv4 and IPv6
  std::uint16_t port = 0;
};

/// ":14791", "127.0.0.1:0", "[::1]:14791", "localhost:14791".
Result<ListenAddress> parse_listen_address(std::string_view text);

/// A socket that listens. Moves like a unique_ptr.
class ListeningSocket {
 public:
  ListeningSocket(int descriptor, std::string address, bool is_ipv6)
      : descriptor_(descriptor), address_(std::move(address)), is_ipv6_(is_ipv6) {}
  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();

  int release();
  /// "127.0.0.1:14791", "[::]:14791": with the port that was chosen, where 0 was asked for.
  const std::string& address() const { return address_; }
  bool is_ipv6() const { return is_ipv6_; }

 private:
  int descriptor_;
  std::string address_;
  bool is_ipv6_;
};

/// One socket for each address that the host has; one for both protocols where it is empty. Errors: no such host, the
/// port is taken, no right to it.
Result<std::vector<ListeningSocket>> listen_on(const ListenAddress& address);

}  // namespace rocetop::cli
