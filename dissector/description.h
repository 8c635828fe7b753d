// SPDX-License-Identifier: GPL-2.0-or-later
// From what the core knows of a frame to the plain roce_packet.
#pragma once

#include "bridge.h"
#include "engine/frame_book.h"
#include "wire/decode.h"

namespace rocetop::dissector {

/// What the frame says itself. False if it holds no RoCE.
bool describe_frame(const wire::Decoded& decoded, roce_packet& out);

/// What the analysis says of it; nothing where it is not in the book.
void describe_analysis(const engine::FrameBook& book, bool settled, roce_packet& out);

/// veRoCE's own headers of a veRoCE packet.
void describe_veroce_headers(const wire::Packet& packet, roce_veroce& out);

}  // namespace rocetop::dissector
