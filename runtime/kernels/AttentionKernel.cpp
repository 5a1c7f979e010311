//===- AttentionKernel.cpp - calls of attention and its gradient, by kernels of this project --===//
//
// Sequences and heads are units, each for itself and in one order, so that threads share them with
// the bits of one (SimdAttention.h).
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/common/base/OpCount.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/kernels/LibraryCallReader.h"
#include "runtime/kernels/OnednnLoader.h"
#include "runtime/kernels/SimdKernels.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cmath>

namespace graphc::kernels {
namespace {

using Shape = std::vector<int64_t>;

/// Where a unit's rows of an operand are: one behind the other, or, where heads stand side by side,
/// at the head's columns of a sample's rows.
struct Place {
  size_t buffer;
  int64_t first, sample, head; ///< elements: before all, from sample to sample, from head to head

  float *at(void *const *buffers, int64_t unit, int64_t heads) const {
    return static_cast<float *>(buffers[buffer]) + first + unit / heads * sample +
           unit % heads * head;
  }
};

struct AttentionCall {
  AttentionShape shape{};
  std::vector<int64_t> leading; ///< units, row-major
  int64_t heads = 1; ///< that stand side by side in a row
  /// query, key, value, then the output, of a gradient that one's and the gradients of the first
  /// three
  std::vector<Place> places;
  size_t maskBuffer = 0, scratchBuffer = 0;
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
    return base::multiplyOps(
        {uint64_t(units()), shape.causal ? square * (square + 1) / 2 + (q - square) * k : q * k});
  }
  /// Two products forward; five backward, two of them those of forward. 6 and 9 for what is
  /// between.
  uint64_t flops() const {
    const auto size = uint64_t(shape.size), width = uint64_t(shape.width);
    return base::multiplyOps(
        {scores(), isGradient ? 6 * size + 4 * width + 9 : 2 * (size + width) + 6});
  }
  /// Several a thread, so that threads end together; below so much work a wake-up costs more than
  /// it saves.
  uint32_t parts(uint32_t threads) const {
    constexpr uint64_t leastWork = 4 << 20;
    if (threads == 1)
      return 1;
    return uint32_t(std::clamp<uint64_t>(flops() / leastWork, 1,
                                         uint64_t(std::min(units(), int64_t(threads) * 4))));
  }
  uint64_t scratchBytes() const {
    return isGradient ? attentionGradScratchBytes(shape) : attentionScratchBytes(shape);
  }
  AttentionMask mask(const void *at, int64_t unit) const {
    if (!masked)
      return {nullptr, 0, 0};
    int64_t offset = 0;
    for (size_t i = leading.size(); i-- > 0; unit /= leading[i])
      offset += unit % leading[i] * maskSteps[i];
    return {static_cast<const uint8_t *>(at) + offset, maskQuery, maskKey};
  }
};

/// Which of the four kernels.
struct Kind {
  bool isGradient;
  /// query, key and value of all heads are one operand, [leading…, rows, 3 * heads * size], and so
  /// are their gradients
  bool isPacked;
};

class AttentionReader : CallReader {
public:
  AttentionReader(const LibraryCall &call, Kind kind) : CallReader(call), kind_(kind) {
    read_.isGradient = kind.isGradient;
  }

