// Certificates: what is made, what is accepted, and the words for everything that is not.
#include "test/runtime/service/LongMessage.h"

#include "runtime/common/base/Socket.h"
#include "runtime/service/ControlLink.h"
#include "runtime/service/MasterService.h"
#include "runtime/service/TaskServer.h"
#include "runtime/tls/CertificateAuthority.h"
#include "runtime/tls/JobFolder.h"
#include "runtime/tls/TlsCredentials.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

namespace graphc::tls {
namespace {
using testing::HasSubstr;
constexpr absl::Duration kYear = absl::Hours(24 * 365);

class Tls : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "graphc-tls-XXXXXX").string();
    folder = mkdtemp(name.data());
    service::silenceGrpc();
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  /// A pair of an authority in folder/`which`.
  CredentialFiles pair(const std::string &which, const std::string &name, const std::string &host,
                       absl::Duration validity = kYear) {
    auto authority = CertificateAuthority::openOrMake(absl::StrCat(folder, "/", which), kYear * 10);
    EXPECT_TRUE(authority.ok()) << authority.status();
    auto issued = authority->issue(name, "/job:" + name, host, validity);
    EXPECT_TRUE(issued.ok()) << issued.status();
    std::string stem = absl::StrCat(folder, "/", which, "/");
    return {stem + name + ".crt", stem + name + ".key", stem + "ca.crt"};
  }
  std::string refusal(const CredentialFiles &files) {
    auto loaded = TlsCredentials::load(files);
    EXPECT_FALSE(loaded.ok());
    return std::string(loaded.status().message());
  }
  std::string write(const std::string &name, const std::string &text, int mode) {
    std::string path = absl::StrCat(folder, "/", name);
    EXPECT_TRUE(base::writeFileAtomic(path, text, 0600).ok());
    chmod(path.c_str(), mode);
    return path;
  }
  std::string folder;
};

