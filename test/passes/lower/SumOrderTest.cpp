// The order of sums inside a kernel: what compiled code gives is, bit for bit, what a plain loop
// over the contract gives, and what the blocks and warps of a GPU would give.
#include "dialects/graph/GraphDialect.h"
#include "passes/PassPipelines.h"
#include "passes/Passes.h"
#include "passes/emit/NativeCode.h"
#include "passes/emit/PtxCode.h"
#include "runtime/common/abi/KernelAbi.h"
#include "runtime/common/abi/PtxAbi.h"
#include "runtime/common/base/CpuFeatures.h"
#include "test/cuda/Ptx.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <numeric>
#include <sys/mman.h>
#include <unistd.h>

namespace graphc {
namespace {

//===------------------------------------------------------------------------------------------===//
// The contract
//===------------------------------------------------------------------------------------------===//

/// The sum of items: chunks of 1,024; in a chunk item i is added to partial sum i mod 32; these are
/// joined i with i + 16, then 8, 4, 2, 1; the sums of chunks are summed in the same way.
template <class T, class Join> T sumOf(std::vector<T> items, T neutral, Join join) {
  do {
    std::vector<T> sums;
    for (size_t begin = 0; begin < items.size(); begin += 1024) {
      T partials[32];
      std::fill(std::begin(partials), std::end(partials), neutral);
      for (size_t i = begin; i < std::min(begin + 1024, items.size()); ++i)
        partials[(i - begin) % 32] = join(partials[(i - begin) % 32], items[i]);
      for (int half = 16; half; half /= 2)
        for (int i = 0; i < half; ++i)
          partials[i] = join(partials[i], partials[i + half]);
      sums.push_back(partials[0]);
    }
    items = sums;
  } while (items.size() > 1);
  return items.front();
}

template <class T> T plus(T a, T b) { return a + b; }

/// The same as a GPU does it: a warp a chunk, a thread a partial sum; a butterfly of shuffles; a
/// launch a level.
float sumOnGpu(std::vector<float> items) {
  do {
    std::vector<float> sums((items.size() + 1023) /
                            1024); // in global memory: each warp writes its own place, no atomics
    for (size_t warp = sums.size(); warp-- > 0;) { // in whatever order
      float thread[32], other[32];
      for (size_t t = 0; t < 32; ++t) {
        thread[t] = -0.0f;
        for (size_t k = warp * 1024 + t; k < std::min(items.size(), (warp + 1) * 1024);
             k += 32) // coalesced: 128 bytes a warp
          thread[t] += items[k];
      }
      for (size_t distance : {16, 8, 4, 2, 1}) { // __shfl_xor_sync
        for (size_t t = 0; t < 32; ++t)
          other[t] = thread[t ^ distance];
        for (size_t t = 0; t < 32; ++t)
          thread[t] += other[t];
      }
      sums[warp] = thread[warp % 32]; // all have it
    }
    items = sums;
  } while (items.size() > 1);
  return items.front();
}

//===------------------------------------------------------------------------------------------===//
// Kernels
//===------------------------------------------------------------------------------------------===//

/// A generic over loops of given sizes, and what it should give.
struct Case {
  std::string text; ///< of the function, without its name
  std::vector<std::vector<char>> operands; ///< the last one is the output, as it is before
  std::vector<char> expected; ///< and after
  std::string what;
};

template <class T> constexpr const char *kType = "f32";
template <> constexpr const char *kType<double> = "f64";
template <> constexpr const char *kType<int32_t> = "i32";

/// Numbers of many magnitudes, so that no two orders of a sum are likely to agree.
template <class T> std::vector<T> numbers(size_t count, uint32_t seed) {
  std::vector<T> values(count);
  uint32_t state = 2463534242 + seed * 7919;
  for (T &value : values) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    value = std::is_integral_v<T> ? T(state)
                                  : T(std::ldexp(double(int32_t(state)), -28 - int(state % 9)));
  }
  return values;
}

template <class T> std::vector<char> bytes(const std::vector<T> &values) {
  std::vector<char> result(values.size() * sizeof(T));
  std::memcpy(result.data(), values.data(), result.size());
  return result;
}

struct Input {
  std::vector<int64_t> shape;
  std::string map; ///< results of its affine map
  std::vector<int64_t> steps; ///< elements a loop's index moves it
};

int64_t product(const std::vector<int64_t> &sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
}

std::string memref(const std::vector<int64_t> &shape, const char *type) {
  std::string text = "memref<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + type + ">";
}

/// loops: sizes; reduced: which. body: arith text from %a, %b, … to %v; value: the same in C++.
/// `joined` joins.
template <class T>
Case makeCase(const std::string &what, std::vector<int64_t> loops, std::vector<bool> reduced,
              std::vector<Input> inputs, const std::string &body,
              std::function<T(const std::vector<T> &)> value,
              const std::string &op = std::is_integral_v<T> ? "arith.addi" : "arith.addf",
              T neutral = std::is_integral_v<T> ? T(0) : T(-0.0),
              std::function<T(T, T)> join = plus<T>) {
  const char *type = kType<T>;
  std::string dims, iterators, outMap, types, arguments, maps, blockArguments, names;
  std::vector<int64_t> outShape;
  for (size_t i = 0; i < loops.size(); ++i) {
    std::string comma = i ? ", " : "";
    dims += comma + "d" + std::to_string(i);
    iterators += comma + (reduced[i] ? "\"reduction\"" : "\"parallel\"");
    if (!reduced[i]) {
      outMap += (outShape.empty() ? "d" : ", d") + std::to_string(i);
      outShape.push_back(loops[i]);
    }
  }
  Case result;
  result.what = what;
  std::vector<std::vector<T>> data;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string name = std::string("x") + char('0' + i), comma = i ? ", " : "";
    arguments += "%" + name + ": " + memref(inputs[i].shape, type) + ", ";
    names += comma + "%" + name;
    types += comma + memref(inputs[i].shape, type);
    maps += "affine_map<(" + dims + ") -> (" + inputs[i].map + ")>, ";
    blockArguments += std::string("%") + char('a' + i) + ": " + type + ", ";
    data.push_back(numbers<T>(size_t(product(inputs[i].shape)), uint32_t(i)));
    result.operands.push_back(bytes(data.back()));
  }
  result.text = "(" + arguments + "%y: " + memref(outShape, type) +
                ") {\n  linalg.generic {indexing_maps = [" + maps + "affine_map<(" + dims +
                ") -> (" + outMap + ")>], iterator_types = [" + iterators + "]} ins(" + names +
                " : " + types + ") outs(%y : " + memref(outShape, type) + ") {\n  ^bb0(" +
                blockArguments + "%o: " + type + "):\n" + body + "    %s = " + op +
                " %o, %v : " + type + "\n    linalg.yield %s : " + type + "\n  }\n  return\n}\n";
  std::vector<T> out = numbers<T>(size_t(product(outShape)), 99), after = out;
  std::vector<int64_t> index(loops.size());
  std::vector<std::vector<T>> items(out.size());
  for (int64_t all = product(loops), i = 0; i < all; ++i) {
    int64_t rest = i, place = 0;
    for (size_t loop = loops.size(); loop-- > 0; rest /= loops[loop])
      index[loop] = rest % loops[loop];
    for (size_t loop = 0; loop < loops.size(); ++loop)
      if (!reduced[loop])
        place = place * loops[loop] + index[loop];
    std::vector<T> elements;
    for (size_t input = 0; input < inputs.size(); ++input) {
      int64_t at = 0;
      for (size_t loop = 0; loop < loops.size(); ++loop)
        at += index[loop] * inputs[input].steps[loop];
      elements.push_back(data[input][size_t(at)]);
    }
    items[size_t(place)].push_back(value(elements));
  }
  for (size_t i = 0; i < out.size(); ++i)
    after[i] = join(out[i], sumOf<T>(items[i], neutral, join));
  result.operands.push_back(bytes(out));
  result.expected = bytes(after);
  return result;
}

