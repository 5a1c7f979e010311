//===- GraphDialect.td - the graph dialect: what to compute, no machines -------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHDIALECT
#define GRAPHC_DIALECTS_GRAPH_GRAPHDIALECT

include "mlir/IR/OpBase.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::graphc::graph";
  let summary = "static dataflow with named state: a model before it knows machines";
  let description = [{
    A model is a module of variables, data sets and functions. A function is a straight line of
    typed ops over static tensors (i1, i8, ui8, i32, ui32, i64, bf16, f32, f64); state is named, and
    a read sees the latest preceding write in text order. There is no implicit broadcasting and no
    word about machines but the optional `graph.device` on an op.

    ```mlir
    graph.variable @w : tensor<2xf32> = #graph.zeros
    graph.func @predict(%x: tensor<2xf32>) -> (tensor<2xf32> {graph.name = "y"}) attributes {role = #graph.role<predict>} {
      %w = graph.read @w : tensor<2xf32>
      %y = graph.multiply %x, %w : tensor<2xf32>
      graph.return %y : tensor<2xf32>
    }
    ```

    Attributes of the dialect that other ops carry: `graph.device` (any op), `graph.colocate_with`
    (any op: the variable beside which it stands), `graph.device_rule` (scopes: how their device's
    tasks share the variables that are first used inside), `graph.name` (arguments and results of
    functions; ops, which placement rules match by it and which have it from `loc("name")` as well),
    `graph.reduction` (results of functions), `graph.kept` (partial sums over micro-batches: what
    stands before and what stands behind them share no kernel), `graph.slot_of` (variables that
    belong to an optimizer), `graph.part_of` (variables that are rows of one of the model), and on
    the module `graph.stage`, `graph.cluster`, `graph.strategy` with `graph.replicas`,
    `graph.variable_placement`, `graph.min_shard_bytes` and `graph.max_shards` (what is asked for,
    in whose place `graph.distribution` has what comes of it), `graph.placement`,
    `graph.soft_placement`, `graph.no_cublaslt` and `graph.settings` (where strategy and rules are
    written).
  }];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Names of the discardable attributes of this dialect.
    static constexpr ::llvm::StringLiteral kDevice = "graph.device";
    static constexpr ::llvm::StringLiteral kColocateWith = "graph.colocate_with";
    static constexpr ::llvm::StringLiteral kDeviceRule = "graph.device_rule";
    static constexpr ::llvm::StringLiteral kName = "graph.name";
    static constexpr ::llvm::StringLiteral kReduction = "graph.reduction";
    static constexpr ::llvm::StringLiteral kSlotOf = "graph.slot_of";
    static constexpr ::llvm::StringLiteral kPartOf = "graph.part_of";
    static constexpr ::llvm::StringLiteral kStage = "graph.stage";
    static constexpr ::llvm::StringLiteral kCluster = "graph.cluster";
    static constexpr ::llvm::StringLiteral kStrategy = "graph.strategy";
    static constexpr ::llvm::StringLiteral kReplicas = "graph.replicas";
    /// The strategy with its replicas and settings, resolved (resolve-strategy).
    static constexpr ::llvm::StringLiteral kDistribution = "graph.distribution";
    /// Where the user wrote strategy and placement rules: names to locations.
    static constexpr ::llvm::StringLiteral kSettings = "graph.settings";
    /// Placement rules of cluster.json.
    static constexpr ::llvm::StringLiteral kPlacement = "graph.placement";
    /// How variables are dealt to parameter servers.
    static constexpr ::llvm::StringLiteral kVariablePlacement = "graph.variable_placement";
    /// Of the policy "split": no part of a variable is smaller; no variable has more parts.
    static constexpr ::llvm::StringLiteral kMinShardBytes = "graph.min_shard_bytes";
    static constexpr ::llvm::StringLiteral kMaxShards = "graph.max_shards";
    /// A device kind or index that the cluster lacks is left open instead of refused.
    static constexpr ::llvm::StringLiteral kSoftPlacement = "graph.soft_placement";
    /// GPUs' products are all compiled.
    static constexpr ::llvm::StringLiteral kNoCublaslt = "graph.no_cublaslt";
    /// Links of cluster.json: [from, to, gigabits per second, microseconds of latency].
    static constexpr ::llvm::StringLiteral kLinks = "graph.links";
    /// The counter of applied updates; differentiate creates it where the model has none.
    static constexpr ::llvm::StringLiteral kGlobalStep = "global_step";
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
  private:
    void registerAttributes();
    void registerOps();
  public:
  }];
}

#endif
