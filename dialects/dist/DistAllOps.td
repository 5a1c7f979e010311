// Root of the dist dialect's TableGen: one file a kind of operation.
#ifndef GRAPHC_DIALECTS_DIST_DISTALLOPS_TD
#define GRAPHC_DIALECTS_DIST_DISTALLOPS_TD

include "dialects/dist/DistOps.td"
include "dialects/dist/DistHostOps.td"
include "dialects/dist/DistBufferOps.td"

#endif // GRAPHC_DIALECTS_DIST_DISTALLOPS_TD