const char *kItself = "    %n = arith.constant 0.0 : f32\n    %v = arith.subf %a, %n : f32\n";
float itself(const std::vector<float> &v) { return v[0]; }
template <class T> std::string multiply() {
  return std::string("    %v = arith.mulf %a, %b : ") + kType<T> + "\n";
}
template <class T> T multiplied(const std::vector<T> &v) { return v[0] * v[1]; }

Case rows(int64_t many, int64_t n) {
  return makeCase<float>("rows " + std::to_string(n), {many, n}, {false, true},
                         {{{many, n}, "d0, d1", {n, 1}}}, kItself, itself);
}
Case columns(int64_t n, int64_t many) {
  return makeCase<float>("columns " + std::to_string(n) + "x" + std::to_string(many), {n, many},
                         {true, false}, {{{n, many}, "d0, d1", {many, 1}}}, kItself, itself);
}
template <class T> Case product(int64_t m, int64_t n, int64_t k, bool transposeA, bool transposeB) {
  std::vector<Input> inputs = {
      transposeA ? Input{{k, m}, "d2, d0", {1, 0, m}} : Input{{m, k}, "d0, d2", {k, 0, 1}},
      transposeB ? Input{{n, k}, "d1, d2", {0, k, 1}} : Input{{k, n}, "d2, d1", {0, 1, n}}};
  return makeCase<T>("product " + std::to_string(m) + "x" + std::to_string(n) + "x" +
                         std::to_string(k) + kType<T> + (transposeA ? " a" : "") +
                         (transposeB ? " b" : ""),
                     {m, n, k}, {false, false, true}, inputs, multiply<T>(), multiplied<T>);
}

