// SPDX-License-Identifier: BSD-3-Clause
#include "http_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <ctime>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace rocetop::cli {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;
using Parser = http::request_parser<http::empty_body>;

constexpr std::size_t kReadBytes = 4'096;
constexpr std::size_t kPartingBytes = 64 * 1'024;  // of what a refused client goes on sending

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

/// IMF-fixdate of RFC 9110 5.6.7.
std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 64> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text.data(), length};
}

/// Whether gzip may be sent (RFC 9110 12.5.3): it is named, or "*" is, and its weight is not 0.
bool accepts_gzip(std::string_view header) {
  std::optional<bool> gzip;
  std::optional<bool> any;
  std::size_t begin = 0;
  while (begin <= header.size()) {
    const std::size_t end = std::min(header.find(',', begin), header.size());
    std::string item(header.substr(begin, end - begin));
    item.erase(std::remove_if(item.begin(), item.end(), [](char c) { return c == ' ' || c == '\t'; }), item.end());
    for (char& c : item) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const std::string name = item.substr(0, item.find(';'));
    const std::size_t weight = item.find(";q=");
    const bool wanted = weight == std::string::npos || item.find_first_not_of("0.", weight + 3) != std::string::npos;
    if (name == "gzip" || name == "x-gzip") gzip = wanted;
    if (name == "*") any = wanted;
    begin = end + 1;
  }
  return gzip.value_or(any.value_or(false));
}

/// The path of a request's target, without the query: "/metrics", or the absolute form that proxies send. Empty for
/// what is neither.
std::string path_of(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::size_t slash = target.find('/');
    if (slash == std::string_view::npos) return "/";
    target.remove_prefix(slash);
  }
  if (!target.starts_with('/')) return "";
  return std::string(target.substr(0, target.find_first_of("?#")));
}

/// Who counts as one.
std::string peer_of(const asio::ip::address& address) {
  if (!address.is_v6()) return address.to_string();
  const asio::ip::address_v6 full = address.to_v6();
  auto bytes = full.to_bytes();
  if (full.is_v4_mapped()) return asio::ip::address_v4({bytes[12], bytes[13], bytes[14], bytes[15]}).to_string();
  std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
  return asio::ip::address_v6(bytes).to_string();
}

template <typename Stream>
class Session final : public HttpSession, public std::enable_shared_from_this<Session<Stream>> {
 public:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  template <typename... Arguments>
  Session(std::shared_ptr<HttpSessionHost> host, std::string peer, Arguments&&... arguments)
      : host_(std::move(host)),
        policy_(host_->policy()),
        stream_(std::forward<Arguments>(arguments)...),
        buffer_(host_->limits().head_bytes + kReadBytes) {
    peer_ = std::move(peer);
  }

  void start() override {
    head_until_ = Clock::now() + host_->limits().head;
    if constexpr (kTls) {
      lowest().expires_at(head_until_);
      stream_.async_handshake(asio::ssl::stream_base::server, [self = self()](beast::error_code error) {
        if (!error) return self->wait_for_request();
        self->host_->reject(error == beast::error::timeout ? HttpRejection::kSlowRequest : HttpRejection::kTls);
        self->end();
      });
    } else {
      wait_for_request();
    }
  }

  void close() override {
    beast::error_code ignored;
    lowest().socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    lowest().close();
  }

 private:
  std::shared_ptr<Session> self() { return this->shared_from_this(); }
  beast::tcp_stream& lowest() { return beast::get_lowest_layer(stream_); }

  void wait_for_request() {
    waiting_ = true;
    if (buffer_.size() > 0) return read_head();  // sent before the last one was answered
    idle_ = true;
    lowest().expires_at(first_ ? head_until_ : Clock::now() + host_->limits().idle);
    stream_.async_read_some(buffer_.prepare(kReadBytes), [self = self()](beast::error_code error, std::size_t bytes) {
      self->idle_ = false;
      if (error) return self->end_waiting(error);
      self->buffer_.commit(bytes);
      self->read_head();
    });
  }

