// SPDX-License-Identifier: BSD-3-Clause
// Text compressed in parts, so that one that does not change is compressed once: RFC 1951 blocks follow each other, and
// RFC 1952 puts a head before them and the check of all of them behind.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rocetop::cli {

struct DeflatedPart {
  std::shared_ptr<const std::string> bytes;
  std::uint32_t crc = 0;   ///< of the text
  std::size_t length = 0;  ///< of the text
};

/// `last`: nothing follows.
DeflatedPart deflate_part(std::string_view text, bool last);

/// A gzip member that holds the texts of `parts`, one after the other; the last of them, and it alone, made as such.
std::vector<std::shared_ptr<const std::string>> gzip_of(const std::vector<DeflatedPart>& parts);

}  // namespace rocetop::cli
