// The compiler as other programs call it: text, file or module in, plan or records out, from as
// many threads as they like.
#include "graphc.h"
#include "passes/Passes.h"
#include "passes/compiler/CompilerInstance.h"
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyPlan.h"

#include "mlir/Parser/Parser.h"

#include "absl/strings/str_replace.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

namespace graphc {
namespace {

const char kModel[] =
    R"(graph.variable @w : tensor<4x1xf32> = #graph.value<dense<2.0> : tensor<4x1xf32>>
graph.dataset @d : (tensor<4xf32>) = #graph.synthetic<samples = 96, seed = 7>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 8} : tensor<8x4xf32>
  %w = graph.read @w : tensor<4x1xf32>
  %y = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x1xf32>) -> tensor<8x1xf32>
  %square = graph.multiply %y, %y : tensor<8x1xf32>
  %loss = graph.reduce_mean %square dimensions = [0, 1] : (tensor<8x1xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.01>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
)";

// Each of two programs receives before it sends.
const char kCircle[] = R"(dist.phase @predict {role = #graph.role<predict>}
dist.channel @predict.x : tensor<4xf32> from @predict.left to @predict.right
dist.channel @predict.y : tensor<4xf32> from @predict.right to @predict.left
dist.channel @predict.control : tensor<i64> from @predict.left to @predict.right {control}
dist.program @predict.left of @predict on "/job:worker/task:0/device:CPU:0" {
  dist.control_send [@predict.control]
  %x = dist.feed "x" : tensor<4xf32>
  %y = dist.receive @predict.y : tensor<4xf32>
  dist.send @predict.x, %x : tensor<4xf32>
  dist.fetch "y", %y : tensor<4xf32>
  dist.control_receive local
  dist.end
}
dist.program @predict.right of @predict on "/job:worker/task:1/device:CPU:0" {
  %x = dist.receive @predict.x : tensor<4xf32>
  dist.send @predict.y, %x : tensor<4xf32>
  dist.control_receive @predict.control
  dist.end
}
)";

cluster::ClusterConfig readCluster(const std::string &text) {
  absl::StatusOr<cluster::ClusterConfig> cluster = cluster::parseCluster(text, "cluster.json");
  EXPECT_TRUE(cluster.ok()) << cluster.status();
  return cluster.ok() ? *cluster : cluster::ClusterConfig::oneTask();
}

std::string wrong() {
  std::string model = kModel;
  model.replace(model.find("tensor<8x1xf32>\n  %square"), 15, "tensor<8x2xf32>");
  return model;
}

std::string allText(const CompileResult &result) {
  std::string text;
  for (const Diagnostic &diagnostic : result.diagnostics)
    text += toText(diagnostic);
  return text;
}

std::string encode(const CompileResult &result) {
  if (!result.plan)
    return "no plan: " + allText(result);
  absl::StatusOr<std::string> bytes = plan::encodePlan(*result.plan);
  return bytes.ok() ? *bytes : bytes.status().ToString();
}

TEST(Compiler, MakesAPlanOfText) {
  CompileResult result =
      compile(kModel, "folder/model.mlir", readCluster(R"({"ps": 1, "worker": 2})"));
  ASSERT_TRUE(result.plan) << allText(result);
  EXPECT_EQ(result.plan->model(), "model.mlir");
  EXPECT_EQ(result.plan->strategy().name(), "parameter_server");
  EXPECT_EQ(plan::allTasks(*result.plan).size(), 3u);
  EXPECT_TRUE(plan::verifyPlan(*result.plan).ok());
  EXPECT_THAT(result.diagnostics, testing::IsEmpty());
}

TEST(Compiler, TakesOneTaskWhereNoClusterIsGiven) {
  CompileResult result = compile(kModel, "model.mlir");
  ASSERT_TRUE(result.plan) << allText(result);
  EXPECT_EQ(result.plan->strategy().name(), "one_device");
}

TEST(Compiler, GivesTheSamePlanOfTextFileAndModule) {
  std::string text = encode(compile(kModel, "model.mlir"));
  std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "model.mlir";
  std::ofstream(path) << kModel;
  // The file's whole name is that of its lines; the plan says where each instruction is from.
  EXPECT_EQ(encode(compileFile(path.string())), encode(compile(kModel, path.string())));
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kModel, &context, "model.mlir");
  ASSERT_TRUE(module);
  for (int i = 0; i < 2; ++i) // the caller's module stays as it is
    EXPECT_EQ(encode(compile(*module, "model.mlir")), text);
}

