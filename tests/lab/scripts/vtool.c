// SPDX-License-Identifier: BSD-3-Clause
/* vtool: small verbs traffic source with full control over PSNs, timers and errors. Not a benchmark.
 *
 * Run "vtool" on one host and "vtool -c PEER" on the other; give both the same options. The two
 * talk over TCP (PEER should be a management address) to exchange QP numbers, PSNs, rkeys and GIDs.
 * Output: one JSON object a line, for the truth file of the capture.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAXQP = 512 };
enum op { WRITE, WRITE_IMM, READ, SEND, SEND_IMM, SEND_INV, FADD, CAS, NOPS };
static const char* op_name[NOPS] = {"write", "write_imm", "read", "send", "send_imm", "send_inv", "fadd", "cas"};
static const enum ibv_wr_opcode op_wr[NOPS] = {
    IBV_WR_RDMA_WRITE,    IBV_WR_RDMA_WRITE_WITH_IMM,  IBV_WR_RDMA_READ,         IBV_WR_SEND, IBV_WR_SEND_WITH_IMM,
    IBV_WR_SEND_WITH_INV, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_ATOMIC_CMP_AND_SWP};

static struct {
  const char *peer, *dev;
  int port, op[16], nop, uc, size, iters, depth, mtu, timeout, retry, rnr_retry, rnr_timer, recvs, recv_size;
  int recv_hold, recv_delay, gid, tclass, interval, pause_at, pause_ms, bidir, rounds, qps, rd, bad_rkey, bad_len;
  int no_access, newqp;
  long psn, psn2;
} o = {.dev = "rxe0",
       .port = 18600,
       .size = 4096,
       .iters = 10,
       .depth = 4,
       .mtu = 1024,
       .timeout = 14,
       .retry = 7,
       .rnr_retry = 7,
       .rnr_timer = 12,
       .recvs = 16,
       .gid = 1,
       .rounds = 1,
       .qps = 1,
       .rd = 4,
       .psn = -1,
       .psn2 = -1,
       .pause_at = -1,
       .recv_size = -1};

struct end {
  uint32_t qpn, psn, rkey;
  uint64_t addr;
  union ibv_gid gid;
};
struct qp {
  struct ibv_qp* qp;
  struct end me, peer;
  int posted, done, failed;
};

static struct ibv_context* ctx;
static struct ibv_pd* pd;
static struct ibv_cq* cq;
static struct ibv_mr* mr;
static char* buf;
static size_t slot;
static struct qp Q[MAXQP];
static int sock;

static void die(const char* what) {
  fprintf(stderr, "vtool: %s: %s\n", what, strerror(errno));
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static void say(const char* fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  printf("{\"t\":%.6f,", now());
  vprintf(fmt, ap);
  puts("}");
  fflush(stdout);
  va_end(ap);
}

static void xfer(void* out, void* in, size_t n) {
  size_t k = 0;
  if (send(sock, out, n, 0) != (ssize_t)n) die("send");
  while (k < n) {
    ssize_t r = recv(sock, (char*)in + k, n - k, 0);
    if (r <= 0) die("peer closed");
    k += r;
  }
}

static void barrier(void) {
  char a = 'x', b;
  xfer(&a, &b, 1);
}

static void dial(void) {
  struct sockaddr_in sa = {.sin_family = AF_INET, .sin_port = htons(o.port)};
  int one = 1;
  if (o.peer) {
    inet_pton(AF_INET, o.peer, &sa.sin_addr);
    for (int i = 0;; i++) {
      sock = socket(AF_INET, SOCK_STREAM, 0);
      if (!connect(sock, (void*)&sa, sizeof sa)) break;
      if (i == 50) die("connect");
      close(sock);
      usleep(200000);
    }
  } else {
    int l = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(l, (void*)&sa, sizeof sa) || listen(l, 1)) die("listen");
    sock = accept(l, NULL, NULL);
    close(l);
  }
  setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static void make_qp(struct qp* q) {
  struct ibv_qp_init_attr ia = {
      .send_cq = cq,
      .recv_cq = cq,
      .qp_type = o.uc ? IBV_QPT_UC : IBV_QPT_RC,
      .sq_sig_all = 1,
      .cap = {.max_send_wr = o.depth + 1, .max_recv_wr = o.recvs + 1, .max_send_sge = 1, .max_recv_sge = 1}};
  q->qp = ibv_create_qp(pd, &ia);
  if (!q->qp) die("create_qp");
}

static void post_recv(struct qp* q) {
  int n = o.recv_size >= 0 ? o.recv_size : o.size;
  struct ibv_sge sge = {.addr = (uintptr_t)buf + slot, .length = n, .lkey = mr->lkey};
  struct ibv_recv_wr wr = {.wr_id = (uint64_t)(q - Q) << 32 | 1u << 31, .sg_list = &sge, .num_sge = 1}, *bad;
  if (ibv_post_recv(q->qp, &wr, &bad) && errno) perror("post_recv");
}

static enum ibv_mtu mtu_enum(int m) { return m == 256 ? 1 : m == 512 ? 2 : m == 1024 ? 3 : m == 2048 ? 4 : 5; }

static void connect_qp(struct qp* q) {
  struct ibv_qp_attr a = {
      .qp_state = IBV_QPS_INIT,
      .port_num = 1,
      .qp_access_flags = o.no_access ? 0 : IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC};
  if (ibv_modify_qp(q->qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)) die("INIT");
  long fixed = o.peer ? o.psn : (o.psn2 >= 0 ? o.psn2 : o.psn);
  q->me = (struct end){.qpn = q->qp->qp_num,
                       .psn = (fixed >= 0 ? fixed : random()) & 0xffffff,
                       .rkey = mr->rkey,
                       .addr = (uintptr_t)buf + slot};
  if (ibv_query_gid(ctx, 1, o.gid, &q->me.gid)) die("gid");
  xfer(&q->me, &q->peer, sizeof q->me);
  q->posted = q->done = q->failed = 0;

  a = (struct ibv_qp_attr){
      .qp_state = IBV_QPS_RTR,
      .path_mtu = mtu_enum(o.mtu),
      .dest_qp_num = q->peer.qpn,
      .rq_psn = q->peer.psn,
      .max_dest_rd_atomic = o.rd,
      .min_rnr_timer = o.rnr_timer,
      .ah_attr = {.is_global = 1,
                  .port_num = 1,
                  .grh = {.dgid = q->peer.gid, .sgid_index = o.gid, .hop_limit = 64, .traffic_class = o.tclass}}};
  int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  if (!o.uc) mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  if (ibv_modify_qp(q->qp, &a, mask)) die("RTR");
  a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS,
                           .sq_psn = q->me.psn,
                           .timeout = o.timeout,
                           .retry_cnt = o.retry,
                           .rnr_retry = o.rnr_retry,
                           .max_rd_atomic = o.rd};
  mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
  if (!o.uc) mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
  if (ibv_modify_qp(q->qp, &a, mask)) die("RTS");
  char s[64], d[64];
  inet_ntop(AF_INET6, &q->me.gid, s, sizeof s);
  inet_ntop(AF_INET6, &q->peer.gid, d, sizeof d);
  say("\"event\":\"connected\",\"qpn\":%u,\"psn\":%u,\"peer_qpn\":%u,\"peer_psn\":%u,\"rkey\":%u,\"addr\":%llu,"
      "\"gid\":\"%s\",\"peer_gid\":\"%s\"",
      q->me.qpn, q->me.psn, q->peer.qpn, q->peer.psn, q->me.rkey, (unsigned long long)q->me.addr, s, d);
}

static int post_op(struct qp* q) {
  enum op op = o.op[q->posted % o.nop];
  int atomic = op == FADD || op == CAS, len = atomic ? 8 : o.size;
  struct ibv_sge sge = {.addr = (uintptr_t)buf, .length = len, .lkey = mr->lkey};
  struct ibv_send_wr wr = {.wr_id = (uint64_t)(q - Q) << 32 | q->posted,
                           .sg_list = &sge,
                           .num_sge = len ? 1 : 0,
                           .opcode = op_wr[op]},
                     *bad;
  int last = q->posted == o.iters - 1;
  uint64_t addr = q->peer.addr + (last && o.bad_len ? slot * 2 : 0);
  uint32_t rkey = q->peer.rkey ^ (last && o.bad_rkey ? 0x5a00 : 0);
  if (op == SEND_IMM || op == WRITE_IMM) wr.imm_data = htonl(0xfeed0000u + q->posted);
  if (op == SEND_INV) wr.invalidate_rkey = rkey;
  if (atomic) {
    wr.wr.atomic.remote_addr = addr;
    wr.wr.atomic.rkey = rkey;
    wr.wr.atomic.compare_add = op == FADD ? 1 : (uint64_t)q->posted;
    wr.wr.atomic.swap = q->posted + 1;
  } else if (op != SEND && op != SEND_IMM && op != SEND_INV) {
    wr.wr.rdma.remote_addr = addr;
    wr.wr.rdma.rkey = rkey;
  }
  q->posted++;
  return ibv_post_send(q->qp, &wr, &bad);
}

/* One round: every initiator QP runs its operations; both sides serve receives until both are done. */
static int run_round(int round) {
  int initiator = o.peer || o.bidir, me_done = !initiator, peer_done = 0, errors = 0, told = 0, recvd = 0;
  double start = now(), next = 0, held = o.recv_hold ? start + o.recv_hold / 1e3 : 0;
  int due[MAXQP] = {0};
  double due_t[MAXQP] = {0};

  if (!held)
    for (int i = 0; i < o.qps; i++)
      for (int k = 0; k < o.recvs; k++) post_recv(&Q[i]);
  barrier();
  while (!(told && peer_done)) {
    int busy = 0;
    struct ibv_wc wc[16];
    if (held && now() >= held) {
      held = 0;
      say("\"event\":\"receives posted\"");
      for (int i = 0; i < o.qps; i++)
        for (int k = 0; k < o.recvs; k++) post_recv(&Q[i]);
    }
    for (int i = 0; i < o.qps && !me_done; i++) {
      struct qp* q = &Q[i];
      while (!q->failed && q->posted < o.iters && q->posted - q->done < o.depth && now() >= next) {
        if (q->posted == o.pause_at && i == 0) {
          o.pause_at = -1;
          say("\"event\":\"pause\",\"ms\":%d", o.pause_ms);
          next = now() + o.pause_ms / 1e3;
          break;
        }
        if (post_op(q)) {
          say("\"event\":\"post_send failed\",\"errno\":%d", errno);
          q->failed = 1;
        }
        busy = 1;
        if (o.interval) {
          next = now() + o.interval / 1e3;
          break;
        }
      }
    }
    int n = ibv_poll_cq(cq, 16, wc);
    for (int i = 0; i < n; i++) {
      struct qp* q = &Q[wc[i].wr_id >> 32];
      int is_recv = (wc[i].wr_id >> 31) & 1;
      busy = 1;
      if (wc[i].status != IBV_WC_SUCCESS) {
        if (wc[i].status != IBV_WC_WR_FLUSH_ERR)
          say("\"event\":\"completion error\",\"qpn\":%u,\"recv\":%d,\"wr\":%u,\"status\":\"%s\"", q->me.qpn, is_recv,
              (unsigned)wc[i].wr_id & 0x7fffffff, ibv_wc_status_str(wc[i].status));
        errors++;
        q->failed = 1;
      } else if (is_recv) {
        recvd++;
        if (o.recv_delay) {
          due[q - Q]++;
          if (!due_t[q - Q]) due_t[q - Q] = now() + o.recv_delay / 1e3;
        } else {
          post_recv(q);
        }
      } else {
        q->done++;
      }
    }
    for (int i = 0; i < o.qps; i++)
      if (due[i] && now() >= due_t[i]) {
        while (due[i]--) post_recv(&Q[i]);
        due[i] = 0;
        due_t[i] = 0;
      }
    if (initiator) {
      me_done = 1;
      for (int i = 0; i < o.qps; i++) me_done &= Q[i].failed || Q[i].done == o.iters;
    }
    if (me_done && !told) {
      told = 1;
      send(sock, "d", 1, 0);
    }
    char c;
    if (recv(sock, &c, 1, MSG_DONTWAIT) == 1) peer_done = 1;
    if (!busy) usleep(100);
  }
  int done = 0;
  for (int i = 0; i < o.qps; i++) done += Q[i].done;
  say("\"event\":\"round end\",\"round\":%d,\"sends_done\":%d,\"recvs_done\":%d,\"errors\":%d,\"seconds\":%.3f", round,
      done, recvd, errors, now() - start);
  usleep(100000);
  barrier();
  return errors;
}

