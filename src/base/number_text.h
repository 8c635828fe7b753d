// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them: the same in every sentence, whatever the locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rocetop {

/// "1,590".
std::string grouped(std::uint64_t number);
/// "1 packet", "1,590 packets"; `many` where an s is not enough.
std::string plural(std::uint64_t n, std::string_view one, std::string_view many = {});

}  // namespace rocetop