TEST(Compiler, RecordsWhatIsWrong) {
  CompileResult result = compile(wrong(), "model.mlir");
  EXPECT_FALSE(result.plan);
  ASSERT_THAT(result.diagnostics, testing::SizeIs(1)) << allText(result);
  const Diagnostic &error = result.diagnostics[0];
  EXPECT_EQ(error.severity, Severity::Error);
  EXPECT_EQ(error.file, "model.mlir");
  EXPECT_EQ(error.line, 7u);
  EXPECT_EQ(error.column, 28u);
  const std::string
      message = "use of value '%y' expects different type than prior uses: 'tensor<8x1xf32>' vs "
                "'tensor<8x2xf32>'",
      line = "  %square = graph.multiply %y, %y : tensor<8x1xf32>";
  EXPECT_EQ(error.message, message);
  EXPECT_EQ(error.sourceLine, line);
  ASSERT_THAT(error.notes, testing::SizeIs(1));
  EXPECT_EQ(error.notes[0].severity, Severity::Note);
  EXPECT_EQ(error.notes[0].line, 6u);
  EXPECT_EQ(toText(error), "model.mlir:7:28: error: " + message + "\n" + line + "\n" +
                               std::string(27, ' ') + "^\n" +
                               "model.mlir:6:3: note: prior use here\n" +
                               error.notes[0].sourceLine + "\n  ^\n");
}

TEST(Compiler, RecordsNotes) {
  CompileResult result = compile(kCircle, "circle.mlir");
  EXPECT_FALSE(result.plan);
  ASSERT_THAT(result.diagnostics, testing::SizeIs(1)) << allText(result);
  const Diagnostic &error = result.diagnostics[0];
  EXPECT_THAT(error.message, testing::HasSubstr("wait for each other in a circle"));
  ASSERT_GE(error.notes.size(), 4u);
  EXPECT_EQ(error.notes[0].severity, Severity::Note);
  EXPECT_EQ(error.line, 8u);
  EXPECT_EQ(error.notes[0].line, 9u);
  EXPECT_EQ(error.notes[0].sourceLine, "  dist.send @predict.x, %x : tensor<4xf32>");
}

TEST(Compiler, RecordsWhatTheClusterForbids) {
  CompileResult budget =
      compile(kModel, "model.mlir",
              readCluster("{\"ps\": 1, \"worker\": 2,\n \"budget\": {\"memory\": 64}}"));
  EXPECT_FALSE(budget.plan);
  ASSERT_THAT(budget.diagnostics, testing::SizeIs(1));
  EXPECT_EQ(budget.diagnostics[0].file, "cluster.json");
  EXPECT_EQ(budget.diagnostics[0].line, 2u);
  EXPECT_THAT(budget.diagnostics[0].message, testing::HasSubstr("the budget is 64 B"));
  ASSERT_FALSE(budget.diagnostics[0].notes.empty());
  EXPECT_EQ(budget.diagnostics[0].notes[0].file, "model.mlir");
  EXPECT_GT(budget.diagnostics[0].notes[0].line, 0u);
}

// Of a configuration that a program has filled, and no parser has seen.
TEST(Compiler, RefusesSettingsThatDoNotGoTogether) {
  cluster::ClusterConfig config = readCluster(R"({"worker": 2, "strategy": "all_reduce"})");
  const cluster::StrategyConfig good = config.strategy;
  auto refused = [&](auto change, const std::string &why) {
    config.strategy = good;
    change(config.strategy);
    CompileResult result = compile(kModel, "model.mlir", config);
    EXPECT_FALSE(result.plan);
    ASSERT_THAT(result.diagnostics, testing::SizeIs(1)) << why;
    EXPECT_EQ(result.diagnostics[0].file, "cluster.json");
    EXPECT_THAT(result.diagnostics[0].message, testing::HasSubstr(why));
  };
  using cluster::StrategyConfig;
  refused([](StrategyConfig &s) { s.maxStaleness = 2; },
          "\"max_staleness\" belongs to the strategy \"parameter_server\", not to \"all_reduce\"");
  refused(
      [](StrategyConfig &s) {
        s.recovery = cluster::RecoveryMode::Memory;
        s.replication = cluster::ReplicationMode::InGraph;
      },
      "\"recovery\": \"memory\" needs tasks that have all variables each");
  refused(
      [](StrategyConfig &s) {
        s.bucketBytes = 1024;
        s.replication = cluster::ReplicationMode::InGraph;
      },
      "\"bucket_bytes\" is about gradients that replicas send each other");
  config.strategy = good;
  EXPECT_TRUE(compile(kModel, "model.mlir", config).plan);
}