std::vector<int64_t> lengths(bool all) {
  if (!all)
    return {1, 15, 33, 100, 3000};
  return {1,  2,  3,   5,   10,  15,   16,   17,   31,   32,   33,   48,
          63, 64, 100, 128, 784, 1000, 1023, 1024, 1025, 1056, 2049, 33793};
}

/// All layouts of some lengths.
std::vector<Case> allCases(bool many) {
  std::vector<Case> cases;
  for (int64_t n : lengths(many)) {
    cases.push_back(rows(2, n));
    cases.push_back(columns(n, n < 2000 ? (many ? 101 : 17) : 5));
    // The same items, each sum's a column in memory: transposed while it is read.
    cases.push_back(makeCase<float>("transposed " + std::to_string(n), {3, n}, {false, true},
                                    {{{n, 3}, "d1, d0", {1, 3}}}, kItself, itself));
    // Fused with what is repeated along the items, and the sum over both dimensions.
    cases.push_back(makeCase<float>("all of a product with a row " + std::to_string(n), {6, n},
                                    {true, true}, {{{6, n}, "d0, d1", {n, 1}}, {{n}, "d1", {0, 1}}},
                                    multiply<float>(), multiplied<float>));
    cases.push_back(makeCase<float>("outer and inner " + std::to_string(n), {5, 3, n},
                                    {true, false, true}, {{{5, 3, n}, "d0, d1, d2", {3 * n, n, 1}}},
                                    kItself, itself));
    if (n < 2000) {
      cases.push_back(makeCase<float>(
          "outer two " + std::to_string(n), {2, n, 3, 20}, {true, true, false, false},
          {{{2, n, 3, 20}, "d0, d1, d2, d3", {n * 60, 60, 20, 1}}}, kItself, itself));
      cases.push_back(makeCase<float>(
          "three apart " + std::to_string(n), {3, 2, 2, 2, n}, {true, false, true, false, true},
          {{{3, 2, 2, 2, n}, "d0, d1, d2, d3, d4", {8 * n, 4 * n, 2 * n, n, 1}}}, kItself, itself));
      cases.push_back(product<double>(3, 37, n, false, false));
      cases.push_back(makeCase<float>("largest " + std::to_string(n), {n, 21}, {true, false},
                                      {{{n, 21}, "d0, d1", {21, 1}}}, kItself, itself,
                                      "arith.maximumf", -INFINITY,
                                      [](float a, float b) { return std::max(a, b); }));
      cases.push_back(makeCase<int32_t>(
          "integers " + std::to_string(n), {2, n}, {false, true}, {{{2, n}, "d0, d1", {n, 1}}},
          "    %v = arith.muli %a, %a : i32\n",
          [](const std::vector<int32_t> &v) { return int32_t(uint32_t(v[0]) * uint32_t(v[0])); },
          "arith.addi", 0,
          [](int32_t a, int32_t b) { return int32_t(uint32_t(a) + uint32_t(b)); }));
    }
  }
  for (int flags = 0; flags < 4; ++flags)
    for (auto [m, n, k] :
         {std::array<int64_t, 3>{8, 10, 20}, {4, 70, 60}, {1, 10, 300}, {10, 1, 300}, {16, 16, 10}})
      cases.push_back(product<float>(m, n, k, flags & 1, flags & 2));
  // Large enough to be cut into blocks: of rows, of columns, of rows that are columns in memory, of
  // a dimension in the middle.
  cases.push_back(rows(70, 1000));
  cases.push_back(columns(700, 128));
  cases.push_back(columns(2080, 96)); // two blocks of three vectors
  cases.push_back(columns(2080, 300)); // tiles of seven vectors, and a rest of five
  cases.push_back(makeCase<float>("transposed, blocks", {128, 600}, {false, true},
                                  {{{600, 128}, "d1, d0", {1, 128}}}, kItself, itself));
  cases.push_back(makeCase<float>("outer and inner, blocks", {2, 128, 300}, {true, false, true},
                                  {{{2, 128, 300}, "d0, d1, d2", {128 * 300, 300, 1}}}, kItself,
                                  itself));
  for (int flags = 0; flags < 4; ++flags)
    cases.push_back(product<float>(64, 64, 20, flags & 1, flags & 2));
  if (many) { // three levels
    cases.push_back(rows(1, (1 << 20) + 1024 + 7));
    cases.push_back(columns((1 << 20) + 1024 + 7, 2));
  }
  return cases;
}

