//===- MatmulKernel.cpp - products by libgraphc_onednn.so -------------------------------------===//

#include "runtime/kernels/MatmulKernel.h"

#include "runtime/common/base/Mutex.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/kernels/AmxMatmul.h"
#include "runtime/kernels/DirectMatmul.h"
#include "runtime/kernels/LibraryKernel.h"
#include "runtime/kernels/MatmulBlocks.h"
#include "runtime/kernels/NarrowMatmul.h"
#include "runtime/kernels/OnednnLoader.h"
#include "runtime/kernels/PackedMatmul.h"

#include "absl/strings/str_cat.h"

#include <cstring>
#include <map>

namespace graphc::kernels {
namespace {

/// The library's kernel of one descriptor.
class Product {
public:
  Product() = default;
  Product &operator=(Product &&other) noexcept {
    std::swap(api_, other.api_);
    std::swap(kernel_, other.kernel_);
    std::swap(scratch_, other.scratch_);
    return *this;
  }
  Product(Product &&other) noexcept { *this = std::move(other); }
  ~Product() {
    if (kernel_)
      api_->destroy(kernel_);
  }
  static absl::StatusOr<Product> make(const GraphcOnednnApi *api, const GraphcMatmulDesc &desc) {
    Product made;
    made.api_ = api;
    char message[256] = "";
    if (api->create(&desc, &made.kernel_, &made.scratch_, message, sizeof message) != 0)
      return absl::InternalError(message);
    made.scratch_ = (made.scratch_ + 63) / 64 * 64;
    return made;
  }
  int run(void *const *buffers) const { return api_->run(kernel_, buffers); }
  uint64_t scratchBytes() const { return scratch_; }
  std::string algorithm() const {
    return absl::StrCat(kCpuAlgorithm, api_->implementation(kernel_));
  }

private:
  const GraphcOnednnApi *api_ = nullptr;
  void *kernel_ = nullptr;
  uint64_t scratch_ = 0;
};

/// A product in blocks: one kernel, one copy of its rows of a, where that is transposed, and one
/// scratch memory each.
class BlockedMatmul {
public:
  explicit BlockedMatmul(const MatmulDesc &desc) : desc_(desc) {}

  absl::Status make(const GraphcOnednnApi *api, std::vector<MatmulBlock> wanted) {
    uint64_t bytes = 0;
    blocks_ = std::move(wanted);
    for (const MatmulBlock &block : blocks_) {
      GRAPHC_ASSIGN_OR_RETURN(Product product, Product::make(api, block.desc));
      copies_.push_back(bytes);
      bytes += copiesRows() ? uint64_t(block.desc.m * desc_.k * 4 + 63) / 64 * 64 : 0;
      scratches_.push_back(bytes);
      bytes += product.scratchBytes();
      products_.push_back(std::move(product));
    }
    memory_ = std::make_unique<Bytes>(bytes);
    return absl::OkStatus();
  }

  uint32_t count() const { return uint32_t(blocks_.size()); }

  /// On buffers as LibraryKernel's; without a pool one block after the other.
  int run(void *const *buffers, ThreadPool *pool) const {
    return runParts(pool, count(), [&](uint32_t index) { return runBlock(index, buffers); });
  }

private:
  bool copiesRows() const { return desc_.transposeA && desc_.batch == 1; }

  int runBlock(uint32_t index, void *const *buffers) const {
    const MatmulBlock &block = blocks_[index];
    const int64_t rows = block.desc.m, matrix = desc_.batch == 1 ? 0 : block.first;
    const auto *a =
        static_cast<const float *>(buffers[0]) +
        (matrix ? matrix * desc_.m * desc_.k : block.first * (desc_.transposeA ? 1 : desc_.k));
    auto *b = static_cast<float *>(buffers[1]) + matrix * desc_.k * desc_.n;
    if (copiesRows()) {
      auto *copy = reinterpret_cast<float *>(memory_->data + copies_[index]);
      for (int64_t l = 0; l < desc_.k; ++l)
        memcpy(copy + l * rows, a + l * desc_.m, size_t(rows) * 4);
      a = copy;
    }
    const int c = desc_.bias ? 3 : 2;
    void *own[5] = {const_cast<float *>(a), b, buffers[2]};
    own[c] =
        static_cast<float *>(buffers[c]) + block.first * desc_.n * (desc_.batch == 1 ? 1 : desc_.m);
    own[c + 1] = memory_->data + scratches_[index];
    return products_[index].run(own);
  }

