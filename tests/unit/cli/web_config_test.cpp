// SPDX-License-Identifier: BSD-3-Clause
#include "web_config.h"

#include <gtest/gtest.h>

#include <ostream>

#include "file_folder.h"

namespace rocetop::cli {
namespace {

const std::string kHash = "$2y$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG";

TEST(WebConfig, IsReadAsItsNeighboursReadIt) {
  const test::Folder folder;
  folder.write("server.crt", "certificate");
  folder.write("server.key", "key");
  folder.write("ca.crt", "ca");
  const std::string path = folder.write("web.yml",
                                        "tls_server_config:\n"
                                        "  cert_file: server.crt\n"
                                        "  key_file: " +
                                            folder.path("server.key") +
                                            "\n"
                                            "  client_auth_type: RequireAndVerifyClientCert\n"
                                            "  client_ca_file: ca.crt\n"
                                            "  client_allowed_sans: [scraper.example, 192.0.2.7]\n"
                                            "  min_version: TLS12\n"
                                            "  max_version: TLS13\n"
                                            "  cipher_suites:\n"
                                            "    - TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\n"
                                            "  prefer_server_cipher_suites: false\n"
                                            "  curve_preferences: [X25519, CurveP256]\n"
                                            "http_server_config:\n"
                                            "  http2: false\n"
                                            "  headers:\n"
                                            "    X-Frame-Options: deny\n"
                                            "    X-Content-Type-Options: nosniff\n"
                                            "basic_auth_users:\n"
                                            "  alice: " +
                                            kHash +
                                            "\n"
                                            "rate_limit:\n"
                                            "  interval: 1.5s\n"
                                            "  burst: 20\n");
  std::vector<std::string> files;
  const auto config = read_web_config(path, [&](const std::string& file) { files.push_back(file); });
  ASSERT_TRUE(config) << config.error().message;
  const TlsConfig& tls = config.value().tls;
  EXPECT_TRUE(tls.enabled);
  EXPECT_EQ(tls.certificate.text, "certificate");
  EXPECT_EQ(tls.certificate.origin, folder.path("server.crt"));  // relative to the file that names it
  EXPECT_EQ(tls.key.text, "key");
  EXPECT_EQ(tls.client_ca.text, "ca");
  EXPECT_EQ(tls.client_auth, ClientAuth::kRequireAndVerify);
  EXPECT_EQ(tls.client_allowed_sans, (std::vector<std::string>{"scraper.example", "192.0.2.7"}));
  EXPECT_EQ(tls.cipher_suites, std::vector<std::string>{"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"});
  EXPECT_FALSE(tls.prefer_server_cipher_suites);
  EXPECT_EQ(tls.curves, (std::vector<std::string>{"X25519", "P-256"}));
  EXPECT_EQ(config.value().headers.size(), 2U);
  EXPECT_EQ(config.value().users.at("alice"), kHash);
  EXPECT_EQ(config.value().rate_limit.interval, milliseconds(1'500));
  EXPECT_EQ(config.value().rate_limit.burst, 20U);
  EXPECT_EQ(files, (std::vector<std::string>{path, folder.path("server.crt"), folder.path("server.key"),
                                             folder.path("ca.crt")}));
}

TEST(WebConfig, MayHoldCertificatesItself) {
  const test::Folder folder;
  const auto config =
      read_web_config(folder.write("web.yml", "tls_server_config:\n  cert: |\n    one\n    two\n  key: three\n"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config.value().tls.certificate.text, "one\ntwo\n");
  EXPECT_EQ(config.value().tls.certificate.origin, folder.path("web.yml") + ":2: cert");
  EXPECT_EQ(config.value().tls.key.text, "three");
}

TEST(WebConfig, AnEmptyOneAsksForNothing) {
  const test::Folder folder;
  for (const char* text : {"", "# nothing\n", "tls_server_config: {}\n", "basic_auth_users:\n",
                           "tls_server_config:\n  min_version: TLS13\n"}) {
    const auto config = read_web_config(folder.write("web.yml", text));
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_FALSE(config.value().tls.enabled);
    EXPECT_TRUE(config.value().users.empty());
  }
}

struct Wrong {
  std::string text;
  std::string message;  ///< behind the file's name
};

void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.message; }

class WrongWebConfig : public testing::TestWithParam<Wrong> {};

TEST_P(WrongWebConfig, IsRefusedByFileLineAndKey) {
  const test::Folder folder;
  folder.write("ca.crt", "ca");
  const auto config = read_web_config(folder.write("web.yml", GetParam().text));
  ASSERT_FALSE(config);
  EXPECT_TRUE(config.error().message.starts_with(folder.path("web.yml") + ":" + GetParam().message))
      << config.error().message;
}

const std::string kTls = "tls_server_config:\n  cert: a\n  key: b\n  ";

INSTANTIATE_TEST_SUITE_P(
    All, WrongWebConfig,
    testing::Values(
        Wrong{"- a\n", "1: a web configuration has to be a mapping"},
        Wrong{"\nbasic_auth_user:\n  a: b\n", "2: basic_auth_user is no key of a web configuration"},
        Wrong{"rate_limit:\n  burst: 1\nrate_limit:\n  burst: 2\n", "3: rate_limit is given twice"},
        Wrong{"a: [\n", "2: not YAML"}, Wrong{"[a]: b\n", "1: a web configuration has a key that is no word"},
        Wrong{"tls_server_config: yes\n", "1: tls_server_config has to be a mapping"},
        Wrong{kTls + "certfile: c\n", "4: certfile is no key of tls_server_config"},
        Wrong{kTls + "cert_file: c\n", "4: cert_file is given as well as cert"},
        Wrong{"tls_server_config:\n  cert_file: nosuch.crt\n  key: b\n", "2: cert_file is "},
        Wrong{"tls_server_config:\n  key: b\n", "2: cert_file is missing"},
        Wrong{"tls_server_config:\n  cert: b\n", "2: key_file is missing"},
        Wrong{"tls_server_config:\n  cert: [b]\n", "2: cert has to be one value"},
        Wrong{kTls + "client_auth_type: Always\n", "4: client_auth_type is \"Always\""},
        Wrong{kTls + "client_ca_file: ca.crt\n",
              "2: client_ca_file is given, but client_auth_type asks for no certificate"},
        Wrong{kTls + "client_auth_type: RequireAndVerifyClientCert\n", "2: client_auth_type verifies certificates"},
        Wrong{kTls + "client_allowed_sans: [x]\n", "2: client_allowed_sans is given, but a client needs no"},
        Wrong{kTls + "client_allowed_sans: x\n", "4: client_allowed_sans has to be a list"},
        Wrong{kTls + "min_version: TLS11\n", "4: min_version is older than TLS12"},
        Wrong{kTls + "min_version: SSL30\n", "4: min_version is \"SSL30\""},
        Wrong{kTls + "min_version: TLS13\n  max_version: TLS12\n", "2: min_version is above max_version"},
        Wrong{kTls + "prefer_server_cipher_suites: maybe\n", "4: prefer_server_cipher_suites has to be true or"},
        Wrong{kTls + "curve_preferences: [P256]\n", "4: curve_preferences has \"P256\""},
        Wrong{"http_server_config:\n  http3: true\n", "2: http3 is no key of http_server_config"},
        Wrong{"http_server_config:\n  headers:\n    X-Other: a\n", "3: X-Other is no key of headers"},
        Wrong{"http_server_config:\n  headers:\n    X-Frame-Options: no\n", "3: X-Frame-Options can only be"},
        Wrong{"http_server_config:\n  headers:\n    X-Content-Type-Options: no\n", "3: X-Content-Type-Options can"},
        Wrong{"http_server_config:\n  headers:\n    X-XSS-Protection: \"a\\r\\nb\"\n", "3: X-XSS-Protection holds a"},
        Wrong{"basic_auth_users:\n  a: secret\n", "2: a has no bcrypt hash"},
        Wrong{"basic_auth_users:\n  a: $2y$10$short\n", "2: a has no bcrypt hash"},
        Wrong{"basic_auth_users:\n  a: $1y$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG\n", "2: a has no"},
        Wrong{"basic_auth_users:\n  a: $2y$31$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG\n",
              "2: a has a bcrypt hash whose cost is above 16"},
        Wrong{"basic_auth_users:\n  \"a:b\": " + kHash + "\n", "2: a:b is a name with a colon"},
        Wrong{"rate_limit:\n  interval: fast\n  burst: 1\n", "2: interval is no time"},
        Wrong{"rate_limit:\n  interval: 1s\n  burst: -1\n", "3: burst is no number"},
        Wrong{"rate_limit:\n  interval: 1s\n", "2: burst is 0"},
        Wrong{"rate_limit:\n  interval: 1s\n  burst: 1\n  per: x\n", "4: per is no key of rate_limit"}));

TEST(WebConfig, AFileThatIsNotThereIsNamed) {
  const auto config = read_web_config("/nosuch/web.yml");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message, "--web.config.file /nosuch/web.yml: cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace rocetop::cli
