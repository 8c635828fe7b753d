// SPDX-License-Identifier: BSD-3-Clause
// The HTTP server over TLS, with certificates made for the test by the openssl program.
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <boost/asio/ssl/context.hpp>
#include <cstdlib>

#include "file_folder.h"
#include "http_client.h"
#include "http_server.h"
#include "listen_address.h"
#include "web_config.h"

namespace rocetop::cli {
namespace {

using test::HttpClient;

bool run(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

/// NAME.crt and NAME.key in `folder`: self-signed, or signed by `issuer`'s.
bool make_certificate(const test::Folder& folder, const std::string& name, const std::string& san,
                      const std::string& issuer = "") {
  const std::string base = "openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=" + name +
                           " -addext subjectAltName=" + san + " -keyout " + folder.path(name + ".key");
  if (issuer.empty()) return run(base + " -x509 -days 2 -out " + folder.path(name + ".crt"));
  return run(base + " -out " + folder.path(name + ".csr")) &&
         run("openssl x509 -req -days 2 -copy_extensions copy -CAcreateserial -in " + folder.path(name + ".csr") +
             " -CA " + folder.path(issuer + ".crt") + " -CAkey " + folder.path(issuer + ".key") + " -out " +
             folder.path(name + ".crt"));
}

class TlsClient {
 public:
  struct Wishes {
    std::string certificate;  ///< files
    std::string key;
    int max_version = TLS1_3_VERSION;
  };

  explicit TlsClient(const std::string& address) : TlsClient(address, Wishes{}) {}
  TlsClient(const std::string& address, const Wishes& wishes) : client_(address) {
    context_ = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_min_proto_version(context_, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context_, wishes.max_version);
    SSL_CTX_set_security_level(context_, 0);
    if (!wishes.certificate.empty()) {
      SSL_CTX_use_certificate_file(context_, wishes.certificate.c_str(), SSL_FILETYPE_PEM);
      SSL_CTX_use_PrivateKey_file(context_, wishes.key.c_str(), SSL_FILETYPE_PEM);
    }
    ssl_ = SSL_new(context_);
    SSL_set_fd(ssl_, client_.socket());
    connected_ = SSL_connect(ssl_) == 1;
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;
  ~TlsClient() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }

  /// All that comes back, until the other side ends the connection: empty if it was refused (which TLS 1.3 tells a
  /// client only after its handshake).
  std::string ask(const std::string& path) {
    if (!connected_) return "";
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
    SSL_write(ssl_, request.data(), static_cast<int>(request.size()));
    std::string out;
    char bytes[4'096];
    int length = 0;
    while ((length = SSL_read(ssl_, bytes, sizeof bytes)) > 0) out.append(bytes, static_cast<std::size_t>(length));
    return out;
  }
  std::string version() const { return SSL_get_version(ssl_); }
  std::string cipher() const { return SSL_get_cipher_name(ssl_); }
  std::string subject() const {
    X509* certificate = SSL_get1_peer_certificate(ssl_);
    char text[256] = "";
    if (certificate != nullptr) X509_NAME_oneline(X509_get_subject_name(certificate), text, sizeof text);
    X509_free(certificate);
    return text;
  }

 private:
  HttpClient client_;
  SSL_CTX* context_ = nullptr;
  SSL* ssl_ = nullptr;
  bool connected_ = false;
};

class Tls : public testing::Test {
 protected:
  void SetUp() override {
    if (!make_certificate(folder, "server", "DNS:localhost")) GTEST_SKIP() << "openssl is missing";
  }

  Result<HttpPolicy> policy(const std::string& more = "", const std::string& name = "server") const {
    auto config = read_web_config(folder.write(
        "web.yml", "tls_server_config:\n  cert_file: " + name + ".crt\n  key_file: " + name + ".key\n" + more));
    if (!config) return config.error();
    return make_policy(config.value());
  }
  void serve(HttpPolicy with, const HttpLimits& limits = {}) {
    auto sockets = listen_on({"127.0.0.1", 0});
    ASSERT_TRUE(sockets);
    address = sockets->front().address();
    server = std::make_unique<HttpServer>(
        std::move(sockets.value()), limits, std::move(with),
        [](const HttpRequest& request, const HttpRespond& respond) { respond(HttpResponse::text(200, request.path)); });
  }
  /// Once, and soon after the client sees the end of its connection.
  bool comes_to_reject(HttpRejection why) const {
    const auto count = [&] { return server->counts().rejections[static_cast<std::size_t>(why)]; };
    return test::comes_true([&] { return count() > 0; }) && count() == 1;
  }

  test::Folder folder;
  std::string address;
  std::unique_ptr<HttpServer> server;
};

TEST_F(Tls, ServesTls12And13AndNothingOlder) {
  serve(policy().value());
  TlsClient now(address);
  EXPECT_TRUE(now.ask("/metrics").ends_with("\r\n\r\n/metrics"));
  EXPECT_EQ(now.version(), "TLSv1.3");
  TlsClient before(address, {"", "", TLS1_2_VERSION});
  EXPECT_TRUE(before.ask("/metrics").ends_with("/metrics"));
  EXPECT_EQ(before.version(), "TLSv1.2");
  TlsClient old(address, {"", "", TLS1_1_VERSION});
  EXPECT_EQ(old.ask("/metrics"), "");
  EXPECT_TRUE(comes_to_reject(HttpRejection::kTls));
}

TEST_F(Tls, WhoeverSpeaksPlainHttpIsRefused) {
  serve(policy().value());
  EXPECT_EQ(HttpClient(address).get("/metrics").answer().status, 0);
  EXPECT_TRUE(comes_to_reject(HttpRejection::kTls));
}

TEST_F(Tls, AHandshakeThatDoesNotEndIsCutOff) {
  HttpLimits limits;
  limits.head = std::chrono::milliseconds(50);
  serve(policy().value(), limits);
  EXPECT_EQ(HttpClient(address).send("\x16\x03").rest(), "");
  EXPECT_TRUE(comes_to_reject(HttpRejection::kSlowRequest));
}

TEST_F(Tls, ChoosesAsItIsTold) {
  serve(policy("  max_version: TLS12\n  cipher_suites: [TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305]\n"
               "  curve_preferences: [CurveP256]\n")
            .value());
  TlsClient client(address);
  EXPECT_TRUE(client.ask("/").ends_with("/"));
  EXPECT_EQ(client.version(), "TLSv1.2");
  EXPECT_EQ(client.cipher(), "ECDHE-ECDSA-CHACHA20-POLY1305");
}

TEST_F(Tls, WhoNamesSuitesOfTls13AloneGetsNothingOlder) {
  auto strict = policy("  cipher_suites: [TLS_AES_128_GCM_SHA256]\n");
  ASSERT_TRUE(strict) << strict.error().message;
  EXPECT_EQ(SSL_CTX_get_min_proto_version(strict->tls->native_handle()), TLS1_3_VERSION);
  EXPECT_FALSE(policy("  max_version: TLS12\n  cipher_suites: [TLS_AES_128_GCM_SHA256]\n"));
}

TEST_F(Tls, ANewCertificateIsShownFromTheNextConnectionOn) {
  ASSERT_TRUE(make_certificate(folder, "next", "DNS:localhost"));
  serve(policy().value());
  TlsClient before(address);
  EXPECT_EQ(before.subject(), "/CN=server");
  server->set_policy(policy("", "next").value());
  TlsClient after(address);
  EXPECT_EQ(after.subject(), "/CN=next");
  EXPECT_TRUE(after.ask("/x").ends_with("/x"));
  // A scrape that had begun is not lost by it.
  EXPECT_TRUE(before.ask("/y").ends_with("/y"));
}

TEST_F(Tls, ClientsShowCertificatesThatSomebodySigned) {
  ASSERT_TRUE(make_certificate(folder, "ca", "DNS:ca") && make_certificate(folder, "client", "DNS:scraper", "ca") &&
              make_certificate(folder, "stranger", "DNS:scraper"));
  serve(policy("  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.crt\n").value());
  EXPECT_TRUE(TlsClient(address, {folder.path("client.crt"), folder.path("client.key")}).ask("/x").ends_with("/x"));
  EXPECT_EQ(TlsClient(address, {folder.path("stranger.crt"), folder.path("stranger.key")}).ask("/x"), "");
  EXPECT_EQ(TlsClient(address).ask("/x"), "");
  server->set_policy(policy("  client_auth_type: VerifyClientCertIfGiven\n  client_ca_file: ca.crt\n").value());
  EXPECT_TRUE(TlsClient(address).ask("/x").ends_with("/x"));
  EXPECT_EQ(TlsClient(address, {folder.path("stranger.crt"), folder.path("stranger.key")}).ask("/x"), "");
  server->set_policy(policy("  client_auth_type: RequireAnyClientCert\n").value());
  EXPECT_TRUE(TlsClient(address, {folder.path("stranger.crt"), folder.path("stranger.key")}).ask("/x").ends_with("/x"));
  EXPECT_EQ(TlsClient(address).ask("/x"), "");
}

TEST_F(Tls, ClientsHaveTheNamesThatAreAllowed) {
  ASSERT_TRUE(make_certificate(folder, "ca", "DNS:ca") && make_certificate(folder, "named", "DNS:scraper", "ca") &&
              make_certificate(folder, "addressed", "IP:192.0.2.7", "ca") &&
              make_certificate(folder, "other", "DNS:scraper.example", "ca"));
  serve(policy("  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.crt\n"
               "  client_allowed_sans: [scraper, 192.0.2.7]\n")
            .value());
  const auto ask = [&](const std::string& name) {
    return TlsClient(address, {folder.path(name + ".crt"), folder.path(name + ".key")}).ask("/x");
  };
  EXPECT_TRUE(ask("named").ends_with("/x"));
  EXPECT_TRUE(ask("addressed").ends_with("/x"));
  EXPECT_EQ(ask("other"), "");
}

TEST_F(Tls, WhatCannotBeUsedIsNamed) {
  ASSERT_TRUE(make_certificate(folder, "next", "DNS:localhost"));
  folder.write("empty.crt", "no certificate\n");
  folder.write("empty.key", "no key\n");
  const auto says = [&](const std::string& certificate, const std::string& key, const std::string& more = "") {
    const auto config = read_web_config(folder.write(
        "web.yml", "tls_server_config:\n  cert_file: " + certificate + "\n  key_file: " + key + "\n" + more));
    const auto policy = make_policy(config.value());
    return policy ? std::string("nothing") : policy.error().message;
  };
  EXPECT_TRUE(says("empty.crt", "server.key").starts_with(folder.path("empty.crt") + ": holds no certificate"));
  EXPECT_TRUE(says("server.crt", "empty.key").starts_with(folder.path("empty.key") + ": holds no private key"));
  EXPECT_TRUE(says("server.crt", "next.key").starts_with(folder.path("next.key") + ": does not belong to "));
  EXPECT_TRUE(says("server.crt", "server.key", "  cipher_suites: [TLS_NULL]\n")
                  .starts_with(folder.path("web.yml") + ":2: tls_server_config: cipher_suites has \"TLS_NULL\""));
  EXPECT_TRUE(says("server.crt", "server.key",
                   "  client_auth_type: RequireAndVerifyClientCert\n"
                   "  client_ca_file: empty.crt\n")
                  .starts_with(folder.path("empty.crt") + ": holds no certificate"));
  ASSERT_TRUE(run("openssl ec -aes128 -passout pass:x -in " + folder.path("server.key") + " -out " +
                  folder.path("locked.key")));
  EXPECT_NE(says("server.crt", "locked.key").find("it is encrypted"), std::string::npos);
}

}  // namespace
}  // namespace rocetop::cli