// A kind that device names may have and that nothing is compiled for: wherever one is named, what
// there is code for is said.
TEST(Compiler, RefusesAKindWithoutCode) {
  device::addKind({"BARE", device::CodeFormat::None});
  auto refused = [](const CompileResult &result, const std::string &why) {
    EXPECT_FALSE(result.plan);
    ASSERT_FALSE(result.diagnostics.empty());
    EXPECT_THAT(result.diagnostics[0].message, testing::HasSubstr(why));
  };
  refused(
      compile(kModel, "model.mlir",
              readCluster(R"({"worker": 1, "devices": {"worker": ["BARE:0"]}})")),
      "job \"worker\" has the device BARE:0; this version compiles for CPUs and GPUs and for no BARE: leave it out");
  refused(
      compile(absl::StrReplaceAll(
                  kModel, {{"%y, %y :", "%y, %y {graph.device = #graph.device<\"/bare:0\">} :"}}),
              "model.mlir", readCluster(R"({"worker": 2, "strategy": "in_graph"})")),
      "; this version compiles for CPUs and GPUs only");
  refused(
      compile(absl::StrReplaceAll(kCircle, {{"CPU:0", "BARE:0"}}), "circle.mlir"),
      "is on \"/job:worker/task:0/device:BARE:0\"; this version has code for CPUs and GPUs alone");
}

TEST(Compiler, TakesNoClusterForWhatIsPlaced) {
  CompileResult placed = compile(
      std::string(
          "module attributes {graph.stage = \"placed\", graph.cluster = #graph.cluster<jobs "
          "= [worker = 1], chief = \"/job:worker/task:0\">} {\n") +
          kModel + "}\n",
      "model.mlir", readCluster(R"({"worker": 2})"));
  EXPECT_FALSE(placed.plan);
  ASSERT_THAT(placed.diagnostics, testing::SizeIs(1)) << allText(placed);
  EXPECT_EQ(placed.diagnostics[0].file, "model.mlir");
  EXPECT_EQ(placed.diagnostics[0].message,
            "is of stage \"placed\" and placed already; a cluster is for modules of stage "
            "graph or differentiated");
}

TEST(Compiler, RemarksBesideAPlan) {
  CompileResult result =
      compile(kModel, "model.mlir", readCluster(R"({"worker": 2, "strategy": "in_graph"})"));
  ASSERT_TRUE(result.plan) << allText(result);
  ASSERT_THAT(result.diagnostics, testing::SizeIs(1)) << allText(result);
  EXPECT_EQ(result.diagnostics[0].severity, Severity::Remark);
  EXPECT_THAT(result.diagnostics[0].message, testing::HasSubstr("without work"));
}

TEST(Compiler, RefusesWhatIsNoOption) {
  CompileOptions options;
  options.targetCpu = "znver77";
  CompileResult cpu = compile(kModel, "model.mlir", std::nullopt, options);
  ASSERT_THAT(cpu.diagnostics, testing::SizeIs(1));
  EXPECT_THAT(cpu.diagnostics[0].message, testing::HasSubstr("unknown target CPU 'znver77'"));
  options = {};
  for (unsigned threads : {0u, 1025u}) {
    options.intraOpThreads = threads;
    CompileResult many = compile(kModel, "model.mlir", std::nullopt, options);
    EXPECT_FALSE(many.plan);
    EXPECT_EQ(allText(many),
              "error: intra_op_threads is " + std::to_string(threads) + "; expected 1 to 1024\n");
  }
  CompileResult nowhere = compileFile("no/such/model.mlir");
  ASSERT_THAT(nowhere.diagnostics, testing::SizeIs(1));
  EXPECT_EQ(nowhere.diagnostics[0].file, "no/such/model.mlir");
  EXPECT_THAT(nowhere.diagnostics[0].message,
              testing::HasSubstr("cannot read the model: No such file"));
}

