# SPDX-License-Identifier: BSD-3-Clause
# uPlot draws the plots of the HTML report. It is not in Debian: npm fetches the one package, pinned and checked, from
# whatever registry it is set up for. Without it everything else is built, and reports have no plots.
# Sets UPLOT_DIR to the unpacked package, or to nothing.
set(UPLOT_VERSION 1.6.32)
string(CONCAT UPLOT_SHA512
  2883159c6ebccefbb95d751b0b82d010f9e1c0ec41b8bc96d401eda66e882935
  c89a46cb824332fa369b8cb8122cc6ac36e186cd09bf7a9ded3a4c93c6989023)
set(ROCETOP_UPLOT "${PROJECT_SOURCE_DIR}/build/downloads/uplot-${UPLOT_VERSION}.tgz" CACHE FILEPATH
  "uPlot ${UPLOT_VERSION} as npm packs it; fetched there by npm when it is missing")

if(NOT EXISTS "${ROCETOP_UPLOT}")
  find_program(NPM npm)
  if(NPM)
    get_filename_component(folder "${ROCETOP_UPLOT}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    # A name of its own until it is whole: several builds may fetch at one time.
    string(RANDOM LENGTH 8 random)
    set(part "${folder}/part-${random}")
    file(MAKE_DIRECTORY "${part}")
    execute_process(COMMAND ${NPM} pack uplot@${UPLOT_VERSION} --ignore-scripts --silent --fetch-retries=1
                            --fetch-timeout=30000
                    WORKING_DIRECTORY "${part}" TIMEOUT 120 RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
    if(EXISTS "${part}/uplot-${UPLOT_VERSION}.tgz")
      file(RENAME "${part}/uplot-${UPLOT_VERSION}.tgz" "${ROCETOP_UPLOT}")
    endif()
    file(REMOVE_RECURSE "${part}")
  endif()
endif()

set(UPLOT_DIR "")
if(EXISTS "${ROCETOP_UPLOT}")
  file(SHA512 "${ROCETOP_UPLOT}" sum)
  if(NOT sum STREQUAL UPLOT_SHA512)
    message(FATAL_ERROR "${ROCETOP_UPLOT} is not uPlot ${UPLOT_VERSION} as it was published (SHA-512 differs). "
                        "Delete it; the next build fetches it again.")
  endif()
  file(ARCHIVE_EXTRACT INPUT "${ROCETOP_UPLOT}" DESTINATION "${PROJECT_BINARY_DIR}/uplot")
  set(UPLOT_DIR "${PROJECT_BINARY_DIR}/uplot/package")
else()
  message(WARNING "uPlot ${UPLOT_VERSION} is not there and npm could not fetch it: HTML reports will have no plots. "
                  "With a network and npm, configure again; or set ROCETOP_UPLOT to the package's .tgz.")
endif()
