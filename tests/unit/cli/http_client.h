// SPDX-License-Identifier: BSD-3-Clause
// A client for tests of the HTTP server: says exactly what it is told, over a socket, and waits for what comes. All of
// its waiting ends with a failure after a time that no working server needs.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace rocetop::test {

/// Whether what other threads do makes it true, before nobody would wait any longer.
template <typename Condition>
bool comes_true(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

struct Answer {
  int status = 0;  ///< 0: the connection ended without one
  std::string head;
  std::string body;
};

class HttpClient {
 public:
  static constexpr int kPatienceMs = 30'000;

  /// `address`: "127.0.0.1:80" or "[::1]:80".
  explicit HttpClient(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    const auto port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
    const std::string host = address.substr(0, colon);
    sockaddr_in6 six{};
    sockaddr_in four{};
    const bool is_six = host.starts_with('[');
    if (is_six) {
      six.sin6_family = AF_INET6;
      six.sin6_port = port;
      inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &six.sin6_addr);
    } else {
      four.sin_family = AF_INET;
      four.sin_port = port;
      inet_pton(AF_INET, host.c_str(), &four.sin_addr);
    }
    socket_ = ::socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto* to = is_six ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&four);
    connected_ = ::connect(socket_, to, is_six ? sizeof six : sizeof four) == 0;
  }
  HttpClient(HttpClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_), held_(std::move(other.held_)) {}
  HttpClient& operator=(HttpClient&&) = delete;
  ~HttpClient() {
    if (socket_ >= 0) ::close(socket_);
  }

  bool connected() const { return connected_; }
  int socket() const { return socket_; }

  HttpClient& send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return *this;
  }

  HttpClient& get(const std::string& path, const std::string& headers = "") {
    return send("GET " + path + " HTTP/1.1\r\nHost: test\r\n" + headers + "\r\n");
  }

  /// The next answer. `has_body`: false after HEAD.
  Answer answer(bool has_body = true) {
    Answer out;
    std::size_t end = std::string::npos;
    while ((end = held_.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return out;
    }
    out.head = held_.substr(0, end + 2);
    held_.erase(0, end + 4);
    out.status = std::stoi(out.head.substr(out.head.find(' ') + 1));
    const std::size_t length = has_body ? std::stoul(field(out.head, "Content-Length")) : 0;
    while (held_.size() < length && more()) {
    }
    out.body = held_.substr(0, length);
    held_.erase(0, length);
    return out;
  }

  /// Everything until the other side ends the connection.
  std::string rest() {
    while (more()) {
    }
    return std::move(held_);
  }

  static std::string field(const std::string& head, const std::string& name) {
    const std::size_t at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }

 private:
  bool more() {
    pollfd waiting{socket_, POLLIN, 0};
    if (::poll(&waiting, 1, kPatienceMs) != 1) {
      ADD_FAILURE() << "nothing came";
      return false;
    }
    char bytes[65'536];
    const ssize_t length = ::recv(socket_, bytes, sizeof bytes, 0);
    if (length <= 0) return false;
    held_.append(bytes, static_cast<std::size_t>(length));
    return true;
  }

  int socket_ = -1;
  bool connected_ = false;
  std::string held_;
};

}  // namespace rocetop::test
