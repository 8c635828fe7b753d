// SPDX-License-Identifier: BSD-3-Clause
// What is the same in every HTML report: script and style, put together at build time from src/present/web and uPlot
// (cmake/embed_web.cmake).
#pragma once

#include <string_view>

namespace rocetop::present::html_assets {

extern const std::string_view kScript;
extern const std::string_view kScriptHash;  ///< "sha256-…", for the Content-Security-Policy
extern const std::string_view kStyle;
extern const std::string_view kStyleHash;
extern const bool kHasPlots;  ///< false where uPlot was not to be had at build time

}  // namespace rocetop::present::html_assets
