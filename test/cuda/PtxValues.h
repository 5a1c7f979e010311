//===- PtxValues.h - what one PTX instruction computes of the bits in registers -----*- C++ -*-===//
#ifndef GRAPHC_TEST_CUDA_PTXVALUES_H
#define GRAPHC_TEST_CUDA_PTXVALUES_H

#include "test/cuda/Ptx.h"

namespace graphc::ptx {

bool isFloat(Type type);
bool isSigned(Type type);
uint32_t bitsOf(Type type);
/// The lowest so many, up to 64.
uint64_t lowBits(uint32_t bits);
uint64_t maskOf(Type type);
/// A register's bits as a number of the type.
int64_t asSigned(uint64_t bits, Type type);
uint64_t asUnsigned(uint64_t bits, Type type);

/// setp
bool compare(const Instruction &in, uint64_t a, uint64_t b);
/// Arithmetic of floats; single precision makes the canonical NaN, 0x7fffffff.
uint64_t floatOp(const Instruction &in, uint64_t a, uint64_t b, uint64_t c);
/// Arithmetic of integers and bits. `bad`: the manual does not say what comes out.
uint64_t integerOp(const Instruction &in, uint64_t a, uint64_t b, uint64_t c, bool &bad);
/// cvt: out of range is clamped, a NaN is the integer 0.
uint64_t convert(const Instruction &in, uint64_t a);

} // namespace graphc::ptx
#endif
