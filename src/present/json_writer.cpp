// SPDX-License-Identifier: BSD-3-Clause
#include "present/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "present/utf8.h"

namespace rocetop::present {
namespace {

constexpr std::size_t kFlushAt = 64 * 1024;

template <typename Number>
void append_number(std::string& out, Number number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  out.append(text.data(), end);
}

}  // namespace

void JsonWriter::before_item() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!has_items_.empty()) {
    if (has_items_.back()) buffer_ += ',';
    has_items_.back() = true;
  }
  if (line_break_) {
    buffer_ += '\n';
    line_break_ = false;
  }
  if (buffer_.size() >= kFlushAt) flush();
}

void JsonWriter::open(char bracket) {
  before_item();
  buffer_ += bracket;
  has_items_.push_back(false);
}

void JsonWriter::close(char bracket) {
  has_items_.pop_back();
  line_break_ = false;
  buffer_ += bracket;
}

void JsonWriter::begin_object() { open('{'); }
void JsonWriter::end_object() { close('}'); }
void JsonWriter::begin_array() { open('['); }
void JsonWriter::end_array() { close(']'); }

void JsonWriter::key(std::string_view name) {
  before_item();
  append_string(name);
  buffer_ += ':';
  after_key_ = true;
}

void JsonWriter::null() {
  before_item();
  buffer_ += "null";
}

void JsonWriter::value(bool b) {
  before_item();
  buffer_ += b ? "true" : "false";
}

void JsonWriter::value(std::uint64_t n) {
  before_item();
  append_number(buffer_, n);
}

void JsonWriter::value(std::int64_t n) {
  before_item();
  append_number(buffer_, n);
}

void JsonWriter::value(double d) {
  if (!std::isfinite(d)) return null();
  before_item();
  constexpr double kExact =
      9007199254740992.0;  // 2^53: whole numbers below are exact, and 1000000 reads better than 1e+06
  if (std::trunc(d) == d && std::abs(d) < kExact) return append_number(buffer_, static_cast<std::int64_t>(d));
  append_number(buffer_, d);
}

void JsonWriter::value(std::string_view text) {
  before_item();
  append_string(text);
}

void JsonWriter::append_string(std::string_view text) {
  buffer_ += '"';
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    text.remove_prefix(c.bytes);
    if (c.value == '"' || c.value == '\\') {
      buffer_ += '\\';
      buffer_ += static_cast<char>(c.value);
    } else if (c.value == '\n') {
      buffer_ += "\\n";
    } else if (is_control(c.value) &&
               c.value < 0x10000) {  // more than RFC 8259 asks for: the text may go to a terminal
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c.value));
      buffer_ += escape.data();
    } else {
      append_utf8(buffer_, c.value);
    }
  }
  buffer_ += '"';
}

void JsonWriter::finish() {
  buffer_ += '\n';
  flush();
}

void JsonWriter::flush() {
  if (!buffer_.empty()) sink_(buffer_);
  buffer_.clear();
}

}  // namespace rocetop::present