  absl::StatusOr<AttentionCall> read() {
    if (!call.postOps.empty())
      return invalid("the post-op '", call.postOps.front(), "'; attention has none");
    const bool gradient = read_.isGradient;
    const size_t given = (kind_.isPacked ? 1 : 3) + (gradient ? 2 : 0),
                 results = gradient && !kind_.isPacked ? 3 : 1;
    const bool masked = call.operands.size() == given + 1 + results;
    read_.masked = masked;
    if (!masked && call.operands.size() != given + results)
      return invalid(call.operands.size(), " operands, expected ", given + results,
                     ", or one more with a mask");
    GRAPHC_RETURN_IF_ERROR(readAttributes());
    GRAPHC_RETURN_IF_ERROR(kind_.isPacked ? readPackedShape() : readShapes());
    const std::vector<Shape> inputs = inputShapes();
    std::vector<Shape> expected = inputs;
    expected.resize(inputs.size() + (gradient ? 2 : 0), outputShape());
    if (masked)
      expected.emplace_back();
    if (gradient)
      expected.insert(expected.end(), inputs.begin(), inputs.end());
    else
      expected.push_back(outputShape());
    for (size_t i = 0; i < expected.size(); ++i)
      GRAPHC_RETURN_IF_ERROR(
          masked && i == given
              ? readMask(call.operands[i])
              : checkOperand(i, expected[i], i < given ? GRAPHC_READ : GRAPHC_WRITE));
    read_.maskBuffer = given;
    read_.scratchBuffer = expected.size();
    kind_.isPacked ? placePacked(given + masked) : placeEach(given + masked);
    // As many as stay in a cache of the second level with all keys.
    AttentionShape &s = read_.shape;
    constexpr int64_t scores = 1 << 18, leastRows = 8;
    s.rows =
        std::min(s.queries, std::clamp(scores / paddedRow(s.keys), leastRows, kMostAttentionRows));
    return read_;
  }

private:
  absl::Status readAttributes() {
    bool scaled = false, counted = false;
    for (const CallAttribute &attribute : call.attributes) {
      if (attribute.name == "causal" && attribute.integers == std::vector<int64_t>{1} &&
          attribute.numbers.empty())
        read_.shape.causal = true;
      else if (attribute.name == "scale" && attribute.integers.empty() &&
               attribute.numbers.size() == 1 && std::isfinite(attribute.numbers[0]))
        read_.shape.scale = float(attribute.numbers[0]), scaled = true;
      else if (kind_.isPacked && attribute.name == "heads" && attribute.integers.size() == 1 &&
               attribute.integers[0] > 0 && attribute.numbers.empty())
        read_.heads = attribute.integers[0], counted = true;
      else
        return invalid("'", attribute.name, "' is neither causal, 1, nor scale, one finite number",
                       kind_.isPacked ? ", nor heads, a number above 0" : "");
    }
    if (!scaled)
      return invalid("scale is missing");
    return counted || !kind_.isPacked ? absl::OkStatus() : invalid("heads is missing");
  }

  absl::Status readShapes() {
    const Shape &q = call.operands[0].shape, &k = call.operands[1].shape,
                &v = call.operands[2].shape;
    if (q.size() < 2 || k.size() != q.size() || v.size() != q.size())
      return invalid("query, key and value have ", q.size(), ", ", k.size(), " and ", v.size(),
                     " dimensions, expected as many of each, at least 2");
    read_.leading.assign(q.begin(), q.end() - 2);
    AttentionShape &s = read_.shape;
    s.queries = q.end()[-2], s.size = q.back(), s.keys = k.end()[-2], s.width = v.back();
    s.queryStep = s.keyStep = s.size;
    s.valueStep = s.outputStep = s.width;
    return absl::OkStatus();
  }

  absl::Status readPackedShape() {
    const Shape &all = call.operands[0].shape;
    if (all.size() < 2 || all.back() % 3 != 0 || all.back() / 3 % read_.heads != 0)
      return invalid("query, key and value side by side have the shape ", absl::StrJoin(all, "x"),
                     ", expected rows of 3 times ", read_.heads, " heads");
    read_.leading.assign(all.begin(), all.end() - 2);
    read_.leading.push_back(read_.heads);
    AttentionShape &s = read_.shape;
    s.queries = s.keys = all.end()[-2];
    s.size = s.width = all.back() / 3 / read_.heads;
    s.queryStep = s.keyStep = s.valueStep = all.back();
    s.outputStep = all.back() / 3;
    return absl::OkStatus();
  }

