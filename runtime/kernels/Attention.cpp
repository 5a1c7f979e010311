//===- Attention.cpp - calls of attention and its gradient, by kernels of this project --------------------------------===//
//
// Sequences and heads are units, each for itself and in one order, so that threads share them with the bits of one (SimdAttention.h).
//
//===----------------------------------------------------------------------------------------------------------------===//
#include "runtime/base/Status.h"
#include "runtime/kernels/CallReader.h"
#include "runtime/kernels/Onednn.h"
#include "runtime/kernels/Simd.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cmath>

namespace graphc::kernels {
namespace {

struct AttentionCall {
  AttentionShape shape{};
  std::vector<int64_t> leading; ///< units, row-major
  bool isGradient = false, masked = false;
  std::vector<int64_t> maskSteps; ///< one a leading dimension
  int64_t maskQuery = 0, maskKey = 0;

  int64_t units() const {
    int64_t count = 1;
    for (int64_t size : leading)
      count *= size;
    return count;
  }
  /// Of queries and keys that they see.
  uint64_t scores() const {
    const auto q = uint64_t(shape.queries), k = uint64_t(shape.keys), square = std::min(q, k);
    return uint64_t(units()) * (shape.causal ? square * (square + 1) / 2 + (q - square) * k : q * k);
  }
  /// Two products forward; five backward, two of them those of forward. 6 and 9 for what is between.
  uint64_t flops() const {
    const auto size = uint64_t(shape.size), width = uint64_t(shape.width);
    return scores() * (isGradient ? 6 * size + 4 * width + 9 : 2 * (size + width) + 6);
  }
  /// Several a thread, so that threads end together; below so much work a wake-up costs more than it saves.
  uint32_t parts(uint32_t threads) const {
    constexpr uint64_t leastWork = 4 << 20;
    if (threads == 1)
      return 1;
    return uint32_t(std::clamp<uint64_t>(flops() / leastWork, 1, uint64_t(std::min(units(), int64_t(threads) * 4))));
  }
  uint64_t scratchBytes() const { return isGradient ? attentionGradScratchBytes(shape) : attentionScratchBytes(shape); }
  AttentionMask mask(const void *at, int64_t unit) const {
    if (!masked)
      return {nullptr, 0, 0};
    int64_t offset = 0;
    for (size_t i = leading.size(); i-- > 0; unit /= leading[i])
      offset += unit % leading[i] * maskSteps[i];
    return {static_cast<const uint8_t *>(at) + offset, maskQuery, maskKey};
  }
};

class AttentionReader : CallReader {
public:
  AttentionReader(const LibraryCall &call, bool isGradient) : CallReader(call) { read_.isGradient = isGradient; }

  absl::StatusOr<AttentionCall> read() {
    if (!call.postOps.empty())
      return invalid("the post-op '", call.postOps.front(), "'; attention has none");
    const bool gradient = read_.isGradient;
    const size_t given = gradient ? 5 : 3, results = gradient ? 3 : 1;
    const bool masked = call.operands.size() == given + 1 + results;
    read_.masked = masked;
    if (!masked && call.operands.size() != given + results)
      return invalid(call.operands.size(), " operands, expected ", given + results, ", or one more with a mask");
    GRAPHC_RETURN_IF_ERROR(readAttributes());
    GRAPHC_RETURN_IF_ERROR(readShapes());
    AttentionShape &s = read_.shape;
    std::vector<int64_t> q = shapeOf(s.queries, s.size), k = shapeOf(s.keys, s.size), v = shapeOf(s.keys, s.width),
                         o = shapeOf(s.queries, s.width);
    std::vector<std::vector<int64_t>> expected = {q, k, v};
    if (gradient)
      expected.insert(expected.end(), {o, o});
    if (masked)
      expected.emplace_back();
    if (gradient)
      expected.insert(expected.end(), {q, k, v});
    else
      expected.push_back(o);
    for (size_t i = 0; i < expected.size(); ++i)
      GRAPHC_RETURN_IF_ERROR(masked && i == given
                                 ? readMask(call.operands[i])
                                 : checkOperand(i, expected[i], i < given ? GRAPHC_READ : GRAPHC_WRITE));
    // As many as stay in a cache of the second level with all keys.
    constexpr int64_t scores = 1 << 18, leastRows = 8;
    s.rows = std::min(s.queries, std::clamp(scores / paddedRow(s.keys), leastRows, kMostAttentionRows));
    return read_;
  }

private:
  absl::Status readAttributes() {
    bool scaled = false;
    for (const Attribute &attribute : call.attributes) {
      if (attribute.name == "causal" && attribute.integers == std::vector<int64_t>{1} && attribute.numbers.empty())
        read_.shape.causal = true;
      else if (attribute.name == "scale" && attribute.integers.empty() && attribute.numbers.size() == 1 &&
               std::isfinite(attribute.numbers[0]))
        read_.shape.scale = float(attribute.numbers[0]), scaled = true;
      else
        return invalid("'", attribute.name, "' is neither causal, 1, nor scale, one finite number");
    }
    return scaled ? absl::OkStatus() : invalid("scale is missing");
  }

