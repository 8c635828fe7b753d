# SPDX-License-Identifier: BSD-3-Clause
"""The lab's scenarios: each a traffic pattern plus, perhaps, faults on the wire (rule syntax: wire.py).

Fields: name, desc, steps [(server command on b, client command on a)], and optionally rules, bottleneck, snap (snap
length of the guests' captures), netdev_mtu, setup_both/setup_a/setup_b, teardown_both, timeout, fails (an error is the
expected end), no_ping, linger. In commands {ip_a} {ip_b} {mgmt_a} {mgmt_b} are replaced; double other braces.
"""
from __future__ import annotations

from typing import Any

SCENARIOS: list[dict[str, Any]] = []
# QP timeout exponent (4.096 us * 2^n) unless a scenario sets it: long, so that clean runs see no retransmission.
TIMEOUT = 21


def add(name: str, desc: str, steps: list[tuple[str | None, str | None]], **more: Any) -> None:
    SCENARIOS.append({"name": name, "desc": desc, "steps": steps, **more})


def vtool(opts: str) -> tuple[str, str]:
    """One vtool run: b serves, a initiates."""
    opts += "" if "-t " in opts else f" -t {TIMEOUT}"
    return f"vtool {opts} ", f"vtool -c {{mgmt_b}} {opts} "


def perf(tool: str, opts: str) -> tuple[str, str]:
    """One run of a perftest tool."""
    opts += "" if "-u " in opts or "-c U" in opts else f" -u {TIMEOUT}"
    base = f"{tool} -d rxe0 -F {'' if '-x ' in opts else '-x 1 '}{opts}"
    return f"{base} ", f"{base} {{mgmt_b}}"


def pingpong(kind: str, opts: str = "") -> tuple[str, str]:
    """One run of a ping-pong example of libibverbs."""
    base = f"ibv_{kind}_pingpong -d rxe0 -g 1 {opts}"
    return base, f"{base} {{mgmt_b}}"


def drop(**rule: Any) -> dict[str, Any]:
    return {"action": "drop", **rule}


VLAN_IDX = "g=$(grep -l ffff:cb00:710{n} /sys/class/infiniband/rxe0/ports/1/gids/* | head -n 1); g=${{{{g##*/}}}}; "
VLAN_UP = ("ip link add link eth0 name eth0.100 type vlan id 100; ip link set eth0.100 up; "
           "ip addr add 203.0.113.$(hostname_n)/24 dev eth0.100")

# --- clean traffic --------------------------------------------------------------------------------------------------
add("rc_write", "RC RDMA write, ib_write_bw, 12 x 64 KiB, MTU 1024", [perf("ib_write_bw", "-s 65536 -n 12 -m 1024")])
add("rc_read", "RC RDMA read, ib_read_bw, 12 x 64 KiB, MTU 1024", [perf("ib_read_bw", "-s 65536 -n 12 -m 1024")])
add("rc_send", "RC send, ib_send_bw, 12 x 64 KiB, MTU 1024", [perf("ib_send_bw", "-s 65536 -n 12 -m 1024 -r 64")])
add("rc_atomic_fadd", "RC atomic fetch-and-add, ib_atomic_bw, 200 operations",
    [perf("ib_atomic_bw", "-A FETCH_AND_ADD -n 200")])
add("rc_atomic_cas", "RC atomic compare-and-swap, ib_atomic_bw, 200 operations",
    [perf("ib_atomic_bw", "-A CMP_AND_SWAP -n 200")])
add("rc_write_lat", "RC write ping-pong of 2 bytes, ib_write_lat, 300 iterations",
    [perf("ib_write_lat", "-s 2 -n 300")])
add("rc_write_lat_spurious",
    "The same with the usual QP timeout of 67 ms: rxe's timer fires early, spurious retransmissions",
    [perf("ib_write_lat", "-s 2 -n 300 -u 14")])
add("rc_mixed_ops",
    "One RC QP cycling write, write_imm, send, send_imm, read, fetch-add, cmp-swap; 140 operations of 3000 bytes",
    [vtool("-o write,write_imm,send,send_imm,read,fadd,cas -n 140 -s 3000 -d 4")])
