// SPDX-License-Identifier: BSD-3-Clause
// What the exporter's HTTP server asks and is answered with: only what it needs of RFC 9110. No headers but those that
// change an answer, no bodies of requests.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rocetop::cli {

struct HttpRequest {
  std::string path;   ///< without the query
  bool gzip = false;  ///< the answer may be compressed
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  /// One after the other; shared, so that many answers can have the same text.
  std::vector<std::shared_ptr<const std::string>> body;
  bool gzip = false;  ///< the body is compressed
  std::vector<std::pair<std::string, std::string>> headers;

  static HttpResponse text(unsigned status, std::string text) {
    HttpResponse response;
    response.status = status;
    response.body.push_back(std::make_shared<const std::string>(std::move(text)));
    return response;
  }
};

/// From any thread, once.
using HttpRespond = std::function<void(HttpResponse)>;
/// Called by the server's thread, which it must not hold up.
using HttpHandler = std::function<void(const HttpRequest&, HttpRespond)>;

}  // namespace rocetop::cli
