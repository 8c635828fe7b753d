// SPDX-License-Identifier: BSD-3-Clause
#include "basic_auth.h"

#include <crypt.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "base/check.h"

namespace rocetop::cli {
namespace {

/// Standard alphabet with padding (RFC 4648 4).
std::optional<std::string> base64_decoded(std::string_view text) {
  constexpr std::size_t kMost = 1'024;
  if (text.empty() || text.size() % 4 != 0 || text.size() > kMost) return std::nullopt;
  std::vector<unsigned char> out(text.size());
  const int length =
      EVP_DecodeBlock(out.data(), reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (length < 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  return std::string(out.begin(), out.begin() + length - static_cast<std::ptrdiff_t>(padding));
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::optional<std::pair<std::string, std::string>> parse_basic_authorization(std::string_view header) {
  const std::size_t space = header.find(' ');
  if (space == std::string_view::npos || !equals_ignoring_case(header.substr(0, space), "Basic")) return std::nullopt;
  std::string_view token = header.substr(space);
  token.remove_prefix(std::min(token.find_first_not_of(' '), token.size()));
  const auto decoded = base64_decoded(token);
  if (!decoded || decoded->find('\0') != std::string::npos) return std::nullopt;  // crypt() would see half of it
  const std::size_t colon = decoded->find(':');
  if (colon == std::string::npos) return std::nullopt;
  return std::pair{decoded->substr(0, colon), decoded->substr(colon + 1)};
}

bool verify_bcrypt(const std::string& password, const std::string& hash) {
  const auto data = std::make_unique<crypt_data>();  // 32 KiB
  const char* computed = crypt_r(password.c_str(), hash.c_str(), data.get());
  // crypt(5): what fails begins with '*'.
  if (computed == nullptr || computed[0] == '*' || std::strlen(computed) != hash.size()) return false;
  return CRYPTO_memcmp(computed, hash.data(), hash.size()) == 0;
}

std::size_t BasicAuth::FingerprintHash::operator()(const Fingerprint& f) const {
  std::size_t out = 0;
  std::memcpy(&out, f.data(), sizeof out);
  return out;
}

BasicAuth::BasicAuth() {
  ROCETOP_CHECK(RAND_bytes(key_.data(), static_cast<int>(key_.size())) == 1);
  thread_ = std::thread([this] { run(); });
}

BasicAuth::~BasicAuth() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  for (Question& question : waiting_) question.done(AuthResult::kRefused);
}

BasicAuth::Fingerprint BasicAuth::fingerprint_of(std::string_view name, std::string_view password,
                                                 std::string_view hash, bool known_user) const {
  std::string text(name);
  text.append(1, '\0').append(password).append(1, '\0').append(hash).append(1, known_user ? '+' : '-');
  Fingerprint out{};
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), out.data(), nullptr);
  OPENSSL_cleanse(text.data(), text.size());
  return out;
}

void BasicAuth::check(const Users& users, std::string_view header, const std::string& peer, Done done) {
  auto given = parse_basic_authorization(header);
  if (!given) return done(AuthResult::kRefused);
  const auto user = users.find(given->first);
  const bool known = user != users.end();
  // A name that is not there takes as long as one that is. It may have been there until the users changed, with this
  // very hash, or be there later: what was verified of the one says nothing of the other.
  const std::string& hash = known ? user->second : users.begin()->second;
  const Fingerprint fingerprint = fingerprint_of(given->first, given->second, hash, known);
  std::unique_lock lock(mutex_);
  if (const auto found = remembered_.find(fingerprint); found != remembered_.end()) {
    const bool good = found->second;
    judge_peer(peer, good);
    lock.unlock();
    return done(good ? AuthResult::kAllowed : AuthResult::kRefused);
  }
  const auto of_peer = std::count_if(waiting_.begin(), waiting_.end(), [&](const auto& q) { return q.peer == peer; });
  const bool gives_way = waiting_.size() >= kWaitingMost && is_suspect(peer);
  if (gives_way || static_cast<std::size_t>(of_peer) >= kWaitingOfOnePeer) {
    lock.unlock();
    return done(AuthResult::kBusy);
  }
  Done pushed_out;
  if (waiting_.size() >= kWaitingMost) pushed_out = push_out();
  waiting_.insert(is_suspect(peer) ? waiting_.end() : first_suspected(),
                  {fingerprint, std::move(given->second), hash, known, peer, std::move(done)});
  lock.unlock();
  changed_.notify_all();
  if (pushed_out) pushed_out(AuthResult::kBusy);
}

/// Those of suspects are behind all others, but for those that came before their address was one.
std::deque<BasicAuth::Question>::iterator BasicAuth::first_suspected() {
  const auto behind =
      std::find_if(waiting_.rbegin(), waiting_.rend(), [&](const auto& q) { return !is_suspect(q.peer); });
  return behind.base();
}

/// The last of the suspects, or any.
BasicAuth::Done BasicAuth::push_out() {
  auto leaving = waiting_.end() - 1;
  if (!is_suspect(leaving->peer)) {
    leaving = waiting_.begin() + std::uniform_int_distribution<std::ptrdiff_t>(
                                     0, static_cast<std::ptrdiff_t>(waiting_.size()) - 1)(chance_);
  }
  OPENSSL_cleanse(leaving->password.data(), leaving->password.size());
  Done done = std::move(leaving->done);
  waiting_.erase(leaving);
  return done;
}

void BasicAuth::judge_peer(const std::string& peer, bool good) {
  if (good) {
    suspects_.erase(peer);
    return;
  }
  if (suspects_.size() >= kSuspectsMost) suspects_.clear();
  suspects_.insert(peer);
}

std::uint64_t BasicAuth::verified() const {
  const std::lock_guard lock(mutex_);
  return verified_;
}

void BasicAuth::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    Question question = std::move(waiting_.front());
    waiting_.pop_front();
    // Several scrapers begin with the same password at the same time.
    auto found = remembered_.find(question.fingerprint);
    bool good = found != remembered_.end() && found->second;
    if (found == remembered_.end()) {
      lock.unlock();
      good = verify_bcrypt(question.password, question.hash) && question.known_user;
      lock.lock();
      ++verified_;
      remember(question.fingerprint, good);
    }
    judge_peer(question.peer, good);
    lock.unlock();
    OPENSSL_cleanse(question.password.data(), question.password.size());
    question.done(good ? AuthResult::kAllowed : AuthResult::kRefused);
    question.done = {};
    lock.lock();
  }
}

/// Wrong ones push out wrong ones only. There are no more right ones than users, for each time these change.
void BasicAuth::remember(const Fingerprint& fingerprint, bool good) {
  if (remembered_.size() >= kRememberedMost) {
    if (wrong_in_order_.empty()) {
      remembered_.clear();
    } else {
      remembered_.erase(wrong_in_order_.front());
      wrong_in_order_.pop_front();
    }
  }
  remembered_.emplace(fingerprint, good);
  if (!good) wrong_in_order_.push_back(fingerprint);
}

}  // namespace rocetop::cli
