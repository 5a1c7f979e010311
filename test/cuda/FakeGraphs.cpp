// Graphs: nodes with what they come after; executable ones, which do their nodes in any order that
// this allows, drawn by the seed.
#include "test/cuda/FakeGraph.h"

#include <cstring>
#include <set>

namespace graphc::fake {
namespace {

/// A graph as it was when it was instantiated. What it does is copied by each launch: changes are
/// for later ones alone.
struct Executable {
  struct Step {
    Run run;
    std::vector<uint32_t> after;
  };
  const Graph *graph;
  std::vector<Step> steps; ///< as the graph's nodes
  std::map<const Node *, uint32_t> places;
  /// Of the last launch: the next one begins behind it, on whatever stream.
  std::shared_ptr<QueueState> queue;
  uint64_t count = 0;
};

/// Known by their addresses until they are destroyed.
template <typename Object> class Kept {
public:
  Object *add(std::unique_ptr<Object> object) {
    base::MutexLock lock(mutex_);
    all_.insert(object.get());
    return object.release();
  }
  bool has(const Object *object) {
    base::MutexLock lock(mutex_);
    return all_.contains(object);
  }
  Result destroy(Object *object) {
    base::MutexLock lock(mutex_);
    if (!all_.erase(object))
      return kInvalidHandle;
    delete object;
    return kSuccess;
  }

private:
  base::Mutex mutex_;
  std::set<const Object *> all_ ABSL_GUARDED_BY(mutex_);
};
Kept<Graph> &graphs() {
  static auto *all = new Kept<Graph>;
  return *all;
}
Kept<Executable> &executables() {
  static auto *all = new Kept<Executable>;
  return *all;
}
bool isThere(const Graph *graph) { return graphs().has(graph); }
bool isThere(const Executable *executable) { return executables().has(executable); }

/// CUDA_MEMCPY3D of the driver's interface.
struct Copy3D {
  struct End {
    size_t x, y, z, lod;
    int type; // 1: host, 2: device
    void *host;
    Address device;
    void *array, *reserved;
    size_t pitch, height;
  } from, to;
  size_t width, height, depth;
};

/// One-dimensional ones alone, between the host's memory and one allocation of a GPU's or within
/// those.
std::optional<Copy> readCopy(const Copy3D &params) {
  Copy copy{params.to.type == 1, params.from.type == 1, nullptr, nullptr, params.width};
  auto read = [&](const Copy3D::End &end, uint8_t *&at) {
    if (end.x || end.y || end.z || end.lod || end.array || end.reserved ||
        (end.type != 1 && end.type != 2))
      return false;
    at = end.type == 1 ? static_cast<uint8_t *>(end.host) : pointer(end.device);
    // An address of the device is no host's, and the other way round.
    return at && (end.type == 1 ? gpu().memory.pages.ownAddress(at) == at
                                : gpu().memory.find(end.device, params.width) != nullptr);
  };
  if (!params.width || params.height != 1 || params.depth != 1 || !read(params.from, copy.from) ||
      !read(params.to, copy.to))
    return std::nullopt;
  return copy;
}

Run runOf(const Copy &copy) {
  return [copy]() -> absl::Status {
    auto place = [&](uint8_t *at, bool ofHost) {
      return ofHost ? at : gpu().memory.find(uint64_t(reinterpret_cast<uintptr_t>(at)), copy.bytes);
    };
    uint8_t *to = place(copy.to, copy.toHost), *from = place(copy.from, copy.fromHost);
    if (!to || !from)
      return absl::InternalError("a copy outside of every allocation");
    if (copy.toHost != copy.fromHost) {
      const HostMemory::Kind kind = hostMemory.find(copy.toHost ? to : from, copy.bytes);
      if (kind == HostMemory::Kind::PinnedReadOnly && copy.toHost)
        return absl::InternalError("a copy to memory that is registered to be read");
      if (kind == HostMemory::Kind::Pageable)
        accounts.copiedPageable(!copy.toHost, copy.bytes);
      accounts.copied(!copy.toHost, copy.bytes); // not what stays in the GPU's
    }
    memcpy(to, from, copy.bytes);
    return absl::OkStatus();
  };
}

std::vector<Executable::Step> stepsOf(const Graph &graph,
                                      std::map<const Node *, uint32_t> &places) {
  std::vector<Executable::Step> steps;
  for (const Node &node : graph.nodes) {
    Executable::Step step{node.run, {}};
    for (const Node *before : node.after)
      step.after.push_back(places.at(before)); // a node is behind what it comes after
    places[&node] = uint32_t(steps.size());
    steps.push_back(std::move(step));
  }
  return steps;
}

/// Of the engine's thread.
absl::Status runSteps(const std::vector<Executable::Step> &steps) {
  std::vector<std::vector<uint32_t>> after;
  for (const Executable::Step &step : steps)
    after.push_back(step.after);
  return device::sim::runInSomeOrder(after, gpu().random,
                                     [&](uint32_t i) { return steps[i].run(); });
}

/// A new node behind `after`, which are nodes of the graph, each once.
Result addNode(const Node **made, Graph *graph, const Node *const *after, size_t count, Run run,
               std::optional<Copy> copy = {}) {
  if (!isThere(graph))
    return kInvalidHandle;
  std::set<const Node *> distinct;
  for (size_t i = 0; i < count; ++i)
    if (after[i]->graph != graph || !distinct.insert(after[i]).second)
      return kInvalidValue;
  Node &node = graph->add(std::move(run));
  node.after.assign(after, after + count);
  node.copy = copy;
  *made = &node;
  return kSuccess;
}

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelParams {
  const ptx::Function *function;
  unsigned grid[3], block[3], sharedBytes;
  void **params, **extra;
  void *kernel, *context;
};

} // namespace

Graph *keep(std::unique_ptr<Graph> graph) { return graphs().add(std::move(graph)); }

} // namespace graphc::fake