  absl::Status readShapes() {
    const std::vector<int64_t> &q = call.operands[0].shape, &k = call.operands[1].shape, &v = call.operands[2].shape;
    if (q.size() < 2 || k.size() != q.size() || v.size() != q.size())
      return invalid("query, key and value have ", q.size(), ", ", k.size(), " and ", v.size(),
                     " dimensions, expected as many of each, at least 2");
    read_.leading.assign(q.begin(), q.end() - 2);
    AttentionShape &s = read_.shape;
    s.queries = q.end()[-2], s.size = q.back(), s.keys = k.end()[-2], s.width = v.back();
    return absl::OkStatus();
  }

  std::vector<int64_t> shapeOf(int64_t rows, int64_t columns) const {
    std::vector<int64_t> shape = read_.leading;
    shape.insert(shape.end(), {rows, columns});
    return shape;
  }

  absl::Status checkOperand(size_t i, const std::vector<int64_t> &shape, GraphcAccess access) const {
    if (call.operands[i].shape != shape)
      return invalid("operand ", i, " has the shape ", absl::StrJoin(call.operands[i].shape, "x"), ", expected ",
                     absl::StrJoin(shape, "x"));
    return checkFloats(i, access);
  }

  absl::Status readMask(const Operand &mask) {
    const std::vector<int64_t> scores = shapeOf(read_.shape.queries, read_.shape.keys);
    if (mask.element != GRAPHC_I1 || mask.access != GRAPHC_READ || mask.shape.size() != scores.size())
      return invalid("the mask is not of i1, not read, or has not ", scores.size(), " dimensions");
    int64_t step = 1; // at most 2^62: queries and keys have at most 2^31 elements each
    std::vector<int64_t> steps(scores.size());
    for (size_t i = scores.size(); i-- > 0; step *= mask.shape[i]) {
      if (mask.shape[i] != 1 && mask.shape[i] != scores[i])
        return invalid("the mask has the shape ", absl::StrJoin(mask.shape, "x"), ", expected sizes of 1 or of ",
                       absl::StrJoin(scores, "x"));
      steps[i] = mask.shape[i] == 1 ? 0 : step;
    }
    if (mask.bytes != uint64_t(step))
      return invalid("the mask has ", mask.bytes, " bytes, expected ", step);
    read_.maskSteps.assign(steps.begin(), steps.end() - 2);
    read_.maskQuery = steps.end()[-2], read_.maskKey = steps.back();
    return absl::OkStatus();
  }

  AttentionCall read_;
};

class AttentionKernel final : public LibraryKernel {
public:
  AttentionKernel(AttentionCall call, uint32_t parts, Pool *with)
      : call(std::move(call)), count(parts), pool(parts > 1 ? with : nullptr) {
    if (pool) {
      own = std::make_unique<Bytes>(this->call.scratchBytes() * count);
      pool->start();
    }
  }
  uint32_t parts() const override { return pool ? count : 1; }
  std::string algorithm() const override { return absl::StrCat(kCpuAlgorithm, "kernels for ", simdKernels().name); }

