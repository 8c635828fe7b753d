/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bridge between Wireshark's C and rocetop's C++: frames in, what is known of each out. Plain structs, no
 * callbacks, no Wireshark. No function throws, prints, exits or jumps; none calls back, so a caller may hold nothing of
 * the bridge while Wireshark's calls jump (they do, with longjmp).
 *
 * Strings that a struct points to are static, or those of the roce_packet itself. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define ROCE_NOEXCEPT noexcept
extern "C" {
#else
#define ROCE_NOEXCEPT
#endif

typedef struct roce_analysis roce_analysis;

typedef struct roce_options {
  bool verify_icrc;
  const uint16_t* ports; /* UDP destination ports of RoCEv2 besides 4791 */
  size_t port_count;
  uint32_t max_frames;       /* RoCE frames of which something is remembered */
  const char* thresholds;    /* "name=value name=value", for the report; NULL or "": the defaults */
  const char* veroce_layout; /* "key=value key=value": what is not left to the packets; likewise */
} roce_options;

typedef struct roce_frame {
  const uint8_t* bytes;
  uint32_t captured_length;
  uint32_t wire_length;
  uint32_t number;    /* as Wireshark numbers it, from 1 */
  bool has_interface; /* pcapng: the file says by which interface the frame came */
  uint32_t section;
  uint32_t interface_id; /* within the section */
  uint16_t link_type;    /* LINKTYPE_ */
  bool has_time;
  int64_t time_ns; /* since the epoch */
} roce_frame;

enum roce_status {
  ROCE_OK,         /* RoCE, analysed */
  ROCE_NOTHING,    /* no RoCE in it */
  ROCE_LIMIT,      /* RoCE, analysed, but there is no room to remember it */
  ROCE_AFTERWARDS, /* the analysis has ended: roce_end() was called */
  ROCE_FAILED      /* out of memory, or a fault of ours: the analysis gives no more */
};

/* What a roce_packet is. */
enum roce_kind_of_frame { ROCE_FRAME_PACKET, ROCE_FRAME_UNDECODABLE };

enum roce_protocol { ROCE_V2, ROCE_V1, ROCE_VEROCE, ROCE_INFINIBAND };

/* As Wireshark's PROTO_CHECKSUM_E_… */
enum roce_icrc { ROCE_ICRC_BAD, ROCE_ICRC_GOOD, ROCE_ICRC_UNVERIFIED };

enum roce_space { ROCE_SPACE_NONE, ROCE_SPACE_REQUESTS, ROCE_SPACE_RESPONSES };

enum roce_kind {
  ROCE_NEW,
  ROCE_RETRANSMISSION,
  ROCE_REORDERED,
  ROCE_DUPLICATE,
  ROCE_ACK,
  ROCE_NAK,
  ROCE_RNR_NAK,
  ROCE_CNP,
  ROCE_DATAGRAM,
  ROCE_MANAGEMENT,
  ROCE_UNTRACKED
};

enum roce_cause {
  ROCE_CAUSE_NAK,
  ROCE_CAUSE_RNR,
  ROCE_CAUSE_TIMEOUT,
  ROCE_CAUSE_READ_RESTART,
  ROCE_CAUSE_SPURIOUS,
  ROCE_CAUSE_SACK,
  ROCE_CAUSE_UNKNOWN
};

/* Bits of roce_packet.known: a field that has a bit says nothing unless the bit is set. Frames are 0 where there is
 * none, and need no bit. */
enum roce_known {
  ROCE_KNOWS_STREAM = 1 << 0,
  ROCE_KNOWS_PEER_QPN = 1 << 1,
  ROCE_KNOWS_RELATIVE_PSN = 1 << 2,
  ROCE_KNOWS_CAUSE = 1 << 3,
  ROCE_KNOWS_WAIT = 1 << 4,
  ROCE_KNOWS_RTT = 1 << 5,
  ROCE_KNOWS_PSNS_IN_FLIGHT = 1 << 6,
  ROCE_KNOWS_BYTES_IN_FLIGHT = 1 << 7,
  ROCE_KNOWS_FATE = 1 << 8,
  ROCE_KNOWS_CNP_DELAY = 1 << 9,
  ROCE_KNOWS_MESSAGE = 1 << 10,
  ROCE_KNOWS_MESSAGE_LENGTH = 1 << 11,
  ROCE_KNOWS_COMPLETION_TIME = 1 << 12,
  ROCE_KNOWS_SYNDROME = 1 << 13,
  ROCE_KNOWS_PAYLOAD = 1 << 14, /* not of veRoCE whose headers are not understood */
  ROCE_KNOWS_SPELLED_QPN = 1 << 15,
  ROCE_KNOWS_ANALYSIS = 1 << 16 /* the fields from `stream` on are those of this frame */
};

/* A RoCE frame. What taps called "roce" are given. */
typedef struct roce_packet {
  uint32_t known; /* ROCE_KNOWS_… */
  uint32_t frame;
  int64_t time_ns;
  enum roce_kind_of_frame kind_of_frame;
  const char* undecodable;       /* why, as a word; NULL for what could be decoded */
  const char* undecodable_words; /* the same for people */

  /* From the packet itself. Of an undecodable frame all of this is 0. */
  enum roce_protocol protocol;
  uint32_t bth_offset; /* in the frame; 0 where it is not known */
  bool fragment;       /* the first of an IP datagram: the rest is in other frames */
  uint8_t opcode;
  const char* opcode_name;       /* "RC RDMA WRITE First" */
  const char* opcode_short_name; /* "WRITE First" */
  uint32_t psn;
  uint32_t dst_qpn;
  uint32_t spelled_qpn; /* in the DETH, or in a message of connection management */
  bool ack_request;
  bool fecn;
  bool becn;
  bool is_cnp;
  bool is_fast_cnp;
  bool is_data; /* request or response: what a sender is slowed down for */
  bool is_request;
  bool truncated;         /* by the snap length */
  bool is_reply_negative; /* NAK or RNR NAK */
  bool has_ip;            /* false: IP's fields below are 0 and mean nothing */
  uint8_t ecn;            /* 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE: of the IP header nearest to the BTH */
  uint8_t dscp;
  uint8_t syndrome;
  char syndrome_text[64]; /* "NAK PSN sequence error" */
  enum roce_icrc icrc;
  uint32_t payload_bytes;
  uint32_t wire_bytes; /* of the whole frame */
  uint8_t src[16];     /* addresses: IPv6, or IPv4 as ::ffff:a.b.c.d; see roce_address_text() */
  uint8_t dst[16];

  /* From the analysis. */
  uint32_t stream;   /* number of the connection, from 1; two that turn out to be one go by one of their numbers */
  uint32_t peer_qpn; /* the sender's own */
  uint8_t direction; /* 0 or 1: which of the connection's two */
  uint32_t relative_psn;
  enum roce_space space;
  enum roce_kind kind;         /* as it was known when the packet came */
  enum roce_kind settled_kind; /* as it is known now */
  enum roce_cause cause;
  uint32_t original_frame;
  bool original_hidden; /* it was seen, and has no number: the filter of tshark -2 -R left it out */
  uint32_t trigger_frame;
  uint32_t missing_before; /* PSNs that had not come when it came */
  uint32_t still_missing;  /* of these, as it is known now: sent again, or never seen */
  uint32_t came_late;      /* of these: they came, and nobody had sent them again */
  uint32_t not_captured;   /* of these: acknowledged, so that the capture alone missed them */
  bool captured_twice;     /* a copy of original_frame, as another interface saw it: it counts for nothing */
  uint32_t acks_frame;
  uint32_t names_frame; /* that a NAK or RNR NAK is about */
  uint32_t acked_in;
  int64_t wait_ns; /* of a retransmission: since the trigger, else since the original */
  int64_t rtt_ns;
  uint32_t psns_in_flight;  /* of this direction's requests, this packet included */
  uint64_t bytes_in_flight; /* payload bytes, likewise */
  enum roce_kind fate;      /* what later packets made of it: ROCE_RETRANSMISSION, ROCE_REORDERED, ROCE_DUPLICATE, or
                             * ROCE_ACK for acknowledged */
  bool acked_unseen;        /* it acknowledges what was not seen */
  bool qp_reuse;            /* the first packet of a connection on a queue pair that had another one */
  int64_t cnp_delay_ns;     /* of a CNP: since the latest CE mark that it may answer */
  uint32_t cnp_mark_frame;

  /* The message that the packet is part of. */
  uint32_t message; /* its number among all, from 1 */
  const char* message_operation;
  uint32_t message_first_frame;
  uint32_t message_last_frame; /* 0 until it was seen */
  uint64_t message_length;     /* bytes */
  uint32_t message_completed_in;
  int64_t completion_time_ns; /* from its first packet to the reply that completes it; of its last packet only */
} roce_packet;

/* Bits of roce_veroce.has. */
enum roce_veroce_header {
  ROCE_HAS_RETRANS = 1 << 0,
  ROCE_HAS_MSNETH = 1 << 1,
  ROCE_HAS_POETH = 1 << 2,
  ROCE_HAS_RQETH = 1 << 3,
  ROCE_HAS_SACKETH = 1 << 4,
  ROCE_HAS_RTTETH = 1 << 5,
  ROCE_HAS_HOST_DELAY = 1 << 6,
  ROCE_HAS_NETWORK_DELAY = 1 << 7
};

/* veRoCE's own headers of a packet, by the layout that its connection's packets give as far as they are known. */
typedef struct roce_veroce {
  uint32_t has;           /* ROCE_HAS_… */
  char layout[200];       /* name and differences */
  const char* confidence; /* of that, as a word */
  const char* fault;      /* why nothing could be read of what follows the BTH, in words; NULL if it could */
  bool retrans;           /* the sender says that it sent it before */
  bool trimmed;           /* its payload was cut off on the way */
  uint32_t msn;
  uint32_t packet_order;
  uint32_t rq_msn;
  uint32_t sack_start;
  uint8_t sack_length;
  char sack_received[256]; /* "5-7 9" */
  char sack_missing[256];
  uint32_t rtt_context;
  uint32_t rtt_tx1, rtt_rx1, rtt_tx2, rtt_rx2; /* ns, modulo 2^32 */
  int64_t host_delay_ns;
  int64_t network_delay_ns;
} roce_veroce;

/* "192.0.2.1", cut to `size` bytes with the 0 at its end. */
void roce_address_text(const uint8_t address[16], char* text, size_t size) ROCE_NOEXCEPT;

/* Words for enums: static, never NULL. */
const char* roce_kind_word(enum roce_kind kind) ROCE_NOEXCEPT;
const char* roce_cause_word(enum roce_cause cause) ROCE_NOEXCEPT;
const char* roce_space_word(enum roce_space space) ROCE_NOEXCEPT; /* "" for none */
const char* roce_fate_word(enum roce_kind fate) ROCE_NOEXCEPT;
const char* roce_ecn_words(uint8_t ecn) ROCE_NOEXCEPT;

/* An analysis of one capture. NULL: out of memory. A fault in `options->thresholds` leaves the defaults:
 * roce_check_thresholds() says what it is. */
roce_analysis* roce_begin(const roce_options* options) ROCE_NOEXCEPT;
void roce_free(roce_analysis* analysis) ROCE_NOEXCEPT; /* or NULL */

/* Checks `thresholds` as roce_options has them. True if they are fine; else a sentence is in `fault`. */
bool roce_check_thresholds(const char* thresholds, char* fault, size_t fault_size) ROCE_NOEXCEPT;

/* The same of `veroce_layout`. */
bool roce_check_veroce_layout(const char* layout, char* fault, size_t fault_size) ROCE_NOEXCEPT;

/* The next frame, whatever it holds. Each frame once, in the order of the capture. */
enum roce_status roce_feed(roce_analysis* analysis, const roce_frame* frame) ROCE_NOEXCEPT;
/* No more frames will come: what was open gets its fate. */
void roce_end(roce_analysis* analysis) ROCE_NOEXCEPT;

/* What is known of a frame that was fed; with `settled`, also what later frames told. False where it holds no RoCE.
 * Where nothing is remembered of it, what the frame itself says. */
bool roce_describe(const roce_analysis* analysis, const roce_frame* frame, bool settled,
                   roce_packet* packet) ROCE_NOEXCEPT;

/* False for what is no veRoCE. */
bool roce_describe_veroce(const roce_analysis* analysis, const roce_frame* frame, roce_veroce* veroce) ROCE_NOEXCEPT;

/* Frames that found no room (roce_options.max_frames), and whether the analysis broke down. */
uint64_t roce_frames_omitted(const roce_analysis* analysis) ROCE_NOEXCEPT;
bool roce_failed(const roce_analysis* analysis) ROCE_NOEXCEPT;

#ifdef __cplusplus
}
#endif
