#include "runtime/base/Cpu.h"
#include "runtime/base/File.h"

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace graphc::base {
namespace {

// /proc/cpuinfo's flags, which respect what the kernel and hypervisor switched off.
std::set<std::string, std::less<>> cpuFlags() {
  std::set<std::string, std::less<>> flags;
  auto text = readFile("/proc/cpuinfo", 16 << 20);
  if (!text.ok())
    return flags;
  for (absl::string_view line : absl::StrSplit(*text, '\n'))
    if (absl::StartsWith(line, "flags") || absl::StartsWith(line, "Features"))
      if (size_t colon = line.find(':'); colon != absl::string_view::npos) {
        for (absl::string_view flag : absl::StrSplit(line.substr(colon + 1), ' ', absl::SkipEmpty()))
          flags.emplace(flag.data(), flag.size());
        break;
      }
  return flags;
}

struct Spelling {
  const char *llvm, *linux;
};
// Where LLVM and Linux spell differently; nullptr: no flag of its own, or a tuning or privileged feature that no
// generated code depends on.
constexpr Spelling spellings[] = {
    {"sse3", "pni"},
    {"sse4.1", "sse4_1"},
    {"sse4.2", "sse4_2"},
    {"sse4a", "sse4a"},
    {"cx16", "cx16"},
    {"cx8", "cx8"},
    {"sahf", "lahf_lm"},
    {"lzcnt", "abm"},
    {"bmi", "bmi1"},
    {"64bit", "lm"},
    {"sha", "sha_ni"},
    {"rdrnd", "rdrand"},
    {"pclmul", "pclmulqdq"},
    {"prfchw", "3dnowprefetch"},
    {"rdpid", "rdpid"},
    {"mwaitx", "mwaitx"},
    {"avx512vpopcntdq", "avx512_vpopcntdq"},
    {"avx512vbmi", "avx512vbmi"},
    {"avx512vbmi2", "avx512_vbmi2"},
    {"avx512vnni", "avx512_vnni"},
    {"avx512bitalg", "avx512_bitalg"},
    {"avx512bf16", "avx512_bf16"},
    {"avx512fp16", "avx512_fp16"},
    {"avx512ifma", "avx512ifma"},
    {"avx512vp2intersect", "avx512_vp2intersect"},
    {"avxvnni", "avx_vnni"},
    {"amx-tile", "amx_tile"},
    {"amx-int8", "amx_int8"},
    {"amx-bf16", "amx_bf16"},
    {"amx-fp16", "amx_fp16"},
    {"hreset", "hreset"},
    {"movdiri", "movdiri"},
    {"waitpkg", "waitpkg"},
    {"x87", "fpu"},
    {"mmx", "mmx"},
    {"fxsr", "fxsr"},
    {"xsave", "xsave"},
    {"rdpru", "rdpru"},
    {"wbnoinvd", "wbnoinvd"},
    {"clzero", "clzero"},
    {"cmov", "cmov"},
    {"crc32", "sse4_2"},
    {"evex512", "avx512f"},
    {"vzeroupper", nullptr},
    {"invpcid", nullptr},
    {"shstk", nullptr},
    {"pku", nullptr},
    {"prefetchi", nullptr},
    {"ptwrite", nullptr},
    {"rtm", "rtm"},
    {"sgx", nullptr},
    {"uintr", nullptr},
    {"kl", nullptr},
    {"widekl", nullptr},
    {"cldemote", nullptr},
    {"pconfig", nullptr},
    {"fsgsbase", nullptr},
    {"xsavec", nullptr},
    {"xsaveopt", nullptr},
    {"xsaves", nullptr},
    {"serialize", nullptr},
    {"tsxldtrk", nullptr},
    {"enqcmd", nullptr},
    {"gfni", "gfni"},
    {"vaes", "vaes"},
    {"vpclmulqdq", "vpclmulqdq"},
    {"neon", "asimd"},
};

} // namespace

std::vector<std::string> missingCpuFeatures(const std::vector<std::string> &needed) {
  static const std::set<std::string, std::less<>> flags = cpuFlags();
  std::vector<std::string> missing;
  for (const std::string &name : needed) {
    std::string_view feature = name;
    if (feature.empty() || feature.front() == '-')
      continue;
    if (feature.front() == '+')
      feature.remove_prefix(1);
    auto known =
        std::find_if(std::begin(spellings), std::end(spellings), [&](const Spelling &s) { return feature == s.llvm; });
    if (known != std::end(spellings)) {
      if (known->linux && !flags.contains(std::string_view(known->linux)))
        missing.emplace_back(feature);
      continue;
    }
    // LLVM names tuning properties ("fast-…", "slow-…", "branchfusion") like features; none begins like an ISA extension
    // and all hold a dash or are in the list below.
    bool tuning = feature.find('-') != std::string_view::npos || feature == "branchfusion" ||
                  feature == "macrofusion" || feature == "ermsb" || feature == "fsrm" || feature == "idivq-to-divl";
    if (!tuning && !flags.contains(feature))
      missing.emplace_back(feature);
  }
  return missing;
}

std::string cpuModelName() {
  auto text = readFile("/proc/cpuinfo", 16 << 20);
  if (text.ok())
    for (absl::string_view line : absl::StrSplit(*text, '\n'))
      if (absl::StartsWith(line, "model name"))
        if (size_t colon = line.find(':'); colon != absl::string_view::npos)
          return std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  return "this CPU";
}

} // namespace graphc::base
