//===- OnednnEngine.h - what the files of the module libgraphc_onednn.so share ------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_KERNELS_ONEDNNENGINE_H
#define GRAPHC_RUNTIME_KERNELS_ONEDNNENGINE_H

#include "runtime/common/base/Mutex.h"
#include "runtime/kernels/OnednnAbi.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>

namespace graphc::onednn {

/// The thread count is a property of the calling thread in OpenMP; with one, oneDNN enters no
/// parallel region.
void useOneThread();
/// The highest x86-64 level whose instructions the library may use, as graphc_onednn_api() was
/// told; 0 is no limit.
uint32_t &maxLevel();
/// Created once, after maxLevel() is set.
dnnl::engine &cpuEngine();

/// Version of the library, its own name of the kernel, and the caches by whose sizes it cuts sums
/// into pieces.
std::string describe(const char *implementation);

/// Equal descriptors, byte by byte, have one `Made` in a process: lanes, phases and blocks of one
/// size share it. It stays for those who come later; of many, those that nobody holds go.
template <typename Desc, typename Made, Made (*make)(const Desc &)>
std::shared_ptr<const Made> find(const Desc &desc) {
  struct Less {
    bool operator()(const Desc &a, const Desc &b) const { return memcmp(&a, &b, sizeof a) < 0; }
  };
  constexpr size_t kIdle = 1024; // beyond what is held
  static base::Mutex mutex;
  // under `mutex`, never ended
  static auto &all = *new std::map<Desc, std::shared_ptr<const Made>, Less>;
  static size_t most = kIdle; // under `mutex`
  base::MutexLock lock(mutex);
  if (auto found = all.find(desc); found != all.end())
    return found->second;
  auto made = std::make_shared<const Made>(make(desc));
  if (all.size() >= most) {
    std::erase_if(all, [](const auto &one) { return one.second.use_count() == 1; });
    most = kIdle + all.size() + all.size() / 2;
  }
  all.emplace(desc, made);
  return made;
}

/// What the library throws ends here: 0, or 1 and `message`.
template <typename Function> int guarded(char *message, size_t messageBytes, Function function) {
  try {
    function();
    return 0;
  } catch (const dnnl::error &error) {
    snprintf(message, messageBytes, "oneDNN error %d: %s", int(error.status), error.what());
  } catch (const std::exception &error) {
    snprintf(message, messageBytes, "%s", error.what());
  }
  return 1;
}

/// Memory objects of one kernel, in the order in which run() gets their buffers.
class Arguments {
public:
  void add(const dnnl::memory::desc &desc, int argument) {
    memories_[count_] = dnnl::memory(desc, cpuEngine(), DNNL_MEMORY_NONE);
    arguments_[count_] = {argument, memories_[count_].get()};
    ++count_;
  }
  /// By the C interface, which does not throw; 0 or its error code.
  int run(const dnnl::primitive &primitive, const dnnl::stream &stream, void *const *buffers) {
    useOneThread();
    for (int i = 0; i < count_; ++i)
      if (dnnl_status_t status =
              dnnl_memory_set_data_handle_v2(memories_[i].get(), buffers[i], stream.get());
          status != dnnl_success)
        return int(status);
    return int(dnnl_primitive_execute(primitive.get(), stream.get(), count_, arguments_));
  }

private:
  dnnl::memory memories_[5];
  dnnl_exec_arg_t arguments_[5];
  int count_ = 0;
};

int createConvolution(const GraphcConvolutionDesc *desc, void **kernel, uint64_t *filterBytes,
                      uint64_t *scratchBytes, char *message, size_t messageBytes);
int runConvolution(void *kernel, void *const *buffers);
int reorderFilter(void *kernel, void *from, void *to);
void destroyConvolution(void *kernel);
const char *implementationOfConvolution(void *kernel);

} // namespace graphc::onednn
#endif