static void args(int argc, char** argv) {
  static const struct option l[] = {{"client", 1, 0, 'c'},    {"port", 1, 0, 'p'},
                                    {"op", 1, 0, 'o'},        {"uc", 0, 0, 'u'},
                                    {"size", 1, 0, 's'},      {"iters", 1, 0, 'n'},
                                    {"depth", 1, 0, 'd'},     {"mtu", 1, 0, 'm'},
                                    {"timeout", 1, 0, 't'},   {"retry", 1, 0, 'r'},
                                    {"rnr-retry", 1, 0, 'R'}, {"rnr-timer", 1, 0, 'T'},
                                    {"recvs", 1, 0, 'v'},     {"recv-size", 1, 0, 'S'},
                                    {"recv-hold", 1, 0, 'H'}, {"recv-delay", 1, 0, 'D'},
                                    {"gid", 1, 0, 'g'},       {"tclass", 1, 0, 'C'},
                                    {"interval", 1, 0, 'i'},  {"pause-at", 1, 0, 'a'},
                                    {"pause-ms", 1, 0, 'M'},  {"bidir", 0, 0, 'b'},
                                    {"rounds", 1, 0, 'N'},    {"new-qp", 0, 0, 'Q'},
                                    {"qps", 1, 0, 'q'},       {"rd", 1, 0, 'A'},
                                    {"bad-rkey", 0, 0, 'k'},  {"bad-len", 0, 0, 'L'},
                                    {"no-access", 0, 0, 'x'}, {"psn", 1, 0, 'P'},
                                    {"psn2", 1, 0, 'B'},      {"dev", 1, 0, 'V'},
                                    {"seed", 1, 0, 'e'},      {0}};
  char brief[128], *b = brief;
  int c;
  for (const struct option* k = l; k->name; k++) {
    *b++ = k->val;
    if (k->has_arg) *b++ = ':';
  }
  *b = 0;
  srandom(time(NULL) ^ getpid());
  while ((c = getopt_long(argc, argv, brief, l, NULL)) != -1) {
    long v = optarg ? strtol(optarg, NULL, 0) : 1;
    switch (c) {
      case 'c':
        o.peer = optarg;
        break;
      case 'p':
        o.port = v;
        break;
      case 'o':
        for (char* s = strtok(optarg, ","); s && o.nop < 16; s = strtok(NULL, ",")) {
          int k = 0;
          while (k < NOPS && strcmp(s, op_name[k])) k++;
          if (k == NOPS) exit(2);
          o.op[o.nop++] = k;
        }
        break;
      case 'u':
        o.uc = 1;
        break;
      case 's':
        o.size = v;
        break;
      case 'n':
        o.iters = v;
        break;
      case 'd':
        o.depth = v;
        break;
      case 'm':
        o.mtu = v;
        break;
      case 't':
        o.timeout = v;
        break;
      case 'r':
        o.retry = v;
        break;
      case 'R':
        o.rnr_retry = v;
        break;
      case 'T':
        o.rnr_timer = v;
        break;
      case 'v':
        o.recvs = v;
        break;
      case 'S':
        o.recv_size = v;
        break;
      case 'H':
        o.recv_hold = v;
        break;
      case 'D':
        o.recv_delay = v;
        break;
      case 'g':
        o.gid = v;
        break;
      case 'C':
        o.tclass = v;
        break;
      case 'i':
        o.interval = v;
        break;
      case 'a':
        o.pause_at = v;
        break;
      case 'M':
        o.pause_ms = v;
        break;
      case 'b':
        o.bidir = 1;
        break;
      case 'N':
        o.rounds = v;
        break;
      case 'Q':
        o.newqp = 1;
        break;
      case 'q':
        o.qps = v > MAXQP ? MAXQP : v;
        break;
      case 'A':
        o.rd = v;
        break;
      case 'k':
        o.bad_rkey = 1;
        break;
      case 'L':
        o.bad_len = 1;
        break;
      case 'x':
        o.no_access = 1;
        break;
      case 'P':
        o.psn = v;
        break;
      case 'B':
        o.psn2 = v;
        break;
      case 'V':
        o.dev = optarg;
        break;
      case 'e':
        srandom(v);
        break;
      default:
        exit(2);
    }
  }
  if (!o.nop) o.op[o.nop++] = WRITE;
}