add("rc_zero_length", "Zero-length writes and sends", [vtool("-o write,send,write_imm,send_imm,read -n 25 -s 0 -d 4")])
add("odd_sizes", "Sizes 1, 2, 3, 5, 1023, 1025 and 2047: pad counts 0 to 3",
    [vtool(f"-o write,send,read -n 3 -s {n} -p {18600 + n}") for n in (1, 2, 3, 5, 1023, 1025, 2047)])
add("rc_pingpong", "ibv_rc_pingpong, 100 x 4096 bytes, MTU 1024", [pingpong("rc", "-m 1024 -s 4096 -n 100")])
add("uc_write", "UC write, ib_write_bw -c UC", [perf("ib_write_bw", "-c UC -s 65536 -n 12 -m 1024")])
add("uc_pingpong", "ibv_uc_pingpong (UC send), 100 x 4096 bytes", [pingpong("uc", "-m 1024 -s 4096 -n 100")])
add("ud_send", "UD send, ib_send_bw -c UD, 200 x 1024 bytes",
    [perf("ib_send_bw", "-c UD -s 1024 -n 200 -m 1024 -r 256")])
add("ud_pingpong", "ibv_ud_pingpong, 100 x 1024 bytes", [pingpong("ud", "-s 1024 -n 100")])
add("srq_pingpong", "ibv_srq_pingpong: 16 RC QPs on one shared receive queue",
    [pingpong("srq", "-m 1024 -s 1024 -q 16 -n 200")])
add("xrc_pingpong", "ibv_xsrq_pingpong: rxe has no XRC, so this shows only the failure (no RoCE frames)",
    [("ibv_xsrq_pingpong -d rxe0 -g 1", "ibv_xsrq_pingpong -d rxe0 -g 1 {mgmt_b}")],
    fails=True,
    timeout=10)
for m in (256, 512, 1024, 2048, 4096):
    add(f"mtu_{m}", f"RC write, read and send at path MTU {m}",
        [vtool(f"-o write,read,send -n 12 -s 20000 -m {m} -d 2")])
add("netdev_mtu_1500", "Ethernet MTU 1500, so rxe's active MTU is 1024",
    [perf("ib_write_bw", "-s 16384 -n 12")],
    netdev_mtu=1500)
add("ipv6_write", "RC write between IPv6 GIDs", [perf("ib_write_bw", "-x 2 -s 65536 -n 8 -m 1024")])
add("ipv6_mixed", "Mixed RC operations between IPv6 GIDs, ECT(0), DSCP 26",
    [vtool("-g 2 -C 0x6a -o write,send,read,fadd -n 40 -s 3000")])
add("ipv6_linklocal", "RC write between link-local GIDs", [vtool("-g 0 -o write -n 10 -s 5000")])
add("vlan_write", "RC write and read over VLAN 100",
    [(VLAN_IDX.format(n=2) + "vtool -g $g -o write,read -n 20 -s 4000",
      VLAN_IDX.format(n=1) + "vtool -c {mgmt_b} -g $g -o write,read -n 20 -s 4000")],
    setup_a=VLAN_UP.replace("$(hostname_n)", "1"),
    setup_b=VLAN_UP.replace("$(hostname_n)", "2"),
    teardown_both="ip link del eth0.100")
add("bidir_write", "RC write in both directions, ib_write_bw -b", [perf("ib_write_bw", "-b -s 65536 -n 8 -m 1024")])
add("bidir_mixed", "Both sides initiate write, read and send on one QP pair",
    [vtool("-b -o write,read,send,fadd -n 40 -s 3000 -d 4")])
add("many_qps_64", "64 RC QPs, ib_write_bw -q 64, 8 x 2048 bytes each",
    [perf("ib_write_bw", "-q 64 -s 2048 -n 8 -m 1024 -t 8")])
