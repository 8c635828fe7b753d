// SPDX-License-Identifier: BSD-3-Clause
// ncurses with wide characters, and without the macros that shadow half of C++.
#pragma once

#define NCURSES_NOMACROS 1
#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif
#include <curses.h>
