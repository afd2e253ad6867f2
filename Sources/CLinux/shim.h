// What Swift's Glibc module leaves out. _GNU_SOURCE must not be defined here: it changes the layout
// that the Glibc module has already given fd_set, and the build fails.
#ifndef WSII_CLINUX_SHIM_H
#define WSII_CLINUX_SHIM_H
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#endif
