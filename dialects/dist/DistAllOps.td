// Root of the dist dialect's TableGen: one file a kind of operation.
#ifndef GRAPHC_DIST_TD
#define GRAPHC_DIST_TD

include "dialects/dist/DistOps.td"
include "dialects/dist/DistHostOps.td"
include "dialects/dist/DistBufferOps.td"

#endif // GRAPHC_DIST_TD
