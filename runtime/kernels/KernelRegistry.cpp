#include "runtime/kernels/KernelRegistry.h"

#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

#include <cstdlib>
#include <dlfcn.h>
#include <map>

namespace graphc::kernels {
namespace {

constexpr size_t kMessageBytes = 512;

/// A call as a module sees it; lives as long as what it was made of.
class CallView {
public:
  explicit CallView(const LibraryCall &call) {
    for (const CallAttribute &a : call.attributes)
      attributes_.push_back({a.name.c_str(), a.integers.data(), a.integers.size(), a.numbers.data(),
                             a.numbers.size()});
    for (const std::string &name : call.postOps)
      postOps_.push_back(name.c_str());
    for (const CallOperand &o : call.operands)
      operands_.push_back(
          {uint32_t(o.element), uint32_t(o.access), o.shape.data(), o.shape.size(), o.bytes});
    view_ = {call.kernel.c_str(), attributes_.data(), attributes_.size(), postOps_.data(),
             postOps_.size(),     operands_.data(),   operands_.size()};
  }
  CallView(const CallView &) = delete;
  const GraphcLibraryCall *get() const { return &view_; }

private:
  std::vector<GraphcLibraryAttribute> attributes_;
  std::vector<const char *> postOps_;
  std::vector<GraphcLibraryOperand> operands_;
  GraphcLibraryCall view_;
};

class ModuleKernel final : public LibraryKernel {
public:
  explicit ModuleKernel(const GraphcLibraryKernel &type) : type_(type) {}
  ~ModuleKernel() override {
    if (kernel_)
      type_.destroy(kernel_);
  }
  absl::Status create(const LibraryCall &call) {
    char message[kMessageBytes] = "";
    CallView view(call);
    if (type_.create(view.get(), &kernel_, &scratch_, message, sizeof message) != 0)
      return absl::InternalError(absl::StrCat(call.kernel, ": ", message));
    scratch_ = (scratch_ + 63) / 64 * 64;
    return absl::OkStatus();
  }
  uint64_t scratchBytes() const { return scratch_; }
  int run(void *const *buffers) override { return type_.run(kernel_, buffers); }
  uint32_t parts() const override { return 1; }

private:
  const GraphcLibraryKernel &type_;
  void *kernel_ = nullptr;
  uint64_t scratch_ = 0;
};

class ModuleLibrary final : public KernelProvider {
public:
  explicit ModuleLibrary(const GraphcLibraryKernel &type) : type_(type) {}

  absl::StatusOr<CallFacts> check(const LibraryCall &call) const override {
    char message[kMessageBytes] = "";
    CallFacts facts{call.kernel, 0};
    CallView view(call);
    if (type_.check(view.get(), &facts.flops, message, sizeof message) != 0)
      return absl::InvalidArgumentError(absl::StrCat(call.kernel, ": ", message));
    return facts;
  }
  absl::StatusOr<uint64_t> scratchBytes(const LibraryCall &call) const override {
    ModuleKernel kernel(type_);
    GRAPHC_RETURN_IF_ERROR(kernel.create(call));
    return kernel.scratchBytes();
  }
  absl::StatusOr<std::unique_ptr<LibraryKernel>>
  make(const LibraryCall &call, uint64_t scratchBytes, ThreadPool *) const override {
    auto kernel = std::make_unique<ModuleKernel>(type_);
    GRAPHC_RETURN_IF_ERROR(kernel->create(call));
    GRAPHC_RETURN_IF_ERROR(checkScratch(call.kernel, kernel->scratchBytes(), scratchBytes));
    return kernel;
  }

private:
  const GraphcLibraryKernel &type_;
};

/// All kernels that this process knows; lives as long as it.
class Registry {
public:
  absl::StatusOr<const KernelProvider *> find(std::string_view kernel) const {
    if (auto found = libraries_.find(kernel); found != libraries_.end())
      return found->second;
    if (!opened_.ok())
      return opened_;
    std::vector<std::string> known;
    for (auto &[name, library] : libraries_)
      known.push_back(name);
    return absl::NotFoundError(absl::StrCat("no library has a kernel '", base::view(kernel),
                                            "', but ", absl::StrJoin(known, ", "),
                                            "; GRAPHC_LIBRARIES may name a module that does"));
  }

