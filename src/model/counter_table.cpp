// SPDX-License-Identifier: BSD-3-Clause
#include "model/counter_table.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace rocetop::model {
namespace {

using enum AdapterMetric;
using enum CounterEnd;
using S = CounterSource;
using W = OnWire;

struct SourceName {
  std::string_view driver;
  std::string_view file;
};
constexpr std::array<SourceName, 7> kSources = {{
    {"all", "Documentation/ABI/stable/sysfs-class-infiniband"},
    {"mlx5", "drivers/infiniband/hw/mlx5/counters.c"},
    {"bnxt_re", "drivers/infiniband/hw/bnxt_re/hw_counters.c"},
    {"irdma", "drivers/infiniband/hw/irdma/verbs.c"},
    {"rxe", "drivers/infiniband/sw/rxe/rxe_hw_counters.c"},
    {"mana", "drivers/infiniband/hw/mana/counters.c"},
    {"efa", "drivers/infiniband/hw/efa/efa_verbs.c"},
}};

constexpr std::string_view kFourBytes = "in words of 4 bytes";
constexpr std::string_view kRoceContext = "of the adapter's RoCE statistics";

// The counters of the InfiniBand specification have the widths of its PortCounters attribute: they stop when full.
// The queue counters of mlx5 are 32 bits wide; its congestion and port counters are 64.
constexpr AdapterCounterMeaning kAdapter[] = {
    {"port_rcv_data", S::kCore, kReceivedBytes, 1, 4, kNever, W::kNothing, kFourBytes},
    {"port_xmit_data", S::kCore, kTransmittedBytes, 1, 4, kNever, W::kNothing, kFourBytes},
    {"port_rcv_packets", S::kCore, kReceivedPackets},
    {"port_xmit_packets", S::kCore, kTransmittedPackets},
    {"port_xmit_wait", S::kCore, kTransmitWait, 1, 1, kStops, W::kNothing, "ticks of the adapter's own length"},
    {"symbol_error", S::kCore, kError, 1, 1, kStops},
    {"link_error_recovery", S::kCore, kError, 1, 1, kStops},
    {"link_downed", S::kCore, kError, 1, 1, kStops},
    {"port_rcv_errors", S::kCore, kError, 1, 1, kStops},
    {"port_rcv_remote_physical_errors", S::kCore, kError, 1, 1, kStops},
    {"port_rcv_switch_relay_errors", S::kCore, kError, 1, 1, kStops},
    {"port_xmit_discards", S::kCore, kError, 1, 1, kStops},
    {"port_xmit_constraint_errors", S::kCore, kError, 1, 1, kStops},
    {"port_rcv_constraint_errors", S::kCore, kError, 1, 1, kStops},
    {"local_link_integrity_errors", S::kCore, kError, 1, 1, kStops},
    {"excessive_buffer_overrun_errors", S::kCore, kError, 1, 1, kStops},
    {"VL15_dropped", S::kCore, kError, 1, 1, kStops},
    {"lifespan", S::kCore, kNone, 1, 1, kNever, W::kNothing, "how old the counters may be, in ms: a setting"},

    {"np_cnp_sent", S::kMlx5, kCnpSent, 1, 1, kNever, W::kCnp},
    {"rp_cnp_handled", S::kMlx5, kCnpHandled, 1, 1, kNever, W::kCnp},
    {"rp_cnp_ignored", S::kMlx5, kOther, 1, 1, kNever, W::kCnp, "rises where rate control is switched off"},
    {"np_ecn_marked_roce_packets", S::kMlx5, kEcnMarked, 1, 1, kNever, W::kCe},
    {"out_of_sequence", S::kMlx5, kOutOfSequence, 1, 1, kWraps32, W::kMissing},
    {"packet_seq_err", S::kMlx5, kSequenceNaksReceived, 1, 1, kWraps32, W::kNak},
    {"local_ack_timeout_err", S::kMlx5, kTimeouts, 1, 1, kWraps32, W::kResent},
    {"rnr_nak_retry_err", S::kMlx5, kRnrNaksReceived, 1, 1, kWraps32, W::kRnr},
    {"rx_icrc_encapsulated", S::kMlx5, kBadIcrc, 1, 1, kNever, W::kBadIcrc},
    {"implied_nak_seq_err", S::kMlx5, kError, 1, 1, kWraps32},
    {"out_of_buffer", S::kMlx5, kError, 1, 1, kWraps32, W::kNothing, "no receive work request was posted"},
    {"resp_local_length_error", S::kMlx5, kError, 1, 1, kWraps32},
    {"resp_cqe_error", S::kMlx5, kError, 1, 1, kWraps32},
    {"req_cqe_error", S::kMlx5, kError, 1, 1, kWraps32},
    {"req_remote_invalid_request", S::kMlx5, kError, 1, 1, kWraps32},
    {"req_remote_access_errors", S::kMlx5, kError, 1, 1, kWraps32},
    {"resp_remote_access_errors", S::kMlx5, kError, 1, 1, kWraps32},
    {"resp_cqe_flush_error", S::kMlx5, kError, 1, 1, kWraps32, W::kNothing, "also when a QP is closed"},
    {"req_cqe_flush_error", S::kMlx5, kError, 1, 1, kWraps32, W::kNothing, "also when a QP is closed"},
    {"req_transport_retries_exceeded", S::kMlx5, kError, 1, 1, kWraps32},
    {"req_rnr_retries_exceeded", S::kMlx5, kError, 1, 1, kWraps32},
    {"duplicate_request", S::kMlx5, kOther, 1, 1, kWraps32},
    {"roce_adp_retrans", S::kMlx5, kOther, 1, 1, kWraps32, W::kResent, "events, not packets"},
    {"roce_adp_retrans_to", S::kMlx5, kOther, 1, 1, kWraps32, W::kResent},
    {"roce_slow_restart", S::kMlx5, kOther, 1, 1, kWraps32},
    {"roce_slow_restart_cnps", S::kMlx5, kOther, 1, 1, kWraps32, W::kCnp},
    {"roce_slow_restart_trans", S::kMlx5, kOther, 1, 1, kWraps32},
    {"rx_write_requests", S::kMlx5, kOther, 1, 1, kWraps32},
    {"rx_read_requests", S::kMlx5, kOther, 1, 1, kWraps32},
    {"rx_atomic_requests", S::kMlx5, kOther, 1, 1, kWraps32},
    {"rx_dct_connect", S::kMlx5, kOther, 1, 1, kWraps32},

    {"rx_bytes", S::kBnxtRe, kReceivedBytes, 2, 1, kNever, W::kNothing, kRoceContext},
    {"tx_bytes", S::kBnxtRe, kTransmittedBytes, 2, 1, kNever, W::kNothing, kRoceContext},
    {"rx_pkts", S::kBnxtRe, kReceivedPackets, 2, 1, kNever, W::kNothing, kRoceContext},
    {"tx_pkts", S::kBnxtRe, kTransmittedPackets, 2, 1, kNever, W::kNothing, kRoceContext},
    {"tx_cnp_pkts", S::kBnxtRe, kCnpSent, 2, 1, kNever, W::kCnp},
    {"rx_cnp_pkts", S::kBnxtRe, kCnpHandled, 2, 1, kNever, W::kCnp, "received; whether it slowed down is not told"},
    {"rx_ecn_marked_pkts", S::kBnxtRe, kEcnMarked, 2, 1, kNever, W::kCe},
    {"oos_drop_count", S::kBnxtRe, kOutOfSequence, 2, 1, kNever, W::kMissing},
    {"seq_err_naks_rcvd", S::kBnxtRe, kSequenceNaksReceived, 2, 1, kNever, W::kNak},
    {"to_retransmits", S::kBnxtRe, kTimeouts, 2, 1, kNever, W::kResent},
    {"rnr_naks_rcvd", S::kBnxtRe, kRnrNaksReceived, 2, 1, kNever, W::kRnr},
    {"rx_out_of_buffer", S::kBnxtRe, kError},
    {"rx_roce_errors", S::kBnxtRe, kError},
    {"rx_roce_discards", S::kBnxtRe, kError},
    {"tx_roce_errors", S::kBnxtRe, kError},
    {"tx_roce_discards", S::kBnxtRe, kError},
    {"max_retry_exceeded", S::kBnxtRe, kError},
    {"missing_resp", S::kBnxtRe, kError},
    {"unrecoverable_err", S::kBnxtRe, kError},
    {"bad_resp_err", S::kBnxtRe, kError},
    {"local_qp_op_err", S::kBnxtRe, kError},
    {"local_protection_err", S::kBnxtRe, kError},
    {"mem_mgmt_op_err", S::kBnxtRe, kError},
    {"remote_invalid_req_err", S::kBnxtRe, kError},
    {"remote_access_err", S::kBnxtRe, kError},
    {"remote_op_err", S::kBnxtRe, kError},
    {"res_exceed_max", S::kBnxtRe, kError},
    {"res_length_mismatch", S::kBnxtRe, kError},
    {"res_exceeds_wqe", S::kBnxtRe, kError},
    {"res_opcode_err", S::kBnxtRe, kError},
    {"res_rx_invalid_rkey", S::kBnxtRe, kError},
    {"res_rx_domain_err", S::kBnxtRe, kError},
    {"res_rx_no_perm", S::kBnxtRe, kError},
    {"res_rx_range_err", S::kBnxtRe, kError},
    {"res_tx_invalid_rkey", S::kBnxtRe, kError},
    {"res_tx_domain_err", S::kBnxtRe, kError},
    {"res_tx_no_perm", S::kBnxtRe, kError},
    {"res_tx_range_err", S::kBnxtRe, kError},
    {"res_irrq_oflow", S::kBnxtRe, kError},
    {"res_unsup_opcode", S::kBnxtRe, kError},
    {"res_unaligned_atomic", S::kBnxtRe, kError},
    {"res_rem_inv_err", S::kBnxtRe, kError},
    {"res_mem_err", S::kBnxtRe, kError},
    {"res_srq_err", S::kBnxtRe, kError},
    {"res_cmp_err", S::kBnxtRe, kError},
    {"res_invalid_dup_rkey", S::kBnxtRe, kError},
    {"res_wqe_format_err", S::kBnxtRe, kError},
    {"res_cq_load_err", S::kBnxtRe, kError},
    {"res_srq_load_err", S::kBnxtRe, kError},
    {"res_tx_pci_err", S::kBnxtRe, kError},
    {"res_rx_pci_err", S::kBnxtRe, kError},
    {"recoverable_errors", S::kBnxtRe, kOther, 1, 1, kNever, W::kNothing, "the driver fills in broadcasts sent"},
    {"dup_req", S::kBnxtRe, kOther},
    {"active_pds", S::kBnxtRe, kLevel},
    {"active_ahs", S::kBnxtRe, kLevel},
    {"active_qps", S::kBnxtRe, kLevel},
    {"active_rc_qps", S::kBnxtRe, kLevel},
    {"active_ud_qps", S::kBnxtRe, kLevel},
    {"active_srqs", S::kBnxtRe, kLevel},
    {"active_cqs", S::kBnxtRe, kLevel},
    {"active_mrs", S::kBnxtRe, kLevel},
    {"active_mws", S::kBnxtRe, kLevel},
    {"watermark_pds", S::kBnxtRe, kLevel},
    {"watermark_ahs", S::kBnxtRe, kLevel},
    {"watermark_qps", S::kBnxtRe, kLevel},
    {"watermark_rc_qps", S::kBnxtRe, kLevel},
    {"watermark_ud_qps", S::kBnxtRe, kLevel},
    {"watermark_srqs", S::kBnxtRe, kLevel},
    {"watermark_cqs", S::kBnxtRe, kLevel},
    {"watermark_mrs", S::kBnxtRe, kLevel},
    {"watermark_mws", S::kBnxtRe, kLevel},
    {"db_fifo_register", S::kBnxtRe, kLevel, 1, 1, kNever, W::kNothing, "a register, as it is"},

    {"ip4InOctets", S::kIrdma, kReceivedBytes, 3, 1, kNever, W::kNothing, "IPv4 and IPv6 are added"},
    {"ip6InOctets", S::kIrdma, kReceivedBytes, 3, 1, kNever, W::kNothing, "IPv4 and IPv6 are added"},
    {"ip4OutOctets", S::kIrdma, kTransmittedBytes, 3, 1, kNever, W::kNothing, "IPv4 and IPv6 are added"},
    {"ip6OutOctets", S::kIrdma, kTransmittedBytes, 3, 1, kNever, W::kNothing, "IPv4 and IPv6 are added"},
    {"ip4InPkts", S::kIrdma, kReceivedPackets, 3, 1, kNever, W::kNothing, "IPv4 and IPv6 are added"},
    {"ip6InPkts", S::kIrdma, kReceivedPackets, 3, 1, kNever, W::kNothing, "IPv4 and IPv6 are added"},
    {"ip4OutPkts", S::kIrdma, kTransmittedPackets, 3, 1, kNever, W::kNothing, "IPv4 and IPv6 are added"},
    {"ip6OutPkts", S::kIrdma, kTransmittedPackets, 3, 1, kNever, W::kNothing, "IPv4 and IPv6 are added"},
    {"cnpSent", S::kIrdma, kCnpSent, 3, 1, kNever, W::kCnp},
    {"cnpHandled", S::kIrdma, kCnpHandled, 3, 1, kNever, W::kCnp},
    {"cnpIgnored", S::kIrdma, kOther, 1, 1, kNever, W::kCnp},
    {"RxECNMrkd", S::kIrdma, kEcnMarked, 3, 1, kNever, W::kCe},
    {"tcpRetransSegs", S::kIrdma, kRetransmitted, 1, 1, kNever, W::kResent, "RoCE's too, in spite of the name"},
    {"RetransSegs", S::kIrdma, kRetransmitted, 2, 1, kNever, W::kResent, "the newer name of tcpRetransSegs"},
    {"Rcvd Out of order packets", S::kIrdma, kOutOfSequence, 3, 1, kNever, W::kMissing},
    {"Nak Sequence Error", S::kIrdma, kSequenceNaksReceived, 3, 1, kNever, W::kNak},
    {"RTO", S::kIrdma, kTimeouts, 3, 1, kNever, W::kResent},
    {"RNR received", S::kIrdma, kRnrNaksReceived, 3, 1, kNever, W::kRnr},
    {"RNR sent", S::kIrdma, kRnrNaksSent, 1, 1, kNever, W::kRnr},
    {"CRC errors", S::kIrdma, kBadIcrc, 2, 1, kNever, W::kBadIcrc},
    {"Nak Sequence Error Implied", S::kIrdma, kError},
    {"ip4InDiscards", S::kIrdma, kError},
    {"ip6InDiscards", S::kIrdma, kError},
    {"ip4InTruncatedPkts", S::kIrdma, kError},
    {"ip6InTruncatedPkts", S::kIrdma, kError},
    {"ip4OutNoRoutes", S::kIrdma, kError},
    {"ip6OutNoRoutes", S::kIrdma, kError},
    {"tcpInOptErrors", S::kIrdma, kError},
    {"InOptErrors", S::kIrdma, kError},
    {"tcpInProtoErrors", S::kIrdma, kError},
    {"InProtoErrors", S::kIrdma, kError},
    {"rxVlanErrors", S::kIrdma, kError},

    {"rcvd_pkts", S::kRxe, kReceivedPackets, 4},
    {"sent_pkts", S::kRxe, kTransmittedPackets, 4},
    {"out_of_seq_request", S::kRxe, kOutOfSequence, 4, 1, kNever, W::kMissing, "requests only"},
    {"rcvd_seq_err", S::kRxe, kSequenceNaksReceived, 4, 1, kNever, W::kNak},
    {"rcvd_rnr_err", S::kRxe, kRnrNaksReceived, 4, 1, kNever, W::kRnr},
    {"send_rnr_err", S::kRxe, kRnrNaksSent, 2, 1, kNever, W::kRnr},
    {"retry_exceeded_err", S::kRxe, kError},
    {"retry_rnr_exceeded_err", S::kRxe, kError},
    {"send_err", S::kRxe, kError},
    {"completer_retry_err", S::kRxe, kOther, 1, 1, kNever, W::kResent, "times it went back: NAKs and timeouts"},
    {"ack_deferred", S::kRxe, kOther},

    {"rx_packets", S::kMana, kReceivedPackets, 5},
    {"tx_packets", S::kMana, kTransmittedPackets, 5},
    {"sent_cnps", S::kMana, kCnpSent, 4, 1, kNever, W::kCnp, "of the whole device"},
    {"received_cnps", S::kMana, kCnpHandled, 4, 1, kNever, W::kCnp},
    {"received_cnp_count", S::kMana, kOther, 1, 1, kNever, W::kCnp, "of the whole device"},
    {"received_ecns", S::kMana, kEcnMarked, 4, 1, kNever, W::kCe, "of the whole device"},
    {"responder_oos", S::kMana, kOutOfSequence, 5, 1, kNever, W::kMissing},
    {"requester_oos_nak", S::kMana, kSequenceNaksReceived, 5, 1, kNever, W::kNak},
    {"requester_timeout", S::kMana, kTimeouts, 4, 1, kNever, W::kResent},
    {"requester_rnr_nak", S::kMana, kRnrNaksReceived, 5, 1, kNever, W::kRnr},
    {"responder_rnr_nak", S::kMana, kRnrNaksSent, 3, 1, kNever, W::kRnr},
    {"requester_implicit_nak", S::kMana, kError},
    {"requester_readresp_psn_mismatch", S::kMana, kError},
    {"nak_inv_req", S::kMana, kError},
    {"nak_access_error", S::kMana, kError},
    {"nak_opp_error", S::kMana, kError},
    {"nak_inv_read", S::kMana, kError},
    {"responder_local_len_error", S::kMana, kError},
    {"requestor_local_prot_error", S::kMana, kError},
    {"responder_rem_access_error", S::kMana, kError},
    {"responder_local_qp_error", S::kMana, kError},
    {"responder_malformed_wqe", S::kMana, kError},
    {"general_hw_error", S::kMana, kError},
    {"requester_rnr_nak_retries_exceeded", S::kMana, kError},
    {"requester_retries_exceeded", S::kMana, kError},
    {"total_fatal_error", S::kMana, kError},
    {"num_qps_congested", S::kMana, kLevel},
    {"current_rate", S::kMana, kLevel, 1, 1, kNever, W::kNothing, "unit not told"},

    {"retrans_pkts", S::kEfa, kRetransmitted, 3, 1, kNever, W::kNothing, "SRD, not RoCE"},
    {"retrans_timeout_events", S::kEfa, kTimeouts, 5, 1, kNever, W::kNothing, "SRD, not RoCE"},
    {"rx_drops", S::kEfa, kError},
    {"rdma_read_wr_err", S::kEfa, kError},
    {"rdma_write_wr_err", S::kEfa, kError},
    {"unresponsive_remote_events", S::kEfa, kError},
    {"impaired_remote_conn_events", S::kEfa, kError},
};

using enum InterfaceMetric;
constexpr double kMicroseconds = 1e-6;
constexpr std::string_view kXonXoff = "XON and XOFF are added";
constexpr std::string_view kPort = "of the whole port";

constexpr InterfaceCounterMeaning kInterface[] = {
    {"rx_prio#_pause", "mlx5_core", kPauseFrames, false, 1, 1, "only where PFC is on"},
    {"tx_prio#_pause", "mlx5_core", kPauseFrames, true, 1, 1, "only where PFC is on"},
    {"rx_prio#_pause_duration", "mlx5_core", kPauseSeconds, false, 1, kMicroseconds, "in microseconds"},
    {"tx_prio#_pause_duration", "mlx5_core", kPauseSeconds, true, 1, kMicroseconds, "in microseconds"},
    {"rx_global_pause", "mlx5_core", kPauseFrames, false, 2},
    {"tx_global_pause", "mlx5_core", kPauseFrames, true, 2},
    {"rx_global_pause_duration", "mlx5_core", kPauseSeconds, false, 1, kMicroseconds, "in microseconds"},
    {"tx_global_pause_duration", "mlx5_core", kPauseSeconds, true, 1, kMicroseconds, "in microseconds"},
    {"rx_pause_ctrl_phy", "mlx5_core", kPauseFrames, false, 3},
    {"tx_pause_ctrl_phy", "mlx5_core", kPauseFrames, true, 3},
    {"rx_prio#_discards", "mlx5_core", kDiscards, false, 1, 1, "no receive buffer"},
    {"rx_discards_phy", "mlx5_core", kDiscards, false, 1, 1, kPort},
    {"tx_discards_phy", "mlx5_core", kDiscards, true, 1, 1, kPort},

    {"rx_pfc_ena_frames_pri#", "bnxt_en", kPauseFrames, false, 2},
    {"tx_pfc_ena_frames_pri#", "bnxt_en", kPauseFrames, true, 2},
    {"pfc_pri#_rx_duration_us", "bnxt_en", kPauseSeconds, false, 2, kMicroseconds, "in microseconds"},
    {"pfc_pri#_tx_duration_us", "bnxt_en", kPauseSeconds, true, 2, kMicroseconds, "in microseconds"},
    {"rx_pause_frames", "bnxt_en", kPauseFrames, false, 4},
    {"tx_pause_frames", "bnxt_en", kPauseFrames, true, 4},
    {"rx_stat_discard", "bnxt_en", kDiscards, false, 2, 1, kPort},
    {"tx_stat_discard", "bnxt_en", kDiscards, true, 2, 1, kPort},

    {"rx_priority_#_xon.nic", "ice", kPauseFrames, false, 3, 1, kXonXoff},
    {"rx_priority_#_xoff.nic", "ice", kPauseFrames, false, 3, 1, kXonXoff},
    {"tx_priority_#_xon.nic", "ice", kPauseFrames, true, 3, 1, kXonXoff},
    {"tx_priority_#_xoff.nic", "ice", kPauseFrames, true, 3, 1, kXonXoff},
    {"link_xon_rx.nic", "ice", kPauseFrames, false, 5, 1, kXonXoff},
    {"link_xoff_rx.nic", "ice", kPauseFrames, false, 5, 1, kXonXoff},
    {"link_xon_tx.nic", "ice", kPauseFrames, true, 5, 1, kXonXoff},
    {"link_xoff_tx.nic", "ice", kPauseFrames, true, 5, 1, kXonXoff},
    {"rx_dropped.nic", "ice", kDiscards, false, 3, 1, kPort},
    {"tx_dropped_link_down.nic", "ice", kDiscards, true, 3, 1, kPort},

    {"port.rx_priority_#_xon_rx", "i40e", kPauseFrames, false, 4, 1, kXonXoff},
    {"port.rx_priority_#_xoff_rx", "i40e", kPauseFrames, false, 4, 1, kXonXoff},
    {"port.tx_priority_#_xon_tx", "i40e", kPauseFrames, true, 4, 1, kXonXoff},
    {"port.tx_priority_#_xoff_tx", "i40e", kPauseFrames, true, 4, 1, kXonXoff},
    {"port.rx_priority_#_xon", "i40e", kPauseFrames, false, 5, 1, "in older kernels; XON and XOFF are added"},
    {"port.rx_priority_#_xoff", "i40e", kPauseFrames, false, 5, 1, "in older kernels; XON and XOFF are added"},
    {"port.tx_priority_#_xon", "i40e", kPauseFrames, true, 5, 1, "in older kernels; XON and XOFF are added"},
    {"port.tx_priority_#_xoff", "i40e", kPauseFrames, true, 5, 1, "in older kernels; XON and XOFF are added"},

    {"mac_rx_pfc_pri#_pkt_num", "hns3", kPauseFrames, false, 6},
    {"mac_tx_pfc_pri#_pkt_num", "hns3", kPauseFrames, true, 6},
    {"mac_rx_mac_pause_num", "hns3", kPauseFrames, false, 6},
    {"mac_tx_mac_pause_num", "hns3", kPauseFrames, true, 6},
};

constexpr std::array<SourceName, 5> kEthtoolSources = {{
    {"mlx5_core", "drivers/net/ethernet/mellanox/mlx5/core/en_stats.c"},
    {"bnxt_en", "drivers/net/ethernet/broadcom/bnxt/bnxt_ethtool.c"},
    {"ice", "drivers/net/ethernet/intel/ice/ice_ethtool.c"},
    {"i40e", "drivers/net/ethernet/intel/i40e/i40e_ethtool.c"},
    {"hns3", "drivers/net/ethernet/hisilicon/hns3/hns3pf/hclge_main.c"},
}};

}  // namespace

