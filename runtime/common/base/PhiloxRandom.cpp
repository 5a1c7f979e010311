#include "runtime/common/base/PhiloxRandom.h"

#include "runtime/common/base/NormalPair.h"

#include <cmath>
#include <cstring>

namespace graphc::base {

uint64_t streamOf(std::string_view name) {
  uint64_t h = 0xcbf29ce484222325;
  for (unsigned char c : name)
    h = (h ^ c) * 0x100000001b3;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd; // finalizer of MurmurHash3
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
  return h ^ (h >> 33);
}

namespace {

struct Doubles {
  using Real = double;

  static std::pair<double, double> split(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    const int exponent = int(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL;
    double mantissa;
    memcpy(&mantissa, &bits, 8);
    return {mantissa, double(exponent)};
  }
  static double truncate(double x) { return double(int(x)); }
  static double sqrt(double x) { return std::sqrt(x); }
  static double negate(double x) { return -x; }
  static bool isAbove(double x, double y) { return x > y; }
  static bool is(double x, double y) { return x == y; }
  static double select(bool condition, double a, double b) { return condition ? a : b; }
};

} // namespace

std::array<double, 2> normalPair(const PhiloxBlock &block) {
  Doubles machine;
  auto [first, second] = NormalPair<Doubles>{machine}.of(uniformDouble(block[0], block[1]),
                                                         uniformDouble(block[2], block[3]));
  return {first, second};
}

} // namespace graphc::base
