// SPDX-License-Identifier: BSD-3-Clause
// HttpSession: one connection of the HTTP server, with its deadlines. All of it happens in the server's thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "basic_auth.h"
#include "http_server.h"

namespace rocetop::cli {

class HttpSession;

/// What a session asks of its server.
class HttpSessionHost {
 public:
  HttpSessionHost() = default;
  HttpSessionHost(const HttpSessionHost&) = delete;
  HttpSessionHost& operator=(const HttpSessionHost&) = delete;
  virtual ~HttpSessionHost() = default;

  virtual const HttpLimits& limits() const = 0;
  virtual std::shared_ptr<const HttpPolicy> policy() const = 0;
  virtual BasicAuth& auth() = 0;
  virtual void handle(const HttpRequest& request, HttpRespond respond) = 0;
  virtual bool may_ask_now() = 0;  ///< false: more often than the rate limit allows
  virtual bool is_stopping() const = 0;
  virtual void reject(HttpRejection why) = 0;
  virtual void answered(const std::string& path, unsigned status) = 0;
  virtual void ended(HttpSession& session) = 0;
  /// From any thread: `work` is done by the server's thread, which does not end before; or never, after the server has.
  virtual std::function<void(std::function<void()>)> poster() = 0;
};

class HttpSession {
 public:
  using Clock = std::chrono::steady_clock;

  HttpSession() = default;
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;
  virtual ~HttpSession() = default;

  virtual void start() = 0;
  virtual void close() = 0;

  /// No whole request has come since `since()`: nobody waits for an answer.
  bool is_waiting() const { return waiting_; }
  /// An answer is on its way to who asked, since `since()`.
  bool is_writing() const { return writing_; }
  /// Nothing is under way, not even the beginning of a request.
  bool is_idle() const { return idle_; }
  /// It has not asked yet: it may be at its handshake, or about to ask.
  bool is_new() const { return first_; }
  Clock::time_point since() const { return since_; }
  /// The address it comes from; of IPv6 the first 64 bits, which one machine has all of.
  const std::string& peer() const { return peer_; }
  /// Ends after the answer that is under way.
  void end_soon() { ends_soon_ = true; }

 protected:
  std::string peer_;
  Clock::time_point since_ = Clock::now();
  bool waiting_ = true;
  bool writing_ = false;
  bool idle_ = true;
  bool first_ = true;  // request, still to come
  bool ends_soon_ = false;
};

/// TLS, where the host's policy has it. The host outlives the session.
std::shared_ptr<HttpSession> make_session(boost::asio::ip::tcp::socket socket, std::shared_ptr<HttpSessionHost> host);

}  // namespace rocetop::cli
