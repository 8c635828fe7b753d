// SPDX-License-Identifier: BSD-3-Clause
// --web.config.file: TLS, passwords, headers and a rate limit of an exporter's HTTP server, in the YAML that
// Prometheus' exporter-toolkit defines (its docs/web-configuration.md), so that one file serves all exporters of a
// machine. Only what the file says: tls_context.h and basic_auth.h make something of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/nanos.h"
#include "base/result.h"

namespace rocetop::cli {

enum class ClientAuth : std::uint8_t {
  kNone,              ///< NoClientCert
  kRequest,           ///< RequestClientCert: asked for, never verified
  kRequireAny,        ///< RequireAnyClientCert, RequireClientCert: some certificate, never verified
  kVerifyIfGiven,     ///< VerifyClientCertIfGiven
  kRequireAndVerify,  ///< RequireAndVerifyClientCert
};

/// Text in PEM, and where it came from, for messages.
struct PemText {
  std::string text;
  std::string origin;  ///< file, or "FILE:LINE: cert"

  bool empty() const { return text.empty() && origin.empty(); }
};

struct TlsConfig {
  bool enabled = false;
  std::string where;  ///< "FILE:LINE: tls_server_config"
  PemText certificate;
  PemText key;
  PemText client_ca;
  ClientAuth client_auth = ClientAuth::kNone;
  std::vector<std::string> client_allowed_sans;
  int min_version = 12;  ///< TLS 1.2; the least
  int max_version = 13;
  std::vector<std::string> cipher_suites;  ///< of TLS 1.2, as IANA names them
  bool prefer_server_cipher_suites = true;
  std::vector<std::string> curves;  ///< as OpenSSL names them
};

struct RateLimit {
  Nanos interval;  ///< between two requests; 0: no limit
  std::uint64_t burst = 0;
};

struct WebConfig {
  bool empty = false;  ///< the file holds nothing
  TlsConfig tls;
  std::vector<std::pair<std::string, std::string>> headers;  ///< added to every answer
  std::map<std::string, std::string> users;                  ///< name: bcrypt hash
  RateLimit rate_limit;
};

/// Told of each file before it is read: a change of one of them changes the configuration. Also of what then cannot be
/// read.
using AboutToRead = std::function<void(const std::string& path)>;

/// Reads `path` and the files that it names, which are relative to its folder. Errors name file, line and key.
Result<WebConfig> read_web_config(const std::string& path, const AboutToRead& about_to_read = {});

}  // namespace rocetop::cli
