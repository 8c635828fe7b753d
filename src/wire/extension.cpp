// SPDX-License-Identifier: BSD-3-Clause
// Extension transport headers (IBTA vol. 1, 9.3; XRCETH: annex A14; FETH: annex A19), in the order in which they can
// follow each other:
//
//   RDETH         reserved 8, EE context 24
//   DETH          Q_Key 32, reserved 8, source QP 24
//   XRCETH        reserved 8, XRC SRQ 24
//   FETH          reserved 26, selectivity 2, placement type 4
//   RETH          virtual address 64, R_Key 32, DMA length 32
//   AtomicETH     virtual address 64, R_Key 32, swap or add data 64, compare data 64
//   AETH          syndrome 8, MSN 24
//   AtomicAckETH  original remote data 64
//   ImmDt         immediate data 32
//   IETH          R_Key 32
#include "wire/extension.h"

namespace rocetop::wire {
void read(ByteReader& reader, Reth& out) {
  out.virtual_address = reader.u64();
  out.r_key = reader.u32();
  out.dma_length = reader.u32();
}

void read(ByteReader& reader, AtomicEth& out) {
  out.virtual_address = reader.u64();
  out.r_key = reader.u32();
  out.swap_or_add = reader.u64();
  out.compare = reader.u64();
}

void read(ByteReader& reader, Aeth& out) {
  out.syndrome = reader.u8();
  out.msn = Msn{reader.u24()};
}

namespace {

void read(ByteReader& reader, Deth& out) {
  out.q_key = reader.u32();
  reader.skip(1);
  out.src_qp = Qpn{reader.u24()};
}

}  // namespace

void parse_extensions(Bytes after_bth, Packet& packet) {
  packet.headers = 0;
  if (packet.expected_headers == 0) return;
  ByteReader reader(after_bth);
  // A read past the end leaves the reader failed for good, so nothing is added from the first cut header on.
  const auto take = [&](Header header, auto read_fields) {
    if (!(packet.expected_headers & header)) return;
    read_fields();
    if (!reader.failed()) packet.headers |= header;
  };
  take(kRdeth, [&] { packet.ee_context = reader.u32() & kMask24; });
  take(kDeth, [&] { read(reader, packet.deth); });
  take(kXrceth, [&] { packet.xrc_srq = Qpn{reader.u32()}; });
  take(kFeth, [&] { packet.feth = reader.u32(); });
  take(kReth, [&] { read(reader, packet.reth); });
  take(kAtomicEth, [&] { read(reader, packet.atomic); });
  take(kAeth, [&] { read(reader, packet.aeth); });
  take(kAtomicAckEth, [&] { packet.atomic_original = reader.u64(); });
  take(kImmDt, [&] { packet.immediate = reader.u32(); });
  take(kIeth, [&] { packet.invalidate_r_key = reader.u32(); });
}

}  // namespace rocetop::wire
