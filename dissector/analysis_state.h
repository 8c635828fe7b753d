// SPDX-License-Identifier: GPL-2.0-or-later
// What a roce_analysis is, for the C++ behind bridge.h and report.h.
#pragma once

#include "session.h"

struct roce_analysis {
  explicit roce_analysis(const roce_options& options) : session(options) {}
  rocetop::dissector::Session session;
  bool failed = false;  ///< something was thrown: no more of it
};
