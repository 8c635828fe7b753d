// SPDX-License-Identifier: BSD-3-Clause
// Lazy: a value that most owners never have. It takes one pointer until it is first used; copies are deep.
#pragma once

#include <memory>

namespace rocetop {

template <typename T>
class Lazy {
 public:
  Lazy() = default;
  Lazy(const Lazy& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Lazy(Lazy&&) noexcept = default;
  Lazy& operator=(const Lazy& other) {
    if (this != &other) value_ = other.value_ ? std::make_unique<T>(*other.value_) : nullptr;
    return *this;
  }
  Lazy& operator=(Lazy&&) noexcept = default;
  ~Lazy() = default;

  explicit operator bool() const { return value_ != nullptr; }
  const T* get() const { return value_.get(); }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  /// The value, made now if there is none yet.
  T& use() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace rocetop
