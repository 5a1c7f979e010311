#include "test/cuda/PtxValues.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace graphc::ptx {

bool isFloat(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F32 || type == Type::F64;
}
bool isSigned(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 || type == Type::S64;
}
uint32_t bitsOf(Type type) { return sizeOf(type) * 8; }
uint64_t lowBits(uint32_t bits) { return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }
uint64_t maskOf(Type type) { return lowBits(bitsOf(type)); }

/// A register's bits as a number of the type.
int64_t asSigned(uint64_t bits, Type type) {
  const uint32_t shift = 64 - bitsOf(type);
  return int64_t(bits << shift) >> shift;
}
uint64_t asUnsigned(uint64_t bits, Type type) { return bits & maskOf(type); }

static float halfToFloat(uint16_t bits) { return float(std::bit_cast<_Float16>(bits)); }
static double toDouble(uint64_t bits, Type type) {
  switch (type) {
  case Type::F64:
    return std::bit_cast<double>(bits);
  case Type::F16:
    return halfToFloat(uint16_t(bits));
  case Type::BF16:
    return std::bit_cast<float>(uint32_t(bits) << 16);
  default:
    return std::bit_cast<float>(uint32_t(bits));
  }
}

/// Single-precision instructions make the canonical NaN, 0x7fffffff; double precision keeps
/// payloads.
static uint64_t ofFloat(float value) {
  return std::isnan(value) ? 0x7fffffffu : std::bit_cast<uint32_t>(value);
}
static uint64_t ofDouble(double value) { return std::bit_cast<uint64_t>(value); }
static uint64_t ofHalf(double value) {
  return std::isnan(value) ? 0x7fffu : std::bit_cast<uint16_t>(_Float16(value));
}
static uint64_t ofBrain(double value) {
  if (std::isnan(value))
    return 0x7fffu;
  // From a float that was rounded to odd, so that rounding twice is rounding once.
  float narrow = float(value);
  if (double(narrow) != value && !(std::bit_cast<uint32_t>(narrow) & 1))
    narrow = std::nextafter(narrow, double(narrow) < value ? INFINITY : -INFINITY);
  const uint32_t bits = std::bit_cast<uint32_t>(narrow);
  return (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
}
static uint64_t ofNumber(double value, Type type) {
  switch (type) {
  case Type::F64:
    return ofDouble(value);
  case Type::F16:
    return ofHalf(value);
  case Type::BF16:
    return ofBrain(value);
  default:
    return ofFloat(float(value));
  }
}

/// Of the two the larger one (or smaller): +0 above -0, a NaN only where `propagates` or both are.
template <typename T> static T extreme(T a, T b, bool larger, bool propagates) {
  if (std::isnan(a) || std::isnan(b)) {
    if (propagates || (std::isnan(a) && std::isnan(b)))
      return std::numeric_limits<T>::quiet_NaN();
    return std::isnan(a) ? b : a;
  }
  if (a == b)
    return std::signbit(a) == larger ? b : a;
  return (a > b) == larger ? a : b;
}

/// To a whole number as the modifier says; as it is where none does.
static double rounded(double value, const Instruction &in) {
  return in.has(Modifier::Rmi)   ? std::floor(value)
         : in.has(Modifier::Rpi) ? std::ceil(value)
         : in.has(Modifier::Rni) ? std::nearbyint(value)
         : in.has(Modifier::Rzi) ? std::trunc(value)
                                 : value;
}

/// Rounded to an integer as the modifier says, and clamped to the type. A NaN is 0 between types of
/// at most 32 bits, else the highest bit alone.
static uint64_t toInteger(double value, Type type, const Instruction &instruction) {
  const int bits = int(bitsOf(type));
  if (std::isnan(value))
    return instruction.from == Type::F64 || bits == 64 ? uint64_t(1) << (bits - 1) : 0;
  value = std::trunc(rounded(value, instruction));
  if (isSigned(type)) {
    const double limit = std::ldexp(1.0, bits - 1);
    if (value >= limit)
      return maskOf(type) >> 1;
    if (value < -limit)
      return uint64_t(1) << (bits - 1);
    return uint64_t(int64_t(value)) & maskOf(type);
  }
  if (value >= std::ldexp(1.0, bits))
    return maskOf(type);
  return value <= 0 ? 0 : uint64_t(value);
}

bool compare(const Instruction &in, uint64_t a, uint64_t b) {
  auto ordered = [&](auto x, auto y) {
    if (in.has(Modifier::Eq) || in.has(Modifier::Equ))
      return x == y;
    if (in.has(Modifier::Ne) || in.has(Modifier::Neu))
      return x != y;
    if (in.has(Modifier::Lt) || in.has(Modifier::Lo) || in.has(Modifier::Ltu))
      return x < y;
    if (in.has(Modifier::Le) || in.has(Modifier::Ls) || in.has(Modifier::Leu))
      return x <= y;
    if (in.has(Modifier::Gt) || in.has(Modifier::Hi) || in.has(Modifier::Gtu))
      return x > y;
    return x >= y;
  };
  if (isFloat(in.type)) {
    const double x = toDouble(a, in.type), y = toDouble(b, in.type);
    if (in.has(Modifier::Num) || in.has(Modifier::Nan))
      return (std::isnan(x) || std::isnan(y)) == in.has(Modifier::Nan);
    if (std::isnan(x) || std::isnan(y)) {
      constexpr Modifier kUnordered[] = {Modifier::Equ, Modifier::Neu, Modifier::Ltu,
                                         Modifier::Leu, Modifier::Gtu, Modifier::Geu};
      return std::any_of(std::begin(kUnordered), std::end(kUnordered),
                         [&](Modifier each) { return in.has(each); });
    }
    return ordered(x, y);
  }
  if (isSigned(in.type))
    return ordered(asSigned(a, in.type), asSigned(b, in.type));
  return ordered(asUnsigned(a, in.type), asUnsigned(b, in.type));
}

uint64_t floatOp(const Instruction &in, uint64_t a, uint64_t b, uint64_t c) {
  auto of = [&](auto x, auto y, auto z) {
    switch (in.code) {
    case Code::Add:
      return x + y;
    case Code::Sub:
      return x - y;
    case Code::Mul:
      return x * y;
    case Code::Div:
      return x / y;
    case Code::Fma:
    case Code::Mad:
      return std::fma(x, y, z);
    case Code::Sqrt:
      return std::sqrt(x);
    case Code::Rcp:
      return decltype(x)(1) / x;
    case Code::Max:
      return extreme(x, y, true, in.has(Modifier::PropagateNan));
    default:
      return extreme(x, y, false, in.has(Modifier::PropagateNan));
    }
  };
  if (in.type == Type::F32)
    return ofFloat(of(std::bit_cast<float>(uint32_t(a)), std::bit_cast<float>(uint32_t(b)),
                      std::bit_cast<float>(uint32_t(c))));
  // One operation on halves in double precision, rounded once.
  return ofNumber(of(toDouble(a, in.type), toDouble(b, in.type), toDouble(c, in.type)), in.type);
}

uint64_t integerOp(const Instruction &in, uint64_t a, uint64_t b, uint64_t c, bool &bad) {
  const Type type = in.type;
  const bool isSignedType = isSigned(type);
  const uint64_t ua = asUnsigned(a, type), ub = asUnsigned(b, type);
  const int64_t sa = asSigned(a, type), sb = asSigned(b, type);
  const uint32_t bits = bitsOf(type);
  switch (in.code) {
  case Code::Add:
    return a + b;
  case Code::Sub:
    return a - b;
  case Code::Mul:
  case Code::Mad: {
    const unsigned __int128 product = isSignedType
                                          ? static_cast<unsigned __int128>(__int128(sa) * sb)
                                          : static_cast<unsigned __int128>(ua) * ub;
    uint64_t part = uint64_t(in.has(Modifier::Hi) ? product >> bits : product);
    return in.code == Code::Mad ? part + c : part;
  }
  case Code::Div:
  case Code::Rem:
    if (ub == 0 || (isSignedType && sb == -1 && ua == uint64_t(1) << (bits - 1))) {
      bad = true; // what the machine gives is not said
      return 0;
    }
    if (isSignedType)
      return uint64_t(in.code == Code::Div ? sa / sb : sa % sb);
    return in.code == Code::Div ? ua / ub : ua % ub;
  case Code::Max:
    return isSignedType ? uint64_t(std::max(sa, sb)) : std::max(ua, ub);
  case Code::Min:
    return isSignedType ? uint64_t(std::min(sa, sb)) : std::min(ua, ub);
  case Code::And:
    return a & b;
  case Code::Or:
    return a | b;
  case Code::Xor:
    return a ^ b;
  case Code::Shl:
    return uint32_t(b) >= bits ? 0 : ua << uint32_t(b);
  case Code::Shr:
    if (isSignedType)
      return uint64_t(sa >> std::min<uint32_t>(uint32_t(b), bits - 1));
    return uint32_t(b) >= bits ? 0 : ua >> uint32_t(b);
  case Code::Not:
    return in.type == Type::Pred ? !a : ~a;
  case Code::Neg:
    return 0 - a;
  case Code::Abs:
    return uint64_t(sa < 0 ? 0 - uint64_t(sa) : uint64_t(sa));
  case Code::Popc:
    return uint64_t(std::popcount(ua));
  case Code::Clz:
    return uint64_t(std::countl_zero(ua)) - (64 - bits);
  case Code::Brev: {
    uint64_t out = 0;
    for (uint32_t i = 0; i < bits; ++i)
      out |= (ua >> i & 1) << (bits - 1 - i);
    return out;
  }
  case Code::Bfe: {
    const uint32_t position = uint32_t(b) & 255, length = uint32_t(c) & 255;
    uint64_t out = 0;
    const uint64_t sign =
        isSignedType && length ? ua >> std::min(position + length - 1, bits - 1) & 1 : 0;
    for (uint32_t i = 0; i < bits; ++i)
      out |= (i < length && position + i < bits ? ua >> (position + i) & 1 : sign) << i;
    return out;
  }
  case Code::Shf: { // the 64 bits {b, a}
    const uint64_t both = uint64_t(uint32_t(b)) << 32 | uint32_t(a);
    const uint32_t n =
        in.has(Modifier::Clamp) ? std::min<uint32_t>(uint32_t(c), 32) : uint32_t(c) & 31;
    return in.has(Modifier::L) ? uint32_t((both << n) >> 32) : uint32_t(both >> n);
  }
  case Code::Prmt: {
    const uint64_t both = uint64_t(uint32_t(b)) << 32 | uint32_t(a);
    uint32_t out = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t selector = uint32_t(c) >> (4 * i) & 15;
      uint32_t byte = uint32_t(both >> (8 * (selector & 7))) & 255;
      if (selector & 8)
        byte = byte & 128 ? 255 : 0;
      out |= byte << (8 * i);
    }
    return out;
  }
  default:
    bad = true;
    return 0;
  }
}

uint64_t convert(const Instruction &in, uint64_t a) {
  const Type to = in.type, from = in.from;
  if (!isFloat(from)) {
    const uint64_t number = isSigned(from) ? uint64_t(asSigned(a, from)) : asUnsigned(a, from);
    if (!isFloat(to)) // cut off to the type, whose sign fills a wider register
      return isSigned(to) ? uint64_t(asSigned(number, to)) : asUnsigned(number, to);
    if (to == Type::F32)
      return isSigned(from) ? ofFloat(float(int64_t(number))) : ofFloat(float(number));
    return ofNumber(isSigned(from) ? double(int64_t(number)) : double(number), to);
  }
  const double value = toDouble(a, from);
  return isFloat(to) ? ofNumber(rounded(value, in), to) : toInteger(value, to, in);
}

} // namespace graphc::ptx
