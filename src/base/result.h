// SPDX-License-Identifier: BSD-3-Clause
// Result<T>: a value, or an Error with a sentence for a person. For failures of the outside world only.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace rocetop {

struct Error {
  std::string message;  ///< one sentence: what (file, offset) and why
  std::string hint;     ///< what to do about it; may be empty
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  T& value() {
    ROCETOP_CHECK(*this);
    return std::get<T>(state_);
  }
  const T& value() const {
    ROCETOP_CHECK(*this);
    return std::get<T>(state_);
  }
  const Error& error() const {
    ROCETOP_CHECK(!*this);
    return std::get<Error>(state_);
  }
  T* operator->() { return &value(); }
  T& operator*() { return value(); }

 private:
  std::variant<T, Error> state_;
};

struct Done {};  ///< Result<Done>: nothing to return but success

}  // namespace rocetop
