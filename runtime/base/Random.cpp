#include "runtime/base/Random.h"

#include <cmath>
#include <cstring>

// No contraction here: the bits of initial values are the same whatever the compiler makes of a*b+c.
#pragma STDC FP_CONTRACT OFF

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

// Natural logarithm of x in (0, 1]: x = m 2^e with m in [sqrt(1/2), sqrt(2)), log m = 2 atanh((m-1)/(m+1)). |error| < 2e-15.
double logarithm(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  int exponent = int(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL;
  double m;
  memcpy(&m, &bits, 8);
  if (m > 1.4142135623730951)
    m *= 0.5, ++exponent;
  double s = (m - 1) / (m + 1), z = s * s;
  double p = 0;
  for (int k = 21; k >= 1; k -= 2)
    p = p * z + 1.0 / k;
  return double(exponent) * 0.6931471805599453 + 2 * s * p;
}

// sin and cos of 2 pi t for t in [0, 1): reduced to an octant, Taylor there. |error| < 1e-15.
void sinCosTurn(double t, double &sine, double &cosine) {
  int quarter = int(t * 4 + 0.5); // nearest multiple of a quarter turn
  double x = (t - quarter * 0.25) * 6.283185307179586, z = x * x;
  double s = 0, c = 0;
  for (int k = 17; k >= 1; k -= 2)
    s = 1 - z / ((k + 1.0) * (k + 2.0)) * s;
  s *= x;
  for (int k = 16; k >= 0; k -= 2)
    c = 1 - z / ((k + 1.0) * (k + 2.0)) * c;
  switch (quarter & 3) {
  case 0:
    sine = s, cosine = c;
    break;
  case 1:
    sine = c, cosine = -s;
    break;
  case 2:
    sine = -s, cosine = -c;
    break;
  default:
    sine = -c, cosine = s;
    break;
  }
}

} // namespace

std::array<double, 2> normalPair(const PhiloxBlock &block) {
  double u = 1 - uniformDouble(block[0], block[1]); // (0, 1]
  double radius = std::sqrt(-2 * logarithm(u)), sine, cosine;
  sinCosTurn(uniformDouble(block[2], block[3]), sine, cosine);
  return {radius * cosine, radius * sine};
}

} // namespace graphc::base
