#include "tools/graphrun/CertsCommand.h"

#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/cluster/TaskAddresses.h"
#include "runtime/tls/CertificateAuthority.h"
#include "tools/graphrun/RunFlags.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include <CLI/CLI.hpp>

#include <cstdio>

namespace graphc::graphrun {
namespace {
constexpr char kDescription[] =
    "Makes what tasks on several machines need to know each other: an authority of your "
    "own (ca.crt, ca.key) and for each "
    "task a certificate and its key (JOB-N.crt, JOB-N.key). What is there and still good "
    "is kept, so a task can be added.";
constexpr char kFooter[] =
    R"(Hosts of the tasks: --cluster FILE, or one flag a job: --ps_hosts HOST:PORT,…  --worker_hosts HOST:PORT,…
Example:
  graphrun certs --cluster cluster.json
Exit status: 0 the files are there; 1 they could not be made; 2 the command line or the cluster is wrong.)";
constexpr double kAuthorityDays = 3650;

std::string dateOf(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d", time, absl::UTCTimeZone());
}

absl::StatusOr<HostFlags> hostsOf(const std::string &clusterFile, HostFlags flags) {
  if (clusterFile.empty()) {
    if (flags.empty())
      return absl::InvalidArgumentError(
          "for which hosts? give --cluster cluster.json, or --ps_hosts HOST:PORT,… and so on");
    return flags;
  }
  if (!flags.empty())
    return absl::InvalidArgumentError(
        "--cluster and --JOB_hosts both say which hosts; give one of them");
  GRAPHC_ASSIGN_OR_RETURN(cluster::ClusterConfig config, cluster::readClusterFile(clusterFile));
  for (const cluster::JobConfig &job : config.jobs) {
    if (job.addresses.empty())
      return config.error(job.position,
                          absl::StrCat("job \"", job.name,
                                       "\" has no addresses, and a certificate is for a host; "
                                       "write [\"host:port\", …] instead of a number of tasks"));
    flags[job.name] = job.addresses;
  }
  return flags;
}

absl::Status make(const std::string &directory, const HostFlags &hosts, double days) {
  GRAPHC_ASSIGN_OR_RETURN(tls::CertificateAuthority authority,
                          tls::CertificateAuthority::openOrMake(
                              directory, absl::Hours(24 * std::max(days, kAuthorityDays))));
  auto say = [](const tls::IssuedCertificate &issued, const std::string &task,
                const std::string &host) {
    std::printf("%-26s %-24s %-24s until %s%s\n", issued.file.c_str(), task.c_str(), host.c_str(),
                dateOf(issued.expires).c_str(), issued.kept ? " (kept)" : "");
  };
  say(authority.issued(), "the authority", "");
  for (const auto &[job, addresses] : hosts)
    for (size_t i = 0; i < addresses.size(); ++i) {
      std::string task = cluster::taskName(job, static_cast<uint32_t>(i)),
                  host = base::splitAddress(addresses[i]).first;
      GRAPHC_ASSIGN_OR_RETURN(
          tls::IssuedCertificate issued,
          authority.issue(absl::StrCat(job, "-", i), task, host, absl::Hours(24 * days)));
      say(issued, task, host);
    }
  std::printf(
      "Each machine gets ca.crt and its tasks' .crt and .key; ca.key stays here, for it can make a task of anyone.\n");
  return absl::OkStatus();
}
} // namespace

int makeCertificates(int argc, char **argv) {
  CLI::App app(kDescription, "graphrun certs");
  app.footer(kFooter);
  app.allow_extras();
  std::string directory = "certs", clusterFile;
  HostFlags flags;
  double days = 365;
  app.add_option("dir", directory, "the folder for the files (default certs; made with mode 0700)")
      ->type_name("DIR");
  app.add_option("--cluster", clusterFile, "cluster.json with the addresses")->type_name("FILE");
  app.add_option(
         "--days", days,
         "how long the tasks' certificates are good (default 365); the authority's: ten years")
      ->check(CLI::Range(1.0, 36500.0))
      ->type_name("N");
  auto usage = [](const std::string &message) {
    std::fprintf(stderr, "graphrun certs: %s\n", message.c_str());
    return 2;
  };
  auto arguments = commandLine(argc, argv, &flags);
  if (!arguments.ok())
    return usage(base::describe(arguments.status()));
  try {
    app.parse(*std::move(arguments));
  } catch (const CLI::Success &wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError &error) {
    return usage(error.what());
  }
  if (absl::Status status = checkExtras(app); !status.ok())
    return usage(base::describe(status));
  auto hosts = hostsOf(clusterFile, std::move(flags));
  if (!hosts.ok())
    return usage(base::describe(hosts.status()));
  if (directory.empty())
    return usage("the folder's name is empty");
  if (absl::Status status = make(directory, *hosts, days); !status.ok()) {
    std::fprintf(stderr, "graphrun certs: %s\n", base::describe(status).c_str());
    return 1;
  }
  return 0;
}

} // namespace graphc::graphrun
