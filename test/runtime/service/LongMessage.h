//===- LongMessage.h - one message that is too long, and what it costs the receiver -*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_SERVICE_LONGMESSAGE_H
#define GRAPHC_TEST_RUNTIME_SERVICE_LONGMESSAGE_H

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <string>
#include <vector>

namespace graphc::service {

inline constexpr size_t kLongMebibytes = 300;
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif
/// What a stream's memory may grow by, whatever its peer sends. A sanitizer keeps shadows of
/// memory, and freed memory for a while; a message that is held whole is still over this.
inline constexpr int64_t kMostGrowth = (kIsSanitized ? int64_t{200} : int64_t{32}) << 20;

/// A message of so many MiB that takes one MiB of memory.
inline grpc::ByteBuffer longMessage(size_t mebibytes = kLongMebibytes) {
  static const std::string bytes(1 << 20, 'x');
  const std::vector<grpc::Slice> slices(
      mebibytes, grpc::Slice(bytes.data(), bytes.size(), grpc::Slice::STATIC_SLICE));
  return {slices.data(), slices.size()};
}

/// By how many bytes the memory of this process grows while work() runs, at its peak.
inline int64_t peakGrowth(const std::function<void()> &work) {
  const auto kibibytes = [](const std::string &name) {
    std::ifstream file("/proc/self/status");
    std::string word;
    int64_t value = 0;
    while (file >> word && word != name) {
    }
    file >> value;
    return value;
  };
  std::ofstream("/proc/self/clear_refs") << "5"; // the peak is counted from here
  const int64_t before = kibibytes("VmRSS:");
  work();
  return (kibibytes("VmHWM:") - before) * 1024;
}

/// A call that writes one message. It reads nothing, and ends with the peer's status.
class LongCall final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
public:
  /// What becomes of it.
  static grpc::Status make(const std::shared_ptr<grpc::Channel> &channel, const std::string &method,
                           const std::map<std::string, std::string> &metadata,
                           grpc::ByteBuffer message) {
    grpc::GenericStub stub(channel);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    for (const auto &[key, value] : metadata)
      context.AddMetadata(key, value);
    LongCall call(std::move(message));
    stub.PrepareBidiStreamingCall(&context, method, {}, &call);
    call.StartWrite(&call.message_);
    call.StartCall();
    return call.ended_.get_future().get();
  }
  void OnDone(const grpc::Status &status) override { ended_.set_value(status); }

private:
  explicit LongCall(grpc::ByteBuffer message) : message_(std::move(message)) {}
  grpc::ByteBuffer message_;
  std::promise<grpc::Status> ended_;
};

} // namespace graphc::service
#endif
