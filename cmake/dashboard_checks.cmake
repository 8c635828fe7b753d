# SPDX-License-Identifier: BSD-3-Clause
# The JSON Schemas that dashboards and manifests are checked with are made from TypeScript packages that are not in
# Debian: npm fetches them, pinned and checked by tests/dashboards/schema/package-lock.json. Only tests use them.
# Sets DASHBOARD_CHECKS_DIR to the folder with node_modules, or to nothing.
file(SHA256 "${PROJECT_SOURCE_DIR}/tests/dashboards/schema/package-lock.json" lock)
string(SUBSTRING ${lock} 0 12 lock)
set(ROCETOP_DASHBOARD_CHECKS "${PROJECT_SOURCE_DIR}/build/downloads/dashboard-checks-${lock}" CACHE PATH
  "npm packages that the dashboards are checked with; fetched there by npm when they are missing")

if(NOT EXISTS "${ROCETOP_DASHBOARD_CHECKS}/node_modules")
  find_program(NPM npm)
  if(NPM)
    get_filename_component(folder "${ROCETOP_DASHBOARD_CHECKS}" DIRECTORY)
    # A name of its own until it is whole: several builds may fetch at one time.
    string(RANDOM LENGTH 8 random)
    set(part "${folder}/part-${random}")
    file(COPY "${PROJECT_SOURCE_DIR}/tests/dashboards/schema/package.json"
              "${PROJECT_SOURCE_DIR}/tests/dashboards/schema/package-lock.json" DESTINATION "${part}")
    execute_process(COMMAND ${NPM} ci --ignore-scripts --omit=peer --legacy-peer-deps --no-audit --no-fund --silent
                            --fetch-retries=1 --fetch-timeout=30000
                    WORKING_DIRECTORY "${part}" TIMEOUT 180 RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
    if(result EQUAL 0 AND NOT EXISTS "${ROCETOP_DASHBOARD_CHECKS}")
      file(RENAME "${part}" "${ROCETOP_DASHBOARD_CHECKS}")
    endif()
    file(REMOVE_RECURSE "${part}")
  endif()
endif()

set(DASHBOARD_CHECKS_DIR "")
if(EXISTS "${ROCETOP_DASHBOARD_CHECKS}/node_modules")
  set(DASHBOARD_CHECKS_DIR "${ROCETOP_DASHBOARD_CHECKS}")
endif()
