//===- InstructionText.h - what an instruction does, for people ---------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_INSTRUCTIONTEXT_H
#define GRAPHC_RUNTIME_COMMON_PLAN_INSTRUCTIONTEXT_H

#include "runtime/common/plan/plan.pb.h"

#include <string>

namespace graphc::plan {

/// "train_step.matmul_3", "receive w1.to_worker". Of a verified plan.
std::string instructionText(const Plan &plan, const Program &program,
                            const Instruction &instruction);

} // namespace graphc::plan
#endif