  void end_waiting(beast::error_code error) {
    if (error == beast::error::timeout && first_) host_->reject(HttpRejection::kSlowRequest);
    end();
  }

  void read_head() {
    idle_ = false;
    lowest().expires_at(first_ ? head_until_ : Clock::now() + host_->limits().head);
    first_ = false;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(host_->limits().head_bytes));
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = self()](beast::error_code error, std::size_t) { self->on_head(error); });
  }

  void on_head(beast::error_code error) {
    waiting_ = false;
    head_only_ = false;
    keeps_alive_ = false;
    unread_ = true;
    path_.clear();
    if (!error) return answer();
    if (error == beast::error::timeout) {
      host_->reject(HttpRejection::kSlowRequest);
      return end();
    }
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return refuse(HttpRejection::kTooLarge, HttpResponse::text(431, "the request's head is too long\n"));
    }
    if (error == http::error::body_limit) return refuse_body();
    const bool malformed = error.category() == http::make_error_code(http::error::bad_method).category() &&
                           error != http::error::end_of_stream && error != http::error::partial_message;
    if (!malformed) return end();
    refuse(HttpRejection::kBadRequest, HttpResponse::text(400, "this is no HTTP request\n"));
  }

  void refuse_body() {
    refuse(HttpRejection::kTooLarge, HttpResponse::text(413, "a request with a body is not taken\n"));
  }

  void answer() {
    const auto& request = parser_->get();
    policy_ = host_->policy();
    path_ = path_of(view(request.target()));
    const bool has_body = parser_->chunked() || parser_->content_length().value_or(0) > 0 ||
                          request.find(http::field::transfer_encoding) != request.end();
    unread_ = has_body;
    head_only_ = request.method() == http::verb::head;
    keeps_alive_ = request.keep_alive() && !has_body && !host_->is_stopping();
    version_ = request.version();
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      HttpResponse response = HttpResponse::text(405, "only GET and HEAD\n");
      response.headers.emplace_back("Allow", "GET, HEAD");
      return refuse(HttpRejection::kMethod, std::move(response));
    }
    if (has_body) return refuse_body();
    // RFC 9112 3.2: a request of HTTP/1.1 without a Host is answered with 400.
    if (path_.empty() || (version_ >= 11 && request.count(http::field::host) != 1)) {
      keeps_alive_ = false;
      return refuse(HttpRejection::kBadRequest, HttpResponse::text(400, "this is no HTTP request\n"));
    }
    if (!host_->may_ask_now()) {
      return refuse(HttpRejection::kRateLimit, HttpResponse::text(429, "more requests than the rate limit allows\n"));
    }
    authorize();
  }

  void authorize() {
    if (policy_->users.empty()) return serve();
    host_->auth().check(policy_->users, view(parser_->get()[http::field::authorization]), peer_,
                        [self = self(), post = host_->poster()](AuthResult result) {
                          post([self, result] { self->on_authorized(result); });
                        });
  }

  void on_authorized(AuthResult result) {
    if (result == AuthResult::kAllowed) return serve();
    if (result == AuthResult::kBusy) {
      return refuse(HttpRejection::kBusy, HttpResponse::text(503, "too many passwords wait to be verified\n"));
    }
    HttpResponse response = HttpResponse::text(401, "Unauthorized\n");
    response.headers.emplace_back("WWW-Authenticate", "Basic realm=\"rocetop\"");
    refuse(HttpRejection::kUnauthorized, std::move(response));
  }

  void serve() {
    HttpRequest request;
    request.path = path_;
    request.gzip = accepts_gzip(view(parser_->get()[http::field::accept_encoding]));
    host_->handle(request, [self = self(), post = host_->poster()](HttpResponse response) {
      post([self, response = std::move(response)]() mutable { self->write(std::move(response)); });
    });
  }

  void refuse(HttpRejection why, HttpResponse response) {
    host_->reject(why);
    write(std::move(response));
  }

  std::string head_of(const HttpResponse& response) {
    std::size_t length = 0;
    for (const auto& part : response.body) length += part->size();
    const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
    std::string head =
        fmt::format("HTTP/1.{} {} {}\r\nDate: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n", version_ >= 11 ? 1 : 0,
                    response.status, view(reason), date_now(), response.content_type, length);
    if (response.gzip) head += "Content-Encoding: gzip\r\n";
    for (const auto& list : {response.headers, policy_->headers}) {
      for (const auto& [name, value] : list) head += fmt::format("{}: {}\r\n", name, value);
    }
    head += keeps_alive_ ? (version_ >= 11 ? "" : "Connection: keep-alive\r\n") : "Connection: close\r\n";
    return head + "\r\n";
  }

  void write(HttpResponse response) {
    if (ends_soon_ || host_->is_stopping()) keeps_alive_ = false;
    response_ = std::move(response);
    head_ = head_of(response_);
    std::vector<asio::const_buffer> buffers = {asio::buffer(head_)};
    if (!head_only_) {
      for (const auto& part : response_.body) buffers.push_back(asio::buffer(*part));
    }
    lowest().expires_after(host_->limits().response);
    writing_ = true;
    since_ = Clock::now();
    asio::async_write(stream_, buffers,
                      [self = self()](beast::error_code error, std::size_t) { self->on_written(error); });
  }

  void on_written(beast::error_code error) {
    if (error == beast::error::timeout) host_->reject(HttpRejection::kSlowReader);
    host_->answered(path_, response_.status);
    response_ = {};
    writing_ = false;
    since_ = Clock::now();
    if (error) return end();
    if (keeps_alive_ && !ends_soon_) return wait_for_request();
    part();
  }

  /// What still comes is read and thrown away for a moment: a socket that is closed with something unread takes back
  /// the answer that is on its way (RFC 9112 9.6).
  void part() {
    if (!kTls && !unread_) return end();
    waiting_ = true;
    lowest().expires_after(host_->limits().parting);
    if constexpr (kTls) {
      stream_.async_shutdown([self = self()](beast::error_code) { self->part_from_socket(); });
    } else {
      part_from_socket();
    }
  }

  void part_from_socket() {
    beast::error_code ignored;
    lowest().socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    if (!unread_) return end();
    thrown_away_ = 0;
    throw_away();
  }

  void throw_away() {
    lowest().async_read_some(asio::buffer(scratch_), [self = self()](beast::error_code error, std::size_t bytes) {
      self->thrown_away_ += bytes;
      if (error || self->thrown_away_ > kPartingBytes) return self->end();
      self->throw_away();
    });
  }

  void end() {
    close();
    host_->ended(*this);
  }

  std::shared_ptr<HttpSessionHost> host_;  // outlives the stream
  std::shared_ptr<const HttpPolicy> policy_;
  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Clock::time_point head_until_;  // of the first request
  bool head_only_ = false;
  bool keeps_alive_ = false;
  bool unread_ = true;  // something of the request may be
  unsigned version_ = 11;
  std::string path_;
  std::string head_;
  HttpResponse response_;  // while it is written
  std::array<char, 4'096> scratch_{};
  std::size_t thrown_away_ = 0;
};

}  // namespace

std::shared_ptr<HttpSession> make_session(asio::ip::tcp::socket socket, std::shared_ptr<HttpSessionHost> host) {
  beast::error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  const std::string peer = error ? "" : peer_of(endpoint.address());
  const auto policy = host->policy();
  if (!policy->tls) return std::make_shared<Session<PlainStream>>(std::move(host), peer, std::move(socket));
  return std::make_shared<Session<TlsStream>>(std::move(host), peer, std::move(socket), *policy->tls);
}

}  // namespace rocetop::cli
