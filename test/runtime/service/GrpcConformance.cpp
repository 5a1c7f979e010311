// The gRPC transport under the suite that every transport passes: both ends in one process, over a
// real server. Once as it is, and once as if all messages were large, so that each goes by
// whichever stream is free.
#include "test/runtime/service/GrpcPair.h"
#include "test/runtime/transport/Conformance.h"

namespace graphc::transport {
namespace {

struct GrpcPairLink final : Link {
  GrpcPairLink(const std::vector<ChannelSpec> &specs, uint64_t largeBytes)
      : pair(specs, {}, largeBytes) {}
  Transport &sending() override { return *pair.end[0]; }
  Transport &receiving() override { return *pair.end[1]; }
  service::GrpcPair pair;
};

template <uint64_t largeBytes>
absl::StatusOr<std::unique_ptr<Link>> makeGrpcLink(const std::vector<ChannelSpec> &specs) {
  auto link = std::make_unique<GrpcPairLink>(specs, largeBytes);
  if (absl::Status status = link->pair.connect(); !status.ok())
    return status;
  return link;
}

INSTANTIATE_TEST_SUITE_P(Grpc, Conformance,
                         testing::Values(Backend{"Grpc", makeGrpcLink<kLargeBytes>},
                                         Backend{"GrpcAllLarge", makeGrpcLink<0>}),
                         backendName);

} // namespace
} // namespace graphc::transport