add("many_qps_256", "256 RC QPs, 3 writes of 1000 bytes each",
    [vtool("-q 256 -o write -n 3 -s 1000 -d 2 -v 1")],
    snap=128)
add("long_idle", "40 writes on one QP with a 30 s idle period after the 20th",
    [vtool("-o write -n 40 -s 3000 -a 20 -M 30000")],
    timeout=90)
add("sparse", "One small write every 250 ms, 40 of them", [vtool("-o write -n 40 -s 64 -i 250")])
add("cold_arp", "First packets after an empty neighbour table (ARP in the capture)",
    [vtool("-o write -n 5 -s 3000")],
    no_ping=True,
    setup_both="ip neigh flush dev eth0")
add("snap_64", "RC write captured with snap length 64 (BTH cut off after 54+... bytes)",
    [vtool("-o write,read -n 20 -s 8000")],
    snap=64)

# --- connection management ------------------------------------------------------------------------------------------
add("cm_rping", "rping over rdma_cm: REQ, REP, RTU, 10 rounds of send/read/write, DREQ/DREP",
    [("rping -s -a {ip_b} -v -C 10", "rping -c -a {ip_b} -v -C 10")],
    linger=3)
add("cm_rping_v6", "rping over rdma_cm, IPv6",
    [("rping -s -a 2001:db8::2 -v -C 5", "rping -c -a 2001:db8::2 -v -C 5")],
    linger=3)
add("cm_reject", "rdma_cm connect to a port without a listener: CM REJ",
    [(None, "rping -c -a {ip_b} -p 7999 -C 1; true")])
add("cm_many", "ucmatose: 8 connections through rdma_cm, 4 messages each",
    [("ucmatose -c 8 -C 4", "ucmatose -s {ip_b} -c 8 -C 4")],
    linger=3)
add("cm_udaddy", "udaddy: UD address resolution through rdma_cm (SIDR REQ/REP)",
    [("udaddy -c 2 -C 4", "udaddy -s {ip_b} -c 2 -C 4")],
    linger=2)
add("cm_perftest", "ib_send_bw -R (QPs set up by rdma_cm)",
    [ ("ib_send_bw -F -R -s 8192 -n 20 -r 32", "ib_send_bw -F -R -s 8192 -n 20 -r 32 {ip_b}")],
    linger=3)
add("cm_req_drop", "The first CM REQ and its first repetition are dropped: the CM sends a third after two timeouts",
    [("rping -s -a {ip_b} -v -C 3", "rping -c -a {ip_b} -v -C 3")],
    rules=[drop(dir="ab", op=["cm"], count=2)],
    timeout=60,
    linger=3)

# --- sequence numbers and identities --------------------------------------------------------------------------------
add("psn_wrap_write", "RC write, PSNs from 0xfffff0 across the wrap", [vtool("--psn 0xfffff0 -o write -n 20 -s 5000")])
add("psn_wrap_read", "RC read, responses across the PSN wrap", [vtool("--psn 0xfffff0 -o read -n 20 -s 5000")])
add("psn_wrap_bidir_drop", "Both directions cross the PSN wrap while data packets are dropped (0xfffffe, and others)",
    [vtool("-b --psn 0xffffd0 --psn2 0xffffe0 -o write,send -n 20 -s 5000")],
    rules=[drop(op=["data"], seen="new", skip=10, every=23)])
add("qpn_reuse_reset", "The same QP pair reset and reconnected 4 times, new start PSNs",
    [vtool("-N 4 -o write,send -n 10 -s 3000")])
NEW_DEVICE = "rdma link del rxe0; rdma link add rxe0 type rxe netdev eth0; sleep 1"
add("qpn_reuse_device", "rxe device deleted and added before each of two runs: the QPs of both have the same QPNs",
    [vtool("-o write -n 10 -s 3000"), tuple(f"{NEW_DEVICE}; {c}" for c in vtool("-o write -n 10 -s 3000"))],
    setup_both=NEW_DEVICE)
add("qp_churn", "20 short-lived QP pairs in turn", [vtool("-N 20 -Q -o write,read -n 4 -s 2000")])

