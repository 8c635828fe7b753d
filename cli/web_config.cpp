// SPDX-License-Identifier: BSD-3-Clause
#include "web_config.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/duration_text.h"
#include "small_file.h"

namespace rocetop::cli {
namespace {

/// What is wrong, where. Thrown within this file only.
struct Fault {
  Error error;
};

constexpr const char* kReference = "The format: docs/web-configuration.md of Prometheus' exporter-toolkit.";

/// A mapping of the file whose keys are all looked at: one that nobody asked for is a fault.
class Section {
 public:
  Section(std::string file, std::string name, const YAML::Node& node)
      : file_(std::move(file)), name_(std::move(name)), node_(node) {
    if (!node.IsMap()) fail(node, name_, "has to be a mapping of keys to values");
    std::set<std::string> seen;
    for (const auto& item : node) {
      if (!item.first.IsScalar()) fail(item.first, name_, "has a key that is no word");
      if (!seen.insert(item.first.Scalar()).second) fail(item.first, item.first.Scalar(), "is given twice");
    }
  }

  [[noreturn]] void fail(const YAML::Node& node, const std::string& key, const std::string& what,
                         const std::string& hint = "") const {
    throw Fault{{fmt::format("{}:{}: {} {}", file_, node.Mark().line + 1, key, what), hint}};
  }

  /// Nothing where the key is not there, or has no value.
  std::optional<YAML::Node> find(const std::string& key) {
    known_.push_back(key);
    for (const auto& item : node_) {
      if (item.first.Scalar() == key && !item.second.IsNull()) return item.second;
    }
    return std::nullopt;
  }

  std::string text(const std::string& key) {
    const auto node = find(key);
    return node ? scalar(*node, key) : "";
  }

  std::string scalar(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar()) fail(node, key, "has to be one value");
    if (node.Scalar().find('\0') != std::string::npos) fail(node, key, "holds a zero byte");
    return node.Scalar();
  }

  std::vector<std::string> list(const std::string& key) {
    std::vector<std::string> out;
    const auto node = find(key);
    if (!node) return out;
    if (!node->IsSequence()) fail(*node, key, "has to be a list");
    for (const auto& item : *node) out.push_back(scalar(item, key));
    return out;
  }

  bool flag(const std::string& key, bool otherwise) {
    const auto node = find(key);
    if (!node) return otherwise;
    const std::string value = scalar(*node, key);
    if (value != "true" && value != "false") fail(*node, key, "has to be true or false");
    return value == "true";
  }

  /// One of `words`, by name.
  template <typename T>
  T choice(const std::string& key, const std::vector<std::pair<std::string, T>>& words, T otherwise) {
    const auto node = find(key);
    if (!node) return otherwise;
    const std::string value = scalar(*node, key);
    std::string all;
    for (const auto& [name, meaning] : words) {
      if (name == value) return meaning;
      all += (all.empty() ? "" : ", ") + name;
    }
    fail(*node, key, "is \"" + value + "\"", "There are: " + all + ".");
  }

  /// Once everything was asked for.
  void refuse_others() const {
    for (const auto& item : node_) {
      const std::string& key = item.first.Scalar();
      if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
        fail(item.first, key, "is no key of " + name_, kReference);
      }
    }
  }

  const std::string& file() const { return file_; }
  const YAML::Node& node() const { return node_; }
  std::string where(const std::string& key) const {
    for (const auto& item : node_) {
      if (item.first.Scalar() == key) return fmt::format("{}:{}: {}", file_, item.first.Mark().line + 1, key);
    }
    return file_;
  }

 private:
  std::string file_;
  std::string name_;
  YAML::Node node_;
  std::vector<std::string> known_;
};

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

/// KEY (inline) or KEY_file.
PemText pem_of(Section& section, const std::string& key, const AboutToRead& about_to_read) {
  PemText out;
  out.text = section.text(key);
  const auto file = section.find(key + "_file");
  if (!out.text.empty()) {
    if (file) section.fail(*file, key + "_file", "is given as well as " + key);
    out.origin = section.where(key);
    return out;
  }
  if (!file) return out;
  out.origin = section.scalar(*file, key + "_file");
  if (out.origin.empty()) return out;
  if (!out.origin.starts_with('/')) out.origin = folder_of(section.file()) + out.origin;
  if (about_to_read) about_to_read(out.origin);
  auto text = read_small_file(out.origin);
  if (!text) section.fail(*file, key + "_file", "is " + text.error().message, text.error().hint);
  out.text = std::move(text.value());
  return out;
}

