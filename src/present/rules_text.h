// SPDX-License-Identifier: BSD-3-Clause
// The rule book and the thresholds, for a person, as a file of settings, and as the reference page docs/rules.md.
#pragma once

#include <string>

#include "present/paint.h"
#include "verdict/rule_book.h"

namespace rocetop::present {

/// A line or two a rule: id, severity, when it fires.
std::string rules_list(const TextStyle& style);
/// All there is about one rule.
std::string rule_text(const verdict::RuleFacts& rule, const TextStyle& style);
/// "name = value" lines with what each means and why, as --thresholds reads them.
std::string thresholds_file(const verdict::Thresholds& thresholds, std::size_t width);
/// docs/rules.md.
std::string rules_page();

}  // namespace rocetop::present