  int run(void *const *buffers) override {
    const int64_t units = call.units();
    return runParts(pool, count, [&](uint32_t index) {
      void *scratch = pool ? own->data + index * call.scratchBytes() : buffers[last()];
      for (int64_t unit = units * index / count; unit < units * (index + 1) / count; ++unit)
        runUnit(buffers, unit, scratch);
      return 0;
    });
  }

private:
  /// Where scratch memory is.
  size_t last() const { return (call.isGradient ? 8u : 4u) + call.masked; }
  void runUnit(void *const *buffers, int64_t unit, void *scratch) const {
    const AttentionShape &s = call.shape;
    const int64_t q = s.queries * s.size, k = s.keys * s.size, v = s.keys * s.width, o = s.queries * s.width;
    auto at = [&](size_t index, int64_t elements) { return static_cast<float *>(buffers[index]) + unit * elements; };
    if (!call.isGradient) {
      simdKernels().attention(s, {at(0, q), at(1, k), at(2, v), call.mask(buffers[3], unit), at(last() - 1, o)},
                              scratch);
      return;
    }
    const size_t result = last() - 3;
    simdKernels().attentionGrad(s,
                                {at(0, q), at(1, k), at(2, v), at(3, o), at(4, o), call.mask(buffers[5], unit),
                                 at(result, q), at(result + 1, k), at(result + 2, v)},
                                scratch);
  }

  const AttentionCall call;
  const uint32_t count;
  Pool *const pool;
  std::unique_ptr<Bytes> own; ///< with a pool: each part's scratch memory
};

class AttentionLibrary final : public Library {
public:
  explicit AttentionLibrary(bool isGradient) : isGradient(isGradient) {}

  absl::StatusOr<CallFacts> check(const LibraryCall &call) const override {
    GRAPHC_ASSIGN_OR_RETURN(AttentionCall read, AttentionReader(call, isGradient).read());
    const AttentionShape &s = read.shape;
    CallFacts facts;
    facts.name =
        absl::StrCat(call.kernel, "_", absl::StrJoin(read.leading, "x"), read.leading.empty() ? "" : "x", s.queries,
                     "x", s.keys, "_by_", s.size, s.width == s.size ? "" : absl::StrCat("_", s.width),
                     s.causal ? "_causal" : "", read.masked ? "_mask" : "");
    facts.flops = read.flops();
    return facts;
  }
  absl::StatusOr<uint64_t> scratchBytes(const LibraryCall &call) const override {
    GRAPHC_ASSIGN_OR_RETURN(AttentionCall read, AttentionReader(call, isGradient).read());
    return read.scratchBytes();
  }
  absl::StatusOr<std::unique_ptr<LibraryKernel>> make(const LibraryCall &call, uint64_t scratchBytes,
                                                      Pool *pool) const override {
    GRAPHC_ASSIGN_OR_RETURN(AttentionCall read, AttentionReader(call, isGradient).read());
    GRAPHC_RETURN_IF_ERROR(checkScratch(call.kernel, read.scratchBytes(), scratchBytes));
    const uint32_t parts = read.parts(pool ? pool->threads() : 1);
    return std::make_unique<AttentionKernel>(std::move(read), parts, pool);
  }
  uint32_t parts(const LibraryCall &call, uint32_t threads) const override {
    absl::StatusOr<AttentionCall> read = AttentionReader(call, isGradient).read();
    return read.ok() ? std::min(threads, read->parts(threads)) : 1;
  }

private:
  const bool isGradient;
};

} // namespace

std::vector<std::pair<std::string, const Library *>> attentionLibraries() {
  static const AttentionLibrary forward(false), gradient(true);
  return {{"attention", &forward}, {"attention_grad", &gradient}};
}

} // namespace graphc::kernels
