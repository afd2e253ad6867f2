/* crowd - a room full of clients, and the least that a server of them could do.
 *
 *   crowd members PORT MEMBERS MESSAGES PER_SECOND [SIZE]
 *     MEMBERS clients of a wsii hub join one room; the first sends MESSAGES at that pace; each checks that it gets
 *     every seq once and in order.
 *   crowd serve PORT MEMBERS MESSAGES PER_SECOND [SIZE]
 *     The floor: waits for MEMBERS clients, reads nothing of them, and writes as many frames of the same length to each at
 *     the same pace, one write a frame. `crowd members` with the mode "listen" in front of PORT is its client.
 *
 * Prints one JSON line. Loopback only; C99 and Linux, no library. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 60 }; /* seconds without progress */

typedef struct {
  int fd, open;
  uint8_t *buf;
  size_t cap, lo, hi;
  uint64_t seq;
} peer;

static peer *peers;
static size_t members, joined, opened;
static uint64_t messages, frames, bytes, wrong;
static uint64_t delay_total, delay_most, *sent_at;

static void die(const char *what) { perror(what); exit(2); }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void put(int fd, const void *data, size_t n) {
  for (const char *p = data; n;) {
    ssize_t k = write(fd, p, n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) die("write");
    p += k, n -= (size_t)k;
  }
}

/* A text frame; masked with zeros, which leave it as it is. */
static size_t frame(uint8_t *out, const char *text, size_t n, int masked) {
  size_t h = 2;
  out[0] = 0x81;
  out[1] = (uint8_t)((masked ? 0x80 : 0) | (n < 126 ? n : 126));
  if (n >= 126) out[2] = (uint8_t)(n >> 8), out[3] = (uint8_t)n, h = 4;
  if (masked) memset(out + h, 0, 4), h += 4;
  memcpy(out + h, text, n);
  return h + n;
}

static void say(int fd, const char *text, size_t n) {
  uint8_t out[70000];
  put(fd, out, frame(out, text, n, 1));
}

static void hear(peer *p, const char *text, size_t n) {
  frames++, bytes += n;
  if (memmem(text, n, "\"type\":\"joined\"", 15)) {
    joined++;
    return;
  }
  const char *s = memmem(text, n, "\"type\":\"text\"", 13) ? memmem(text, n, "\"seq\":", 6) : NULL;
  if (!s) {
    frames--, bytes -= n;
    return;
  }
  uint64_t seq = strtoull(s + 6, NULL, 10), d;
  if (seq != ++p->seq) wrong++;
  if (seq >= 1 && seq <= messages) {
    d = now_ns() - sent_at[seq - 1];
    delay_total += d;
    if (d > delay_most) delay_most = d;
  }
}

static void take(peer *p, const char *greeting) {
  if (p->hi == p->cap) {
    if (p->lo) {
      memmove(p->buf, p->buf + p->lo, p->hi - p->lo);
    } else if (!(p->buf = realloc(p->buf, p->cap *= 2))) {
      die("realloc");
    }
    p->hi -= p->lo, p->lo = 0;
  }
  ssize_t k = read(p->fd, p->buf + p->hi, p->cap - p->hi);
  if (k < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (k <= 0) die("a link ended");
  p->hi += (size_t)k;
  if (!p->open) {
    uint8_t *end = memmem(p->buf, p->hi, "\r\n\r\n", 4);
    if (!end) return;
    if (memcmp(p->buf, "HTTP/1.1 101", 12)) die("no 101");
    p->lo = (size_t)(end + 4 - p->buf), p->open = 1, opened++;
    if (greeting) say(p->fd, greeting, strlen(greeting));
  }
  while (p->hi - p->lo >= 2) {
    uint8_t *b = p->buf + p->lo;
    size_t n = b[1] & 127, h = 2;
    if (n == 126) h = 4, n = p->hi - p->lo < 4 ? 0 : (size_t)(b[2] << 8 | b[3]);
    if ((b[1] & 127) == 127) h = 10, n = p->hi - p->lo < 10 ? 0 : (size_t)b[6] << 24 | (size_t)b[7] << 16 | (size_t)b[8] << 8 | b[9];
    if (p->hi - p->lo < h + n) break;
    if ((b[0] & 15) == 9) {
      uint8_t pong[200] = {0x8A, (uint8_t)(0x80 | n)};
      memcpy(pong + 6, b + h, n);
      put(p->fd, pong, 6 + n);
    } else {
      hear(p, (char *)b + h, n);
    }
    p->lo += h + n;
  }
  if (p->lo == p->hi) p->lo = p->hi = 0;
}

static int connected(int port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (fd < 0 || connect(fd, (void *)&a, sizeof a)) die("connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

static double cpu(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec / 1e6 + (double)u.ru_stime.tv_sec + (double)u.ru_stime.tv_usec / 1e6;
}

static int crowd(int port, double pace, size_t size, int speaks) {
  int poll = epoll_create1(EPOLL_CLOEXEC);
  if (poll < 0) die("epoll");
  for (size_t i = 0; i < members; i++) {
    peer *p = peers + i;
    p->fd = connected(port);
    p->cap = 4096;
    if (!(p->buf = malloc(p->cap))) die("malloc");
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = i};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, p->fd, &e)) die("epoll_ctl");
    char q[400];
    int n = snprintf(q, sizeof q,
                     "GET /?userId=u%zu HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
                     i, port);
    put(p->fd, q, (size_t)n);
    /* One after the other, or the listening queue overflows and SYNs wait a second to be sent again. */
    while (!p->open) take(p, NULL);
  }
  const char *join = "{\"type\":\"join\",\"conversationId\":\"ops\"}";
  for (size_t i = 0; speaks && i < members; i++) say(peers[i].fd, join, strlen(join));
  double begin = 0, progress = now(), last = 0;
  uint64_t sent = 0, seen = 0;
  char *text = malloc(size + 200);
  struct epoll_event events[256];
  while (frames < messages * members + (speaks ? members : 0)) {
    double left = 1;
    if (speaks && joined == members && !begin) begin = now(), fprintf(stdout, "READY\n"), fflush(stdout);
    if (begin && sent < messages) {
      left = begin + (double)sent / pace - now();
      if (left <= 0) {
        int n = snprintf(text, size + 200, "{\"type\":\"text\",\"id\":\"m%010llu\",\"conversationId\":\"ops\",\"text\":\"", (unsigned long long)sent);
        memset(text + n, 'x', size);
        memcpy(text + n + size, "\"}", 2);
        sent_at[sent++] = now_ns();
        say(peers[0].fd, text, (size_t)n + size + 2);
        continue;
      }
    }
    int k = epoll_wait(poll, events, 256, (int)(left * 1000) + 1);
    for (int i = 0; i < k; i++) take(peers + events[i].data.u64, NULL);
    if (frames != seen) {
      if (!begin && !speaks) begin = now();
      seen = frames, last = progress = now();
    }
    if (now() - progress > PATIENCE) break;
  }
  uint64_t got = frames - (speaks ? joined : 0);
  printf("{\"members\":%zu,\"messages\":%llu,\"frames\":%llu,\"bytes\":%llu,\"wrong\":%llu,\"seconds\":%.3f,\"delay_ms\":%.2f,\"delay_most_ms\":%.2f}\n",
         members, (unsigned long long)messages, (unsigned long long)got, (unsigned long long)bytes, (unsigned long long)wrong,
         last - begin, got ? (double)delay_total / (double)got / 1e6 : 0, (double)delay_most / 1e6);
  return wrong || got != messages * members;
}