//===------------------------------------------------------------------------------------------===//
// Compiling and running them
//===------------------------------------------------------------------------------------------===//

void expectOrder(const std::vector<Case> &cases, const std::string &cpu) {
  llvm::Expected<NativeTarget> target = NativeTarget::create(cpu);
  ASSERT_TRUE(bool(target)) << llvm::toString(target.takeError());
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  std::string text =
      R"(module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                                               graph.strategy = #graph.strategy<name = "one_device">} {)";
  for (auto [i, one] : llvm::enumerate(cases))
    text += "func.func private @k" + std::to_string(i) + one.text;
  text += "}";
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  mlir::PassManager passes(&context);
  buildPipeline(passes, PipelineStage::Linalg, PipelineStage::Llvm);
  ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
  llvm::Expected<std::string> code = compileKernels(*module, *target, "");
  ASSERT_TRUE(bool(code)) << llvm::toString(code.takeError());
  int file = memfd_create("kernels", MFD_CLOEXEC);
  ASSERT_EQ(write(file, code->data(), code->size()), ssize_t(code->size()));
  void *library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  ASSERT_TRUE(library) << dlerror();
  auto *table = static_cast<const GraphcKernelTable *>(dlsym(library, "graphc_kernels"));
  ASSERT_EQ(table->count, cases.size());
  size_t wrong = 0, cut = 0;
  for (auto [i, one] : llvm::enumerate(cases)) {
    const GraphcKernelEntry &kernel = table->kernels[i];
    cut += kernel.blocks > 1;
    for (bool byBlocks : {false, true}) {
      std::vector<void *> buffers;
      for (const std::vector<char> &operand : one.operands) {
        buffers.push_back(aligned_alloc(64, llvm::alignTo(operand.size(), 64)));
        std::memcpy(buffers.back(), operand.data(), operand.size());
      }
      if (!byBlocks) {
        GraphcContext none{};
        EXPECT_EQ(kernel.run(buffers.data(), &none), 0);
      }
      // the last first: in any order
      for (uint32_t block = byBlocks ? kernel.blocks : 0; block > 0; --block) {
        GraphcContext its{0, 0, block - 1, block, 0};
        EXPECT_EQ(kernel.run(buffers.data(), &its), 0);
      }
      bool same = std::memcmp(buffers.back(), one.expected.data(), one.expected.size()) == 0;
      EXPECT_TRUE(same || ++wrong > 5)
          << one.what << " on " << cpu << ", kernel " << i << (byBlocks ? ", by blocks" : "");
      for (void *buffer : buffers)
        free(buffer);
    }
  }
  EXPECT_GE(cut, 6u) << "kernels have blocks";
  EXPECT_EQ(wrong, 0u) << "of " << cases.size();
  dlclose(library);
}

/// The PTX of the same kernels, run on the CPU.
class Buffers final : public ptx::Memory {
public:
  static constexpr uint8_t kPadding = 0xff;
  void add(const std::vector<char> &bytes) {
    all_.push_back({next_, std::vector<uint8_t>(bytes.begin(), bytes.end())});
    // A buffer's last 64 bytes are its own, and may be read; what is written there is seen.
    all_.back().second.resize(llvm::alignTo(bytes.size(), 64), kPadding);
    next_ += llvm::alignTo(bytes.size(), 4096) + 4096;
  }
  uint64_t address(size_t i) const { return all_[i].first; }
  const std::vector<uint8_t> &content(size_t i) const { return all_[i].second; }
  uint8_t *find(uint64_t address, uint64_t bytes) override {
    for (auto &[start, content] : all_)
      if (address >= start && address - start <= content.size() &&
          bytes <= content.size() - (address - start))
        return content.data() + (address - start);
    return nullptr;
  }

private:
  std::vector<std::pair<uint64_t, std::vector<uint8_t>>> all_;
  uint64_t next_ = 4096;
};

