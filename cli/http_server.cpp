// SPDX-License-Identifier: BSD-3-Clause
#include "http_server.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "basic_auth.h"
#include "http_session.h"
#include "tls_context.h"

namespace rocetop::cli {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kAcceptAgain{100};  // after a failure that may last: no descriptors

/// A token bucket: one token an interval, `burst` at most.
class TokenBucket {
 public:
  void set(const RateLimit& limit) {
    limit_ = limit;
    tokens_ = static_cast<double>(limit.burst);
    last_ = Clock::now();
  }
  bool take() {
    if (limit_.interval.count <= 0) return true;
    const auto now = Clock::now();
    const double passed = static_cast<double>(std::chrono::nanoseconds(now - last_).count());
    last_ = now;
    tokens_ =
        std::min(tokens_ + passed / static_cast<double>(limit_.interval.count), static_cast<double>(limit_.burst));
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

 private:
  RateLimit limit_;
  double tokens_ = 0;
  Clock::time_point last_;
};

struct Acceptor {
  tcp::acceptor socket;
  asio::steady_timer again;

  explicit Acceptor(asio::io_context& io) : socket(io), again(io) {}
};

}  // namespace

std::string_view word(HttpRejection rejection) {
  switch (rejection) {
    case HttpRejection::kConnections:
      return "too_many_connections";
    case HttpRejection::kSlowRequest:
      return "slow_request";
    case HttpRejection::kSlowReader:
      return "slow_reader";
    case HttpRejection::kBadRequest:
      return "bad_request";
    case HttpRejection::kTooLarge:
      return "too_large";
    case HttpRejection::kMethod:
      return "method";
    case HttpRejection::kUnauthorized:
      return "unauthorized";
    case HttpRejection::kBusy:
      return "passwords_waiting";
    case HttpRejection::kRateLimit:
      return "rate_limit";
    case HttpRejection::kTls:
      return "tls";
    case HttpRejection::kDescriptors:
      return "not_accepted";
  }
  return "";
}

Result<HttpPolicy> make_policy(const WebConfig& config) {
  HttpPolicy policy;
  policy.headers = config.headers;
  policy.users = config.users;
  policy.rate_limit = config.rate_limit;
  if (!config.tls.enabled) return policy;
  auto context = make_tls_context(config.tls);
  if (!context) return context.error();
  policy.tls = std::move(context.value());
  return policy;
}

/// All that the server's thread works on. Sessions keep it alive.
class HttpServer::Core final : public HttpSessionHost, public std::enable_shared_from_this<Core> {
 public:
  Core(const HttpLimits& limits, HttpPolicy policy, HttpHandler handler, HttpAnswered answered)
      : limits_(limits),
        policy_(std::make_shared<const HttpPolicy>(std::move(policy))),
        handler_(std::move(handler)),
        answered_(std::move(answered)),
        grace_(io_) {
    bucket_.set(policy_->rate_limit);
  }

  void start(std::vector<ListeningSocket> sockets) {
    for (ListeningSocket& socket : sockets) {
      Acceptor& acceptor = acceptors_.emplace_back(io_);
      const tcp protocol = socket.is_ipv6() ? tcp::v6() : tcp::v4();
      boost::system::error_code error;
      if (!acceptor.socket.assign(protocol, socket.release(), error)) accept(acceptor);
    }
    thread_ = std::thread([this] { io_.run(); });
  }

  void set_policy(HttpPolicy policy) {
    auto next = std::make_shared<const HttpPolicy>(std::move(policy));
    asio::post(io_, [this, next = std::move(next)] {
      const bool about_tls = policy_->tls || next->tls;
      policy_ = next;
      bucket_.set(policy_->rate_limit);
      if (about_tls) end_sessions(false);
    });
  }

  void stop(std::chrono::milliseconds grace) {
    if (!thread_.joinable()) return;
    asio::post(io_, [this, grace] {
      stopping_ = true;
      for (Acceptor& acceptor : acceptors_) {
        boost::system::error_code ignored;
        [[maybe_unused]] const auto same = acceptor.socket.close(ignored);
        acceptor.again.cancel();
      }
      end_sessions(true);
      // Whoever still holds a way to answer has nobody to answer.
      if (sessions_.empty()) return io_.stop();
      grace_.expires_after(grace);
      grace_.async_wait([this](boost::system::error_code error) {
        if (!error) io_.stop();
      });
    });
    thread_.join();
    {
      const std::lock_guard lock(ended_mutex_);
      ended_ = true;
    }
    // What is left lets go of this: requests that wait to be looked at, and then those whose password was.
    const auto left = std::exchange(sessions_, {});
    for (const auto& session : left) session->close();
    run_what_is_left();
    auth_.reset();
    run_what_is_left();
  }

  HttpCounts counts() const {
    HttpCounts out;
    out.connections = connections_;
    for (std::size_t i = 0; i < out.rejections.size(); ++i) out.rejections[i] = rejections_[i];
    return out;
  }

