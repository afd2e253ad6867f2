// What Swift's Glibc module leaves out. _GNU_SOURCE must not be defined here: it changes the layout
// that the Glibc module has already given fd_set, and the build fails. The few GNU calls are
// therefore declared by hand.
#ifndef WSII_CLINUX_SHIM_H
#define WSII_CLINUX_SHIM_H
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

// An unnamed file in the directory that is opened (open(2)).
static const int clinux_O_TMPFILE = 020000000 | O_DIRECTORY;

// accept(2) with the descriptor's flags set at birth.
static inline int clinux_accept4(int socket, int flags) {
  extern int accept4(int, struct sockaddr *, socklen_t *, int);
  return accept4(socket, NULL, NULL, flags);
}

// pipe(2) with the descriptors' flags set at birth.
static inline int clinux_pipe2(int ends[2], int flags) {
  extern int pipe2(int[2], int);
  return pipe2(ends, flags);
}

// mallopt(3) for the size from which a block stands alone. Declared by hand, because malloc.h brings
// in types that the Glibc module owns.
static inline void clinux_set_mmap_threshold(int bytes) {
  extern int mallopt(int, int);
  mallopt(-3 /* M_MMAP_THRESHOLD */, bytes);
}

// pidfd_open(2), which glibc has no function for before 2.36.
static inline int clinux_pidfd_open(int process) {
  extern long syscall(long, ...);
  return (int)syscall(SYS_pidfd_open, process, 0);
}

// mkstemp(3) with the descriptor's flags set at birth.
static inline int clinux_mkostemp(char *path, int flags) {
  extern int mkostemp(char *, int);
  return mkostemp(path, flags);
}
#endif
