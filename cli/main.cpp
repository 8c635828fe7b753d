// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "run.h"

int main(int argc, char** argv) { return rocetop::cli::run({argv + 1, argv + std::max(argc, 1)}); }
