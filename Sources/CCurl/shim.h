#ifndef WSII_CCURL_SHIM_H
#define WSII_CCURL_SHIM_H
#include <curl/curl.h>
#endif