TEST_F(Tls, KeysArePrivateAndAGoodPairIsKept) {
  CredentialFiles files = pair("a", "ps-0", "10.0.0.1");
  struct stat info{};
  for (const std::string &key : {files.key, absl::StrCat(folder, "/a/ca.key")}) {
    ASSERT_EQ(stat(key.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u) << key;
  }
  EXPECT_TRUE(TlsCredentials::load(files).ok());
  std::string first = *base::readFile(files.certificate);
  pair("a", "ps-0", "10.0.0.1");
  EXPECT_EQ(*base::readFile(files.certificate), first);
  pair("a", "ps-0", "10.0.0.2"); // another host: made anew
  EXPECT_NE(*base::readFile(files.certificate), first);
}

TEST_F(Tls, HalfAnAuthorityIsAnError) {
  CredentialFiles files = pair("a", "ps-0", "10.0.0.1");
  std::filesystem::remove(folder + "/a/ca.key");
  auto authority = CertificateAuthority::openOrMake(folder + "/a", kYear);
  EXPECT_THAT(std::string(authority.status().message()), HasSubstr("its key ca.key is not"));
}

TEST_F(Tls, OwnAddressMustBeInTheCertificate) {
  for (auto [host, good, bad] : {std::tuple("10.0.0.1", "10.0.0.1:22", "10.0.0.2:22"),
                                 {"node1", "node1:22", "node2:22"},
                                 {"fd00::1", "[fd00::1]:22", "[fd00::2]:22"}}) {
    auto credentials = TlsCredentials::load(pair("a", "one", host));
    ASSERT_TRUE(credentials.ok()) << credentials.status();
    EXPECT_TRUE((*credentials)->checkOwn("/job:one", good).ok());
    EXPECT_THAT(std::string((*credentials)->checkOwn("/job:one", bad).message()),
                HasSubstr(absl::StrCat(" is for ", host, ", but this task's address is ", bad)));
  }
}

TEST_F(Tls, RefusesWhatCannotWork) {
  CredentialFiles good = pair("a", "ps-0", "localhost"), other = pair("b", "ps-0", "localhost"),
                  expired = pair("a", "old", "localhost", -absl::Hours(1));
  EXPECT_THAT(refusal({good.certificate, "", good.authority}),
              HasSubstr("go together; also give --tls_key"));
  EXPECT_THAT(refusal({folder + "/no.crt", good.key, good.authority}),
              HasSubstr("no.crt: No such file"));
  EXPECT_THAT(refusal({good.certificate, other.key, good.authority}),
              HasSubstr("is not the key of --tls_cert "));
  EXPECT_THAT(refusal({good.certificate, good.key, other.authority}),
              HasSubstr("is not vouched for by --tls_ca "));
  EXPECT_THAT(refusal(expired), HasSubstr("has expired on "));
  EXPECT_THAT(refusal({good.key, good.key, good.authority}),
              HasSubstr("has no certificate; expected PEM text"));
  std::string noKey = write("no.key", *base::readFile(good.certificate), 0600);
  EXPECT_THAT(refusal({good.certificate, noKey, good.authority}),
              HasSubstr("no.key has no private key"));
  std::string open = write("open.key", *base::readFile(good.key), 0644);
  EXPECT_THAT(refusal({good.certificate, open, good.authority}), HasSubstr("chmod 600 " + open));
}

/// A server on loopback with a certificate that TlsCredentials::load might refuse.
struct Server {
  explicit Server(const CredentialFiles &files) {
    grpc::SslServerCredentialsOptions options(
        GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    options.pem_root_certs = *base::readFile(files.authority);
    options.pem_key_cert_pairs.push_back(
        {*base::readFile(files.key), *base::readFile(files.certificate)});
    start(grpc::SslServerCredentials(options));
  }
  Server() { start(grpc::InsecureServerCredentials()); }
  ~Server() { server->Shutdown(absl::ToChronoTime(absl::Now())); }
  void start(std::shared_ptr<grpc::ServerCredentials> credentials) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", credentials, &port);
    builder.RegisterCallbackGenericService(&data);
    server = builder.BuildAndStart();
    address = absl::StrCat("localhost:", port);
  }
  transport::DataService data;
  std::unique_ptr<grpc::Server> server;
  std::string address;
};

TEST_F(Tls, SaysWhyAPeerCannotBeReached) {
  CredentialFiles good = pair("a", "ps-0", "localhost"), other = pair("b", "ps-0", "localhost");
  auto own = *TlsCredentials::load(good), foreign = *TlsCredentials::load(other);
  absl::Duration limit = absl::Seconds(10);
  {
    Server server(good);
    EXPECT_TRUE(reach(server.address, *own, limit).ok()) << reach(server.address, *own, limit);
    absl::Status status = reach(server.address, *foreign, limit);
    EXPECT_TRUE(absl::IsUnauthenticated(status));
    EXPECT_THAT(std::string(status.message()), HasSubstr("shows is not accepted by --tls_ca here"));
    status = service::TaskDialer(server.address, {"secret", nullptr}).reach(limit);
    EXPECT_TRUE(absl::IsUnavailable(status));
    EXPECT_THAT(std::string(status.message()), HasSubstr("does it want --tls_cert"));
    // Its authority is known to us, ours is not to it.
    auto half = *TlsCredentials::load(
        {other.certificate, other.key,
         write("both.crt", *base::readFile(good.authority) + *base::readFile(other.authority),
               0600)});
    status = reach(server.address, *half, limit);
    EXPECT_TRUE(absl::IsUnauthenticated(status));
    EXPECT_THAT(std::string(status.message()), HasSubstr("refuses this task's certificate"));
  }
  {
    Server server(pair("a", "old", "localhost", -absl::Hours(1)));
    EXPECT_THAT(std::string(reach(server.address, *own, limit).message()),
                HasSubstr("certificate has expired"));
  }
  {
    Server server(pair("a", "elsewhere", "10.0.0.9"));
    EXPECT_THAT(std::string(reach(server.address, *own, limit).message()),
                HasSubstr("the certificate of another host"));
  }
  Server plain;
  absl::Status status = reach(plain.address, *own, limit);
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("does not speak TLS"));
  EXPECT_THAT(std::string(reach("localhost:1", *own, limit).message()),
              HasSubstr("Connection refused"));
}

