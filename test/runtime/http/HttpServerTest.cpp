// Real sockets: who is answered, who is refused, and that nobody holds the others up.
#include "runtime/http/HttpServer.h"
#include "runtime/common/base/Socket.h"
#include "runtime/http/HttpClient.h"
#include "runtime/tls/CertificateAuthority.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <poll.h>

namespace graphc::http {
namespace {
using testing::HasSubstr;
using testing::StartsWith;
const std::string kRequest = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

class HttpResponder : public testing::Test {
protected:
  void SetUp() override { signal(SIGPIPE, SIG_IGN); }
  void TearDown() override {
    responder.reset();
    if (!folder.empty())
      std::filesystem::remove_all(folder);
  }
  /// At a port of the loopback; `more` may set limits.
  void start(
      std::string secret = "", std::shared_ptr<const tls::TlsCredentials> credentials = nullptr,
      const std::function<void(HttpServer::Options &)> &more = [](auto &) {}) {
    auto listener = base::listenAtAnyPort(false);
    ASSERT_TRUE(listener.ok()) << listener.status();
    address = absl::StrCat("127.0.0.1:", listener->second);
    HttpServer::Options options;
    options.endpoints.push_back(
        {std::move(listener->first), false, std::move(credentials), std::move(secret)});
    options.answer = [this](const std::string &path) {
      ++asked;
      return path == "/a" ? HttpResponse{200, "text/plain", body} : HttpResponse{404, "", ""};
    };
    more(options);
    auto made = HttpServer::start(std::move(options));
    ASSERT_TRUE(made.ok()) << made.status();
    responder = *std::move(made);
  }
  base::UniqueFd dial() const {
    auto fd = base::connectTcp(address, absl::Now() + absl::Seconds(20));
    EXPECT_TRUE(fd.ok()) << fd.status();
    return *std::move(fd);
  }
  static void say(const base::UniqueFd &fd, const std::string &text) {
    EXPECT_TRUE(base::sendAll(fd.get(), text, absl::Now() + absl::Seconds(20)).ok());
  }
  /// Until the other end has closed.
  static std::string hear(const base::UniqueFd &fd) {
    std::string all;
    for (char piece[1 << 16]; base::waitFor(fd.get(), POLLIN, absl::Now() + absl::Seconds(30));) {
      ssize_t got = recv(fd.get(), piece, sizeof piece, 0);
      if (got <= 0)
        break;
      all.append(piece, static_cast<size_t>(got));
    }
    return all;
  }
  std::string ask(const std::string &request) const {
    base::UniqueFd fd = dial();
    say(fd, request);
    return hear(fd);
  }
  std::shared_ptr<const tls::TlsCredentials> credentials(const std::string &which,
                                                         const std::string &name) {
    if (folder.empty()) {
      folder = (std::filesystem::temp_directory_path() / "graphc-http-XXXXXX").string();
      EXPECT_NE(mkdtemp(folder.data()), nullptr);
    }
    const std::string of = absl::StrCat(folder, "/", which);
    auto authority = tls::CertificateAuthority::openOrMake(of, absl::Hours(1000));
    EXPECT_TRUE(authority.ok()) << authority.status();
    EXPECT_TRUE(authority->issue(name, "/job:worker/task:0", "127.0.0.1", absl::Hours(100)).ok());
    auto loaded = tls::TlsCredentials::load(
        {absl::StrCat(of, "/", name, ".crt"), absl::StrCat(of, "/", name, ".key"), of + "/ca.crt"});
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return loaded.value_or(nullptr);
  }
  absl::StatusOr<std::string> get(const tls::TlsCredentials *own,
                                  const std::string &secret = "") const {
    return http::get({address, own, secret}, "/a", absl::Now() + absl::Seconds(20));
  }