TIMEOUT = 14  # 67 ms

# --- loss -----------------------------------------------------------------------------------------------------------
add("write_drop_1pct", "RC write, every 97th new data packet dropped",
    [vtool("-o write -n 60 -s 20000 -d 2 -m 1024")],
    rules=[drop(dir="ab", op=["data"], seen="new", every=97)])
add("write_drop_1pct_mtu256", "The same with MTU 256, 16 KiB messages",
    [vtool("-o write -n 40 -s 16384 -d 2 -m 256")],
    rules=[drop(dir="ab", op=["data"], seen="new", every=97)])
add("write_drop_qps", "8 QPs, RC write, every 61st new data packet dropped",
    [vtool("-q 8 -o write -n 8 -s 12000 -d 2")],
    rules=[drop(dir="ab", op=["data"], seen="new", every=61)])
add("write_drop_burst", "12 successive data packets dropped",
    [vtool("-o write -n 8 -s 30000 -d 2")],
    rules=[drop(dir="ab", op=["data"], seen="new", skip=40, count=12)])
add("send_drop", "RC send, every 50th new data packet dropped",
    [vtool("-o send -n 30 -s 10000 -d 4")],
    rules=[drop(dir="ab", op=["data"], seen="new", every=50)])
add("read_resp_drop", "RC read, every 73rd new response packet dropped",
    [vtool("-o read -n 40 -s 16000 -d 2")],
    rules=[drop(dir="ba", op=["read_resp"], seen="new", every=73)])
add("read_req_drop", "RC read, every 7th request dropped",
    [vtool("-o read -n 30 -s 4000 -d 2")],
    rules=[drop(dir="ab", op=["read_req"], seen="new", every=7)])
add("ack_drop", "RC write, every 3rd acknowledge dropped",
    [vtool("-o write -n 60 -s 3000 -d 8")],
    rules=[drop(dir="ba", op=["ack"], every=3)])
add("ack_drop_last", "RC write, depth 1: every 5th acknowledge dropped, so a timeout each time",
    [vtool("-o write -n 20 -s 3000 -d 1")],
    rules=[drop(dir="ba", op=["ack"], seen="new", every=5)])
add("tail_drop", "Last data packet of every 4th message dropped, depth 1: only a timeout recovers",
    [vtool("-o write -n 16 -s 8192 -d 1")],
    rules=[drop(dir="ab", op=["write_last"], seen="new", every=4)])
add("retx_drop", "A data packet and then its first retransmission dropped",
    [vtool("-o write -n 20 -s 16384 -d 2")],
    rules=[drop(dir="ab", op=["data"], seen="new", skip=60, count=1),
           drop(dir="ab", op=["data"], seen="retx", count=1)])
add("nak_drop", "A data packet dropped, and the NAK for it as well",
    [vtool("-o write -n 20 -s 16384 -d 2")],
    rules=[drop(dir="ab", op=["data"], seen="new", skip=60, count=1), drop(dir="ba", op=["nak"], count=1)])
add("atomic_ack_drop", "Every 9th atomic acknowledge dropped: replay from the responder's resources",
    [vtool("-o fadd,cas -n 40 -d 1")],
    rules=[drop(dir="ba", op=["atomic_ack"], seen="new", every=9)])
add("blackhole", "From the 50th data packet on nothing gets through: retries are exhausted",
    [vtool("-o write -n 20 -s 16384 -d 2 -r 3")],
    rules=[drop(dir="ab", op=["data"], skip=50)],
    fails=True,
    timeout=30)
add("heavy_loss", "12 % of all RoCE frames dropped at random, both directions, retransmissions too",
    [vtool("-o write,send,read -n 24 -s 6000 -d 4")],
    rules=[drop(p=0.12)])
add("endless_retry",
    "Every read request from the 10th on dropped; to rxe retry count 7 means no limit, so it retries until the tool "
    "ends",
    [vtool("-o write,read -n 40 -s 3000 -d 4")],
    rules=[drop(dir="ab", op=["read_req"], skip=9)],
    timeout=6,
    fails=True)
