//===- DeviceKinds.h - the kinds of devices that there are --------------------------*- C++ -*-===//
//
// The one table: what names of devices may say, for what graphc has code, and which kind is the
// host's own. Nothing else names a kind (tools/lint.sh looks). graphrun finds who runs a kind in
// its registry (Device.h).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_DEVICE_DEVICEKINDS_H
#define GRAPHC_RUNTIME_COMMON_DEVICE_DEVICEKINDS_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace graphc::device {

/// What graphc compiles for a kind.
enum class CodeFormat : uint8_t {
  None,
  Native, ///< a shared object for the host's CPU
  Ptx,
};

struct DeviceKind {
  std::string_view name; ///< as in names of devices, in capitals
  CodeFormat code;
  bool hasCode() const { return code != CodeFormat::None; }
  /// the host does not touch its memory: programs on it have queues, copies and waits
  bool ownMemory = false;
  /// Places of memory that a thread's innermost loop may name one by one. With more their addresses
  /// and elements want more registers than a thread of the kind has.
  int64_t places = 8;
};

std::span<const DeviceKind> kinds();
/// One kind more, of a test's device: before anything is asked, in graphc and in graphrun.
/// `kind.name` must live as long.
void addKind(const DeviceKind &kind);
/// Null where there is none of that name, in whatever case.
const DeviceKind *findKind(std::string_view name);
/// Whether code of that kind is PTX; false of none.
bool runsPtx(std::string_view kind);
/// Whether memory of that kind is its own (DeviceKind::ownMemory); false of none.
bool hasOwnMemory(std::string_view kind);
/// DeviceKind::places, of none the fewest.
int64_t placesOf(std::string_view kind);
/// The kind whose code is PTX, which --num_gpus and soft placement are about.
const DeviceKind &gpuKind();
/// The kind in a device's name within its task: "CPU" of "CPU:0". All of it where there is no
/// colon.
constexpr std::string_view kindOf(std::string_view device) {
  return device.substr(0, device.find(':'));
}
/// The kind whose memory the host's threads use. Each task has one device of it where nothing else
/// is said.
const DeviceKind &hostKind();
/// Its first device, as plans and cluster.json write it: the kind, a colon, 0.
std::string hostDevice();
/// The table's names with `word` before the last: "A, B and C".
std::string listKinds(std::string_view word);
/// The kinds that graphc compiles for, in the plural: "As and Bs".
std::string listCompiledKinds();

} // namespace graphc::device
#endif