  const HttpLimits& limits() const override { return limits_; }
  std::shared_ptr<const HttpPolicy> policy() const override { return policy_; }
  BasicAuth& auth() override { return *auth_; }
  void handle(const HttpRequest& request, HttpRespond respond) override { handler_(request, std::move(respond)); }
  bool may_ask_now() override { return bucket_.take(); }
  bool is_stopping() const override { return stopping_; }
  void reject(HttpRejection why) override { ++rejections_[static_cast<std::size_t>(why)]; }
  void answered(const std::string& path, unsigned status) override {
    if (answered_) answered_(path, status);
  }

  void ended(HttpSession& session) override {
    sessions_.remove_if([&](const auto& known) { return known.get() == &session; });
    connections_ = sessions_.size();
    if (stopping_ && sessions_.empty()) io_.stop();
  }

  std::function<void(std::function<void()>)> poster() override {
    // The guard: the thread does not end while somebody has to answer.
    return [self = shared_from_this(), guard = asio::make_work_guard(io_)](std::function<void()> work) {
      const std::lock_guard lock(self->ended_mutex_);
      if (!self->ended_) asio::post(self->io_, std::move(work));
    };
  }

 private:
  /// Each session that ends now stops the context again.
  void run_what_is_left() {
    do {
      io_.restart();
    } while (io_.poll() > 0);
  }

  void accept(Acceptor& acceptor) {
    acceptor.socket.async_accept([this, &acceptor](boost::system::error_code error, tcp::socket socket) {
      if (stopping_ || error == asio::error::operation_aborted) return;
      if (error) return accept_later(acceptor);
      begin(std::move(socket));
      accept(acceptor);
    });
  }

  /// Whatever the reason is, it would be the same a moment later.
  void accept_later(Acceptor& acceptor) {
    reject(HttpRejection::kDescriptors);
    acceptor.again.expires_after(kAcceptAgain);
    acceptor.again.async_wait([this, &acceptor](boost::system::error_code error) {
      if (!error && !stopping_) accept(acceptor);
    });
  }

  void begin(tcp::socket socket) {
    boost::system::error_code ignored;
    [[maybe_unused]] const auto same = socket.set_option(tcp::no_delay(true), ignored);
    auto session = make_session(std::move(socket), shared_from_this());
    if (sessions_.size() >= limits_.connections) {
      reject(HttpRejection::kConnections);
      const auto victim = least_wanted();
      if (!victim) return session->close();
      victim->close();
      ended(*victim);
    }
    sessions_.push_back(session);
    connections_ = sessions_.size();
    session->start();
  }

  /// Of those that have asked nothing, else of those that are slow to take their answers, one of the address that holds
  /// most of all connections: the one that does so for longest. Null where an answer to each is still being made.
  std::shared_ptr<HttpSession> least_wanted() const {
    std::map<std::string, std::size_t> held;
    for (const auto& session : sessions_) ++held[session->peer()];
    const auto rather = [&](const HttpSession& x, const HttpSession& y) {
      const std::size_t of_x = held[x.peer()];
      const std::size_t of_y = held[y.peer()];
      return of_x != of_y ? of_x > of_y : x.since() < y.since();
    };
    for (const auto is_in : {&HttpSession::is_waiting, &HttpSession::is_writing}) {
      std::shared_ptr<HttpSession> out;
      for (const auto& session : sessions_) {
        if ((session.get()->*is_in)() && (!out || rather(*session, *out))) out = session;
      }
      if (out) return out;
    }
    return nullptr;
  }

  /// Those that nobody waits on at once, the others after their answers. Who has just come gets one, too, unless
  /// `new_ones_too`.
  void end_sessions(bool new_ones_too) {
    const auto all = sessions_;
    for (const auto& session : all) {
      session->end_soon();
      if (!session->is_idle() || (session->is_new() && !new_ones_too)) continue;
      session->close();
      ended(*session);
    }
  }

  const HttpLimits limits_;
  asio::io_context io_{1};
  std::shared_ptr<const HttpPolicy> policy_;
  const HttpHandler handler_;
  const HttpAnswered answered_;
  std::unique_ptr<BasicAuth> auth_ = std::make_unique<BasicAuth>();
  TokenBucket bucket_;
  std::list<Acceptor> acceptors_;
  std::list<std::shared_ptr<HttpSession>> sessions_;
  asio::steady_timer grace_;
  bool stopping_ = false;
  std::atomic<std::size_t> connections_ = 0;
  std::array<std::atomic<std::uint64_t>, kHttpRejections> rejections_{};
  std::mutex ended_mutex_;
  bool ended_ = false;  // under ended_mutex_
  std::thread thread_;
};

HttpServer::HttpServer(std::vector<ListeningSocket> sockets, const HttpLimits& limits, HttpPolicy policy,
                       HttpHandler handler, HttpAnswered answered)
    : core_(std::make_shared<Core>(limits, std::move(policy), std::move(handler), std::move(answered))) {
  core_->start(std::move(sockets));
}

HttpServer::~HttpServer() { stop(std::chrono::milliseconds(0)); }

void HttpServer::set_policy(HttpPolicy policy) { core_->set_policy(std::move(policy)); }

void HttpServer::stop(std::chrono::milliseconds grace) { core_->stop(grace); }

HttpCounts HttpServer::counts() const { return core_->counts(); }

}  // namespace rocetop::cli