add("mixed_drop", "Mixed operations, MTU 512, every 31st frame of any kind dropped",
    [vtool("-b -o write,read,send,fadd,write_imm -n 30 -s 5000 -m 512 -d 4")],
    rules=[drop(every=31)])
add("write_drop_snap96", "RC write, every 97th new data packet dropped, guests' captures cut at 96 bytes",
    [vtool("-o write -n 40 -s 20000 -d 2")],
    rules=[drop(dir="ab", op=["data"], seen="new", every=97)],
    snap=96)
add("drop_ipv6", "IPv6 with MTU 512, drops of data and acknowledges",
    [vtool("-g 2 -o write -n 20 -s 8000 -m 512 -d 2")],
    rules=[drop(op=["data", "ack"], every=53)])
add("uc_drop", "UC write, every 41st packet dropped: the message is lost silently",
    [vtool("-u -o write -n 40 -s 8000 -d 2")],
    rules=[drop(dir="ab", op=["data"], seen="new", every=41)])
add("ud_drop", "UD, every 10th datagram dropped: lost silently (the server waits for them in vain)",
    [perf("ib_send_bw", "-c UD -s 1024 -n 200 -m 1024 -r 256")],
    rules=[drop(dir="ab", op=["send"], every=10)],
    fails=True,
    timeout=15)
add("icrc_corrupt", "Every 60th new data packet has one payload bit flipped (wrong ICRC): the receiver drops it",
    [vtool("-o write -n 20 -s 12000 -d 2")],
    rules=[{"action": "flip", "dir": "ab", "op": ["data"], "seen": "new", "every": 60}])
add("timeout_short", "Delay of 300 ms on one packet, timeout 67 ms: spurious retransmission",
    [vtool("-o write -n 20 -s 8000 -d 1")],
    rules=[{"action": "delay", "ms": 300, "dir": "ab", "op": ["write_last"], "seen": "new", "skip": 8, "count": 1}])
add("ack_delay", "Two acknowledges delayed by 300 ms: spurious retransmission, duplicate requests",
    [vtool("-o write -n 20 -s 8000 -d 1")],
    rules=[{"action": "delay", "ms": 300, "dir": "ba", "op": ["ack"], "seen": "new", "skip": 6, "every": 6,
            "count": 2}])

# --- order and duplicates -------------------------------------------------------------------------------------------
add("reorder_1", "Every 40th data packet overtaken by the next one",
    [vtool("-o write -n 20 -s 16384 -d 2")],
    rules=[{"action": "reorder", "after": 1, "dir": "ab", "op": ["data"], "seen": "new", "every": 40}])
add("reorder_5", "Every 60th data packet overtaken by the next five",
    [vtool("-o write -n 20 -s 16384 -d 2")],
    rules=[{"action": "reorder", "after": 5, "dir": "ab", "op": ["data"], "seen": "new", "every": 60}])
add("read_resp_reorder", "Every 40th read response overtaken by the next one",
    [vtool("-o read -n 20 -s 16384 -d 2")],
    rules=[{"action": "reorder", "after": 1, "dir": "ba", "op": ["read_resp"], "seen": "new", "every": 40}])
add("duplicate", "Every 20th data packet sent on twice",
    [vtool("-o write,send -n 20 -s 16384 -d 2")],
    rules=[{"action": "dup", "dir": "ab", "op": ["data"], "seen": "new", "every": 20}])
add("duplicate_read_req", "Every 5th read request sent on twice: responses twice",
    [vtool("-o read -n 20 -s 4096 -d 2")],
    rules=[{"action": "dup", "dir": "ab", "op": ["read_req"], "seen": "new", "every": 5}])
add("duplicate_ack", "Every 3rd acknowledge sent on twice",
    [vtool("-o write -n 30 -s 4096 -d 2")],
    rules=[{"action": "dup", "dir": "ba", "op": ["ack"], "seen": "new", "every": 3}])

