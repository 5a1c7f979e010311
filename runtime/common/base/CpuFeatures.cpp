#include "runtime/common/base/CpuFeatures.h"
#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace graphc::base {
namespace {

#if defined(__x86_64__)
enum Register : uint8_t { EAX, EBX, ECX, EDX };

/// A bit of CPUID that says that the CPU has a feature, and the registers (bits of XCR0) that the
/// operating system must save for it.
struct Feature {
  const char *name; ///< LLVM's
  uint32_t leaf, subleaf;
  Register in;
  uint8_t bit;
  uint32_t saved = 0;
};

constexpr uint32_t kYmm = 0x6, kZmm = 0xe6, kTile = 0x60000, kApx = 0x80000, kExtended = 0x80000001;

// Every feature of x86-64 that LLVM 22 names (llvm/TargetParser/X86TargetParser.def); the bits are
// those of Intel's and AMD's manuals.
constexpr Feature features[] = {
    {"x87", 1, 0, EDX, 0},
    {"cx8", 1, 0, EDX, 8},
    {"cmov", 1, 0, EDX, 15},
    {"mmx", 1, 0, EDX, 23},
    {"fxsr", 1, 0, EDX, 24},
    {"sse", 1, 0, EDX, 25},
    {"sse2", 1, 0, EDX, 26},
    {"sse3", 1, 0, ECX, 0},
    {"pclmul", 1, 0, ECX, 1},
    {"ssse3", 1, 0, ECX, 9},
    {"fma", 1, 0, ECX, 12, kYmm},
    {"cx16", 1, 0, ECX, 13},
    {"sse4.1", 1, 0, ECX, 19},
    {"sse4.2", 1, 0, ECX, 20},
    {"crc32", 1, 0, ECX, 20},
    {"movbe", 1, 0, ECX, 22},
    {"popcnt", 1, 0, ECX, 23},
    {"aes", 1, 0, ECX, 25},
    {"xsave", 1, 0, ECX, 27}, // what the operating system switched on
    {"avx", 1, 0, ECX, 28, kYmm},
    {"f16c", 1, 0, ECX, 29, kYmm},
    {"rdrnd", 1, 0, ECX, 30},
    {"fsgsbase", 7, 0, EBX, 0},
    {"sgx", 7, 0, EBX, 2},
    {"bmi", 7, 0, EBX, 3},
    {"avx2", 7, 0, EBX, 5, kYmm},
    {"bmi2", 7, 0, EBX, 8},
    {"invpcid", 7, 0, EBX, 10},
    {"rtm", 7, 0, EBX, 11},
    {"avx512f", 7, 0, EBX, 16, kZmm},
    {"evex512", 7, 0, EBX, 16, kZmm},
    {"avx512dq", 7, 0, EBX, 17, kZmm},
    {"rdseed", 7, 0, EBX, 18},
    {"adx", 7, 0, EBX, 19},
    {"avx512ifma", 7, 0, EBX, 21, kZmm},
    {"clflushopt", 7, 0, EBX, 23},
    {"clwb", 7, 0, EBX, 24},
    {"avx512cd", 7, 0, EBX, 28, kZmm},
    {"sha", 7, 0, EBX, 29},
    {"avx512bw", 7, 0, EBX, 30, kZmm},
    {"avx512vl", 7, 0, EBX, 31, kZmm},
    {"avx512vbmi", 7, 0, ECX, 1, kZmm},
    {"pku", 7, 0, ECX, 4}, // what the operating system switched on
    {"waitpkg", 7, 0, ECX, 5},
    {"avx512vbmi2", 7, 0, ECX, 6, kZmm},
    {"shstk", 7, 0, ECX, 7},
    {"gfni", 7, 0, ECX, 8},
    {"vaes", 7, 0, ECX, 9, kYmm},
    {"vpclmulqdq", 7, 0, ECX, 10, kYmm},
    {"avx512vnni", 7, 0, ECX, 11, kZmm},
    {"avx512bitalg", 7, 0, ECX, 12, kZmm},
    {"avx512vpopcntdq", 7, 0, ECX, 14, kZmm},
    {"rdpid", 7, 0, ECX, 22},
    {"kl", 7, 0, ECX, 23},
    {"cldemote", 7, 0, ECX, 25},
    {"movdiri", 7, 0, ECX, 27},
    {"movdir64b", 7, 0, ECX, 28},
    {"enqcmd", 7, 0, ECX, 29},
    {"avx5124vnniw", 7, 0, EDX, 2, kZmm},
    {"avx5124fmaps", 7, 0, EDX, 3, kZmm},
    {"uintr", 7, 0, EDX, 5},
    {"avx512vp2intersect", 7, 0, EDX, 8, kZmm},
    {"serialize", 7, 0, EDX, 14},
    {"tsxldtrk", 7, 0, EDX, 16},
    {"pconfig", 7, 0, EDX, 18},
    {"amx-bf16", 7, 0, EDX, 22, kTile},
    {"avx512fp16", 7, 0, EDX, 23, kZmm},
    {"amx-tile", 7, 0, EDX, 24, kTile},
    {"amx-int8", 7, 0, EDX, 25, kTile},
    {"sha512", 7, 1, EAX, 0},
    {"sm3", 7, 1, EAX, 1},
    {"sm4", 7, 1, EAX, 2},
    {"raoint", 7, 1, EAX, 3},
    {"avxvnni", 7, 1, EAX, 4, kYmm},
    {"avx512bf16", 7, 1, EAX, 5, kZmm},
    {"cmpccxadd", 7, 1, EAX, 7},
    {"amx-fp16", 7, 1, EAX, 21, kTile},
    {"hreset", 7, 1, EAX, 22},
    {"avxifma", 7, 1, EAX, 23, kYmm},
    {"movrs", 7, 1, EAX, 31},
    {"avxvnniint8", 7, 1, EDX, 4, kYmm},
    {"avxneconvert", 7, 1, EDX, 5, kYmm},
    {"amx-complex", 7, 1, EDX, 8, kTile},
    {"avxvnniint16", 7, 1, EDX, 10, kYmm},
    {"prefetchi", 7, 1, EDX, 14},
    {"usermsr", 7, 1, EDX, 15},
    {"apxf", 7, 1, EDX, 21, kApx},
    {"egpr", 7, 1, EDX, 21, kApx},
    {"push2pop2", 7, 1, EDX, 21, kApx},
    {"ppx", 7, 1, EDX, 21, kApx},
    {"ndd", 7, 1, EDX, 21, kApx},
    {"ccmp", 7, 1, EDX, 21, kApx},
    {"nf", 7, 1, EDX, 21, kApx},
    {"cf", 7, 1, EDX, 21, kApx},
    {"zu", 7, 1, EDX, 21, kApx},
    {"xsaveopt", 0xd, 1, EAX, 0},
    {"xsavec", 0xd, 1, EAX, 1},
    {"xsaves", 0xd, 1, EAX, 3},
    {"ptwrite", 0x14, 0, EBX, 4},
    {"widekl", 0x19, 0, EBX, 2},
    {"amx-fp8", 0x1e, 1, EAX, 4, kTile},
    {"amx-tf32", 0x1e, 1, EAX, 6, kTile},
    {"amx-avx512", 0x1e, 1, EAX, 7, kTile},
    {"amx-movrs", 0x1e, 1, EAX, 8, kTile},
    {"sahf", kExtended, 0, ECX, 0},
    {"lzcnt", kExtended, 0, ECX, 5},
    {"sse4a", kExtended, 0, ECX, 6},
    {"prfchw", kExtended, 0, ECX, 8},
    {"xop", kExtended, 0, ECX, 11, kYmm},
    {"lwp", kExtended, 0, ECX, 15},
    {"fma4", kExtended, 0, ECX, 16, kYmm},
    {"tbm", kExtended, 0, ECX, 21},
    {"mwaitx", kExtended, 0, ECX, 29},
    {"64bit", kExtended, 0, EDX, 29},
    {"clzero", kExtended + 7, 0, EBX, 0},
    {"rdpru", kExtended + 7, 0, EBX, 4},
    {"wbnoinvd", kExtended + 7, 0, EBX, 9},
};

bool cpuid(uint32_t leaf, uint32_t subleaf, uint32_t (&registers)[4]) {
  return __get_cpuid_count(leaf, subleaf, &registers[EAX], &registers[EBX], &registers[ECX],
                           &registers[EDX]) != 0;
}

/// What the operating system saves of a thread's registers.
uint32_t savedRegisters() {
  uint32_t registers[4];
  if (!cpuid(1, 0, registers) || !(registers[ECX] >> 27 & 1))
    return 0;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

const Feature *findFeature(std::string_view name) {
  auto found = std::find_if(std::begin(features), std::end(features),
                            [&](const Feature &f) { return name == f.name; });
  return found == std::end(features) ? nullptr : found;
}

/// Version of AVX10, which is no bit; 0: none.
uint32_t avx10Version() {
  uint32_t registers[4];
  if (!cpuid(7, 1, registers) || !(registers[EDX] >> 19 & 1) || !cpuid(0x24, 0, registers))
    return 0;
  return (savedRegisters() & kZmm) == kZmm ? registers[EBX] & 0xff : 0;
}
uint32_t avx10Wanted(std::string_view name) {
  return name == "avx10.1" ? 1 : name == "avx10.2" ? 2 : 0;
}

bool hasFeature(std::string_view name) {
  if (uint32_t version = avx10Wanted(name))
    return avx10Version() >= version;
  const Feature *feature = findFeature(name);
  uint32_t registers[4];
  return feature && cpuid(feature->leaf, feature->subleaf, registers) &&
         (registers[feature->in] >> feature->bit & 1) &&
         (savedRegisters() & feature->saved) == feature->saved;
}
#else
bool hasFeature(std::string_view) { return false; }
#endif

} // namespace

std::string_view cpuLevelName(CpuLevel level) {
  switch (level) {
  case CpuLevel::V2:
    return "x86-64-v2";
  case CpuLevel::V3:
    return "x86-64-v3";
  case CpuLevel::V4:
    return "x86-64-v4";
  }
  return "";
}

absl::StatusOr<std::optional<CpuLevel>> parseMaxCpuLevel(std::string_view value) {
  if (value.empty())
    return std::optional<CpuLevel>();
  for (CpuLevel level : {CpuLevel::V2, CpuLevel::V3, CpuLevel::V4})
    if (value == cpuLevelName(level))
      return std::optional(level);
  return absl::InvalidArgumentError(
      absl::StrCat("the environment variable GRAPHC_MAX_CPU_ISA is '", view(value),
                   "'; expected x86-64-v2, x86-64-v3 or x86-64-v4, or no such variable"));
}

const absl::StatusOr<std::optional<CpuLevel>> &maxCpuLevel() {
  static const auto *level = [] {
    const char *value = std::getenv("GRAPHC_MAX_CPU_ISA");
    return new absl::StatusOr<std::optional<CpuLevel>>(parseMaxCpuLevel(value ? value : ""));
  }();
  return *level;
}

bool cpuLevelHasFeature(CpuLevel level, std::string_view feature) {
  // The psABI's lists; "crc32" is part of SSE4.2 in LLVM's names, "evex512" of AVX-512F.
  static constexpr std::pair<CpuLevel, std::string_view> first[] = {
      {CpuLevel::V2, "64bit"},    {CpuLevel::V2, "cmov"},     {CpuLevel::V2, "crc32"},
      {CpuLevel::V2, "cx16"},     {CpuLevel::V2, "cx8"},      {CpuLevel::V2, "fxsr"},
      {CpuLevel::V2, "mmx"},      {CpuLevel::V2, "popcnt"},   {CpuLevel::V2, "sahf"},
      {CpuLevel::V2, "sse"},      {CpuLevel::V2, "sse2"},     {CpuLevel::V2, "sse3"},
      {CpuLevel::V2, "sse4.1"},   {CpuLevel::V2, "sse4.2"},   {CpuLevel::V2, "ssse3"},
      {CpuLevel::V2, "x87"},      {CpuLevel::V3, "avx"},      {CpuLevel::V3, "avx2"},
      {CpuLevel::V3, "bmi"},      {CpuLevel::V3, "bmi2"},     {CpuLevel::V3, "f16c"},
      {CpuLevel::V3, "fma"},      {CpuLevel::V3, "lzcnt"},    {CpuLevel::V3, "movbe"},
      {CpuLevel::V3, "xsave"},    {CpuLevel::V4, "avx512bw"}, {CpuLevel::V4, "avx512cd"},
      {CpuLevel::V4, "avx512dq"}, {CpuLevel::V4, "avx512f"},  {CpuLevel::V4, "avx512vl"},
      {CpuLevel::V4, "evex512"}};
  for (const auto &[since, name] : first)
    if (name == feature)
      return level >= since;
  return false;
}

bool hasCpuFeatures(const std::vector<std::string> &needed) {
  return missingCpuFeatures(needed).empty();
}

bool isCpuFeature(std::string_view name) {
#if defined(__x86_64__)
  return avx10Wanted(name) || findFeature(name);
#else
  return false;
#endif
}

std::vector<std::string> missingCpuFeatures(const std::vector<std::string> &needed) {
  const std::optional<CpuLevel> limit = maxCpuLevel().value_or(std::nullopt);
  std::vector<std::string> missing;
  for (const std::string &name : needed) {
    std::string_view feature = name;
    if (feature.empty() || feature.front() == '-')
      continue;
    if (feature.front() == '+')
      feature.remove_prefix(1);
    if (!hasFeature(feature) || (limit && !cpuLevelHasFeature(*limit, feature)))
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
