// SPDX-License-Identifier: BSD-3-Clause
#include "tls_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rocetop::cli {
namespace {

template <typename T, void (*Free)(T*)>
struct Freed {
  void operator()(T* object) const { Free(object); }
};
void free_bio(BIO* bio) { BIO_free_all(bio); }
void free_names(GENERAL_NAMES* names) { GENERAL_NAMES_free(names); }
using Bio = std::unique_ptr<BIO, Freed<BIO, free_bio>>;
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES, free_names>>;

std::string openssl_reason() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "OpenSSL gives no reason" : reason;
}

Bio bio_of(const std::string& text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

/// A server has nobody to ask for a password.
int no_password(char*, int, int, void*) { return -1; }

Certificate next_certificate(BIO* bio) { return Certificate(PEM_read_bio_X509(bio, nullptr, no_password, nullptr)); }

/// The server's own first, then those that sign for it.
Result<Done> use_certificates(SSL_CTX* context, const PemText& pem) {
  const Bio bio = bio_of(pem.text);
  const Certificate own = next_certificate(bio.get());
  if (!own || SSL_CTX_use_certificate(context, own.get()) != 1) {
    return Error{pem.origin + ": holds no certificate that can be used: " + openssl_reason(),
                 "It has to be PEM: -----BEGIN CERTIFICATE-----"};
  }
  SSL_CTX_clear_chain_certs(context);
  while (const Certificate next = next_certificate(bio.get())) {
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) break;
  }
  ERR_clear_error();  // the end of the file is one
  return Done{};
}

Result<Done> use_key(SSL_CTX* context, const TlsConfig& config) {
  const Bio bio = bio_of(config.key.text);
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  if (!key) {
    const bool encrypted = config.key.text.find("ENCRYPTED") != std::string::npos;
    const std::string reason = openssl_reason();
    return Error{config.key.origin + ": holds no private key that can be used: " +
                     (encrypted ? "it is encrypted, and nobody is there to type its password" : reason),
                 "It has to be PEM without a password: -----BEGIN PRIVATE KEY-----"};
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return Error{config.key.origin + ": does not belong to " + config.certificate.origin + ": " + openssl_reason(), ""};
  }
  return Done{};
}

Result<Done> trust_clients_of(SSL_CTX* context, const PemText& pem) {
  const Bio bio = bio_of(pem.text);
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  std::size_t count = 0;
  while (const Certificate next = next_certificate(bio.get())) {
    if (X509_STORE_add_cert(store, next.get()) == 1 && SSL_CTX_add_client_CA(context, next.get()) == 1) ++count;
  }
  ERR_clear_error();
  if (count == 0) return Error{pem.origin + ": holds no certificate", "It has to be PEM: -----BEGIN CERTIFICATE-----"};
  return Done{};
}

std::string_view text_of(const ASN1_STRING* string) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
          static_cast<std::size_t>(ASN1_STRING_length(string))};
}

std::string address_text(const ASN1_OCTET_STRING* bytes) {
  using boost::asio::ip::address_v4;
  using boost::asio::ip::address_v6;
  const std::string_view raw = text_of(bytes);
  if (raw.size() == 4) {
    address_v4::bytes_type out;
    std::copy(raw.begin(), raw.end(), out.begin());
    return address_v4(out).to_string();
  }
  if (raw.size() == 16) {
    address_v6::bytes_type out;
    std::copy(raw.begin(), raw.end(), out.begin());
    return address_v6(out).to_string();
  }
  return "";
}

