#include "runtime/executor/VariableStore.h"

#include "runtime/common/base/Crc32c.h"
#include "runtime/common/base/PhiloxRandom.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/device/Device.h"

#include "absl/strings/str_cat.h"

#include <cmath>
#include <cstring>
#include <map>

#pragma STDC FP_CONTRACT OFF

namespace graphc::executor {
namespace {

/// Calls `block(number, begin, end, to)` for each block of `width` elements that has some of
/// [first, first + count): those from `begin` to `end` in it, which go to `to` and on.
template <typename BlockFn>
void forBlocks(uint64_t first, uint64_t count, uint64_t width, BlockFn block) {
  for (uint64_t at = first; at < first + count;) {
    uint64_t begin = at % width, end = std::min(width, begin + (first + count - at));
    block(at / width, begin, end, at - first);
    at += end - begin;
  }
}

/// Element i of f32 takes word i of the stream, of f64 words 2i and 2i+1. `first`: the element that
/// `out` begins with.
void fillUniform(const plan::Initializer::Uniform &init, const base::PhiloxGenerator &philox,
                 float *out, uint64_t first, uint64_t count) {
  double low = init.low(), range = init.high() - init.low();
  forBlocks(first, count, 4, [&](uint64_t number, uint64_t begin, uint64_t end, uint64_t to) {
    base::PhiloxBlock block = philox.block(number);
    for (uint64_t j = begin; j < end; ++j)
      out[to++] = float(low + range * double(base::uniformFloat(block[j])));
  });
}
void fillUniform(const plan::Initializer::Uniform &init, const base::PhiloxGenerator &philox,
                 double *out, uint64_t first, uint64_t count) {
  double low = init.low(), range = init.high() - init.low();
  forBlocks(first, count, 2, [&](uint64_t number, uint64_t begin, uint64_t end, uint64_t to) {
    base::PhiloxBlock block = philox.block(number);
    for (uint64_t j = begin; j < end; ++j)
      out[to++] = low + range * base::uniformDouble(block[2 * j], block[2 * j + 1]);
  });
}

/// Elements 2i and 2i+1 take block i. A truncated normal draws again outside two deviations, from
/// block i of the next attempt (the counter's upper bits), so that no element depends on how often
/// another was drawn.
template <typename T>
void fillNormal(const plan::Initializer::Normal &init, const base::PhiloxGenerator &philox, T *out,
                uint64_t first, uint64_t count) {
  forBlocks(first, count, 2, [&](uint64_t number, uint64_t begin, uint64_t end, uint64_t to) {
    std::array<double, 2> pair = base::normalPair(philox.block(number));
    for (uint64_t j = begin; j < end; ++j) {
      double z = pair[j];
      for (uint64_t attempt = 1; init.truncated() && std::fabs(z) > 2 && attempt < 256; ++attempt)
        z = base::normalPair(philox.block(number | attempt << 56))[j];
      out[to++] = T(init.mean() + init.stddev() * z);
    }
  });
}

template <typename T> void fillRandom(const plan::Variable &variable, std::span<uint8_t> data) {
  const plan::Initializer &init = variable.initializer();
  uint64_t seed = init.has_uniform() ? init.uniform().seed() : init.normal().seed();
  base::PhiloxGenerator philox(seed, base::streamOf(variable.drawn_as().empty()
                                                        ? plan::modelName(variable)
                                                        : variable.drawn_as()));
  T *out = reinterpret_cast<T *>(data.data());
  uint64_t first = plan::modelOffset(variable) / sizeof(T), count = data.size() / sizeof(T);
  if (init.has_uniform())
    fillUniform(init.uniform(), philox, out, first, count);
  else
    fillNormal(init.normal(), philox, out, first, count);
}

} // namespace

void initializeVariable(const plan::Variable &variable, std::span<uint8_t> data) {
  const plan::Initializer &init = variable.initializer();
  if (data.empty())
    return;
  if (init.has_value()) {
    size_t piece = std::min(init.value().size(), data.size());
    for (size_t at = 0; at + piece <= data.size() && piece; at += piece)
      memcpy(data.data() + at, init.value().data(), piece);
  } else if (init.has_uniform() || init.has_normal()) {
    if (variable.type().dtype() == plan::F64)
      fillRandom<double>(variable, data);
    else
      fillRandom<float>(variable, data);
  } else {
    memset(data.data(), 0, data.size());
  }
}

/// What peers read in place lies in the task's zero-copy memory. A variable on a device with memory
/// of its own has a copy on the host besides, for files and initial values.
absl::StatusOr<std::unique_ptr<VariableStore>> VariableStore::create(const plan::Plan &plan,
                                                                     const plan::Task &task) {
  auto store = std::make_unique<VariableStore>();
  store->plan_ = &plan;
  store->entries_.resize(size_t(plan.variables_size()));
  GRAPHC_ASSIGN_OR_RETURN(store->zeroCopyMemory_, ZeroCopySource::create(plan, task));
  for (int i = 0; i < plan.variables_size(); ++i) {
    const plan::Variable &variable = plan.variables(i);
    if (!plan::stores(plan, variable, task))
      continue;
    if (plan::sameTask(variable.owner(), task))
      store->owners_.push_back(uint32_t(i));
    auto entry = std::make_unique<Entry>();
    entry->bytes = plan::tensorBytes(variable.type()).value_or(0);
    entry->data = store->zeroCopyMemory_.variable(uint32_t(i));
    if (!entry->data) {
      std::string what = absl::StrCat("variable ", variable.name());
      GRAPHC_ASSIGN_OR_RETURN(device::Device * device, device::find(variable.device()));
      GRAPHC_ASSIGN_OR_RETURN(entry->memory,
                              device->allocate(entry->bytes, device::MemorySpace::Device,
                                               device::MemoryRegion::Guard::None, what.c_str()));
      entry->data = entry->memory.data();
      if (device->limits().ownMemory) {
        entry->device = device;
        GRAPHC_ASSIGN_OR_RETURN(entry->staging,
                                device->allocate(entry->bytes, device::MemorySpace::Host,
                                                 device::MemoryRegion::Guard::None, what.c_str()));
        entry->data = entry->staging.data();
      }
    }
    entry->address = entry->device ? entry->memory.data() : entry->data;
    store->entries_[size_t(i)] = std::move(entry);
    store->indices_.push_back(uint32_t(i));
  }
  return store;
}

void VariableStore::initialize() {
  for (uint32_t index : indices_)
    initializeVariable(plan_->variables(int(index)), data(index));
}

absl::Status VariableStore::copyDevices(bool to) const {
  std::map<device::Device *, std::vector<device::CopyPiece>> pieces;
  for (uint32_t index : indices_)
    if (const Entry &entry = *entries_[index]; entry.device)
      pieces[entry.device].push_back(
          to ? device::CopyPiece{entry.address, entry.data, entry.bytes}
             : device::CopyPiece{entry.data, entry.address, entry.bytes});
  for (const auto &[device, copies] : pieces)
    GRAPHC_RETURN_IF_ERROR(base::annotate(device::copyAll(*device, copies), device->name()));
  return absl::OkStatus();
}

absl::Status VariableStore::toDevices() const { return copyDevices(true); }
absl::Status VariableStore::fromDevices() const { return copyDevices(false); }

std::optional<uint32_t> VariableStore::mirrorsCrc() const {
  std::optional<uint32_t> crc;
  for (uint32_t index : indices_)
    if (plan_->variables(int(index)).mirrored())
      crc = base::crc32c(crc.value_or(0), data(index).data(), data(index).size());
  return crc;
}

int64_t *VariableStore::globalStep() {
  for (uint32_t index : indices_)
    if (plan_->variables(int(index)).global_step())
      return reinterpret_cast<int64_t *>(data(index).data());
  return nullptr;
}

} // namespace graphc::executor
