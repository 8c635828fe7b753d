// SPDX-License-Identifier: BSD-3-Clause
// JsonWriter: JSON (RFC 8259) written as it is produced, in bounded memory: a report on a million connections never
// exists as a whole. Integers are exact, doubles the shortest text that reads back the same, the locale has no say.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rocetop::present {

/// Receives finished text, piece by piece.
using TextSink = std::function<void(std::string_view)>;

class JsonWriter {
 public:
  /// `one_line`: new_line() means nothing.
  explicit JsonWriter(TextSink sink, bool one_line = false) : sink_(std::move(sink)), one_line_(one_line) {}
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;
  ~JsonWriter() { flush(); }

  void begin_object();
  void end_object();
  void begin_array();
  void end_array();
  void key(std::string_view name);

  void null();
  void value(bool b);
  void value(double d);  ///< null if not finite
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(std::uint64_t n);
  void value(std::int64_t n);
  template <typename Int, std::enable_if_t<std::is_integral_v<Int> && !std::is_same_v<Int, bool>, int> = 0>
  void value(Int n) {
    if constexpr (std::is_signed_v<Int>) {
      value(std::int64_t{n});
    } else {
      value(std::uint64_t{n});
    }
  }
  template <typename T>
  void value(const std::optional<T>& v) {
    if (v) {
      value(*v);
    } else {
      null();
    }
  }

  template <typename T>
  void member(std::string_view name, const T& v) {
    key(name);
    value(v);
  }
  void null_member(std::string_view name) {
    key(name);
    null();
  }

  /// The next item starts a new line: long lists stay readable and greppable.
  void new_line() { line_break_ = !one_line_; }
  /// After the outermost value: "\n", and everything goes to the sink.
  void finish();

 private:
  void before_item();
  void open(char bracket);
  void close(char bracket);
  void append_string(std::string_view text);
  void flush();

  TextSink sink_;
  bool one_line_;
  std::string buffer_;
  std::vector<bool> has_items_;  // by depth
  bool after_key_ = false;
  bool line_break_ = false;
};

}  // namespace rocetop::present