/// RFC 5280 4.2.1.6: DNS, e-mail, URI and IP names, compared as they are.
bool has_allowed_name(X509* certificate, const std::vector<std::string>& allowed) {
  const Names names(static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  if (!names) return false;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    std::string text;
    if (name->type == GEN_DNS || name->type == GEN_EMAIL || name->type == GEN_URI) text = text_of(name->d.ia5);
    if (name->type == GEN_IPADD) text = address_text(name->d.iPAddress);
    if (!text.empty() && std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return true;
  }
  return false;
}

void ask_for_certificates(boost::asio::ssl::context& context, const TlsConfig& config) {
  namespace ssl = boost::asio::ssl;
  if (config.client_auth == ClientAuth::kNone) return context.set_verify_mode(ssl::verify_none);
  const bool required =
      config.client_auth == ClientAuth::kRequireAny || config.client_auth == ClientAuth::kRequireAndVerify;
  const bool verified =
      config.client_auth == ClientAuth::kVerifyIfGiven || config.client_auth == ClientAuth::kRequireAndVerify;
  context.set_verify_mode(required ? ssl::verify_peer | ssl::verify_fail_if_no_peer_cert : ssl::verify_peer);
  context.set_verify_callback([verified, allowed = config.client_allowed_sans](bool good, ssl::verify_context& verify) {
    if (verified && !good) return false;
    X509_STORE_CTX* store = verify.native_handle();
    if (allowed.empty() || X509_STORE_CTX_get_error_depth(store) != 0) return true;
    return has_allowed_name(X509_STORE_CTX_get_current_cert(store), allowed);
  });
}

Result<Done> choose_ciphers(SSL_CTX* context, const TlsConfig& config) {
  std::string list;
  for (const std::string& name : config.cipher_suites) {
    // Go knows two by names that are shorter than IANA's.
    const std::string full = name.ends_with("CHACHA20_POLY1305") ? name + "_SHA256" : name;
    const char* known = OPENSSL_cipher_name(full.c_str());
    if (known == nullptr || std::string_view(known) == "(NONE)") {
      return Error{config.where + ": cipher_suites has \"" + name + "\", which OpenSSL does not know",
                   "They are named as in TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256."};
    }
    if (full.find("_WITH_") == std::string::npos) continue;  // those of TLS 1.3 are not chosen
    list += (list.empty() ? "" : ":") + std::string(known);
  }
  if (list.empty() && !config.cipher_suites.empty()) {
    // Whoever names those of TLS 1.3 alone wants nothing older.
    if (config.max_version < 13) {
      return Error{config.where + ": cipher_suites has none of TLS 1.2, and max_version allows nothing newer", ""};
    }
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  }
  if (!list.empty() && SSL_CTX_set_cipher_list(context, list.c_str()) != 1) {
    return Error{config.where + ": cipher_suites cannot be used: " + openssl_reason(), ""};
  }
  std::string curves;
  for (const std::string& name : config.curves) curves += (curves.empty() ? "" : ":") + name;
  if (!curves.empty() && SSL_CTX_set1_groups_list(context, curves.c_str()) != 1) {
    return Error{config.where + ": curve_preferences cannot be used: " + openssl_reason(), ""};
  }
  return Done{};
}

void set_protocol(SSL_CTX* context, const TlsConfig& config) {
  const auto version = [](int number) { return number >= 13 ? TLS1_3_VERSION : TLS1_2_VERSION; };
  SSL_CTX_set_min_proto_version(context, version(config.min_version));
  SSL_CTX_set_max_proto_version(context, version(config.max_version));
  // A client that asks for a new handshake again and again would keep the server busy.
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  if (config.prefer_server_cipher_suites) SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE);
  // A session that is taken up again is not verified again: with client certificates each connection begins anew.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  if (config.client_auth != ClientAuth::kNone) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
  }
}

}  // namespace

Result<std::shared_ptr<boost::asio::ssl::context>> make_tls_context(const TlsConfig& config) {
  std::shared_ptr<boost::asio::ssl::context> context;
  try {
    context = std::make_shared<boost::asio::ssl::context>(boost::asio::ssl::context::tls_server);
    ask_for_certificates(*context, config);
  } catch (const std::exception& e) {
    return Error{config.where + ": OpenSSL cannot be used: " + e.what(), ""};
  }
  SSL_CTX* native = context->native_handle();
  ERR_clear_error();
  set_protocol(native, config);
  if (auto done = use_certificates(native, config.certificate); !done) return done.error();
  if (auto done = use_key(native, config); !done) return done.error();
  if (!config.client_ca.empty()) {
    if (auto done = trust_clients_of(native, config.client_ca); !done) return done.error();
  }
  if (auto done = choose_ciphers(native, config); !done) return done.error();
  return context;
}

}  // namespace rocetop::cli
