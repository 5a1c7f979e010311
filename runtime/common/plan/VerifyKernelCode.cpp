//===- VerifyKernelCode.cpp - code objects, and the kernels that programs call ----------------===//
#include "runtime/common/plan/VerifyPlan.h"

#include "runtime/common/base/Sha256.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyHelpers.h"
#include "runtime/kernels/KernelRegistry.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

#include <cstring>
#include <set>
#include <string>

namespace graphc::plan::detail {

// That the call is one, and its operands the arguments; whether it is one of its kernel the
// registry says.
static absl::Status checkLibraryCall(const Kernel &kernel, const std::string &what) {
  constexpr int most = 256; // attributes, their elements, post-ops
  const Kernel::LibraryCall &call = kernel.library();
  GRAPHC_RETURN_IF_ERROR(checkName("a library kernel", call.kernel(), nullptr));
  for (const std::string &name : call.post_ops())
    GRAPHC_RETURN_IF_ERROR(checkName("a post-op", name, nullptr));
  if (call.attributes_size() > most || call.post_ops_size() > most)
    return invalid(what, ": ", call.attributes_size(), " attributes and ", call.post_ops_size(),
                   " post-ops");
  for (int i = 0; i < call.attributes_size(); ++i) {
    const Kernel::LibraryCall::Attribute &attribute = call.attributes(i);
    GRAPHC_RETURN_IF_ERROR(checkName("an attribute", attribute.name(), nullptr));
    if (attribute.integers_size() > most || attribute.numbers_size() > most)
      return invalid(what, ": attribute ", attribute.name(), " has more than ", most, " elements");
    if (i && call.attributes(i - 1).name() >= attribute.name())
      return invalid(what, ": attribute ", attribute.name(), " stands behind ",
                     call.attributes(i - 1).name(),
                     ", expected each once, in the order of their names");
  }
  const int count = kernel.args_size() - (kernel.scratch_bytes() ? 1 : 0);
  if (call.operands_size() != count)
    return invalid(what, ": ", call.operands_size(), " operands for ", count, " arguments");
  for (int i = 0; i < count; ++i) {
    const Kernel::LibraryCall::Operand &operand = call.operands(i);
    if (operand.layout() != Kernel::LibraryCall::ROW_MAJOR)
      return invalid(what, ": operand ", i, " has the unknown layout ", int(operand.layout()));
    std::optional<uint64_t> bytes = tensorBytes(operand.type());
    if (!bytes || *bytes != kernel.args(i).bytes())
      return invalid(what, ": operand ", i, " is a ", typeText(operand.type()),
                     ", its argument has ", kernel.args(i).bytes(), " bytes");
  }
  absl::StatusOr<kernels::CallFacts> facts = kernels::checkCall(libraryCallOf(kernel));
  if (!facts.ok())
    return invalid(what, ": ", base::describe(facts.status()));
  if (facts->flops != kernel.flops())
    return invalid(what, " counts ", kernel.flops(), " operations, a call has ", facts->flops);
  return absl::OkStatus();
}

/// 64-bit, little-endian.
static bool isElf(const std::string &bytes) {
  return bytes.size() >= 64 && memcmp(bytes.data(), "\177ELF\002\001", 6) == 0;
}

/// Machine code that stands for PTX: of an architecture each, the bytes that were hashed, ELF.
static absl::Status checkCubins(int code, const Code &object, bool ptx) {
  std::set<std::string> archs;
  for (const Code::Cubin &cubin : object.cubins()) {
    uint32_t number = 0;
    const std::string &arch = cubin.arch();
    if (!ptx || !absl::StartsWith(arch, "sm_") || !absl::SimpleAtoi(arch.substr(3), &number) ||
        number > 9999 || !archs.insert(arch).second)
      return invalid("code ", code, " has machine code for the GPU architecture '",
                     arch.substr(0, 16), "': not one, there twice, or not of PTX");
    base::Sha256Digest digest = base::sha256(cubin.elf());
    if (std::string_view(cubin.sha256()) != base::asBytes(digest))
      return invalid("code ", code, ": the SHA-256 of its machine code for ", arch,
                     " does not match its bytes");
    if (!isElf(cubin.elf()))
      return invalid("code ", code, ": its machine code for ", arch,
                     " is not a 64-bit little-endian ELF object");
  }
  return absl::OkStatus();
}

/// Code first: the bytes that were hashed, an ELF object, for a kind of device that exists. Then
/// each kernel: its arguments, its scratch memory, and what runs it. Whether the code takes what
/// the plan says is asked when it is loaded (executor/LoadedKernels.cpp).
absl::Status checkKernels(const Plan &plan) {
  for (int i = 0; i < plan.code_size(); ++i) {
    const Code &code = plan.code(i);
    const device::DeviceKind *kind = device::findKind(code.kind());
    if (!kind || !isDevice(code.kind() + ":0"))
      return invalid("code ", i, " is for the kind of device '", code.kind().substr(0, 64),
                     "', which does not exist");
    const bool ptx = kind->code == device::CodeFormat::Ptx;
    base::Sha256Digest digest = base::sha256(ptx ? code.ptx() : code.elf());
    if (std::string_view(code.sha256()) != base::asBytes(digest))
      return invalid("code ", i, ": its SHA-256 does not match its bytes");
    if (!(ptx ? code.elf() : code.ptx()).empty())
      return invalid("code ", i, " has ", ptx ? "an ELF object" : "PTX", ", which a ",
                     base::view(kind->name), " does not run");
    if (ptx && (code.ptx().find(".version") == std::string::npos ||
                code.ptx().find('\0') != std::string::npos))
      return invalid("code ", i, " is not PTX");
    if (!ptx && !isElf(code.elf()))
      return invalid("code ", i, " is not a 64-bit little-endian ELF object");
    GRAPHC_RETURN_IF_ERROR(checkCubins(i, code, ptx));
    if (code.features_size() > 4096)
      return invalid("code ", i, " needs ", code.features_size(), " CPU features");
  }
  std::set<std::string> ofLibraries; // by which algorithms are told
  for (const Kernel &kernel : plan.kernels()) {
    GRAPHC_RETURN_IF_ERROR(
        checkName("a kernel", kernel.name(), kernel.has_library() ? &ofLibraries : nullptr));
    std::string what = absl::StrCat("kernel ", kernel.name());
    if (kernel.args_size() == 0 || kernel.args_size() > 1024)
      return invalid(what, ": ", kernel.args_size(), " arguments, expected 1 to 1024");
    for (const Kernel::Arg &arg : kernel.args())
      if (arg.bytes() > PlanLimits::bytes || !Access_IsValid(arg.access()))
        return invalid(what, ": an argument of ", arg.bytes(), " bytes or unknown access");
    if (kernel.scratch_bytes()) {
      const Kernel::Arg &scratch = kernel.args(kernel.args_size() - 1);
      if (scratch.access() != WRITE || scratch.bytes() != kernel.scratch_bytes())
        return invalid(what, ": the last argument is not its scratch of ", kernel.scratch_bytes(),
                       " bytes");
    }
    if (kernel.has_compiled()) {
      if (kernel.compiled().code() >= uint32_t(plan.code_size()))
        return invalid(what, ": code ", kernel.compiled().code(), " does not exist, the plan has ",
                       plan.code_size());
      if (kernel.compiled().entry() >= uint32_t(PlanLimits::tableEntries))
        return invalid(what, ": entry ", kernel.compiled().entry(), " is beyond any kernel table");
    } else if (kernel.has_library()) {
      GRAPHC_RETURN_IF_ERROR(checkLibraryCall(kernel, what));
    } else {
      return invalid(what, " is neither compiled nor a library kernel");
    }
  }
  return absl::OkStatus();
}

/// A message is added in parts of one call each, so they divide it; multiples of 64 bytes, so that
/// each part is aligned as the first is.
absl::Status checkAddition(const Kernel &add, uint64_t bytes, const std::string &what) {
  auto fitting = [&](uint64_t part) {
    return part == bytes || (part != 0 && part % 64 == 0 && bytes % part == 0);
  };
  if (add.args_size() != 2 || add.scratch_bytes() || !add.has_compiled() ||
      add.args(0).access() != READ_WRITE || add.args(1).access() != READ ||
      add.args(0).bytes() != add.args(1).bytes() || !fitting(add.args(0).bytes()))
    return invalid("kernel ", add.name(), " cannot add ", what, ": expected (read_write, read) of ",
                   bytes, " bytes each, or of a divisor of that and multiple of 64");
  return absl::OkStatus();
}

} // namespace graphc::plan::detail