using namespace graphc;
using namespace graphc::fake;

CUDA_FUNCTION(cuGraphCreate, , Graph **graph, unsigned flags) {
  CHECK_READY();
  if (flags)
    return kInvalidValue;
  *graph = keep(std::make_unique<Graph>());
  return kSuccess;
}
CUDA_FUNCTION(cuGraphDestroy, , Graph *graph) { return graphs().destroy(graph); }
CUDA_FUNCTION(cuGraphAddKernelNode, _v2, const Node **node, Graph *graph, const Node *const *after,
              size_t count, const KernelParams *params) {
  CHECK_READY();
  if (params->extra || params->kernel)
    return kInvalidValue;
  const auto &grid = params->grid, &block = params->block;
  absl::StatusOr<Run> run =
      launchOf(params->function, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]},
               params->sharedBytes, params->params);
  return run.ok() ? addNode(node, graph, after, count, *std::move(run)) : kInvalidValue;
}
CUDA_FUNCTION(cuGraphAddMemcpyNode, , const Node **node, Graph *graph, const Node *const *after,
              size_t count, const Copy3D *params, void *context) {
  CHECK_READY();
  std::optional<Copy> copy = readCopy(*params);
  return copy && context ? addNode(node, graph, after, count, runOf(*copy), copy) : kInvalidValue;
}
/// The child is copied: what becomes of it later changes nothing here.
CUDA_FUNCTION(cuGraphAddChildGraphNode, , const Node **node, Graph *graph, const Node *const *after,
              size_t count, Graph *child) {
  CHECK_READY();
  if (!isThere(child) || child == graph)
    return kInvalidHandle;
  std::map<const Node *, uint32_t> places;
  return addNode(node, graph, after, count,
                 [steps = stepsOf(*child, places)] { return runSteps(steps); });
}
CUDA_FUNCTION(cuGraphInstantiateWithFlags, , Executable **executable, Graph *graph,
              unsigned long long flags) {
  CHECK_READY();
  if (!isThere(graph) || flags)
    return isThere(graph) ? kInvalidValue : kInvalidHandle;
  auto made = std::make_unique<Executable>(Executable{graph, {}, {}, {}});
  made->steps = stepsOf(*graph, made->places);
  *executable = executables().add(std::move(made));
  return kSuccess;
}
CUDA_FUNCTION(cuGraphExecDestroy, , Executable *executable) {
  return executables().destroy(executable);
}
CUDA_FUNCTION(cuGraphExecMemcpyNodeSetParams, , Executable *executable, const Node *node,
              const Copy3D *params, void *context) {
  CHECK_READY();
  if (!isThere(executable) || !isThere(executable->graph))
    return kInvalidHandle;
  auto place = executable->places.find(node);
  std::optional<Copy> copy = readCopy(*params);
  // What was the host's memory stays the host's, and the device's the device's.
  if (place == executable->places.end() || !copy || !context || !node->copy ||
      copy->toHost != node->copy->toHost || copy->fromHost != node->copy->fromHost)
    return kInvalidValue;
  executable->steps[place->second].run = runOf(*copy);
  return kSuccess;
}
CUDA_FUNCTION(cuGraphLaunch, , Executable *executable, Stream *stream) {
  CHECK_READY();
  if (!isThere(executable) || !stream)
    return kInvalidHandle;
  if (executable->queue && executable->queue != stream->queue)
    gpu().engine.enqueue(*stream->queue, {nullptr, executable->count, executable->queue});
  const Result result = enqueue(stream, [steps = executable->steps] { return runSteps(steps); });
  if (result != kSuccess || stream->captured)
    return result;
  executable->queue = stream->queue;
  executable->count = ++stream->signals;
  gpu().engine.enqueue(*stream->queue, {nullptr, executable->count, nullptr});
  return kSuccess;
}
