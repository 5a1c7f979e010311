#include "runtime/tls/JobFolder.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StartThread.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/WaitDurationText.h"
#include "runtime/tls/OpenSsl.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <filesystem>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::tls {
namespace {
/// Longer than the connections of a run take to be made; what is connected stays so.
constexpr absl::Duration kValidity = absl::Hours(48);
constexpr absl::Duration kLook = absl::Milliseconds(100);
constexpr size_t kMostHost = 253, kMostAnswer = 4096;

/// "/job:ps/task:0" → "ps-0".
std::string fileOf(const std::string &task) {
  std::string_view rest = task;
  if (size_t slash = rest.rfind("/task:");
      rest.rfind("/job:", 0) == 0 && slash != std::string_view::npos)
    return absl::StrCat(base::view(rest.substr(5, slash - 5)), "-",
                        base::view(rest.substr(slash + 6)));
  return task;
}

/// Whoever can read what is in there can take part in a run.
absl::Status checkPrivate(const std::string &directory) {
  struct stat info{};
  if (lstat(directory.c_str(), &info) != 0)
    return base::errnoStatus(directory, errno);
  if (!S_ISDIR(info.st_mode))
    return absl::FailedPreconditionError(absl::StrCat(directory, " is no folder"));
  if (info.st_uid != geteuid())
    return absl::FailedPreconditionError(
        absl::StrCat(directory, " belongs to another user; name a folder of your own"));
  if ((info.st_mode & 077) != 0)
    return absl::FailedPreconditionError(absl::StrCat(
        directory, " is open to others, and keys will lie there; chmod 700 ", directory));
  return absl::OkStatus();
}

bool isHost(const std::string &host) {
  return !host.empty() && host.size() <= kMostHost &&
         std::all_of(host.begin(), host.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '_' || c == ':';
         });
}

/// Somebody may be about to ask in there: first it gets another name, so that nothing new comes.
absl::Status takeAway(const std::string &folder) {
  std::string away = folder + ".old-XXXXXX";
  std::error_code error;
  if (!base::exists(folder))
    return absl::OkStatus();
  // in place of an empty one
  if (!mkdtemp(away.data()) || rename(folder.c_str(), away.c_str()) != 0)
    return base::errnoStatus(folder, errno);
  for (int tries = 0; tries < 100; ++tries) {
    std::filesystem::remove_all(away, error);
    if (!error)
      break;
    absl::SleepFor(absl::Milliseconds(10));
  }
  return absl::OkStatus();
}
} // namespace

absl::StatusOr<std::unique_ptr<JobFolder>> JobFolder::make(Options options) {
  GRAPHC_RETURN_IF_ERROR(base::makeDirectories(options.directory, 0700));
  GRAPHC_RETURN_IF_ERROR(checkPrivate(options.directory));
  const std::string path = options.directory + "/" + options.run;
  GRAPHC_RETURN_IF_ERROR(takeAway(path)); // of a chief that was killed
  GRAPHC_ASSIGN_OR_RETURN(CertificateAuthority authority,
                          CertificateAuthority::openOrMake(path, kValidity));
  unlink((path + "/ca.key").c_str());
  std::unique_ptr<JobFolder> folder(new JobFolder(std::move(options), std::move(authority)));
  const std::string host = folder->options_.address.substr(0, folder->options_.address.rfind(':'));
  GRAPHC_RETURN_IF_ERROR(
      folder->authority_
          .issue("chief", folder->options_.chief,
                 std::string(absl::StripSuffix(absl::StripPrefix(host, "["), "]")), kValidity)
          .status());
  folder->files_ = {path + "/chief.crt", path + "/chief.key", path + "/ca.crt"};
  GRAPHC_ASSIGN_OR_RETURN(
      folder->thread_,
      base::startThread("the job folder's", [one = folder.get()] { one->serve(); }));
  return folder;
}

void JobFolder::remove() {
  {
    base::MutexLock lock(mutex_);
    ends_ = true;
    change_.notifyAll();
  }
  if (!thread_.joinable())
    return;
  thread_.join();
  (void)takeAway(path());
}

