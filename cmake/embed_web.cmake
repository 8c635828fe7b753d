# SPDX-License-Identifier: BSD-3-Clause
# Run at build time: puts script and style of the HTML report into one C++ file, with the hashes that its
# Content-Security-Policy names.
#   cmake -DOUTPUT=html_assets.cpp -DUPLOT_DIR=… -DWEB_DIR=… -DSCRIPTS=a.js,b.js -DSTYLES=a.css -P embed_web.cmake

# 'sha256-…' of a text, base64 as browsers want it.
function(csp_hash text result)
  string(SHA256 hex "${text}")
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(base64 "")
  foreach(at RANGE 0 60 6)
    string(SUBSTRING "${hex}00" ${at} 6 group)  # the last one is filled up with zeros
    math(EXPR value "0x${group}")
    foreach(shift 18 12 6 0)
      math(EXPR index "(${value} >> ${shift}) & 63")
      string(SUBSTRING "${alphabet}" ${index} 1 letter)
      string(APPEND base64 "${letter}")
    endforeach()
  endforeach()
  string(SUBSTRING "${base64}" 0 43 base64)
  set(${result} "sha256-${base64}=" PARENT_SCOPE)
endfunction()

set(script "")
set(style "")
set(has_plots false)
if(UPLOT_DIR)
  file(READ "${UPLOT_DIR}/LICENSE" licence)
  file(READ "${UPLOT_DIR}/dist/uPlot.iife.min.js" uplot_script)
  file(READ "${UPLOT_DIR}/dist/uPlot.min.css" uplot_style)
  string(APPEND script "/* uPlot:\n${licence}*/\n${uplot_script}\n")
  string(APPEND style "${uplot_style}\n")
  set(has_plots true)
endif()
string(APPEND script "(() => {\n'use strict';\n")
string(REPLACE "," ";" files "${SCRIPTS}")
foreach(file IN LISTS files)
  file(READ "${WEB_DIR}/${file}" text)
  string(APPEND script "${text}")
endforeach()
string(APPEND script "})();\n")
string(REPLACE "," ";" files "${STYLES}")
foreach(file IN LISTS files)
  file(READ "${WEB_DIR}/${file}" text)
  string(APPEND style "${text}")
endforeach()
foreach(text script style)
  if("${${text}}" MATCHES "</(script|style)|\\)embedded\"")
    message(FATAL_ERROR "the ${text} of the HTML report would end its element, or its C++ literal")
  endif()
endforeach()

csp_hash("${script}" script_hash)
csp_hash("${style}" style_hash)
file(WRITE "${OUTPUT}" "// Made by cmake/embed_web.cmake. Do not edit.
#include \"present/html_assets.h\"

namespace rocetop::present::html_assets {

const std::string_view kScript = R\"embedded(${script})embedded\";
const std::string_view kScriptHash = \"${script_hash}\";
const std::string_view kStyle = R\"embedded(${style})embedded\";
const std::string_view kStyleHash = \"${style_hash}\";
const bool kHasPlots = ${has_plots};

}  // namespace rocetop::present::html_assets
")