/// A task's server with TLS whose chief's service knows the tasks /job:ps-0 and /job:worker-1.
struct Chief {
  explicit Chief(const CredentialFiles &files, size_t mostConnections = 256) {
    service::TaskCoordinator::Options options;
    options.taskNames = {"/job:ps-0", "/job:worker-1"};
    options.fingerprint = "feed";
    coordinator = std::make_unique<service::TaskCoordinator>(std::move(options));
    master = std::make_unique<service::MasterService>(*coordinator);
    for (int port = 29620; !server && port < 29660; ++port) {
      address = absl::StrCat("127.0.0.1:", port);
      service::TaskServer::Options own;
      own.address = address;
      own.identity.credentials = *TlsCredentials::load(files);
      own.mostConnections = mostConnections;
      if (auto started = service::TaskServer::start(std::move(own), {master.get()}); started.ok())
        server = *std::move(started);
    }
  }
  ~Chief() { master->close(); }
  /// What becomes of a task that says it is number `task`, at `at`, and thinks that the chief is
  /// `chief`.
  absl::Status join(const CredentialFiles &files, uint32_t task, const std::string &at,
                    const std::string &chief = "/job:ps-0") {
    service::StreamLink link(service::TaskDialer(address, {"", *TlsCredentials::load(files)}),
                             chief);
    service::Hello hello;
    hello.set_task(task);
    hello.set_name(task == 0 ? "/job:ps-0" : "/job:worker-1");
    hello.set_fingerprint("feed");
    hello.set_incarnation(7 + task);
    hello.set_address(at);
    absl::Status status =
        link.open(hello, absl::Now() + absl::Seconds(20), [](const std::string &) {});
    return status.ok() ? link.receive(absl::Now() + absl::Seconds(5)).status() : status;
  }
  /// The certificate that it shows a new caller.
  std::string shown(const CredentialFiles &files) {
    auto channel =
        *service::TaskDialer(address, {"", *TlsCredentials::load(files)}).start(absl::Seconds(20));
    grpc::ClientContext context;
    service::ClientInfo info;
    service::Master::NewStub(channel)->Describe(&context, {}, &info);
    auto pem = context.auth_context()->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
    return pem.empty() ? "" : std::string(pem.front().data(), pem.front().size());
  }
  std::unique_ptr<service::TaskCoordinator> coordinator;
  std::unique_ptr<service::MasterService> master;
  std::string address;
  std::unique_ptr<service::TaskServer> server;
};

TEST_F(Tls, ACertificateIsGoodForTheTaskAndTheHostThatItNames) {
  CredentialFiles ps = pair("a", "ps-0", "127.0.0.1"), worker = pair("a", "worker-1", "127.0.0.1"),
                  elsewhere = pair("b", "worker-1", "10.0.0.9");
  Chief chief(ps);
  ASSERT_TRUE(chief.server);
  EXPECT_THAT(
      std::string(chief.join(worker, 0, "127.0.0.1:1").message()),
      HasSubstr(
          "the certificate at the other end is of /job:worker-1, and not of /job:ps-0; give each task"));
  EXPECT_THAT(std::string(chief.join(worker, 1, "10.0.0.1:22").message()),
              HasSubstr("is for 127.0.0.1, and /job:worker-1 is at 10.0.0.1:22"));
  EXPECT_THAT(
      std::string(chief.join(worker, 1, "127.0.0.1:1", "/job:worker-1").message()),
      HasSubstr("the certificate at the other end is of /job:ps-0, and not of /job:worker-1"))
      << "a task looks at the chief's as well";
  EXPECT_TRUE(absl::IsDeadlineExceeded(chief.join(worker, 1, "127.0.0.1:1")))
      << "its own is good, and no order comes";
}

