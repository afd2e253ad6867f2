// libcurl, loaded when a connection first needs it: mapping its thirty libraries costs 5 ms, which
// commands that open no connection should not pay. Its variadic calls, which Swift can't import,
// appear here with one name for each kind of argument.
#ifndef WSII_CURL_SHIM_H
#define WSII_CURL_SHIM_H
#include <curl/curl.h>

// Loads libcurl.so.4 and initialises it, once per process. NULL means that it stands ready, and
// anything else here may be called; otherwise the loader's reason, valid for ever.
const char *curlshim_load(void);

CURL *curlshim_easy_init(void);
void curlshim_easy_cleanup(CURL *easy);
CURLcode curlshim_easy_set_long(CURL *easy, CURLoption option, long value);
CURLcode curlshim_easy_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode curlshim_easy_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode curlshim_easy_set_socket_options(CURL *easy, curl_sockopt_callback callback, void *context);
// Bodies are dropped: left alone, libcurl would write a proxy's answer to stdout.
CURLcode curlshim_easy_discard_output(CURL *easy);
// Keeps libcurl's latest line of talk in a buffer of CURL_ERROR_SIZE bytes. Its error buffer takes
// one error in a handle's life, and a harmless one (getpeername after a reset) may have been it.
void curlshim_easy_keep_latest_line(CURL *easy, char *buffer);
CURLcode curlshim_easy_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode curlshim_easy_get_socket(CURL *easy, curl_socket_t *value);
CURLcode curlshim_easy_recv(CURL *easy, void *buffer, size_t size, size_t *count);
CURLcode curlshim_easy_send(CURL *easy, const void *buffer, size_t size, size_t *count);
const char *curlshim_easy_strerror(CURLcode code);

CURLM *curlshim_multi_new(curl_socket_callback socket, curl_multi_timer_callback timer, void *context);
void curlshim_multi_cleanup(CURLM *multi);
CURLMcode curlshim_multi_add(CURLM *multi, CURL *easy);
CURLMcode curlshim_multi_remove(CURLM *multi, CURL *easy);
// Lets libcurl act on a descriptor; CURL_SOCKET_TIMEOUT for its timer.
CURLMcode curlshim_multi_act(CURLM *multi, curl_socket_t socket, int events);
// Milliseconds until libcurl wants its timer; -1 if it wants none.
long curlshim_multi_timeout(CURLM *multi);
// Takes the next finished transfer: 1 and its handle and result, or 0.
int curlshim_multi_next_done(CURLM *multi, CURL **easy, CURLcode *result);

// Options newer than the oldest headers that this should build with; an older library answers
// CURLE_UNKNOWN_OPTION.
static const CURLoption curlshim_opt_ca_cache_timeout = (CURLoption)321;
static const CURLoption curlshim_opt_quick_exit = (CURLoption)322;
#endif
