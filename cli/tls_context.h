// SPDX-License-Identifier: BSD-3-Clause
// What a TLS server needs of OpenSSL, made from a web configuration: TLS 1.2 and 1.3, nothing older.
#pragma once

#include <memory>

#include "base/result.h"
#include "web_config.h"

namespace boost::asio::ssl {
class context;
}

namespace rocetop::cli {

/// Errors: a certificate or key that cannot be used, that do not belong together, a cipher suite that is not known.
Result<std::shared_ptr<boost::asio::ssl::context>> make_tls_context(const TlsConfig& config);

}  // namespace rocetop::cli
