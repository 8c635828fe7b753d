# SPDX-License-Identifier: BSD-3-Clause
# Builds in half the time: the headers that most files include are compiled once, and files of one folder that go
# together are compiled as one. In the release preset that is for tests, which are less optimised there as well, and for
# what includes CLI11: all else proves there that each of its files includes what it needs. The dev preset compiles no
# more than what was edited.
set(ROCETOP_QUICK_BUILD OFF CACHE STRING "Precompiled headers, and several files compiled as one: ON, OFF or TESTS")
set_property(CACHE ROCETOP_QUICK_BUILD PROPERTY STRINGS ON OFF TESTS)
set(ROCETOP_QUICK_TESTS ${ROCETOP_QUICK_BUILD})
if(ROCETOP_QUICK_BUILD STREQUAL "TESTS")
  set(ROCETOP_QUICK_BUILD OFF)  # hides the one of the cache: what ships asks this
  set(ROCETOP_QUICK_TESTS ON)
endif()

set(quick_headers <algorithm> <array> <bit> <cmath> <cstddef> <cstdint> <cstring> <deque> <functional> <limits> <map>
                  <memory> <optional> <span> <string> <string_view> <tuple> <utility> <variant> <vector>)

if(ROCETOP_QUICK_TESTS AND CCACHE)
  # Without these, ccache takes no file that uses a precompiled header.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  else()
    add_compile_options(-fpch-preprocess)
  endif()
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

# rocetop_quick_build(TARGET [TESTS] [TOGETHER] [ALONE files...]) does nothing unless ROCETOP_QUICK_BUILD is on, or is
# TESTS as the target is.
#   TESTS     it is of the tests, and includes GoogleTest
#   TOGETHER  eight of its files are compiled as one: their unnamed namespaces may not define the same name twice
#   ALONE     but not these, which name something as another file of the eight does ("redefinition of ..." says so)
function(rocetop_quick_build target)
  cmake_parse_arguments(ARG "TESTS;TOGETHER" "" "ALONE" ${ARGN})
  set(owner rocetop_headers)
  if(ARG_TESTS)
    set(owner rocetop_test_headers)
  endif()
  if(NOT ROCETOP_QUICK_BUILD AND NOT (ARG_TESTS AND ROCETOP_QUICK_TESTS))
    return()
  endif()
  # Of tests: a build of the release preset is not faster for their being optimised, and what a sanitizer is to find is
  # in what they test.
  set(options)
  if(ARG_TESTS AND CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*undefined")
    set(options -fno-sanitize=undefined)
  elseif(ARG_TESTS AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    set(options -Og)
  endif()
  target_compile_options(${target} PRIVATE ${options})
  if(NOT TARGET ${owner})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "")
    add_library(${owner} OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
    target_precompile_headers(${owner} PRIVATE ${quick_headers})
    target_compile_options(${owner} PRIVATE ${options})
    if(ARG_TESTS)
      target_precompile_headers(${owner} PRIVATE <gtest/gtest.h>)
      target_link_libraries(${owner} PRIVATE GTest::gtest)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  if(ARG_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    if(ARG_ALONE)
      set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    # A variable of one file may shadow a constant of another; the other presets look for shadows within each.
    # And g++ takes the unnamed namespaces of files that another includes for those of headers.
    target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
