#include "runtime/http/HttpRequest.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::http {
namespace {
ParsedRequest refused(int status, std::string why) {
  return {ParsedRequest::State::Refused, {}, status, std::move(why)};
}

bool isTokenByte(char c) {
  return absl::ascii_isalnum(c) ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}
bool isToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), isTokenByte);
}
bool isText(std::string_view text) { // a header's value: no control characters but tab
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  });
}

/// What is before `separator`, which is taken away with it; all of it where there is none.
std::string_view take(std::string_view &text, std::string_view separator) {
  const size_t at = text.find(separator);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + separator.size());
  return taken;
}

/// The path of "/path?query" or "http://host/path"; empty: it is neither.
std::string_view pathOf(std::string_view target) {
  for (std::string_view scheme : {"http://", "https://"})
    if (absl::StartsWithIgnoreCase({target.data(), target.size()},
                                   {scheme.data(), scheme.size()})) {
      target.remove_prefix(scheme.size());
      target.remove_prefix(std::min(target.find('/'), target.size()));
      if (target.empty())
        return "/";
    }
  return target.starts_with('/') ? target.substr(0, target.find_first_of("?#")) : "";
}

struct Headers {
  unsigned hosts = 0, authorizations = 0;
  bool hasBody = false;
  std::string authorization;
};

/// "" where the header is as it should be.
std::string readHeader(std::string_view line, Headers &headers) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || !isToken(line.substr(0, colon)))
    return "a header is no NAME: VALUE";
  const std::string name = absl::AsciiStrToLower(std::string(line.substr(0, colon)));
  const std::string value(
      absl::StripAsciiWhitespace({line.data() + colon + 1, line.size() - colon - 1}));
  if (!isText(value))
    return "a header's value has control characters";
  uint64_t length = 0;
  headers.hosts += name == "host";
  if (name == "content-length" && (!std::all_of(value.begin(), value.end(), absl::ascii_isdigit) ||
                                   !absl::SimpleAtoi(value, &length)))
    return "Content-Length is no number";
  headers.hasBody |= length > 0 || name == "transfer-encoding";
  if (name == "authorization") {
    ++headers.authorizations;
    headers.authorization = value;
  }
  return "";
}
} // namespace

ParsedRequest parseRequest(std::string_view bytes) {
  if (!bytes.empty() && !isTokenByte(bytes.front()))
    return refused(400, "this is no HTTP");
  const size_t end = bytes.find("\r\n\r\n");
  if (std::min(end, bytes.size()) > kMostRequestBytes)
    return refused(431, absl::StrCat("the request is longer than ", kMostRequestBytes, " bytes"));
  std::string_view head = bytes.substr(0, end), rest = head;
  std::string_view line = take(rest, "\r\n");
  if (line.size() > kMostTargetBytes + 64)
    return refused(414, absl::StrCat("the address is longer than ", kMostTargetBytes, " bytes"));
  if (end == std::string_view::npos)
    return {};
  ParsedRequest parsed;
  const std::string_view method = take(line, " "), target = take(line, " ");
  if (!isToken(method) || target.empty() || !isText(target) ||
      target.find('\t') != std::string_view::npos)
    return refused(400, "the first line is no METHOD PATH HTTP/1.1");
  if (target.size() > kMostTargetBytes)
    return refused(414, absl::StrCat("the address is longer than ", kMostTargetBytes, " bytes"));
  const bool isVersion = line.size() == 8 && line.starts_with("HTTP/") &&
                         absl::ascii_isdigit(line[5]) && line[6] == '.' &&
                         absl::ascii_isdigit(line[7]);
  if (!isVersion)
    return refused(400, "the first line is no METHOD PATH HTTP/1.1");
  if (line != "HTTP/1.1" && line != "HTTP/1.0")
    return refused(505, "HTTP/1.1 is spoken here");
  Headers headers;
  for (size_t count = 0; !rest.empty(); ++count) {
    if (count == kMostHeaders)
      return refused(431, absl::StrCat("the request has more than ", kMostHeaders, " headers"));
    if (std::string wrong = readHeader(take(rest, "\r\n"), headers); !wrong.empty())
      return refused(400, wrong);
  }
  if (headers.hosts > 1 || headers.authorizations > 1 || (headers.hosts == 0 && line == "HTTP/1.1"))
    return refused(400, headers.authorizations > 1 ? "Authorization is there twice"
                                                   : "Host has to be there once");
  if (headers.hasBody)
    return refused(413, "nothing is taken here: a request has no body");
  const std::string_view path = pathOf(target);
  if (path.empty())
    return refused(400, "the address begins with no /");
  parsed.state = ParsedRequest::State::Whole;
  parsed.request = {std::string(method), std::string(path), headers.authorization};
  return parsed;
}

const char *reasonOf(int status) {
  switch (status) {
  case 200:
    return "OK";
  case 400:
    return "Bad Request";
  case 401:
    return "Unauthorized";
  case 404:
    return "Not Found";
  case 405:
    return "Method Not Allowed";
  case 408:
    return "Request Timeout";
  case 413:
    return "Content Too Large";
  case 414:
    return "URI Too Long";
  case 431:
    return "Request Header Fields Too Large";
  case 503:
    return "Service Unavailable";
  case 505:
    return "HTTP Version Not Supported";
  default:
    return "Error";
  }
}

} // namespace graphc::http