TEST(Compiler, ReadsFilesThatTheModelImports) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / "loss.mlir").string();
  std::ofstream(path) << R"(module @jit_loss {
  func.func public @main(%w: tensor<4xf32> loc("weights"), %x: tensor<4xf32>) -> tensor<4xf32> {
    %y = "stablehlo.multiply"(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
})";
  const char model[] =
      R"(graph.func @predict(%x: tensor<4xf32>) -> tensor<4xf32> attributes {role = #graph.role<predict>} {
  %y = graph.call @loss(%x) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %y : tensor<4xf32>
})";
  CompileOptions options;
  options.imports = {path};
  options.importVariables = {"weights"};
  CompileResult result = compile(model, "model.mlir", std::nullopt, options);
  ASSERT_TRUE(result.plan) << allText(result);
  ASSERT_EQ(result.plan->variables_size(), 1);
  EXPECT_EQ(result.plan->variables(0).name(), "weights");

  const char *imports[] = {path.c_str()}, *variables[] = {"weights"};
  graphc_compile_options given{};
  given.size = sizeof(given);
  given.imports = imports;
  given.import_variables = variables;
  given.import_count = given.import_variable_count = 1;
  graphc_compilation *compiled =
      graphc_compile(model, strlen(model), "model.mlir", nullptr, &given);
  size_t bytes = 0;
  const void *plan = graphc_plan(compiled, &bytes);
  EXPECT_EQ(std::string(static_cast<const char *>(plan), bytes), encode(result));
  graphc_free_compilation(compiled);

  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kModel, &context, "model.mlir");
  ASSERT_TRUE(module);
  EXPECT_EQ(allText(compile(*module, "model.mlir", std::nullopt, options)),
            "error: imports are read beside a model's text; expected none beside a module\n");
}

TEST(Compiler, CompilesOnSeveralThreadsAtOnce) {
  const char *clusters[] = {R"({"worker": 1})", R"({"ps": 1, "worker": 2})",
                            R"({"worker": 2, "strategy": "all_reduce"})"};
  std::vector<std::string> alone;
  for (const char *cluster : clusters)
    alone.push_back(encode(compile(kModel, "model.mlir", readCluster(cluster))));
  const std::string said = allText(compile(wrong(), "model.mlir"));
  std::vector<std::thread> threads;
  std::vector<std::string> errors(4);
  for (size_t t = 0; t < errors.size(); ++t)
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < std::size(clusters); ++i) {
        size_t which = (t + i) % std::size(clusters);
        if (encode(compile(kModel, "model.mlir", readCluster(clusters[which]))) != alone[which])
          errors[t] += "another plan of " + std::string(clusters[which]) + "\n";
        if (allText(compile(wrong(), "model.mlir")) != said)
          errors[t] += "another error\n";
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(errors, testing::Each(""));
}

TEST(Compiler, IsCalledFromC) {
  graphc_compilation *compiled =
      graphc_compile(kModel, strlen(kModel), "model.mlir", R"({"ps": 1, "worker": 2})", nullptr);
  size_t bytes = 0;
  const void *plan = graphc_plan(compiled, &bytes);
  EXPECT_STREQ(graphc_diagnostics_text(compiled), "");
  EXPECT_EQ(std::string(static_cast<const char *>(plan), bytes),
            encode(compile(kModel, "model.mlir", readCluster(R"({"ps": 1, "worker": 2})"))));
  graphc_free_compilation(compiled);

  compiled = graphc_compile(kCircle, strlen(kCircle), "circle.mlir", nullptr, nullptr);
  EXPECT_EQ(graphc_plan(compiled, &bytes), nullptr);
  ASSERT_GE(graphc_diagnostic_count(compiled), 5u); // notes are counted
  EXPECT_EQ(graphc_get_diagnostic(compiled, 0).severity, GRAPHC_ERROR);
  EXPECT_EQ(graphc_get_diagnostic(compiled, 1).severity, GRAPHC_NOTE);
  EXPECT_STREQ(graphc_get_diagnostic(compiled, 1).file, "circle.mlir");
  EXPECT_EQ(graphc_get_diagnostic(compiled, 1).line, 9u);
  graphc_free_compilation(compiled);

  const char wrongCluster[] = "{\"worker\": 1,\n \"strategy\": \"parameter_serve\"}";
  compiled = graphc_compile(kModel, strlen(kModel), "model.mlir", wrongCluster, nullptr);
  EXPECT_EQ(graphc_plan(compiled, &bytes), nullptr);
  ASSERT_EQ(graphc_diagnostic_count(compiled), 1u);
  EXPECT_STREQ(graphc_get_diagnostic(compiled, 0).file, "cluster.json");
  EXPECT_EQ(graphc_get_diagnostic(compiled, 0).line, 2u);
  EXPECT_THAT(graphc_get_diagnostic(compiled, 0).message, testing::HasSubstr("parameter_serve"));
  graphc_free_compilation(compiled);
}

} // namespace
} // namespace graphc