int main(int argc, char** argv) {
  int n, errors = 0;
  args(argc, argv);
  struct ibv_device** list = ibv_get_device_list(&n);
  for (int i = 0; i < n; i++)
    if (!strcmp(ibv_get_device_name(list[i]), o.dev)) ctx = ibv_open_device(list[i]);
  if (!ctx) die("no device");
  pd = ibv_alloc_pd(ctx);
  cq = ibv_create_cq(ctx, o.qps * (o.depth + o.recvs + 2), NULL, NULL, 0);
  slot = (o.size > 4096 ? o.size : 4096); /* [0, slot) is read by sends, [slot, 2 slot) is the peer's target */
  buf = aligned_alloc(4096, (slot * 2 + 4095) & ~4095ul);
  for (size_t i = 0; i < slot * 2; i++) buf[i] = "RoCE lab "[i % 9];
  memset(buf + slot, 0, 8);
  mr = ibv_reg_mr(pd, buf, slot * 2,
                  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
  if (!pd || !cq || !mr) die("resources");
  dial();
  for (int i = 0; i < o.qps; i++) make_qp(&Q[i]);
  for (int r = 0; r < o.rounds; r++) {
    struct ibv_qp_attr reset = {.qp_state = IBV_QPS_RESET};
    if (r && o.newqp)
      for (int i = 0; i < o.qps; i++) {
        ibv_destroy_qp(Q[i].qp);
        make_qp(&Q[i]);
      }
    else if (r)
      for (int i = 0; i < o.qps; i++)
        if (ibv_modify_qp(Q[i].qp, &reset, IBV_QP_STATE)) die("RESET");
    for (int i = 0; i < o.qps; i++) connect_qp(&Q[i]);
    errors += run_round(r);
  }
  for (int i = 0; i < o.qps; i++) ibv_destroy_qp(Q[i].qp);
  return errors ? 3 : 0;
}
