//===- MemoryRegion.h - aligned memory of the host, or a device's -------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DEVICE_MEMORYREGION_H
#define GRAPHC_RUNTIME_DEVICE_MEMORYREGION_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace graphc::device {

inline constexpr uint64_t alignment = 64; ///< of every buffer, offset and message

/// Anonymous zeroed pages, owned; optionally between two inaccessible guard pages. With guards the
/// last byte lies within 63 bytes of the guard behind (the start must stay 64-byte aligned), so
/// that an overrun of a vector faults.
class MemoryRegion {
public:
  MemoryRegion() = default;
  MemoryRegion(MemoryRegion &&other) noexcept { swap(other); }
  MemoryRegion &operator=(MemoryRegion &&other) noexcept {
    swap(other);
    return *this;
  }
  ~MemoryRegion();

  enum class Guard { None, Pages };
  /// Of 1.5 MiB or more huge pages of 2 MiB are asked for: without guards from the beginning, with
  /// up to 0.5 MiB more where the last would be mostly used; else those that end at the guard
  /// behind, of 2 MiB or more.
  /// `what` is for the message of an allocation that fails. 0 bytes: no memory, data() is null only
  /// without guards.
  static absl::StatusOr<MemoryRegion> allocate(uint64_t bytes, Guard guard, const char *what);

  /// Zeroed pages that other processes can map too: a memfd of which this is the only writable
  /// mapping. Its size is sealed, and so (from Linux 5.1 on) is that nobody else maps it writable.
  /// At least one byte.
  static absl::StatusOr<MemoryRegion> share(uint64_t bytes, const char *what);
  /// Pieces of memory that processes share, each whole pages, end to end and read-only: the same
  /// pages seen again, none copied.
  static absl::StatusOr<MemoryRegion> join(std::span<const std::span<const uint8_t>> pieces,
                                           const char *what);
  /// The memfd of shared memory, -1 of any other; valid as long as the memory.
  int descriptor() const { return memfd_; }

  /// What else a device keeps for its memory, until that is given back.
  class Backing {
  public:
    virtual ~Backing() = default;
  };
  /// Memory that a device has made, named by addresses from `start` on.
  static MemoryRegion of(uint8_t *start, uint64_t bytes, std::unique_ptr<Backing> backing) {
    MemoryRegion memory;
    memory.start_ = start;
    memory.bytes_ = bytes;
    memory.backing_ = std::move(backing);
    return memory;
  }

  /// Keeps that too, until just before the memory goes.
  void keep(std::unique_ptr<Backing> more) { backing_ = std::move(more); }

  uint8_t *data() const { return start_; }
  uint64_t size() const { return bytes_; }

private:
  void swap(MemoryRegion &other) {
    std::swap(base_, other.base_);
    std::swap(mapped_, other.mapped_);
    std::swap(start_, other.start_);
    std::swap(bytes_, other.bytes_);
    std::swap(memfd_, other.memfd_);
    std::swap(backing_, other.backing_);
  }
  void *base_ = nullptr;
  uint64_t mapped_ = 0;
  uint8_t *start_ = nullptr;
  uint64_t bytes_ = 0;
  int memfd_ = -1;
  std::unique_ptr<Backing> backing_;
};

} // namespace graphc::device
#endif
