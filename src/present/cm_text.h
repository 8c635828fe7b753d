// SPDX-License-Identifier: BSD-3-Clause
// Connection management messages in words.
#pragma once

#include <string>

#include "wire/cm.h"
#include "wire/packet.h"

namespace rocetop::present {

/// "CM REQ qp 17 psn 5 mtu 1024 rdma_cm port 18515"; "" if the packet holds none.
std::string cm_line(const wire::Packet& packet);

/// "REQ qp 17 psn 5 mtu 1024 rdma_cm port 18515".
std::string cm_words(const wire::Cm& cm);

/// Every field the message has: "REQ, transaction 0x…, local id 0x…, …".
std::string cm_fields(const wire::Cm& cm);

/// 4.096 µs * 2^exponent as text; "infinite" for 0.
std::string cm_timeout_text(std::uint8_t exponent);

}  // namespace rocetop::present
