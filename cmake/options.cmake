# SPDX-License-Identifier: BSD-3-Clause
# Language level, warnings and sanitizer-independent flags that every target shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The Wireshark plugin is a shared object that holds the libraries. Nothing is visible outside the file it is linked
# into, so calls stay direct, as in an executable, and position independence costs nothing. For all targets in the same
# way (CMake's property makes it -fPIE for executables): they share precompiled headers.
add_compile_options(-fPIC)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>)
if(ROCETOP_WERROR)
  add_compile_options(-Werror)
endif()

if(ROCETOP_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # coverage of every library, for tests/fuzz
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# rocetop_library(NAME SOURCES... [DEPENDS other libraries...])
# One folder of src/ is one static library `rocetop_<folder>`, included as "<folder>/file.h".
function(rocetop_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  if(ARG_SOURCES)
    add_library(rocetop_${name} STATIC ${ARG_SOURCES})
    target_include_directories(rocetop_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(rocetop_${name} PUBLIC ${ARG_DEPENDS})
    rocetop_quick_build(rocetop_${name})
  else()
    add_library(rocetop_${name} INTERFACE)
    target_include_directories(rocetop_${name} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(rocetop_${name} INTERFACE ${ARG_DEPENDS})
  endif()
endfunction()
