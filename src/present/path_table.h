// SPDX-License-Identifier: BSD-3-Clause
// The paths of veRoCE connections (UDP source ports), for a person: a table for each direction that has some.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/snapshot.h"
#include "present/json_writer.h"
#include "present/paint.h"

namespace rocetop::present {

/// Its heading, then a line for each path that is told.
struct PathTable {
  struct Row {
    std::string text;
    bool troubled = false;  ///< lost, trimmed or marked packets, or signals about it
  };
  std::string heading;
  std::vector<Row> rows;
  std::string rest;  ///< what of the direction no row tells; empty: nothing
};

/// Packets of its own went over paths: else a table says nothing.
bool has_paths(const track::DirectionCounts& direction);
/// At most `most` paths, the worst ones; by port if all of them fit and `worst_first` is not set. Columns without a
/// value, and those that do not fit into `width`, are left out.
PathTable path_table(const track::DirectionCounts& direction, std::size_t most, bool worst_first, std::size_t width,
                     bool unicode);

/// Of the first few directions with several paths; with `all`, of every one, and all of its paths. Nothing without
/// veRoCE.
void write_path_tables(const model::Snapshot& snapshot, const TextStyle& style, bool all, const TextSink& sink);

}  // namespace rocetop::present