  static const Registry &builtIn() {
    static const auto *registry = new Registry;
    return *registry;
  }
  static const Registry &withModules() {
    static const auto *registry = [] {
      auto *made = new Registry;
      made->opened_ = made->openModules();
      return made;
    }();
    return *registry;
  }

private:
  Registry() : libraries_{{"gpu_matmul", &gpuMatmulLibrary()}, {"matmul", &matmulLibrary()}} {
    for (const auto &group : {attentionLibraries(), convolutionLibraries()})
      libraries_.insert(group.begin(), group.end());
  }

  absl::Status openModules() {
    const char *list = std::getenv("GRAPHC_LIBRARIES");
    for (const std::string &path :
         std::vector<std::string>(absl::StrSplit(list ? list : "", ':', absl::SkipEmpty())))
      GRAPHC_RETURN_IF_ERROR(base::annotate(openModule(path), "GRAPHC_LIBRARIES"));
    return absl::OkStatus();
  }

  absl::Status openModule(const std::string &path) {
    void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
      return absl::FailedPreconditionError(absl::StrCat("cannot open a module: ", dlerror()));
    auto get = reinterpret_cast<GraphcGetLibraryModule>(::dlsym(handle, "graphc_library_module"));
    const GraphcLibraryModule *module = get ? get() : nullptr;
    if (!module || module->version != GRAPHC_LIBRARY_ABI_VERSION)
      return absl::FailedPreconditionError(absl::StrCat(
          path,
          module ? absl::StrCat(" has interface version ", module->version, ", this build ")
                 : std::string(" does not export 'graphc_library_module' of version "),
          GRAPHC_LIBRARY_ABI_VERSION));
    for (uint32_t i = 0; i < module->kernelCount; ++i)
      if (!libraries_.emplace(module->kernels[i].name, new ModuleLibrary(module->kernels[i]))
               .second)
        return absl::FailedPreconditionError(
            absl::StrCat(path, " has a kernel '", module->kernels[i].name,
                         "', which another module or graphc itself has"));
    return absl::OkStatus();
  }

  std::map<std::string, const KernelProvider *, std::less<>> libraries_;
  absl::Status opened_;
};

/// Never null.
absl::StatusOr<const KernelProvider *> findLibrary(std::string_view kernel) {
  // A module is opened where something asks for what is not built in, and not before.
  if (auto found = Registry::builtIn().find(kernel); found.ok())
    return found;
  return Registry::withModules().find(kernel);
}

} // namespace

absl::StatusOr<CallFacts> checkCall(const LibraryCall &call) {
  GRAPHC_ASSIGN_OR_RETURN(const KernelProvider *library, findLibrary(call.kernel));
  return library->check(call);
}

absl::StatusOr<uint64_t> scratchBytesOf(const LibraryCall &call) {
  GRAPHC_ASSIGN_OR_RETURN(const KernelProvider *library, findLibrary(call.kernel));
  return library->scratchBytes(call);
}

absl::StatusOr<std::unique_ptr<LibraryKernel>> makeKernel(const LibraryCall &call,
                                                          uint64_t scratchBytes, ThreadPool *pool) {
  GRAPHC_ASSIGN_OR_RETURN(const KernelProvider *library, findLibrary(call.kernel));
  return library->make(call, scratchBytes, pool);
}

uint32_t partsOf(const LibraryCall &call, uint32_t threads) {
  absl::StatusOr<const KernelProvider *> library = findLibrary(call.kernel);
  return library.ok() ? (*library)->parts(call, threads) : 1;
}

absl::Status checkScratch(std::string_view what, uint64_t needed, uint64_t given) {
  if (needed <= given)
    return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(base::view(what), ": the library needs ", needed,
                   " bytes of scratch on this CPU, the plan gives ", given,
                   "; compile the plan on this kind of machine"));
}

} // namespace graphc::kernels