  const MatmulDesc desc_;
  std::vector<MatmulBlock> blocks_;
  std::vector<Product> products_; // one a block
  std::vector<uint64_t> copies_, scratches_; // where they begin in `memory_`
  std::unique_ptr<Bytes> memory_;
};

/// Whether blocks give the bits of the whole, found by trying: the order in which a kernel adds
/// does not depend on the numbers. They do where the library's choice for a block sums in the same
/// pieces of k; it did in all that was tried, but it promises nothing.
bool giveTheSame(const MatmulDesc &d, const Product &whole, const BlockedMatmul &blocked) {
  const uint64_t result = uint64_t(d.batch * d.m * d.n);
  const uint64_t sizes[] = {uint64_t(d.batch * d.m * d.k), uint64_t(d.batch * d.k * d.n),
                            uint64_t(d.n), result, result};
  std::vector<std::unique_ptr<Bytes>> memory;
  uint32_t state = 2463534242;
  for (uint64_t size : sizes) {
    memory.push_back(std::make_unique<Bytes>(size * 4));
    auto *values = reinterpret_cast<float *>(memory.back()->data);
    for (uint64_t i = 0; i < size; ++i) {
      state ^= state << 13, state ^= state >> 17, state ^= state << 5;
      values[i] = float(state) / 2147483648.0f - 1;
    }
  }
  Bytes scratch(whole.scratchBytes());
  auto buffers = [&](int c) {
    std::vector<void *> list = {memory[0]->data, memory[1]->data};
    if (d.bias)
      list.push_back(memory[2]->data);
    list.push_back(memory[size_t(c)]->data);
    list.push_back(scratch.data);
    return list;
  };
  return whole.run(buffers(3).data()) == 0 && blocked.run(buffers(4).data(), nullptr) == 0 &&
         memcmp(memory[3]->data, memory[4]->data, size_t(sizes[3]) * 4) == 0;
}

/// Once a process, product and number of blocks.
bool areKnownToGiveTheSame(const MatmulDesc &d, const Product &whole,
                           const BlockedMatmul &blocked) {
  static base::Mutex mutex;
  static std::map<std::string, bool> known ABSL_GUARDED_BY(mutex);
  base::MutexLock lock(mutex);
  auto [found, isNew] = known.try_emplace(absl::StrCat(describe(d), " in ", blocked.count()));
  if (isNew)
    found->second = giveTheSame(d, whole, blocked);
  return found->second;
}

/// Who makes a product here.
enum class Way { Narrow, MatrixUnit, Direct, Packed, Library };
Way wayOf(const MatmulDesc &d) {
  if (isNarrow(d))
    return Way::Narrow;
  if (isForMatrixUnit(d) && hasMatrixUnit())
    return Way::MatrixUnit;
  return isDirect(d) ? Way::Direct : isPacked(d) ? Way::Packed : Way::Library;
}

class OnednnMatmul final : public LibraryKernel {
public:
  static absl::StatusOr<std::unique_ptr<OnednnMatmul>> make(const MatmulDesc &desc,
                                                            ThreadPool *pool) {
    if (!onednn().ok())
      return onednn().status();
    if (desc.type != MatmulType::F32 || desc.m <= 0 || desc.n <= 0 || desc.k <= 0 ||
        desc.batch <= 0)
      return absl::InvalidArgumentError(
          absl::StrCat(describe(desc), ": the library has no such kernel"));
    std::unique_ptr<OnednnMatmul> made(new OnednnMatmul);
    GRAPHC_RETURN_IF_ERROR(base::annotate(made->create(desc, pool), describe(desc)));
    return made;
  }

