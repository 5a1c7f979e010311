// The step path of data allocates nothing: neither the lane that takes nor the thread that fills.
// Counted by this program's own operator new.
#include "runtime/data/BatchSource.h"
#include "test/runtime/CountAllocations.h"
#include "test/runtime/data/TestFiles.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::data;

namespace {

void takesWithoutAllocating(const plan::Dataset &set, const DatasetSearchPath &search) {
  auto opened = LoadedDataset::open(set, search);
  ASSERT_TRUE(opened.ok()) << opened.status();
  for (bool prefetch : {false, true})
    for (bool padLast : {false, true}) {
      auto source = BatchSource::create(
          *opened, {.batch = 7, .padLast = padLast, .classes = {0, 10}, .prefetch = prefetch});
      ASSERT_TRUE(source.ok()) << source.status();
      ASSERT_TRUE((*source)->start(0).ok());
      std::vector<float> x(7 * 12);
      std::vector<int32_t> y(7);
      std::vector<uint8_t> valid(7);
      void *buffers[] = {x.data(), y.data()};
      ASSERT_TRUE((*source)->take(buffers, valid.data()).ok()); // the thread has begun
      bool fine = true;
      allocations = 0;
      countAllocations = true;
      for (int i = 0; i < 500; ++i) // several epochs: permutations change as well
        fine &= (*source)->take(buffers, valid.data()).ok();
      countAllocations = false;
      EXPECT_TRUE(fine);
      EXPECT_EQ(allocations, 0u) << "prefetch " << prefetch << ", pad_last " << padLast;
    }
}

plan::Dataset twoComponents() {
  plan::Dataset set;
  set.set_name("s");
  set.set_shuffle(true);
  plan::TensorType *x = set.add_components()->mutable_sample();
  x->set_dtype(plan::F32);
  x->add_shape(12);
  set.add_components()->mutable_sample()->set_dtype(plan::I32);
  return set;
}

TEST(DataAllocation, TheCounterCounts) {
  allocations = 0;
  countAllocations = true;
  std::vector<int> *volatile some = new std::vector<int>(10);
  countAllocations = false;
  delete some;
  EXPECT_EQ(allocations, 2u);
}

TEST(DataAllocation, SyntheticBatchesAllocateNothing) {
  plan::Dataset set = twoComponents();
  set.mutable_synthetic()->set_samples(100);
  set.mutable_synthetic()->add_limits(0);
  set.mutable_synthetic()->add_limits(10);
  takesWithoutAllocating(set, {});
}

TEST(DataAllocation, BatchesFromFilesAllocateNothing) {
  TemporaryFolder folder;
  folder.write("x", idxHeader(8, {100, 12}) + std::string(1200, 'a'));
  folder.write("y", gzip(idxHeader(8, {100}) + std::string(100, '\1')));
  plan::Dataset set = twoComponents();
  set.mutable_idx()->add_files("x");
  set.mutable_idx()->add_files("y");
  DatasetSearchPath search;
  search.planDir = folder.str();
  search.useCache = false;
  takesWithoutAllocating(set, search);
}

} // namespace
