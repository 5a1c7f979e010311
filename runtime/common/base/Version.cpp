#include "runtime/common/base/Version.h"

namespace graphc::base {

const char *version() { return GRAPHC_VERSION; }

} // namespace graphc::base