  uint64_t scratchBytes() const { return whole_.scratchBytes(); }
  std::string algorithm() const override { return whole_.algorithm(); }
  uint32_t parts() const override { return blocked_ ? blocked_->count() : 1; }
  int run(void *const *buffers) override {
    return blocked_ ? blocked_->run(buffers, pool_) : whole_.run(buffers);
  }

private:
  absl::Status create(const MatmulDesc &desc, ThreadPool *with) {
    GRAPHC_ASSIGN_OR_RETURN(whole_, Product::make(*onednn(), wholeOf(desc)));
    std::vector<MatmulBlock> blocks = blocksOf(desc, with ? with->threads() : 1);
    if (blocks.empty())
      return absl::OkStatus();
    // Of a large batch a smaller one is tried: what it is tried on is memory beside the plan's.
    MatmulDesc few = desc;
    few.batch = std::min(desc.batch, 2 * int64_t(blocks.size()));
    auto made = std::make_unique<BlockedMatmul>(desc);
    GRAPHC_RETURN_IF_ERROR(made->make(*onednn(), std::move(blocks)));
    if (few.batch == desc.batch) {
      if (!areKnownToGiveTheSame(desc, whole_, *made))
        return absl::OkStatus();
    } else {
      GRAPHC_ASSIGN_OR_RETURN(Product wholeOfFew, Product::make(*onednn(), wholeOf(few)));
      BlockedMatmul fewBlocked(few);
      GRAPHC_RETURN_IF_ERROR(fewBlocked.make(*onednn(), shareBatch(few, made->count())));
      if (!areKnownToGiveTheSame(few, wholeOfFew, fewBlocked))
        return absl::OkStatus();
    }
    blocked_ = std::move(made);
    pool_ = with;
    pool_->start();
    return absl::OkStatus();
  }

  Product whole_;
  std::unique_ptr<BlockedMatmul> blocked_; // null: one thread runs the whole
  ThreadPool *pool_ = nullptr;
};

} // namespace

std::string describe(const MatmulDesc &d) {
  return absl::StrCat("matmul f32 ", d.batch == 1 ? "" : absl::StrCat(d.batch, "x"), d.m, "x", d.n,
                      "x", d.k, d.transposeA ? " transpose_a" : "",
                      d.transposeB ? " transpose_b" : "",
                      d.precision == MatmulPrecision::Tf32   ? " tf32"
                      : d.precision == MatmulPrecision::Bf16 ? " bf16"
                                                             : "",
                      d.bias ? " +bias" : "", d.relu ? " +relu" : "");
}

absl::StatusOr<uint64_t> matmulScratchBytes(const MatmulDesc &desc) {
  if (isNarrow(desc))
    return 0;
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<OnednnMatmul> kernel, OnednnMatmul::make(desc, nullptr));
  // The plan may run on a CPU with a matrix unit, and be made on one without.
  return std::max(kernel->scratchBytes(), isForMatrixUnit(desc) ? tileMatmulScratchBytes(desc) : 0);
}

uint32_t matmulParts(const MatmulDesc &desc, uint32_t threads) {
  switch (wayOf(desc)) {
  case Way::Narrow:
    return narrowParts(desc, threads);
  case Way::Direct:
    return directParts(desc, threads);
  case Way::Packed:
    return packedParts(desc, threads);
  case Way::MatrixUnit: // about as many
  case Way::Library:
    break;
  }
  return uint32_t(std::max<size_t>(1, blocksOf(desc, threads).size()));
}

absl::StatusOr<std::unique_ptr<LibraryKernel>> makeMatmul(const MatmulDesc &desc,
                                                          uint64_t scratchBytes, ThreadPool *pool) {
  switch (wayOf(desc)) {
  case Way::Narrow:
    return makeNarrowMatmul(desc, pool);
  case Way::MatrixUnit:
    GRAPHC_RETURN_IF_ERROR(
        checkScratch(describe(desc), tileMatmulScratchBytes(desc), scratchBytes));
    return makeTileMatmul(desc, pool);
  case Way::Direct:
    return makeDirectMatmul(desc, pool);
  case Way::Packed:
    return makePackedMatmul(desc, pool);
  case Way::Library:
    break;
  }
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<OnednnMatmul> kernel, OnednnMatmul::make(desc, pool));
  GRAPHC_RETURN_IF_ERROR(checkScratch(describe(desc), kernel->scratchBytes(), scratchBytes));
  return kernel;
}

} // namespace graphc::kernels