// From a task with a certificate of the run: gRPC holds little more of it than its window.
TEST_F(Tls, AMessageThatIsTooLongIsNotHeld) {
  CredentialFiles ps = pair("a", "ps-0", "127.0.0.1"), worker = pair("a", "worker-1", "127.0.0.1");
  Chief chief(ps);
  ASSERT_TRUE(chief.server);
  auto channel = service::TaskDialer(chief.address, {"", *TlsCredentials::load(worker)})
                     .start(absl::Seconds(20));
  ASSERT_TRUE(channel.ok()) << channel.status();
  grpc::Status status;
  EXPECT_LE(service::peakGrowth([&] {
              status = service::LongCall::make(*channel, "/graphc.service.Master/Join", {},
                                               service::longMessage());
            }),
            service::kMostGrowth);
  EXPECT_FALSE(status.ok());
}

TEST_F(Tls, ReplacedFilesAreServedToNewConnections) {
  CredentialFiles ps = pair("a", "ps-0", "127.0.0.1"), worker = pair("a", "worker-1", "127.0.0.1");
  Chief chief(ps);
  ASSERT_TRUE(chief.server);
  std::string first = chief.shown(worker);
  EXPECT_EQ(first, *base::readFile(ps.certificate));
  auto replace = [&](const std::string &file, const std::string &text) {
    EXPECT_TRUE(base::writeFileAtomic(file, text, 0600).ok());
  };
  CredentialFiles next = pair("a", "next", "127.0.0.1");
  replace(ps.certificate, *base::readFile(next.certificate)); // half of it: not its key
  EXPECT_EQ(chief.shown(worker), first) << "the old one until both are there";
  replace(ps.key, *base::readFile(next.key));
  EXPECT_EQ(chief.shown(worker), *base::readFile(next.certificate));
  std::filesystem::remove(ps.certificate);
  EXPECT_EQ(chief.shown(worker), *base::readFile(next.certificate)) << "the last good one";
}

TEST_F(Tls, ConnectionsAreCounted) {
  CredentialFiles ps = pair("a", "ps-0", "127.0.0.1"), worker = pair("a", "worker-1", "127.0.0.1");
  Chief chief(ps, 8);
  ASSERT_TRUE(chief.server);
  auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  auto before = descriptors();
  std::vector<base::UniqueFd> silent;
  for (int i = 0; i < 100; ++i)
    silent.push_back(*base::connectTcp(chief.address, absl::Now() + absl::Seconds(5)));
  absl::SleepFor(absl::Milliseconds(200)); // admission has seen them all
  EXPECT_LE(descriptors() - before, 100 + 8 + 4);
  silent.clear();
  absl::Time limit = absl::Now() + absl::Seconds(20);
  while (chief.shown(worker).empty() && absl::Now() < limit) // once gRPC has noticed that they went
    absl::SleepFor(absl::Milliseconds(50));
  EXPECT_FALSE(chief.shown(worker).empty());
}

TEST_F(Tls, AServerWithoutThemListensOnLoopbackOnly) {
  auto server = service::TaskServer::start({"0.0.0.0:29877", {}, {"secret", nullptr}}, {});
  EXPECT_THAT(std::string(server.status().message()), HasSubstr("there is no TLS"));
}

class Folder : public Tls {
protected:
  std::string job() const { return folder + "/job"; }
  absl::StatusOr<std::unique_ptr<JobFolder>> make() {
    return JobFolder::make({job(),
                            "run",
                            {"/job:ps/task:0", "/job:worker/task:0"},
                            "/job:worker/task:0",
                            "127.0.0.1:29888"});
  }
  absl::StatusOr<JobFolderReply> ask(const std::string &task, const std::string &host,
                                     absl::Duration limit = absl::Seconds(60)) {
    return askChief({job(), "run", task, host, "/job:worker/task:0", absl::Now() + limit,
                     [this](const std::string &line) { said.push_back(line); }});
  }
  static int mode(const std::string &path) {
    struct stat info{};
    return stat(path.c_str(), &info) == 0 ? static_cast<int>(info.st_mode & 0777) : -1;
  }
  std::vector<std::string> said;
};

