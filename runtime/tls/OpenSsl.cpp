#include "runtime/tls/OpenSsl.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

namespace graphc::tls {
namespace {

BioPtr reader(const std::string &text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

absl::Time toTime(const ASN1_TIME *time) {
  tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? absl::FromTM(parts, absl::UTCTimeZone())
                                            : absl::InfinitePast();
}
} // namespace

std::string takeOpenSslError() {
  unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  const char *reason = error ? ERR_reason_error_string(error) : nullptr;
  return reason ? reason : "no reason given";
}

absl::StatusOr<std::vector<X509Ptr>> parseCertificates(const std::string &pem,
                                                       const std::string &what) {
  std::vector<X509Ptr> certificates;
  BioPtr bio = reader(pem);
  while (X509 *one = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr))
    certificates.emplace_back(one);
  ERR_clear_error(); // the end of the text is an error to OpenSSL
  if (certificates.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        what, " has no certificate; expected PEM text with -----BEGIN CERTIFICATE-----"));
  return certificates;
}

absl::StatusOr<KeyPtr> parseKey(const std::string &pem, const std::string &what) {
  bool asked = false;
  auto passphrase = [](char *, int, int, void *wanted) {
    *static_cast<bool *>(wanted) = true;
    return -1;
  };
  BioPtr bio = reader(pem);
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, passphrase, &asked));
  std::string why = takeOpenSslError();
  if (key)
    return key;
  if (asked)
    return absl::InvalidArgumentError(absl::StrCat(
        what,
        " is locked with a passphrase, and a task has nobody to ask; store it without one, mode 0600"));
  return absl::InvalidArgumentError(absl::StrCat(
      what, " has no private key (", why, "); expected PEM text with -----BEGIN PRIVATE KEY-----"));
}

absl::StatusOr<std::string> readKeyFile(const std::string &path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0)
    return base::errnoStatus(path, errno);
  if ((info.st_mode & 07) != 0)
    return absl::InvalidArgumentError(absl::StrCat(
        path, " is a private key that every user of this machine can read; chmod 600 ", path));
  return base::readFile(path, kMostPemBytes);
}

absl::Time notBefore(const X509 &certificate) { return toTime(X509_get0_notBefore(&certificate)); }
absl::Time notAfter(const X509 &certificate) { return toTime(X509_get0_notAfter(&certificate)); }
std::string dateText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d", time, absl::UTCTimeZone());
}

absl::Status checkDates(const X509 &certificate, absl::Time now, const std::string &what) {
  if (now > notAfter(certificate))
    return absl::InvalidArgumentError(absl::StrCat(what, " has expired on ",
                                                   dateText(notAfter(certificate)),
                                                   "; make a new one (graphrun certs)"));
  if (now < notBefore(certificate))
    return absl::InvalidArgumentError(
        absl::StrCat(what, " is not valid before ", dateText(notBefore(certificate)),
                     "; here it is ", dateText(now), ": is this machine's clock right?"));
  return absl::OkStatus();
}

std::vector<std::string> hostsOf(const X509 &certificate) {
  std::vector<std::string> hosts;
  auto *names = static_cast<GENERAL_NAMES *>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names); ++i) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
    if (name->type == GEN_DNS)
      hosts.emplace_back(reinterpret_cast<const char *>(ASN1_STRING_get0_data(name->d.dNSName)),
                         ASN1_STRING_length(name->d.dNSName));
    if (name->type == GEN_IPADD) {
      char text[INET6_ADDRSTRLEN] = "";
      int bytes = ASN1_STRING_length(name->d.iPAddress);
      if (bytes == 4 || bytes == 16)
        inet_ntop(bytes == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(name->d.iPAddress), text,
                  sizeof text);
      hosts.emplace_back(text);
    }
  }
  GENERAL_NAMES_free(names);
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

std::string commonNameOf(const X509 &certificate) {
  X509_NAME *subject = X509_get_subject_name(&certificate);
  int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0)
    return "";
  const ASN1_STRING *text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
  return {reinterpret_cast<const char *>(ASN1_STRING_get0_data(text)),
          static_cast<size_t>(ASN1_STRING_length(text))};
}

std::string otherTaskOf(const X509 &certificate, const std::string &task) {
  std::string name = commonNameOf(certificate);
  return name.rfind("/job:", 0) == 0 && name != task ? name : "";
}

bool matchesHost(const X509 &certificate, const std::string &host) {
  auto *one = const_cast<X509 *>(&certificate); // OpenSSL caches extensions in it
  bool matches = isIpAddress(host)
                     ? X509_check_ip_asc(one, host.c_str(), 0) == 1
                     : X509_check_host(one, host.data(), host.size(), 0, nullptr) == 1;
  ERR_clear_error();
  return matches;
}

bool isIpAddress(const std::string &host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

} // namespace graphc::tls