std::string_view driver_name(CounterSource source) { return kSources[static_cast<std::size_t>(source)].driver; }
std::string_view kernel_file(CounterSource source) { return kSources[static_cast<std::size_t>(source)].file; }

std::span<const AdapterCounterMeaning> adapter_counters() { return kAdapter; }

const AdapterCounterMeaning* adapter_counter(std::string_view name) {
  static const auto sorted = [] {
    std::array<const AdapterCounterMeaning*, std::size(kAdapter)> out{};
    std::transform(std::begin(kAdapter), std::end(kAdapter), out.begin(), [](const auto& meaning) { return &meaning; });
    std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    return out;
  }();
  const auto* const* found = std::lower_bound(
      sorted.begin(), sorted.end(), name, [](const auto* meaning, std::string_view n) { return meaning->name < n; });
  return found != sorted.end() && (*found)->name == name ? *found : nullptr;
}

std::span<const InterfaceCounterMeaning> interface_counters() { return kInterface; }

std::optional<InterfaceCounter> interface_counter(std::string_view name) {
  for (const InterfaceCounterMeaning& meaning : kInterface) {
    if (meaning.name.size() != name.size()) continue;
    const std::size_t digit = meaning.name.find('#');
    if (digit == std::string_view::npos) {
      if (meaning.name == name) return InterfaceCounter{&meaning, kLink};
      continue;
    }
    const char c = name[digit];
    if (c < '0' || c > '7') continue;
    if (name.substr(0, digit) != meaning.name.substr(0, digit)) continue;
    if (name.substr(digit + 1) != meaning.name.substr(digit + 1)) continue;
    return InterfaceCounter{&meaning, static_cast<std::uint8_t>(c - '0')};
  }
  return std::nullopt;
}

std::string_view ethtool_file(std::string_view driver) {
  for (const SourceName& source : kEthtoolSources) {
    if (source.driver == driver) return source.file;
  }
  return {};
}

}  // namespace rocetop::model
