#include "generate/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>

namespace akgen::generate {
namespace {
constexpr size_t kErrorBody = 4096;

struct Transfer {
  const HttpRequest* request;
  HttpReply* reply;
  CURL* curl;
};

size_t OnData(char* data, size_t size, size_t count, void* user) {
  auto* t = static_cast<Transfer*>(user);
  size_t bytes = size * count;
  long status = 0;
  curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) {
    std::string& body = t->reply->error_body;
    body.append(data, std::min(bytes, kErrorBody - std::min(kErrorBody, body.size())));
    return bytes;
  }
  if (t->request->on_data(std::string_view(data, bytes))) return bytes;
  t->reply->ended_by_reader = true;
  return CURL_WRITEFUNC_ERROR;
}

size_t OnHeader(char* data, size_t size, size_t count, void* user) {
  auto* t = static_cast<Transfer*>(user);
  std::string line(data, size * count);
  size_t colon = line.find(':');
  std::string name = line.substr(0, colon);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  if (colon != std::string::npos && name == "retry-after")
    t->reply->retry_after_s = RetryAfterSeconds(line.substr(colon + 1));
  return size * count;
}

int OnProgress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto* t = static_cast<Transfer*>(user);
  return t->request->stop && t->request->stop->load() ? 1 : 0;
}
}  // namespace

double RetryAfterSeconds(const std::string& value) {
  size_t first = value.find_first_not_of(" \t");
  if (first == std::string::npos) return -1;
  char* end = nullptr;
  double seconds = std::strtod(value.c_str() + first, &end);
  if (end != value.c_str() + first) return seconds >= 0 ? seconds : -1;
  time_t when = curl_getdate(value.c_str() + first, nullptr);
  return when < 0 ? -1 : std::max(0.0, std::difftime(when, std::time(nullptr)));
}

HttpReply Post(const HttpRequest& request) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  HttpReply reply;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), curl_easy_cleanup);
  curl_slist* list = nullptr;
  for (const std::string& h : request.headers) list = curl_slist_append(list, h.c_str());
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(list, curl_slist_free_all);
  Transfer transfer{&request, &reply, curl.get()};
  auto set = [&](CURLoption option, auto value) { curl_easy_setopt(curl.get(), option, value); };
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);  // a redirection could carry the key to another host
  set(CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.size()));
  set(CURLOPT_POSTFIELDS, request.body.c_str());
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_USERAGENT, "akgen");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, 15000L);
  set(CURLOPT_TIMEOUT_MS, long(request.timeout_s * 1000));
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, long(request.idle_s));
  set(CURLOPT_WRITEFUNCTION, OnData);
  set(CURLOPT_WRITEDATA, &transfer);
  set(CURLOPT_HEADERFUNCTION, OnHeader);
  set(CURLOPT_HEADERDATA, &transfer);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, OnProgress);
  set(CURLOPT_XFERINFODATA, &transfer);
  CURLcode code = curl_easy_perform(curl.get());
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &reply.status);
  if (code != CURLE_OK && !reply.ended_by_reader) reply.failure = curl_easy_strerror(code);
  return reply;
}

}  // namespace akgen::generate
