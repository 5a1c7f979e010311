#include "dialects/graph/Rows.h"

#include "dialects/graph/Rows.cpp.inc"
