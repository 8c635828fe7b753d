// SPDX-License-Identifier: BSD-3-Clause
// The paths of veRoCE connections (UDP source ports), for a person: a table for each direction that has some.
#pragma once

#include "model/snapshot.h"
#include "present/json_writer.h"
#include "present/paint.h"

namespace rocetop::present {

/// Of the first few directions with several paths; with `all`, of every one, and all of its paths. Nothing without
/// veRoCE.
void write_path_tables(const model::Snapshot& snapshot, const TextStyle& style, bool all, const TextSink& sink);

}  // namespace rocetop::present