# --- receiver not ready, errors -------------------------------------------------------------------------------------
add("rnr_start", "Sends before any receive is posted (for 60 ms): RNR NAKs, timer 0.64 ms",
    [vtool("-o send -n 10 -s 2000 -H 60 -T 12")])
add("rnr_slow", "Receives reposted late (4 at a time, 20 ms): RNR NAKs in the stream, timer 10.24 ms",
    [vtool("-o send -n 40 -s 3000 -d 8 -v 4 -D 20 -T 20")])
add("rnr_write_imm", "Write with immediate and no receive: RNR NAK", [vtool("-o write_imm -n 10 -s 3000 -H 60 -T 14")])
add("rnr_exceeded", "No receives at all, rnr_retry 2: the sender gives up",
    [vtool("-o send -n 3 -s 2000 -H 5000 -R 2 -T 14")],
    fails=True)
add("nak_bad_rkey", "Last write uses a wrong rkey: NAK remote access error",
    [vtool("-o write -n 5 -s 3000 -d 1 -k")],
    fails=True)
add("nak_read_bad_rkey", "Last read uses a wrong rkey: NAK remote access error",
    [vtool("-o read -n 5 -s 3000 -d 1 -k")],
    fails=True)
add("nak_out_of_bounds", "Last write lies outside the memory region",
    [vtool("-o write -n 5 -s 3000 -d 1 -L")],
    fails=True)
add("nak_no_access", "The remote QP allows no remote access", [vtool("-o write -n 2 -s 3000 -d 1 -x")], fails=True)
add("nak_send_too_long", "Send longer than the receive buffer",
    [vtool("-o send -n 2 -s 3000 -d 1 -S 1000")],
    fails=True)

# --- congestion -----------------------------------------------------------------------------------------------------
add("ect_clean", "RC write with ECT(0), DSCP 26, no marks", [vtool("-C 0x6a -o write -n 20 -s 12000 -d 2")])
add("ce_every_5th", "ECT(0) traffic, every 5th data packet CE marked; rxe sends no CNP",
    [vtool("-C 0x6a -o write -n 20 -s 12000 -d 2")],
    rules=[{"action": "ce", "dir": "ab", "op": ["data"], "every": 5}])
add("ce_not_ect", "Traffic class 0 (not ECT) CE marked all the same, every 5th packet: a misbehaving switch",
    [vtool("-o write -n 10 -s 12000 -d 2")],
    rules=[{"action": "ce", "dir": "ab", "op": ["data"], "every": 5}])
add("ce_read_resp", "ECT(0) read traffic, every 7th response CE marked",
    [vtool("-C 0x6a -o read -n 20 -s 12000 -d 2")],
    rules=[{"action": "ce", "dir": "ba", "op": ["read_resp"], "every": 7}])
add("ce_cnp", "Every 20th data packet CE marked and answered with a CNP that the wire injects (DSCP 48)",
    [vtool("-C 0x6a -o write -n 20 -s 12000 -d 2")],
    rules=[{"action": "ce_cnp", "dir": "ab", "op": ["data"], "skip": 30, "every": 20}])
add("ce_ipv6", "IPv6, ECT(0), every 5th data packet CE marked",
    [vtool("-g 2 -C 0x6a -o write -n 20 -s 12000 -d 2")],
    rules=[{"action": "ce", "dir": "ab", "op": ["data"], "every": 5}])
add("bottleneck_ecn", "8 QPs through a 4 Mbit/s queue: CE above 20 kB",
    [vtool("-q 8 -C 0x6a -o write -n 8 -s 12000 -d 2 -t 18")],
    bottleneck={"dir": "ab", "kbps": 4000, "limit": 10**9, "ecn": 20000})
add("bottleneck_drop", "8 QPs through a 4 Mbit/s queue: tail drop above 90 kB, CE above 20 kB",
    [vtool("-q 8 -C 0x6a -o write -n 3 -s 12000 -d 2")],
    bottleneck={"dir": "ab", "kbps": 4000, "limit": 90000, "ecn": 20000},
    timeout=60)
