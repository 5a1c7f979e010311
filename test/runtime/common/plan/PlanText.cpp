// plan-text: a plan file as protobuf text and back, so that tests can edit plans. The sum is made
// right, nothing else is looked at.
//
//   plan-text PLAN > TEXT
//   plan-text --encode PLAN < TEXT
#include "runtime/common/base/File.h"
#include "runtime/common/plan/PlanFile.h"

#include <google/protobuf/text_format.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <string_view>

using namespace graphc;

static absl::Status run(int argc, char **argv) {
  if (argc == 2) {
    auto loaded = plan::readPlan(argv[1]);
    std::string text;
    if (loaded.ok() && google::protobuf::TextFormat::PrintToString(loaded->plan, &text))
      std::cout << text;
    return loaded.status();
  }
  if (argc != 3 || std::string_view(argv[1]) != "--encode")
    return absl::InvalidArgumentError("usage: plan-text PLAN, or plan-text --encode PLAN < TEXT");
  std::string text((std::istreambuf_iterator<char>(std::cin)), {});
  plan::Plan plan;
  if (!google::protobuf::TextFormat::ParseFromString(text, &plan))
    return absl::InvalidArgumentError("this text is no plan");
  return plan::writePlan(argv[2], plan);
}

int main(int argc, char **argv) {
  absl::Status status = run(argc, argv);
  if (!status.ok())
    std::fprintf(stderr, "plan-text: %s\n", std::string(status.message()).c_str());
  return status.ok() ? 0 : 1;
}
