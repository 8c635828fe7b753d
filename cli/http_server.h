// SPDX-License-Identifier: BSD-3-Clause
// HttpServer: answers GET and HEAD (RFC 9110, RFC 9112: HTTP/1.1 with keep-alive) with or without TLS, in one thread of
// its own. It is made for a machine that has something better to do: whoever sends slowly, reads slowly or opens many
// connections is cut off, and counted. Boost.Beast reads and writes; what is served is the handler's.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http_message.h"
#include "listen_address.h"
#include "web_config.h"

namespace boost::asio::ssl {
class context;
}

namespace rocetop::cli {

struct HttpLimits {
  std::size_t connections = 64;  ///< at one time: far below what a process may open, which capture needs too
  std::size_t head_bytes = 16 * 1'024;
  std::chrono::milliseconds head{5'000};       ///< from the first byte of a request to the end of its head; TLS and all
  std::chrono::milliseconds idle{120'000};     ///< between requests: longer than people scrape apart
  std::chrono::milliseconds response{10'000};  ///< from the first byte of an answer to its last
  std::chrono::milliseconds parting{1'000};    ///< for what a client still sends although it was refused
};

/// Why somebody was turned away.
enum class HttpRejection : std::uint8_t {
  kConnections,   ///< too many: the one that was idle longest, or the newest, was closed
  kSlowRequest,   ///< the head did not come in time
  kSlowReader,    ///< the answer was not taken in time
  kBadRequest,    ///< 400
  kTooLarge,      ///< 413, 431: a body, or a head that is too long
  kMethod,        ///< 405
  kUnauthorized,  ///< 401
  kBusy,          ///< 503: too many passwords wait to be verified
  kRateLimit,     ///< 429
  kTls,           ///< the handshake failed
  kDescriptors,   ///< a connection could not be accepted
};
constexpr std::size_t kHttpRejections = 11;
std::string_view word(HttpRejection rejection);  ///< "too_many_connections"

/// What a web configuration asks for, ready to be used.
struct HttpPolicy {
  std::shared_ptr<boost::asio::ssl::context> tls;  ///< null: plain HTTP
  std::vector<std::pair<std::string, std::string>> headers;
  std::map<std::string, std::string> users;
  RateLimit rate_limit;
};

/// Errors: certificates and keys that cannot be used.
Result<HttpPolicy> make_policy(const WebConfig& config);

struct HttpCounts {
  std::size_t connections = 0;  ///< now
  std::array<std::uint64_t, kHttpRejections> rejections{};
};

/// Called by the server's thread once an answer is written, or was given up.
using HttpAnswered = std::function<void(const std::string& path, unsigned status)>;

class HttpServer {
 public:
  /// Serves at once. `answered` may be empty.
  HttpServer(std::vector<ListeningSocket> sockets, const HttpLimits& limits, HttpPolicy policy, HttpHandler handler,
             HttpAnswered answered = {});
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// stop(), with no time to finish.
  ~HttpServer();

  /// From the next request on. Where TLS is part of it, connections end after the answer that they wait for.
  void set_policy(HttpPolicy policy);
  /// Takes no more connections, lets answers that have begun end for so long, and ends.
  void stop(std::chrono::milliseconds grace);

  HttpCounts counts() const;

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

}  // namespace rocetop::cli
