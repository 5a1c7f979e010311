//===- JsonNumber.h - numbers that may be none, in JSON -----------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_OBSERVE_JSONNUMBER_H
#define GRAPHC_RUNTIME_OBSERVE_JSONNUMBER_H

#include <nlohmann/json.hpp>

#include <cmath>

namespace graphc::observe {

/// JSON has no NaN and no infinity; null says that there is a value and what it is not.
inline nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

} // namespace graphc::observe
#endif
