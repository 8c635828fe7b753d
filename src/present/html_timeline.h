// SPDX-License-Identifier: BSD-3-Clause
// A timeline as the HTML report's script reads it: columns of numbers, packed (packed_column.h). Times are nanoseconds
// since `zero`.
#pragma once

#include "model/timeline.h"
#include "present/json_writer.h"

namespace rocetop::present {

void write_html_timeline(const model::Timeline& timeline, bool several_files, Nanos zero, JsonWriter& json);

}  // namespace rocetop::present
