// SPDX-License-Identifier: BSD-3-Clause
#include "basic_auth.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace rocetop::cli {
namespace {

const std::string kSecret = "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW";  // "secret", cost 4
const BasicAuth::Users kUsers = {{"prometheus", kSecret}};
constexpr const char* kRight = "Basic cHJvbWV0aGV1czpzZWNyZXQ=";  // prometheus:secret
constexpr const char* kWrong = "Basic cHJvbWV0aGV1czp3cm9uZw==";  // prometheus:wrong

AuthResult ask(BasicAuth& auth, const BasicAuth::Users& users, const std::string& header,
               const std::string& peer = "192.0.2.1") {
  std::promise<AuthResult> answer;
  auth.check(users, header, peer, [&](AuthResult result) { answer.set_value(result); });
  return answer.get_future().get();
}

/// What check() says before it returns; nothing if it has to compute.
std::optional<AuthResult> ask_at_once(BasicAuth& auth, const std::string& header, const std::string& peer) {
  const auto answer = std::make_shared<std::optional<AuthResult>>();
  const auto caller = std::this_thread::get_id();
  auth.check(kUsers, header, peer, [=](AuthResult result) {
    if (std::this_thread::get_id() == caller) *answer = result;
  });
  return *answer;
}

TEST(BasicAuth, ReadsNameAndPassword) {
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(parse_basic_authorization(kRight), Pair("prometheus", "secret"));
  EXPECT_EQ(parse_basic_authorization("bAsIc   YTpiOmM="), Pair("a", "b:c"));  // a password may have colons
  for (const char* wrong : {"", "Basic", "Basic ", "Basic YWI=", "Basic !!!!", "Bearer YTpi",
                            "Basic YTpi=", "Basic YQA6Yg==" /* a, zero, :b */}) {
    EXPECT_FALSE(parse_basic_authorization(wrong)) << wrong;
  }
  EXPECT_FALSE(parse_basic_authorization("Basic " + std::string(100'000, 'A')));
}

TEST(BasicAuth, VerifiesBcrypt) {
  EXPECT_TRUE(verify_bcrypt("secret", kSecret));
  EXPECT_FALSE(verify_bcrypt("Secret", kSecret));
  EXPECT_FALSE(verify_bcrypt("secret", "$2b$04$nothing"));
  EXPECT_FALSE(verify_bcrypt("*0", "*0"));  // what crypt() says of a hash that it cannot use
}

TEST(BasicAuth, EachPasswordIsComputedOnce) {
  BasicAuth auth;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask(auth, kUsers, kRight), AuthResult::kAllowed);
    EXPECT_EQ(ask(auth, kUsers, kWrong), AuthResult::kRefused);
    EXPECT_EQ(ask(auth, kUsers, ""), AuthResult::kRefused);
  }
  EXPECT_EQ(auth.verified(), 2U);
}

TEST(BasicAuth, ANameThatIsNotThereIsComputedToo) {
  BasicAuth auth;
  EXPECT_EQ(ask(auth, kUsers, "Basic bm9ib2R5OnNlY3JldA=="), AuthResult::kRefused);  // nobody:secret
  EXPECT_EQ(auth.verified(), 1U);
}

TEST(BasicAuth, AChangedHashIsAskedAgain) {
  BasicAuth auth;
  EXPECT_EQ(ask(auth, kUsers, kRight), AuthResult::kAllowed);
  const BasicAuth::Users others = {{"prometheus", "$2b$04$zbcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"}};
  EXPECT_EQ(ask(auth, others, kRight), AuthResult::kRefused);
}

TEST(BasicAuth, WhoIsNoUserAnyMoreIsRefusedAndWhoBecomesOneIsNot) {
  BasicAuth auth;
  const BasicAuth::Users others = {{"another", kSecret}};  // the same password, so the same hash
  EXPECT_EQ(ask(auth, kUsers, kRight), AuthResult::kAllowed);
  EXPECT_EQ(ask(auth, others, kRight), AuthResult::kRefused);
  EXPECT_EQ(ask(auth, kUsers, "Basic YW5vdGhlcjpzZWNyZXQ="), AuthResult::kRefused);
  EXPECT_EQ(ask(auth, others, "Basic YW5vdGhlcjpzZWNyZXQ="), AuthResult::kAllowed);
}

TEST(BasicAuth, WrongPasswordsHoldUpNobodyWhoseOwnIsKnown) {
  BasicAuth auth;
  EXPECT_EQ(ask(auth, kUsers, kRight), AuthResult::kAllowed);
  // Each takes as long as a hash of cost 10 does; far more of them than may wait.
  const BasicAuth::Users slow = {{"prometheus", "$2b$10$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"}};
  std::atomic<int> busy = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string password = "Basic cHJvbWV0aGV1czp3cm9uZ" + std::string(1, static_cast<char>('a' + i % 26)) +
                                 std::string(1, static_cast<char>('b' + i / 26)) + "Z";
    auth.check(slow, password, "192.0.2." + std::to_string(i), [&](AuthResult r) { busy += r == AuthResult::kBusy; });
  }
  EXPECT_GE(busy, 200 - static_cast<int>(BasicAuth::kWaitingMost) * 4);
  EXPECT_EQ(ask_at_once(auth, kRight, "192.0.2.1"), AuthResult::kAllowed);
}

TEST(BasicAuth, OneAddressCannotFillTheQueue) {
  BasicAuth auth;
  const BasicAuth::Users slow = {{"prometheus", "$2b$10$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"}};
  for (int i = 0; i < 50; ++i) {
    auth.check(slow, "Basic cHJvbWV0aGV1czp3cm9uZ" + std::string(3, static_cast<char>('a' + i % 26)), "192.0.2.66",
               [](AuthResult) {});
  }
  EXPECT_EQ(ask(auth, kUsers, kRight), AuthResult::kAllowed);
}

std::string wrong_password(int i) {
  return "Basic cHJvbWV0aGV1czp3cm9uZ" + std::string(1, static_cast<char>('a' + i % 26)) +
         std::string(1, static_cast<char>('b' + i / 26)) + "Z";
}

TEST(BasicAuth, WhoSentWrongPasswordsWaitsBehindWhoDidNot) {
  BasicAuth auth;
  const BasicAuth::Users slow = {{"prometheus", "$2b$10$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"}};
  constexpr int kSuspects = 10;
  for (int i = 0; i < kSuspects; ++i) {
    ASSERT_EQ(ask(auth, kUsers, wrong_password(i), "192.0.2." + std::to_string(i)), AuthResult::kRefused);
  }
  std::atomic<int> busy = 0;
  for (int i = 0; i < 4 * kSuspects; ++i) {
    auth.check(slow, wrong_password(100 + i), "192.0.2." + std::to_string(i % kSuspects),
               [&](AuthResult r) { busy += r == AuthResult::kBusy; });
  }
  EXPECT_GT(busy, 0);  // no more may wait
  const std::uint64_t before = auth.verified();
  EXPECT_EQ(ask(auth, kUsers, kRight, "198.51.100.1"), AuthResult::kAllowed);
  EXPECT_LE(auth.verified() - before, 3U);  // the one at work, the right one, and perhaps one more by now
}

}  // namespace
}  // namespace rocetop::cli