std::vector<std::string> curves_of(Section& section) {
  static const std::vector<std::pair<std::string, std::string>> kCurves = {
      {"CurveP256", "P-256"}, {"CurveP384", "P-384"}, {"CurveP521", "P-521"}, {"X25519", "X25519"}};
  std::vector<std::string> out;
  const auto node = section.find("curve_preferences");
  for (const std::string& name : section.list("curve_preferences")) {
    const auto known = std::find_if(kCurves.begin(), kCurves.end(), [&](const auto& c) { return c.first == name; });
    if (known == kCurves.end()) {
      section.fail(*node, "curve_preferences", "has \"" + name + "\"",
                   "There are: CurveP256, CurveP384, CurveP521, X25519.");
    }
    out.push_back(known->second);
  }
  return out;
}

int version_of(Section& section, const std::string& key, int otherwise) {
  const int version = section.choice<int>(key, {{"TLS13", 13}, {"TLS12", 12}, {"TLS11", 11}, {"TLS10", 10}}, otherwise);
  if (version < 12) {
    section.fail(*section.find(key), key, "is older than TLS12",
                 "rocetop speaks TLS 1.2 and 1.3 (RFC 8996 ended the older ones).");
  }
  return version;
}

void check_client_auth(Section& section, const TlsConfig& tls) {
  const bool verifies =
      tls.client_auth == ClientAuth::kVerifyIfGiven || tls.client_auth == ClientAuth::kRequireAndVerify;
  if (!tls.client_ca.empty() && tls.client_auth == ClientAuth::kNone) {
    section.fail(section.node(), "client_ca_file", "is given, but client_auth_type asks for no certificate",
                 "Set client_auth_type: RequireAndVerifyClientCert.");
  }
  if (verifies && tls.client_ca.empty()) {
    section.fail(section.node(), "client_auth_type", "verifies certificates, but there is no client_ca_file",
                 "Name the certificates of those who sign for clients.");
  }
  const bool requires_one =
      tls.client_auth == ClientAuth::kRequireAny || tls.client_auth == ClientAuth::kRequireAndVerify;
  if (!tls.client_allowed_sans.empty() && !requires_one) {
    section.fail(section.node(), "client_allowed_sans", "is given, but a client needs no certificate",
                 "Set client_auth_type: RequireAndVerifyClientCert.");
  }
}

TlsConfig tls_of(const std::string& file, const YAML::Node& node, const AboutToRead& about_to_read) {
  TlsConfig tls;
  Section section(file, "tls_server_config", node);
  tls.where = fmt::format("{}:{}: tls_server_config", file, node.Mark().line + 1);
  tls.certificate = pem_of(section, "cert", about_to_read);
  tls.key = pem_of(section, "key", about_to_read);
  tls.client_ca = pem_of(section, "client_ca", about_to_read);
  tls.client_auth = section.choice<ClientAuth>("client_auth_type",
                                               {{"NoClientCert", ClientAuth::kNone},
                                                {"RequestClientCert", ClientAuth::kRequest},
                                                {"RequireAnyClientCert", ClientAuth::kRequireAny},
                                                {"RequireClientCert", ClientAuth::kRequireAny},
                                                {"VerifyClientCertIfGiven", ClientAuth::kVerifyIfGiven},
                                                {"RequireAndVerifyClientCert", ClientAuth::kRequireAndVerify}},
                                               ClientAuth::kNone);
  tls.client_allowed_sans = section.list("client_allowed_sans");
  tls.min_version = version_of(section, "min_version", 12);
  tls.max_version = version_of(section, "max_version", 13);
  tls.cipher_suites = section.list("cipher_suites");
  tls.prefer_server_cipher_suites = section.flag("prefer_server_cipher_suites", true);
  tls.curves = curves_of(section);
  section.refuse_others();
  if (tls.min_version > tls.max_version) section.fail(node, "min_version", "is above max_version");
  check_client_auth(section, tls);
  // As its neighbours: an empty section, or one of nothing but versions, asks for no TLS.
  tls.enabled = !tls.certificate.empty() || !tls.key.empty() || tls.client_auth != ClientAuth::kNone;
  if (tls.enabled && tls.certificate.empty()) section.fail(node, "cert_file", "is missing");
  if (tls.enabled && tls.key.empty()) section.fail(node, "key_file", "is missing");
  return tls;
}

void check_header(Section& section, const YAML::Node& node, const std::string& key, const std::string& value) {
  // RFC 9110 5.5: what could end the line could begin another header.
  if (std::any_of(value.begin(), value.end(), [](char c) { return (c >= 0 && c < 0x20 && c != '\t') || c == 0x7F; })) {
    section.fail(node, key, "holds a control character");
  }
  if (key == "X-Content-Type-Options" && value != "nosniff") section.fail(node, key, "can only be nosniff");
  if (key == "X-Frame-Options") {
    std::string lower = value;
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower != "deny" && lower != "sameorigin") section.fail(node, key, "can only be deny or sameorigin");
  }
}