/// Its own thread: looks for who asks.
void JobFolder::serve() {
  while (true) {
    std::error_code error;
    std::vector<std::string> asked;
    for (std::filesystem::directory_iterator at(path(), error), end; !error && at != end;
         at.increment(error))
      if (std::string name = at->path().filename(); absl::EndsWith(name, ".host"))
        asked.push_back(name.substr(0, name.size() - 5));
    for (const std::string &one : asked)
      answer(one);
    base::MutexLock lock(mutex_);
    if (change_.waitFor(mutex_, kLook,
                        [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return ends_; }))
      return;
  }
}

/// `file`: "ps-0.NONCE". The question goes when the answer is whole.
void JobFolder::answer(const std::string &file) {
  const std::string stem = path() + "/" + file, name = file.substr(0, file.find('.'));
  if (base::exists(stem + ".chief")) {
    // asked again just when it was answered; what is there is in use
    unlink((stem + ".host").c_str());
    return;
  }
  auto task = std::find_if(options_.tasks.begin(), options_.tasks.end(),
                           [&](const std::string &one) { return fileOf(one) == name; });
  absl::StatusOr<std::string> host = base::readFile(stem + ".host", kMostHost);
  absl::Status status = host.status();
  if (status.ok() && task == options_.tasks.end())
    status = absl::InvalidArgumentError(absl::StrCat(name, " is no task of the chief's plan"));
  else if (status.ok() && !isHost(*host))
    status = absl::InvalidArgumentError("what should be the name of a host is none");
  if (status.ok())
    status = authority_.issue(file, *task, *host, kValidity).status();
  if (status.ok())
    status = base::writeFileAtomic(stem + ".chief", options_.address, 0600);
  if (!status.ok())
    (void)base::writeFileAtomic(stem + ".refused",
                                std::string(status.message()).substr(0, kMostAnswer), 0600);
  unlink((stem + ".host").c_str());
}

absl::StatusOr<JobFolderReply> askChief(const JobFolderRequest &asking) {
  unsigned char random[8];
  if (RAND_bytes(random, sizeof random) != 1)
    return absl::InternalError("no random numbers are to be had (OpenSSL's RAND_bytes)");
  const std::string folder = asking.directory + "/" + asking.run,
                    stem = absl::StrCat(
                        folder, "/", fileOf(asking.task), ".",
                        absl::BytesToHexString({reinterpret_cast<char *>(random), sizeof random}));
  const absl::Time begin = absl::Now();
  absl::Time announceAt = begin + absl::Seconds(1);
  while (true) {
    std::string why;
    if (base::exists(stem + ".chief")) {
      GRAPHC_ASSIGN_OR_RETURN(std::string chief, base::readFile(stem + ".chief", kMostAnswer));
      return JobFolderReply{{stem + ".crt", stem + ".key", folder + "/ca.crt"}, std::move(chief)};
    }
    if (base::exists(stem + ".refused")) {
      GRAPHC_ASSIGN_OR_RETURN(std::string refused, base::readFile(stem + ".refused", kMostAnswer));
      return absl::FailedPreconditionError(absl::StrCat(
          "the chief ", asking.chief, " refuses ", asking.task, " in ", folder, ": ", refused));
    }
    if (!base::exists(folder)) {
      why = absl::StrCat(folder, " is not there yet");
    } else {
      GRAPHC_RETURN_IF_ERROR(checkPrivate(asking.directory));
      // a chief that begins anew takes away what was asked before
      if (!base::exists(stem + ".host") && !base::exists(stem + ".chief"))
        (void)base::writeFileAtomic(stem + ".host", asking.host, 0600);
      why = absl::StrCat("it has not answered ", stem, ".host");
    }
    const absl::Time now = absl::Now();
    if (now >= asking.deadline) {
      unlink((stem + ".host").c_str());
      return absl::UnavailableError(
          absl::StrCat("the chief ", asking.chief, " did not come within ",
                       absl::FormatDuration(absl::Ceil(asking.deadline - begin, absl::Seconds(1))),
                       ": ", why, " (--job_dir)"));
    }
    if (now >= announceAt) {
      asking.announce(absl::StrCat("waiting for the chief ", asking.chief, " (", why, ")",
                                   base::waitSoFar(now - begin, asking.deadline - now)));
      announceAt = now + absl::Seconds(5);
    }
    absl::SleepFor(kLook);
  }
}

} // namespace graphc::tls
