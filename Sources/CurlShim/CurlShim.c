#include "CurlShim.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

// The headers check the arguments of these by macros; here they are plain function types.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define FUNCTIONS(USE)      \
  USE(curl_global_init)     \
  USE(curl_easy_init)       \
  USE(curl_easy_cleanup)    \
  USE(curl_easy_setopt)     \
  USE(curl_easy_getinfo)    \
  USE(curl_easy_recv)       \
  USE(curl_easy_send)       \
  USE(curl_easy_strerror)   \
  USE(curl_multi_init)      \
  USE(curl_multi_cleanup)   \
  USE(curl_multi_setopt)    \
  USE(curl_multi_add_handle)    \
  USE(curl_multi_remove_handle) \
  USE(curl_multi_socket_action) \
  USE(curl_multi_timeout)       \
  USE(curl_multi_info_read)

#define DECLARE(name) __typeof__(name) *name;
static struct {
  FUNCTIONS(DECLARE)
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *problem;

static void load(void) {
  // Never unloaded: OpenSSL and the resolver's threads don't survive that.
  void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    problem = "libcurl.so.4 can't be loaded";
    return;
  }
#define LOAD(name)                                          \
  library.name = (__typeof__(name) *)dlsym(handle, #name);  \
  if (library.name == NULL) {                               \
    problem = "libcurl.so.4 has no " #name;                 \
    return;                                                 \
  }
  FUNCTIONS(LOAD)
  if (library.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    problem = "libcurl can't be initialised";
}

const char *curlshim_load(void) {
  pthread_once(&once, load);
  return problem;
}

CURL *curlshim_easy_init(void) { return library.curl_easy_init(); }

void curlshim_easy_cleanup(CURL *easy) { library.curl_easy_cleanup(easy); }

CURLcode curlshim_easy_set_long(CURL *easy, CURLoption option, long value) {
  return library.curl_easy_setopt(easy, option, value);
}

CURLcode curlshim_easy_set_string(CURL *easy, CURLoption option, const char *value) {
  return library.curl_easy_setopt(easy, option, value);
}

CURLcode curlshim_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
  return library.curl_easy_setopt(easy, option, value);
}

CURLcode curlshim_easy_set_socket_options(
    CURL *easy, curl_sockopt_callback callback, void *context) {
  CURLcode code = library.curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, callback);
  if (code != CURLE_OK) return code;
  return library.curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, context);
}

static size_t discard(char *bytes, size_t size, size_t count, void *context) {
  (void)bytes;
  (void)context;
  return size * count;
}

CURLcode curlshim_easy_discard_output(CURL *easy) {
  return library.curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
}

static int keep_line(CURL *easy, curl_infotype type, char *text, size_t size, void *context) {
  (void)easy;
  if (type != CURLINFO_TEXT) return 0;
  char *buffer = context;
  while (size > 0 && text[size - 1] == '\n') size--;
  if (size > CURL_ERROR_SIZE - 1) size = CURL_ERROR_SIZE - 1;
  memcpy(buffer, text, size);
  buffer[size] = 0;
  return 0;
}

void curlshim_easy_keep_latest_line(CURL *easy, char *buffer) {
  library.curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, keep_line);
  library.curl_easy_setopt(easy, CURLOPT_DEBUGDATA, buffer);
  library.curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
}

CURLcode curlshim_easy_get_long(CURL *easy, CURLINFO info, long *value) {
  return library.curl_easy_getinfo(easy, info, value);
}

CURLcode curlshim_easy_get_socket(CURL *easy, curl_socket_t *value) {
  return library.curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}

CURLcode curlshim_easy_recv(CURL *easy, void *buffer, size_t size, size_t *count) {
  return library.curl_easy_recv(easy, buffer, size, count);
}

CURLcode curlshim_easy_send(CURL *easy, const void *buffer, size_t size, size_t *count) {
  return library.curl_easy_send(easy, buffer, size, count);
}

const char *curlshim_easy_strerror(CURLcode code) { return library.curl_easy_strerror(code); }

CURLM *curlshim_multi_new(
    curl_socket_callback socket, curl_multi_timer_callback timer, void *context) {
  CURLM *multi = library.curl_multi_init();
  if (multi == NULL) return NULL;
  library.curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
  library.curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  library.curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
  library.curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return multi;
}

void curlshim_multi_cleanup(CURLM *multi) { library.curl_multi_cleanup(multi); }

CURLMcode curlshim_multi_add(CURLM *multi, CURL *easy) {
  return library.curl_multi_add_handle(multi, easy);
}

CURLMcode curlshim_multi_remove(CURLM *multi, CURL *easy) {
  return library.curl_multi_remove_handle(multi, easy);
}

CURLMcode curlshim_multi_act(CURLM *multi, curl_socket_t socket, int events) {
  int running;
  return library.curl_multi_socket_action(multi, socket, events, &running);
}

long curlshim_multi_timeout(CURLM *multi) {
  long milliseconds = -1;
  library.curl_multi_timeout(multi, &milliseconds);
  return milliseconds;
}

int curlshim_multi_next_done(CURLM *multi, CURL **easy, CURLcode *result) {
  int left;
  CURLMsg *message;
  while ((message = library.curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    *easy = message->easy_handle;
    *result = message->data.result;
    return 1;
  }
  return 0;
}
