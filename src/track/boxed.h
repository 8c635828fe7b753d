// SPDX-License-Identifier: BSD-3-Clause
// Boxed<T>: a T that most owners never need: nothing but a pointer until it is asked for, copied with its owner.
#pragma once

#include <memory>

namespace rocetop::track {

template <typename T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(const Boxed& other) : box_(other.box_ ? std::make_unique<T>(*other.box_) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    box_ = std::move(other.box_);
    return *this;
  }
  ~Boxed() = default;

  /// The T, made now if there is none yet.
  T& need() {
    if (!box_) box_ = std::make_unique<T>();
    return *box_;
  }
  explicit operator bool() const { return box_ != nullptr; }
  T& operator*() { return *box_; }
  const T& operator*() const { return *box_; }
  T* operator->() { return box_.get(); }
  const T* operator->() const { return box_.get(); }

 private:
  std::unique_ptr<T> box_;
};

}  // namespace rocetop::track
