// SPDX-License-Identifier: BSD-3-Clause
// The table of connections, worst first, in the width there is: columns drop in order of importance, and when not even
// the important ones fit beside the peers, the peers get a line of their own.
#pragma once

#include <string>
#include <vector>

#include "model/snapshot.h"
#include "present/json_writer.h"
#include "present/paint.h"

namespace rocetop::present {

/// A column of the table, under the names it has where there is room and where there is not.
struct ColumnLegend {
  std::string names;  ///< "packets, pkts"
  std::string help;
};
std::vector<ColumnLegend> connection_table_legend();

/// Without `all`, quiet connections are hidden when there are many, and so is what follows the worst 40.
void write_connection_table(const model::Snapshot& snapshot, const TextStyle& style, bool all, const TextSink& sink);

}  // namespace rocetop::present
