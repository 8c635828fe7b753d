// SPDX-License-Identifier: BSD-3-Clause
// BasicAuth: who may ask, by name and password (RFC 7617) against bcrypt hashes. A hash takes tens of milliseconds, so
// it is computed by a thread of its own, and what was verified once is remembered: whoever sends wrong passwords holds
// up nobody whose right one is known. Of those that are not verified yet, the ones of addresses that sent a wrong
// password wait behind all others, and make room for them; else chance decides who does, so that of very many addresses
// none can keep a right one out for ever.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace rocetop::cli {

enum class AuthResult : std::uint8_t {
  kAllowed,
  kRefused,
  kBusy,  ///< too many passwords wait to be verified; ask again
};

/// Name and password of an Authorization header; nothing if it holds none.
std::optional<std::pair<std::string, std::string>> parse_basic_authorization(std::string_view header);

/// Whether `password` belongs to the bcrypt `hash`. Takes as long as the hash's cost says.
bool verify_bcrypt(const std::string& password, const std::string& hash);

class BasicAuth {
 public:
  using Users = std::map<std::string, std::string>;  ///< name: bcrypt hash
  using Done = std::function<void(AuthResult)>;      ///< from any thread, also at once

  BasicAuth();
  BasicAuth(const BasicAuth&) = delete;
  BasicAuth& operator=(const BasicAuth&) = delete;
  /// Who still waits is refused.
  ~BasicAuth();

  /// `header`: the value of Authorization, empty for none. `peer`: the address it comes from. `users` is not empty.
  void check(const Users& users, std::string_view header, const std::string& peer, Done done);

  /// Hashes computed so far.
  std::uint64_t verified() const;

  /// Passwords that wait, of all and of one address; results that are remembered; addresses that sent wrong ones.
  static constexpr std::size_t kWaitingMost = 16;
  static constexpr std::size_t kWaitingOfOnePeer = 2;
  static constexpr std::size_t kRememberedMost = 256;
  static constexpr std::size_t kSuspectsMost = 4'096;

 private:
  /// Of name, password, hash and whether there is such a user, under a key of this process: no password is kept.
  using Fingerprint = std::array<std::uint8_t, 32>;
  struct FingerprintHash {
    std::size_t operator()(const Fingerprint& f) const;
  };
  struct Question {
    Fingerprint fingerprint;
    std::string password;
    std::string hash;
    bool known_user = false;
    std::string peer;
    Done done;
  };
  Fingerprint fingerprint_of(std::string_view name, std::string_view password, std::string_view hash,
                             bool known_user) const;
  void run();
  void remember(const Fingerprint& fingerprint, bool good);
  void judge_peer(const std::string& peer, bool good);
  bool is_suspect(const std::string& peer) const { return suspects_.count(peer) != 0; }
  std::deque<Question>::iterator first_suspected();
  Done push_out();

  std::array<std::uint8_t, 32> key_{};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Question> waiting_;  // under mutex_, as all below
  std::unordered_map<Fingerprint, bool, FingerprintHash> remembered_;
  std::deque<Fingerprint> wrong_in_order_;    // the oldest first: only these make room
  std::unordered_set<std::string> suspects_;  // addresses whose last password was wrong
  std::uint64_t verified_ = 0;
  bool stopping_ = false;
  std::minstd_rand chance_{std::random_device()()};
  std::thread thread_;
};

}  // namespace rocetop::cli