  std::string address, body = "hello\n", folder;
  std::atomic<int> asked{0};
  std::unique_ptr<HttpServer> responder;
};

TEST_F(HttpResponder, AnswersAndCloses) {
  start();
  EXPECT_THAT(ask(kRequest),
              testing::AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Length: 6\r\n"),
                             testing::EndsWith("\r\n\r\nhello\n")));
  EXPECT_THAT(ask("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n"),
              testing::AllOf(HasSubstr("Content-Length: 6\r\n"), testing::EndsWith("\r\n\r\n")));
  EXPECT_EQ(*get(nullptr), "hello\n");
  const int before = asked;
  for (const char *method : {"POST", "PUT", "DELETE", "OPTIONS", "X"})
    EXPECT_THAT(ask(absl::StrCat(method, " /a HTTP/1.1\r\nHost: x\r\n\r\n")),
                testing::AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: GET, HEAD\r\n")));
  EXPECT_EQ(asked, before) << "nothing but GET and HEAD gets further";
  EXPECT_THAT(ask("GET /b HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 404"));
}

TEST_F(HttpResponder, LargeAnswersAndLargeRequests) {
  body = std::string(5 << 20, 'x');
  start();
  EXPECT_EQ(*get(nullptr), body);
  // The answer is read though the request goes on behind it.
  EXPECT_THAT(ask(absl::StrCat("GET /a HTTP/1.1\r\nA: ", std::string(200000, 'a'))),
              StartsWith("HTTP/1.1 431"));
}

TEST_F(HttpResponder, WhoSaysNothingIsLetGo) {
  start("", nullptr, [](HttpServer::Options &options) { options.deadline = absl::Minutes(10); });
  base::UniqueFd silent = dial(), slow = dial();
  say(slow, "G");
  EXPECT_THAT(ask(kRequest), StartsWith("HTTP/1.1 200")) << "beside them";
  start("", nullptr,
        [](HttpServer::Options &options) { options.deadline = absl::Milliseconds(300); });
  const absl::Time begin = absl::Now();
  silent = dial(), slow = dial();
  do
    say(slow, "G");
  while (!base::waitFor(slow.get(), POLLIN, absl::Now() + absl::Milliseconds(50)) &&
         absl::Now() - begin < absl::Seconds(20));
  EXPECT_THAT(hear(silent), StartsWith("HTTP/1.1 408"));
  EXPECT_THAT(hear(slow), StartsWith("HTTP/1.1 408")) << "each byte does not give it more time";
  EXPECT_LT(absl::Now() - begin, absl::Seconds(20));
}

TEST_F(HttpResponder, ManyThatSayNothingKeepNobodyOut) {
  start("", nullptr, [](HttpServer::Options &options) {
    options.deadline = absl::Minutes(10);
    options.mostConnections = 4;
  });
  std::vector<base::UniqueFd> silent;
  for (int i = 0; i < 40; ++i)
    silent.push_back(dial());
  EXPECT_THAT(ask(kRequest), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(hear(silent.front()), StartsWith("HTTP/1.1 503"));
}

TEST_F(HttpResponder, WhoFloodsOneEndpointKeepsNobodyOutOfAnother) {
  auto listener = base::UnnamedListener::make(SOCK_STREAM, "status");
  ASSERT_TRUE(listener.ok()) << listener.status();
  start("", nullptr, [&](HttpServer::Options &options) {
    options.endpoints.push_back({std::move(listener->listener), true, nullptr, ""});
    options.mostConnections = 4;
  });
  auto own = base::connectUnix(listener->procPath(), SOCK_STREAM);
  ASSERT_TRUE(own.ok()) << own.status();
  say(*own, kRequest.substr(0, 10));
  std::vector<base::UniqueFd> silent;
  for (int i = 0; i < 40; ++i)
    silent.push_back(dial());
  EXPECT_THAT(hear(silent.front()), StartsWith("HTTP/1.1 503"));
  say(*own, kRequest.substr(10));
  EXPECT_THAT(hear(*own), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpResponder, WhoReadsNothingIsLetGo) {
  body = std::string(32 << 20, 'x');
  start("", nullptr,
        [](HttpServer::Options &options) { options.deadline = absl::Milliseconds(300); });
  auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const auto before = descriptors();
  base::UniqueFd deaf = dial();
  say(deaf, kRequest);
  EXPECT_TRUE(base::waitFor(deaf.get(), POLLIN, absl::Now() + absl::Seconds(20)))
      << "the answer has begun";
  for (absl::Time limit = absl::Now() + absl::Seconds(20);
       descriptors() > before + 1 && absl::Now() < limit;)
    absl::SleepFor(absl::Milliseconds(10));
  EXPECT_EQ(descriptors(), before + 1) << "only this end of the connection is left";
  EXPECT_LT(hear(deaf).size(), body.size()) << "it was closed in the middle";
}

TEST_F(HttpResponder, ASecret) {
  start("correct horse battery");
  auto with = [](const std::string &value) {
    return absl::StrCat("GET /a HTTP/1.1\r\nHost: x\r\nAuthorization: ", value, "\r\n\r\n");
  };
  EXPECT_THAT(ask(with("Bearer correct horse battery")), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(with("bearer correct horse battery")), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(with("Basic " + absl::Base64Escape("anybody:correct horse battery"))),
              StartsWith("HTTP/1.1 200"));
  EXPECT_TRUE(get(nullptr, "correct horse battery").ok());
  const int before = asked;
  for (const std::string &wrong :
       {std::string("Bearer correct horse batter"), std::string("Bearer "),
        std::string("correct horse battery"), std::string("Basic ???"),
        "Basic " + absl::Base64Escape("correct horse battery"),
        "Basic " + absl::Base64Escape("correct horse battery:")})
    EXPECT_THAT(ask(with(wrong)),
                testing::AllOf(StartsWith("HTTP/1.1 401"), HasSubstr("WWW-Authenticate: Bearer")))
        << wrong;
  EXPECT_THAT(ask(kRequest), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask("POST /b HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 401"))
      << "the secret comes first";
  EXPECT_EQ(get(nullptr, "another").status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(asked, before);
}

TEST_F(HttpResponder, MutualTls) {
  auto own = credentials("a", "worker-0"), other = credentials("b", "worker-0");
  body = std::string(1 << 20, 'x');
  start("", own);
  EXPECT_EQ(*get(own.get()), body);
  EXPECT_FALSE(get(nullptr).ok()) << "without TLS";
  EXPECT_FALSE(get(other.get()).ok()) << "a certificate of another authority";
  EXPECT_EQ(asked, 1);
  base::UniqueFd silent = dial(); // in the middle of a handshake
  say(silent, "\x16\x03\x01");
  EXPECT_EQ(*get(own.get()), body);
}

TEST_F(HttpResponder, AUnixSocketIsThisUsers) {
  auto listener = base::UnnamedListener::make(SOCK_STREAM, "status");
  ASSERT_TRUE(listener.ok()) << listener.status();
  const std::string path = listener->procPath();
  start("", nullptr, [&](HttpServer::Options &options) {
    options.endpoints.clear();
    options.endpoints.push_back({std::move(listener->listener), true, nullptr, ""});
  });
  EXPECT_EQ(*http::get({path, nullptr, ""}, "/a", absl::Now() + absl::Seconds(20)), "hello\n");
  EXPECT_THAT(std::filesystem::read_symlink(path).native(),
              testing::MatchesRegex(".*/graphc-....../status \\(deleted\\)"));
}

TEST(HttpClient, AnswersOfOthers) {
  EXPECT_EQ(*bodyOf("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"), "ab");
  for (const char *bad :
       {"", "HTTP/1.1", "HTTP/1.1 xxx\r\n\r\n", "SSH-2.0\r\n\r\n", "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nab", "HTTP/1.1 500 E\r\n\r\n"})
    EXPECT_FALSE(bodyOf(bad).ok()) << bad;
  EXPECT_THAT(std::string(bodyOf("HTTP/1.1 418 X\r\n\r\n\x1b[31mteapot").status().message()),
              testing::EndsWith("418: \\x1b[31mteapot"));
}

} // namespace
} // namespace graphc::http
