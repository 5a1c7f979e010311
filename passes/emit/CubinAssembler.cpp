#include "passes/emit/CubinAssembler.h"

#include "passes/emit/LlvmTranslation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

#include <cstdlib>

using namespace llvm;

namespace graphc {

std::optional<std::string> findPtxas() {
  if (const char *home = std::getenv("CUDA_HOME")) {
    SmallString<128> path(home);
    if (path.empty())
      return std::nullopt;
    sys::path::append(path, "bin", "ptxas");
    return sys::fs::can_execute(path) ? std::optional(path.str().str()) : std::nullopt;
  }
  ErrorOr<std::string> found = sys::findProgramByName("ptxas");
  return found ? std::optional(*found) : std::nullopt;
}

/// Whose code a line of PTX (from 1) is in.
static std::string functionAt(StringRef ptx, unsigned line) {
  Regex entry("\\.entry +([A-Za-z0-9_$]+)");
  std::string function;
  SmallVector<StringRef> lines, found;
  ptx.split(lines, '\n');
  for (StringRef text : ArrayRef(lines).take_front(line))
    if (entry.match(text, &found))
      function = found[1].str();
  return function;
}

/// ptxas writes "ptxas kernels.ptx, line 7; error   : what" or "ptxas error   : Entry function 'name' what", and goes on.
static AssemblerRefusal readRefusal(StringRef ptx, StringRef said) {
  Regex atLine("line ([0-9]+); (error|fatal) *: (.*)"), ofFunction("(error|fatal) *: (.*)"),
      quoted("'([A-Za-z0-9_$]+)'");
  SmallVector<StringRef> lines, found, name;
  said.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    unsigned number = 0;
    if (atLine.match(line, &found) && !found[1].getAsInteger(10, number))
      return {functionAt(ptx, number), found[3].rtrim().str()};
    if (ofFunction.match(line, &found))
      return {found[2].starts_with("Entry function") && quoted.match(found[2], &name)
                  ? name[1].str()
                  : "",
              found[2].rtrim().str()};
  }
  return {"", lines.empty() ? "it says nothing" : lines.front().rtrim().str()};
}

static std::string readAll(const Twine &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

Expected<std::vector<CubinImage>> assemble(StringRef ptxas, StringRef ptx,
                                           ArrayRef<std::string> archs,
                                           std::optional<AssemblerRefusal> &refusal) {
  SmallString<128> folder;
  if (std::error_code failed = sys::fs::createUniqueDirectory("graphc-ptxas", folder))
    return codeError("cannot make a temporary folder: " + failed.message());
  llvm::scope_exit remove([&] { sys::fs::remove_directories(folder); });
  const std::string source = (folder + "/kernels.ptx").str();
  if (Error error = writeFile(source, ptx))
    return std::move(error);
  std::vector<sys::ProcessInfo> processes;
  std::string message;
  for (const std::string &arch : archs) {
    const std::string option = "-arch=" + arch, out = (folder + "/" + arch + ".cubin").str(),
                      said = (folder + "/" + arch + ".txt").str();
    bool failed = false;
    processes.push_back(sys::ExecuteNoWait(
        ptxas, {ptxas, option, "-O3", source, "-o", out}, std::nullopt,
        {StringRef(""), StringRef(said), StringRef(said)}, 0, &message, &failed));
    if (failed)
      break;
  }
  std::vector<CubinImage> cubins;
  // all are waited for, whatever the first one said
  for (auto [process, arch] : zip(processes, archs)) {
    if (process.Pid == sys::ProcessInfo::InvalidPid)
      continue;
    const int status = sys::Wait(process, std::nullopt, &message).ReturnCode;
    const std::string said = readAll(folder + "/" + arch + ".txt");
    if (status == 0)
      cubins.push_back({arch, readAll(folder + "/" + arch + ".cubin")});
    else if (status < 0 && message.empty())
      message = "it was stopped by a signal";
    else if (status > 0 && said.find("'gpu-name'") == std::string::npos && !refusal)
      refusal = readRefusal(ptx, said);
  }
  if (!message.empty())
    return codeError("cannot run " + ptxas + ": " + message);
  if (refusal)
    cubins.clear();
  return cubins;
}

} // namespace graphc