void expectOrderOnGpu(const std::vector<Case> &cases, const std::string &arch) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  std::string text =
      R"(module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                                               graph.strategy = #graph.strategy<name = "one_device">} {
         dist.phase @s {role = #graph.role<train>}
         dist.program @s.worker of @s on "/job:worker/task:0/device:GPU:0" {
)";
  std::string functions;
  for (auto [i, one] : llvm::enumerate(cases)) {
    functions += "func.func private @k" + std::to_string(i) + one.text;
    std::string head = one.text.substr(1, one.text.find(") {") - 1), names, types;
    for (llvm::StringRef argument : llvm::split(head, ", ")) {
      auto [name, type] = argument.split(": ");
      std::string buffer = "%b" + std::to_string(i) + "_" + name.drop_front().str();
      text += buffer + " = dist.buffer : " + type.str() + "\n";
      names += (names.empty() ? "" : ", ") + buffer;
      types += (types.empty() ? "" : ", ") + type.str();
    }
    text +=
        "dist.call @k" + std::to_string(i) + "(" + names + ") {queue = 1 : i64} : " + types + "\n";
  }
  text += "dist.end\n}\n" + functions + "}";
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  mlir::PassManager passes(&context);
  buildGpuCode(passes);
  ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
  llvm::Expected<std::string> code = compilePtx(*module, arch, "");
  ASSERT_TRUE(bool(code)) << llvm::toString(code.takeError());
  absl::StatusOr<ptx::Module> loaded = ptx::parse(*code);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const auto *table =
      reinterpret_cast<const uint64_t *>(loaded->globals.at(kernels::kPtxTable).init.data());
  ASSERT_EQ(table[1], cases.size());
  size_t wrong = 0;
  for (auto [i, one] : llvm::enumerate(cases)) {
    const uint64_t *kernel = table + 4 + 4 * i, *launches = table + 4 + 4 * table[1] + 2 * table[2];
    Buffers buffers;
    std::vector<uint64_t> addresses;
    std::vector<void *> params;
    for (const std::vector<char> &operand : one.operands)
      buffers.add(operand);
    for (size_t j = 0; j < one.operands.size(); ++j)
      addresses.push_back(buffers.address(j));
    for (uint64_t &address : addresses)
      params.push_back(&address);
    ptx::Machine machine(buffers, i + 1);
    for (uint64_t launch = 0; launch < kernel[3]; ++launch) {
      const uint64_t *size = launches + 2 * (kernel[2] + launch);
      absl::Status status = machine.launch(
          loaded->functions.at("k" + std::to_string(i) + "_" + std::to_string(launch)),
          {uint32_t(size[0]), 1, 1}, {uint32_t(size[1]), 1, 1}, params.data());
      EXPECT_TRUE(status.ok() || wrong > 5) << one.what << ": " << status;
    }
    const std::vector<uint8_t> &out = buffers.content(one.operands.size() - 1);
    const bool same = std::memcmp(out.data(), one.expected.data(), one.expected.size()) == 0 &&
                      std::all_of(out.begin() + ptrdiff_t(one.expected.size()), out.end(),
                                  [](uint8_t byte) { return byte == Buffers::kPadding; });
    EXPECT_TRUE(same || ++wrong > 5) << one.what << " on " << arch << ", kernel " << i;
  }
  EXPECT_EQ(wrong, 0u) << "of " << cases.size();
}

TEST(SumOrder, IsTheSameOnAGpu) { expectOrderOnGpu(allCases(true), "sm_80"); }

TEST(SumOrder, IsTheContractsInEveryLayout) { expectOrder(allCases(true), "native"); }

TEST(SumOrder, IsTheSameOnOtherCpus) {
  std::vector<Case> cases = allCases(false);
  expectOrder(cases, "x86-64");
  if (base::hasCpuFeatures({"avx2", "fma"}))
    expectOrder(cases, "x86-64-v3");
}

TEST(SumOrder, IsThatOfBlocksAndWarps) {
  for (size_t n : {1, 10, 31, 33, 784, 1024, 1025, 50257, 1 << 20, (1 << 20) + 5}) {
    std::vector<float> items = numbers<float>(n, 3);
    float expected = sumOf<float>(items, -0.0f, plus<float>), given = sumOnGpu(items);
    EXPECT_EQ(std::memcmp(&expected, &given, 4), 0) << n;
  }
}

/// Other orders give other bits, or nothing above would be shown.
TEST(SumOrder, Matters) {
  std::vector<float> items = numbers<float>(3000, 3);
  float left = -0.0f;
  for (float item : items)
    left += item;
  EXPECT_NE(left, sumOf<float>(items, -0.0f, plus<float>));
}

} // namespace
} // namespace graphc