  Shape shapeOf(int64_t rows, int64_t columns) const {
    Shape shape = read_.leading;
    if (kind_.isPacked)
      shape.pop_back(); // heads stand side by side
    shape.insert(shape.end(), {rows, columns});
    return shape;
  }
  std::vector<Shape> inputShapes() const {
    const AttentionShape &s = read_.shape;
    if (kind_.isPacked)
      return {shapeOf(s.queries, s.queryStep)};
    return {shapeOf(s.queries, s.size), shapeOf(s.keys, s.size), shapeOf(s.keys, s.width)};
  }
  Shape outputShape() const { return shapeOf(read_.shape.queries, read_.shape.outputStep); }

  /// The results begin at that buffer.
  void placeEach(size_t result) {
    const AttentionShape &s = read_.shape;
    const int64_t q = s.queries * s.size, k = s.keys * s.size, v = s.keys * s.width,
                  o = s.queries * s.width;
    read_.places = {{0, 0, q, 0}, {1, 0, k, 0}, {2, 0, v, 0}};
    if (read_.isGradient)
      read_.places.insert(read_.places.end(), {{3, 0, o, 0},
                                               {4, 0, o, 0},
                                               {result, 0, q, 0},
                                               {result + 1, 0, k, 0},
                                               {result + 2, 0, v, 0}});
    else
      read_.places.push_back({result, 0, o, 0});
  }
  void placePacked(size_t result) {
    const AttentionShape &s = read_.shape;
    const int64_t width = s.outputStep, inputs = s.queries * s.queryStep, o = s.queries * width;
    for (int64_t i = 0; i < 3; ++i)
      read_.places.push_back({0, i * width, inputs, s.size});
    if (!read_.isGradient) {
      read_.places.push_back({result, 0, o, s.size});
      return;
    }
    read_.places.insert(read_.places.end(), {{1, 0, o, s.size}, {2, 0, o, s.size}});
    for (int64_t i = 0; i < 3; ++i)
      read_.places.push_back({result, i * width, inputs, s.size});
  }

  absl::Status checkOperand(size_t i, const Shape &shape, GraphcAccess access) const {
    if (call.operands[i].shape != shape)
      return invalid("operand ", i, " has the shape ", absl::StrJoin(call.operands[i].shape, "x"),
                     ", expected ", absl::StrJoin(shape, "x"));
    return checkFloats(i, access);
  }

  absl::Status readMask(const CallOperand &mask) {
    Shape scores = read_.leading;
    scores.insert(scores.end(), {read_.shape.queries, read_.shape.keys});
    if (mask.element != GRAPHC_I1 || mask.access != GRAPHC_READ ||
        mask.shape.size() != scores.size())
      return invalid("the mask is not of i1, not read, or has not ", scores.size(), " dimensions");
    int64_t step = 1; // at most 2^62: queries and keys have at most 2^31 elements each
    std::vector<int64_t> steps(scores.size());
    for (size_t i = scores.size(); i-- > 0; step *= mask.shape[i]) {
      if (mask.shape[i] != 1 && mask.shape[i] != scores[i])
        return invalid("the mask has the shape ", absl::StrJoin(mask.shape, "x"),
                       ", expected sizes of 1 or of ", absl::StrJoin(scores, "x"));
      steps[i] = mask.shape[i] == 1 ? 0 : step;
    }
    if (mask.bytes != uint64_t(step))
      return invalid("the mask has ", mask.bytes, " bytes, expected ", step);
    read_.maskSteps.assign(steps.begin(), steps.end() - 2);
    read_.maskQuery = steps.end()[-2], read_.maskKey = steps.back();
    return absl::OkStatus();
  }

