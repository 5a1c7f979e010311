//===- MachineCodeTest.cpp - what verifyPlan refuses of machine code beside PTX ---------------===//

#include "runtime/common/base/Sha256.h"
#include "test/runtime/common/plan/DamageCase.h"
#include "test/runtime/common/plan/PlanBuilder.h"

namespace graphc::plan {
namespace {

std::string hashOf(const std::string &bytes) {
  return std::string(base::asBytes(base::sha256(bytes)));
}

Code::Cubin &addCubin(Plan &plan, const char *arch) {
  Code::Cubin &cubin = *plan.mutable_code(0)->add_cubins();
  cubin.set_arch(arch);
  cubin.set_elf(std::string("\177ELF\2\1\1") + std::string(57, '\0'));
  cubin.set_sha256(hashOf(cubin.elf()));
  return cubin;
}

/// Its first code object is PTX with machine code for sm_90. It is refused later on, since kernels
/// of CPUs call it.
Plan gpuPlan() {
  Plan plan = parameterServerPlan({2, 2, 16});
  Code &code = *plan.mutable_code(0);
  code.set_kind("GPU");
  code.clear_elf();
  code.set_ptx(".version 7.0\n");
  code.set_sha256(hashOf(code.ptx()));
  addCubin(plan, "sm_90");
  return plan;
}

TEST(MachineCode, MayStandBesidePtx) {
  Plan plan = gpuPlan();
  addCubin(plan, "sm_100");
  EXPECT_THAT(std::string(verifyPlan(plan).message()),
              testing::HasSubstr("is code for a GPU, but runs on a CPU"));
}

class DamagedMachineCode : public testing::TestWithParam<DamageCase> {};

TEST_P(DamagedMachineCode, IsRefusedByName) { expectRefused(gpuPlan(), GetParam()); }

const DamageCase ofMachineCode[] = {
    {"OfNoPtx",
     [](Plan &p) {
       Code &code = *p.mutable_code(0);
       code.clear_ptx();
       code.set_kind("CPU");
       code.set_elf(code.cubins(0).elf());
       code.set_sha256(code.cubins(0).sha256());
     },
     "architecture 'sm_90': not one, there twice, or not of PTX"},
    {"OfNoArchitecture", [](Plan &p) { addCubin(p, "sm_9O"); }, "architecture 'sm_9O': not one"},
    {"Twice", [](Plan &p) { addCubin(p, "sm_90"); }, "architecture 'sm_90': not one, there twice"},
    {"OtherBytes", [](Plan &p) { (*addCubin(p, "sm_80").mutable_elf())[60] ^= 1; },
     "the SHA-256 of its machine code for sm_80 does not match"},
    {"NoElf",
     [](Plan &p) {
       Code::Cubin &cubin = addCubin(p, "sm_80");
       cubin.set_elf(std::string(64, 'x'));
       cubin.set_sha256(hashOf(cubin.elf()));
     },
     "its machine code for sm_80 is not a 64-bit little-endian ELF object"},
};
INSTANTIATE_TEST_SUITE_P(Cases, DamagedMachineCode, testing::ValuesIn(ofMachineCode), nameOf);

} // namespace
} // namespace graphc::plan
