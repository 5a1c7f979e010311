// What comes over the sockets of a run's status: the first byte says whether the rest is a request
// (q), an answer (a) or a status (s). A request is whole, refused by a status that there is, or
// waits for more, and what is whole stays so with more bytes behind it; a status that was read is
// written and read again to the same bytes, and has a page and metrics.
#include "runtime/http/HttpClient.h"
#include "runtime/http/HttpRequest.h"
#include "runtime/observe/RunStatus.h"

#include <cstdlib>
#include <cstring>

using namespace graphc;

static void request(std::string_view bytes) {
  const http::ParsedRequest parsed = http::parseRequest(bytes);
  switch (parsed.state) {
  case http::ParsedRequest::State::Refused:
    if (parsed.why.empty() || !std::strcmp(http::reasonOf(parsed.status), "Error"))
      abort();
    return;
  case http::ParsedRequest::State::More:
    if (bytes.size() > http::kMostRequestBytes)
      abort();
    return;
  case http::ParsedRequest::State::Whole:
    if (parsed.request.path.empty() || parsed.request.path[0] != '/' ||
        parsed.request.path.size() > http::kMostTargetBytes)
      abort();
    const http::ParsedRequest again =
        http::parseRequest(std::string(bytes) + "\r\nMore: 1\r\n\r\n");
    if (again.state != parsed.state || again.request.path != parsed.request.path)
      abort();
  }
}

static void status(std::string_view bytes) {
  auto read = observe::runStatusFromJson(std::string(bytes));
  if (!read.ok()) {
    if (read.status().message().empty())
      abort();
    return;
  }
  const std::string written = observe::toJson(*read);
  auto again = observe::runStatusFromJson(written);
  if (!again.ok() || observe::toPage(*read).empty() || observe::toPrometheus(*read).empty())
    abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  const std::string_view bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  if (data[0] == 'q')
    request(bytes);
  else if (data[0] == 'a')
    (void)http::bodyOf(bytes);
  else
    status(bytes);
  return 0;
}
