#ifndef WSII_CURL_SHIM_H
#define WSII_CURL_SHIM_H
#include <curl/curl.h>
#endif
