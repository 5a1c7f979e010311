// CIFAR-10's files, plain and compressed, as a data set opens them; every sample of those that it
// takes, drawn and not.
#include "runtime/data/LoadedDataset.h"

#include "absl/strings/str_cat.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace graphc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  base::UniqueFd fd(memfd_create("fuzz", MFD_CLOEXEC));
  if (!fd || !base::writeAll(fd.get(), data, size, "fuzz").ok())
    return 0;
  plan::Dataset set;
  set.set_name("fuzz");
  set.mutable_cifar10()->add_files(absl::StrCat("/proc/self/fd/", fd.get()));
  plan::Dataset::Component *image = set.add_components();
  image->mutable_sample()->set_dtype(plan::F32);
  for (int64_t dimension : {3, 32, 32})
    image->mutable_sample()->add_shape(dimension);
  image->mutable_crop()->set_padding(4);
  image->mutable_crop()->set_dimension(1);
  image->mutable_flip()->set_dimension(2);
  image->mutable_normalize()->add_mean(1);
  image->mutable_normalize()->add_stddev(2);
  set.add_components()->mutable_sample()->set_dtype(plan::I32);
  data::DatasetSearchPath search;
  search.useCache = false;
  search.cacheLimit = 1 << 22;
  auto opened = data::LoadedDataset::open(set, search);
  if (!opened.ok())
    return 0;
  std::vector<float> pixels(3072);
  int32_t label = 0;
  for (uint64_t i = 0; i < std::min<uint64_t>((*opened)->samples(), 64); ++i) {
    (*opened)->copySample(0, i, pixels.data(), i);
    (*opened)->copySample(0, i, pixels.data());
    (*opened)->copySample(1, i, &label);
  }
  (void)(*opened)->checkClasses(1, 10);
  return 0;
}