TEST_F(Folder, GivesEachTaskWhatTheOthersAccept) {
  auto made = make();
  ASSERT_TRUE(made.ok()) << made.status();
  auto found = ask("/job:ps/task:0", "10.0.0.2");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->chief, "127.0.0.1:29888");
  auto ps = TlsCredentials::load(found->files), chief = TlsCredentials::load((*made)->files());
  ASSERT_TRUE(ps.ok()) << ps.status();
  ASSERT_TRUE(chief.ok()) << chief.status();
  EXPECT_TRUE((*ps)->checkOwn("/job:ps/task:0", "10.0.0.2:1").ok());
  EXPECT_TRUE((*chief)->checkOwn("/job:worker/task:0", "127.0.0.1:29888").ok());
  EXPECT_LT((*ps)->current()->expires - absl::Now(), absl::Hours(49));
  EXPECT_EQ(mode(job()), 0700);
  EXPECT_EQ(mode(job() + "/run"), 0700);
  EXPECT_EQ(mode(found->files.key), 0600);
  EXPECT_EQ(mode(job() + "/run/ca.key"), -1);
  (*made)->remove();
  EXPECT_EQ(mode(job() + "/run"), -1);
  EXPECT_THAT(said, testing::Each(HasSubstr("waiting for the chief"))) << "all a slow machine says";
}

TEST_F(Folder, BeginsAnewWhereAnotherWasKilled) {
  // Asked in the folder of one that is dead.
  ASSERT_TRUE(base::makeDirectories(job() + "/run", 0700).ok());
  write("job/run/ps-0.0123.chief", "10.0.0.9:1", 0600);
  absl::StatusOr<JobFolderReply> found = absl::UnknownError("");
  std::thread asks([&] { found = ask("/job:ps/task:0", "10.0.0.2"); });
  auto asked = [&] {
    for (const auto &file : std::filesystem::directory_iterator(job() + "/run"))
      if (file.path().extension() == ".host")
        return true;
    return false;
  };
  while (!asked())
    absl::SleepFor(absl::Milliseconds(5));
  auto made = make();
  asks.join();
  ASSERT_TRUE(made.ok()) << made.status();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->chief, "127.0.0.1:29888");
  EXPECT_EQ(mode(job() + "/run/ps-0.0123.chief"), -1);
}

TEST_F(Folder, RefusesStrangersAndOpenFolders) {
  // The line comes after 1 s, and the next one 5 s later. A busy machine may reach the deadline
  // before the first one.
  for (absl::Duration limit = absl::Milliseconds(1200); said.empty() && limit < absl::Seconds(5);
       limit *= 2)
    EXPECT_THAT(std::string(ask("/job:ps/task:0", "a", limit).status().message()),
                HasSubstr("the chief /job:worker/task:0 did not come within"));
  EXPECT_THAT(said, testing::ElementsAre(
                        testing::AllOf(HasSubstr("waiting for the chief /job:worker/task:0"),
                                       HasSubstr("/job/run is not there yet"))));
  auto made = make();
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_THAT(std::string(ask("/job:ps/task:7", "a").status().message()),
              HasSubstr("ps-7 is no task of the chief's plan"));
  EXPECT_THAT(std::string(ask("/job:ps/task:0", "a b").status().message()),
              HasSubstr("name of a host is none"));
  chmod(job().c_str(), 0750);
  EXPECT_THAT(std::string(ask("/job:ps/task:0", "a").status().message()),
              HasSubstr("is open to others"));
  EXPECT_THAT(std::string(make().status().message()),
              HasSubstr("is open to others, and keys will lie there; chmod 700"));
}

} // namespace
} // namespace graphc::tls
