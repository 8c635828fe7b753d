# SPDX-License-Identifier: BSD-3-Clause
# Run at build time: puts the named scenarios, one text file each, into one C++ file.
#   cmake -DOUTPUT=scenario_library.cpp -DFOLDER=… -DNAMES=clean,incast -P embed_scenarios.cmake
string(REPLACE "," ";" names "${NAMES}")
set(rows "")
foreach(name IN LISTS names)
  file(READ "${FOLDER}/${name}.txt" text)
  if(NOT text MATCHES "^# [^\n]+\n" OR text MATCHES "\\)scenario\"")
    message(FATAL_ERROR "${name}.txt must begin with a line '# WHAT IT IS', and must fit into a C++ literal")
  endif()
  string(APPEND rows "    {\"${name}\", R\"scenario(${text})scenario\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by cmake/embed_scenarios.cmake. Do not edit.
#include \"generate/scenario_library.h\"

#include <algorithm>

namespace rocetop::generate {
namespace {

constexpr NamedScenario kScenarios[] = {
${rows}};

}  // namespace

std::span<const NamedScenario> named_scenarios() { return kScenarios; }

const NamedScenario* find_scenario(std::string_view name) {
  const auto* found = std::find_if(std::begin(kScenarios), std::end(kScenarios),
                                   [&](const NamedScenario& s) { return s.name == name; });
  return found == std::end(kScenarios) ? nullptr : found;
}

}  // namespace rocetop::generate
")
