// SPDX-License-Identifier: BSD-3-Clause
// The members of a JSON object that come from the table of fields, and distributions.
#pragma once

#include <span>
#include <string_view>

#include "base/histogram.h"
#include "model/fields.h"
#include "present/json_writer.h"

namespace rocetop::present {

/// Null for what is not known.
void write_value(JsonWriter& json, const model::FieldValue& value);

/// Writes a table's fields; keys with a common part before "." share an object (they stand together in the table).
template <typename T>
void write_fields(JsonWriter& json, std::span<const model::Field<T>> table, const T& object) {
  std::string_view open;
  for (const auto& field : table) {
    const std::size_t dot = field.key.find('.');
    const std::string_view group = dot == std::string_view::npos ? std::string_view{} : field.key.substr(0, dot);
    if (group != open) {
      if (!open.empty()) json.end_object();
      if (!group.empty()) {
        json.key(group);
        json.begin_object();
      }
      open = group;
    }
    json.key(group.empty() ? field.key : field.key.substr(dot + 1));
    write_value(json, field.get(object));
  }
  if (!open.empty()) json.end_object();
}

/// `"name": DISTRIBUTION`, null where there are no values.
void write_distribution(JsonWriter& json, std::string_view name, const Histogram& histogram);

}  // namespace rocetop::present