void add_http(const std::string& file, const YAML::Node& node, WebConfig& config) {
  Section section(file, "http_server_config", node);
  section.flag("http2", true);  // clients that would like HTTP/2 are served HTTP/1.1 all the same
  if (const auto headers = section.find("headers")) {
    Section inner(file, "headers", *headers);
    for (const char* key : {"Content-Security-Policy", "X-Frame-Options", "X-Content-Type-Options", "X-XSS-Protection",
                            "Strict-Transport-Security"}) {
      const auto value = inner.find(key);
      if (!value || inner.scalar(*value, key).empty()) continue;
      check_header(inner, *value, key, value->Scalar());
      config.headers.emplace_back(key, value->Scalar());
    }
    inner.refuse_others();
  }
  section.refuse_others();
}

/// $2a$, $2b$ or $2y$, the cost in two digits, 22 characters of salt and 31 of hash.
bool is_bcrypt(const std::string& hash) {
  if (hash.size() != 60 || !hash.starts_with("$2") || hash[3] != '$' || hash[6] != '$') return false;
  if (hash[2] != 'a' && hash[2] != 'b' && hash[2] != 'y') return false;
  int cost = 0;
  const auto [end, error] = std::from_chars(hash.data() + 4, hash.data() + 6, cost);
  if (error != std::errc{} || end != hash.data() + 6 || cost < 4 || cost > 31) return false;
  return std::all_of(hash.begin() + 7, hash.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '/';
  });
}

void add_users(const std::string& file, const YAML::Node& node, WebConfig& config) {
  constexpr int kCostMost = 16;  // seconds of work each time somebody asks
  Section section(file, "basic_auth_users", node);
  for (const auto& item : node) {
    const std::string& name = item.first.Scalar();
    if (name.find(':') != std::string::npos) {
      section.fail(item.first, name, "is a name with a colon, which nobody could log in as");
    }
    const std::string hash = item.second.IsScalar() ? item.second.Scalar() : "";
    if (!is_bcrypt(hash)) {
      section.fail(item.second, name, "has no bcrypt hash as its password",
                   "htpasswd -nBC 10 \"\" | tr -d ':\\n' makes one (60 characters that begin with $2y$10$).");
    }
    if (hash.compare(4, 2, std::to_string(kCostMost)) > 0) {
      section.fail(item.second, name, "has a bcrypt hash whose cost is above 16", "10 is usual.");
    }
    config.users[name] = hash;
  }
}

RateLimit rate_limit_of(const std::string& file, const YAML::Node& node) {
  RateLimit limit;
  Section section(file, "rate_limit", node);
  if (const auto interval = section.find("interval")) {
    const std::string text = section.scalar(*interval, "interval");
    const auto time = text == "0" ? std::optional(Nanos{}) : parse_duration(text);
    if (!time || *time < Nanos{}) section.fail(*interval, "interval", "is no time", "Give for example 100ms or 1s.");
    limit.interval = *time;
  }
  if (const auto burst = section.find("burst")) {
    const std::string text = section.scalar(*burst, "burst");
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit.burst);
    if (error != std::errc{} || end != text.data() + text.size() || limit.burst > 1'000'000) {
      section.fail(*burst, "burst", "is no number of requests");
    }
  }
  section.refuse_others();
  if (limit.interval > Nanos{} && limit.burst == 0) {
    section.fail(node, "burst", "is 0: with an interval nothing would ever be served", "Set burst: 1 or more.");
  }
  return limit;
}

WebConfig config_of(const std::string& path, const YAML::Node& root, const AboutToRead& about_to_read) {
  WebConfig config;
  config.empty = !root || root.IsNull();
  if (config.empty) return config;  // an empty file is one without wishes
  Section section(path, "a web configuration", root);
  if (const auto node = section.find("tls_server_config")) config.tls = tls_of(path, *node, about_to_read);
  if (const auto node = section.find("http_server_config")) add_http(path, *node, config);
  if (const auto node = section.find("basic_auth_users")) add_users(path, *node, config);
  if (const auto node = section.find("rate_limit")) config.rate_limit = rate_limit_of(path, *node);
  section.refuse_others();
  return config;
}

}  // namespace

Result<WebConfig> read_web_config(const std::string& path, const AboutToRead& about_to_read) {
  if (about_to_read) about_to_read(path);
  auto text = read_small_file(path);
  if (!text) return Error{"--web.config.file " + text.error().message, text.error().hint};
  try {
    return config_of(path, YAML::Load(text.value()), about_to_read);
  } catch (const Fault& fault) {
    return fault.error;
  } catch (const YAML::Exception& e) {
    return Error{fmt::format("{}:{}: not YAML: {}", path, e.mark.line + 1, e.msg), kReference};
  }
}

}  // namespace rocetop::cli