static int serve(int port, double pace, size_t size) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (listener < 0 || bind(listener, (void *)&a, sizeof a) || listen(listener, 1024)) die("listen");
  printf("LISTENING\n"), fflush(stdout);
  for (size_t i = 0; i < members; i++) {
    char q[4096];
    int fd = peers[i].fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (fd < 0 || read(fd, q, sizeof q) <= 0) die("a client");
    const char *answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                         "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    put(fd, answer, strlen(answer));
  }
  /* The record that a hub makes of the same message. */
  char *text = malloc(size + 400);
  uint8_t *out = malloc(size + 420);
  double cpu0 = cpu(), begin = now();
  for (uint64_t m = 0; m < messages; m++) {
    double left = begin + (double)m / pace - now();
    if (left > 0) {
      struct timespec t = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
      nanosleep(&t, NULL);
    }
    int n = snprintf(text, 300, "{\"type\":\"text\",\"id\":\"m%010llu\",\"conversationId\":\"ops\",\"senderId\":\"u0\",\"senderName\":\"u0\",\"text\":\"", (unsigned long long)m);
    memset(text + n, 'x', size);
    n += (int)size;
    n += sprintf(text + n, "\",\"timestamp\":\"2026-11-30T20:15:00.123Z\",\"seq\":%llu}", (unsigned long long)m + 1);
    size_t length = frame(out, text, (size_t)n, 0);
    for (size_t i = 0; i < members; i++) put(peers[i].fd, out, length);
  }
  printf("{\"members\":%zu,\"messages\":%llu,\"frames\":%llu,\"cpu\":%.3f,\"seconds\":%.3f}\n", members, (unsigned long long)messages,
         (unsigned long long)(messages * members), cpu() - cpu0, now() - begin);
  fflush(stdout);
  char end;
  while (read(peers[0].fd, &end, 1) > 0) {}
  return 0;
}

int main(int c, char **v) {
  if (c < 6) return fprintf(stderr, "usage: crowd members|listeners|serve PORT MEMBERS MESSAGES PER_SECOND [SIZE]\n"), 64;
  int port = atoi(v[2]);
  members = strtoull(v[3], NULL, 10), messages = strtoull(v[4], NULL, 10);
  double pace = atof(v[5]);
  size_t size = c > 6 ? strtoull(v[6], NULL, 10) : 60;
  peers = calloc(members, sizeof *peers), sent_at = calloc(messages + 1, sizeof *sent_at);
  if (!peers || !sent_at || size > 60000) return 64;
  struct rlimit files = {members + 64, members + 64};
  setrlimit(RLIMIT_NOFILE, &files);
  if (!strcmp(v[1], "serve")) return serve(port, pace, size);
  return crowd(port, pace, size, !strcmp(v[1], "members"));
}
