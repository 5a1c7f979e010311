// The gRPC transport under the suite that every transport passes: both ends in one process, over a real server.
#include "test/runtime/service/GrpcPair.h"
#include "test/runtime/transport/Conformance.h"

namespace graphc::transport {
namespace {

struct GrpcPairLink final : Link {
  explicit GrpcPairLink(const std::vector<ChannelSpec> &specs) : pair(specs) {}
  Transport &sending() override { return *pair.end[0]; }
  Transport &receiving() override { return *pair.end[1]; }
  service::GrpcPair pair;
};

absl::StatusOr<std::unique_ptr<Link>> makeGrpcLink(const std::vector<ChannelSpec> &specs) {
  auto link = std::make_unique<GrpcPairLink>(specs);
  if (absl::Status status = link->pair.connect(); !status.ok())
    return status;
  return link;
}

INSTANTIATE_TEST_SUITE_P(Grpc, Conformance, testing::Values(Backend{"Grpc", makeGrpcLink}), backendName);

} // namespace
} // namespace graphc::transport
