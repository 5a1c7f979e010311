// Which bytes are a request, and by which status the others are refused.
#include "runtime/http/HttpRequest.h"

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>

namespace graphc::http {
namespace {
using State = ParsedRequest::State;

int statusOf(std::string_view bytes) {
  const ParsedRequest parsed = parseRequest(bytes);
  EXPECT_NE(parsed.state, State::More) << bytes;
  return parsed.state == State::Whole ? 200 : parsed.status;
}

TEST(HttpRequest, OfACommonClient) {
  const ParsedRequest parsed =
      parseRequest("GET /metrics?x=1 HTTP/1.1\r\nHost: a:1\r\nUser-Agent: "
                   "Prometheus/2.42\r\nAuthorization:  Bearer abc \r\nAccept: */*\r\n\r\nignored");
  ASSERT_EQ(parsed.state, State::Whole) << parsed.why;
  EXPECT_EQ(parsed.request.method, "GET");
  EXPECT_EQ(parsed.request.path, "/metrics");
  EXPECT_EQ(parsed.request.authorization, "Bearer abc");
}

TEST(HttpRequest, EveryBeginningWaitsForMore) {
  const std::string whole = "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
  for (size_t i = 0; i < whole.size(); ++i)
    EXPECT_EQ(parseRequest(std::string_view(whole).substr(0, i)).state, State::More) << i;
  EXPECT_EQ(parseRequest(whole).state, State::Whole);
}

TEST(HttpRequest, Targets) {
  EXPECT_EQ(parseRequest("GET http://host:1/status.json?a#b HTTP/1.0\r\n\r\n").request.path,
            "/status.json");
  EXPECT_EQ(parseRequest("GET HTTPS://host HTTP/1.0\r\n\r\n").request.path, "/");
  for (const char *target : {"*", "metrics", "host:80", "ftp://host/"})
    EXPECT_EQ(statusOf(absl::StrCat("GET ", target, " HTTP/1.0\r\n\r\n")), 400) << target;
}

TEST(HttpRequest, WhatCouldBeReadInTwoWaysIsRefused) {
  const std::string line = "GET / HTTP/1.1\r\n", host = "Host: a\r\n";
  for (const char *bad :
       {"Name : v\r\n", " folded\r\n", "no colon\r\n", ": v\r\n", "A: b\rc\r\n", "A: b\nc\r\n",
        "A: \x01\r\n", "Content-Length: -1\r\n", "Content-Length: 1x\r\n",
        "Content-Length: 99999999999999999999\r\n", "Host: b\r\n"})
    EXPECT_EQ(statusOf(absl::StrCat(line, host, bad, "\r\n")), 400) << bad;
  EXPECT_EQ(statusOf(line + host + "Authorization: a\r\nAuthorization: b\r\n\r\n"), 400);
  EXPECT_EQ(statusOf(line + "\r\n"), 400) << "no Host";
  EXPECT_EQ(statusOf("GET / HTTP/1.0\r\n\r\n"), 200);
  for (const char *first : {"GET  / HTTP/1.1", "GET / HTTP/1.1 ", "GET /", "GET / HTTP/1.1\n",
                            "G(T / HTTP/1.1", "GET / http/1.1"})
    EXPECT_EQ(statusOf(absl::StrCat(first, "\r\n", host, "\r\n")), 400) << first;
  EXPECT_EQ(statusOf("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(statusOf("\x16\x03\x01"), 400) << "TLS where none is spoken";
}

TEST(HttpRequest, NothingIsTaken) {
  const std::string line = "POST / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(statusOf(line + "Content-Length: 5\r\n\r\nhello"), 413);
  EXPECT_EQ(statusOf(line + "transfer-encoding: chunked\r\n\r\n"), 413);
  EXPECT_EQ(parseRequest(line + "\r\n").request.method, "POST")
      << "whose refusal is the responder's";
}

TEST(HttpRequest, Limits) {
  EXPECT_EQ(statusOf(absl::StrCat("GET /", std::string(2000, 'a'))), 414)
      << "before its end has come";
  EXPECT_EQ(
      statusOf(absl::StrCat("GET /", std::string(kMostTargetBytes - 1, 'a'), " HTTP/1.0\r\n\r\n")),
      200);
  EXPECT_EQ(
      statusOf(absl::StrCat("GET /", std::string(kMostTargetBytes, 'a'), " HTTP/1.0\r\n\r\n")),
      414);
  EXPECT_EQ(statusOf(absl::StrCat("GET / HTTP/1.0\r\nA: ", std::string(kMostRequestBytes, 'a'))),
            431)
      << "before its end has come";
  std::string headers;
  for (size_t i = 0; i < kMostHeaders; ++i)
    absl::StrAppend(&headers, "A: b\r\n");
  EXPECT_EQ(statusOf("GET / HTTP/1.0\r\n" + headers + "\r\n"), 200);
  EXPECT_EQ(statusOf("GET / HTTP/1.0\r\n" + headers + "A: b\r\n\r\n"), 431);
}

} // namespace
} // namespace graphc::http