  const Kind kind_;
  AttentionCall read_;
};

class AttentionKernel final : public LibraryKernel {
public:
  AttentionKernel(AttentionCall call, uint32_t parts, ThreadPool *with)
      : call_(std::move(call)), count_(parts), pool_(parts > 1 ? with : nullptr) {
    if (pool_) {
      own_ = std::make_unique<Bytes>(this->call_.scratchBytes() * count_);
      pool_->start();
    }
  }
  uint32_t parts() const override { return pool_ ? count_ : 1; }
  std::string algorithm() const override {
    return absl::StrCat(kCpuAlgorithm, "kernels for ", simdKernels().name);
  }

  int run(void *const *buffers) override {
    const int64_t units = call_.units();
    return runParts(pool_, count_, [&](uint32_t index) {
      void *scratch =
          pool_ ? own_->data + index * call_.scratchBytes() : buffers[call_.scratchBuffer];
      for (int64_t unit = units * index / count_; unit < units * (index + 1) / count_; ++unit)
        runUnit(buffers, unit, scratch);
      return 0;
    });
  }

private:
  void runUnit(void *const *buffers, int64_t unit, void *scratch) const {
    auto at = [&](size_t place) { return call_.places[place].at(buffers, unit, call_.heads); };
    const AttentionMask mask = call_.mask(buffers[call_.maskBuffer], unit);
    if (call_.isGradient)
      simdKernels().attentionGrad(
          call_.shape, {at(0), at(1), at(2), at(3), at(4), mask, at(5), at(6), at(7)}, scratch);
    else
      simdKernels().attention(call_.shape, {at(0), at(1), at(2), mask, at(3)}, scratch);
  }

  const AttentionCall call_;
  const uint32_t count_;
  ThreadPool *const pool_;
  std::unique_ptr<Bytes> own_; ///< with a pool: each part's scratch memory
};

class AttentionLibrary final : public KernelProvider {
public:
  explicit AttentionLibrary(Kind kind) : kind_(kind) {}

  absl::StatusOr<CallFacts> check(const LibraryCall &call) const override {
    GRAPHC_ASSIGN_OR_RETURN(AttentionCall read, AttentionReader(call, kind_).read());
    const AttentionShape &s = read.shape;
    CallFacts facts;
    facts.name = absl::StrCat(call.kernel, "_", absl::StrJoin(read.leading, "x"),
                              read.leading.empty() ? "" : "x", s.queries, "x", s.keys, "_by_",
                              s.size, s.width == s.size ? "" : absl::StrCat("_", s.width),
                              s.causal ? "_causal" : "", read.masked ? "_mask" : "");
    facts.flops = read.flops();
    return facts;
  }
  absl::StatusOr<uint64_t> scratchBytes(const LibraryCall &call) const override {
    GRAPHC_ASSIGN_OR_RETURN(AttentionCall read, AttentionReader(call, kind_).read());
    return read.scratchBytes();
  }
  absl::StatusOr<std::unique_ptr<LibraryKernel>>
  make(const LibraryCall &call, uint64_t scratchBytes, ThreadPool *pool) const override {
    GRAPHC_ASSIGN_OR_RETURN(AttentionCall read, AttentionReader(call, kind_).read());
    GRAPHC_RETURN_IF_ERROR(checkScratch(call.kernel, read.scratchBytes(), scratchBytes));
    const uint32_t parts = read.parts(pool ? pool->threads() : 1);
    return std::make_unique<AttentionKernel>(std::move(read), parts, pool);
  }
  uint32_t parts(const LibraryCall &call, uint32_t threads) const override {
    absl::StatusOr<AttentionCall> read = AttentionReader(call, kind_).read();
    return read.ok() ? std::min(threads, read->parts(threads)) : 1;
  }

private:
  const Kind kind_;
};

} // namespace

std::vector<std::pair<std::string, const KernelProvider *>> attentionLibraries() {
  static const AttentionLibrary forward({false, false}), gradient({true, false}),
      packed({false, true}), packedGradient({true, true});
  return {{"attention", &forward},
          {"attention_grad", &gradient},
          {"packed_attention", &packed},
          {"packed_attention_grad", &packedGradient}};
}

} // namespace graphc::kernels
