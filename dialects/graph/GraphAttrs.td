//===- GraphAttrs.td - attributes of the graph dialect -------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHATTRS
#define GRAPHC_DIALECTS_GRAPH_GRAPHATTRS

include "dialects/graph/GraphDialect.td"
include "dialects/graph/GraphInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

/// Text forms are written with AttrParameters.h: what TableGen makes of an assemblyFormat names C++
/// types to the user.
class Graph_Attr<string cppName, string mnemonicName, list<Trait> traits = []>
    : AttrDef<Graph_Dialect, cppName, traits> {
  let mnemonic = mnemonicName;
  let hasCustomAssemblyFormat = 1;
}

/// A double printed with the fewest digits that read back as the same number; equal means the same
/// bits.
class DoubleParameter<string desc> : AttrOrTypeParameter<"::graphc::graph::BitwiseDouble", desc>;
class DefaultedDouble<string value, string desc>
    : DoubleParameter<!if(!empty(desc), "", desc#"; ")#"default: "#value> {
  let defaultValue = "::graphc::graph::BitwiseDouble("#value#")";
}

//===------------------------------------------------------------------------------------------===//
// Role, comparison, precision
//===------------------------------------------------------------------------------------------===//

def Graph_Role
    : I32EnumAttr<"Role", "what a function is run for",
                  [I32EnumAttrCase<"Train", 0, "train">, I32EnumAttrCase<"Eval", 1, "eval">,
                   I32EnumAttrCase<"Predict", 2, "predict">]> {
  let cppNamespace = "::graphc::graph";
  let genSpecializedAttr = 0;
}
def Graph_RoleAttr : EnumAttr<Graph_Dialect, Graph_Role, "role"> {
  let summary =
      "what a function is run for: #graph.role<train>, #graph.role<eval> or #graph.role<predict>";
  let hasCustomAssemblyFormat = 1;
  let assemblyFormat = ?;
}

def Graph_Comparison
    : I32EnumAttr<"Comparison", "a relation of two numbers",
                  [I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">,
                   I32EnumAttrCase<"LT", 2, "lt">, I32EnumAttrCase<"LE", 3, "le">,
                   I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]> {
  let cppNamespace = "::graphc::graph";
  let genSpecializedAttr = 0;
}
def Graph_ComparisonAttr : EnumAttr<Graph_Dialect, Graph_Comparison, "comparison"> {
  let hasCustomAssemblyFormat = 1;
  let assemblyFormat = ?;
}

def Graph_Precision
    : I32EnumAttr<"Precision", "what factors may be rounded to before they are multiplied",
                  [I32EnumAttrCase<"Ieee", 0, "ieee">, I32EnumAttrCase<"Tf32", 1, "tf32">,
                   I32EnumAttrCase<"Bf16", 2, "bf16">]> {
  let cppNamespace = "::graphc::graph";
  let genSpecializedAttr = 0;
}
def Graph_PrecisionAttr : EnumAttr<Graph_Dialect, Graph_Precision, "precision"> {
  let hasCustomAssemblyFormat = 1;
  let assemblyFormat = ?;
}

//===------------------------------------------------------------------------------------------===//
// Machines
//===------------------------------------------------------------------------------------------===//

def Graph_DeviceAttr : Graph_Attr<"Device", "device"> {
  let summary = "a device name in TensorFlow's syntax, possibly partial";
  let description = [{
    `/job:NAME/replica:0/task:N/device:KIND:N`, each part optional; `/cpu:0` and `/gpu:1` are short
    for `/device:CPU:0` and `/device:GPU:1`, a `*` leaves a part open. Printed in canonical form.

    ```mlir
    #graph.device<"/job:ps/task:0/device:CPU:0">
    ```
  }];
  let parameters = (ins StringRefParameter<"job, empty where open">:$job,
      AttrParameter<"int64_t", "task, -1 where open">:$task,
      StringRefParameter<"kind in capitals, empty where open">:$kind,
      AttrParameter<"int64_t",
                    "index among the task's devices of this kind, -1 where open">:$index);
  let builders = [AttrBuilder<(ins "const ::graphc::graph::DeviceName &":$name)>];
  let extraClassDeclaration = [{
    ::graphc::graph::DeviceName getName() const;
    /// "/job:ps/task:0/device:CPU:0"
    std::string str() const;
    /// Every part is given.
    bool isFull() const;
    /// The parts of this, and where it leaves one open, that of `outer`.
    DeviceAttr over(DeviceAttr outer) const;
    /// Both are of one task.
    bool isOnTaskOf(DeviceAttr other) const {
      return getJob() == other.getJob() && getTask() == other.getTask();
    }
  }];
}

def Graph_ReplicasAttr : Graph_Attr<"Replicas", "replicas"> {
  let summary = "the replica domain: replica r runs on the r-th task of the ranges, end to end";
  let description = [{
    ```mlir
    #graph.replicas<["/job:worker/task:0-1"]>
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$ranges);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::graphc::graph::ReplicaRange> getReplicaRanges() const;
    /// The number of replicas.
    int64_t getSize() const;
  }];
}

def Graph_ClusterAttr : Graph_Attr<"Cluster", "cluster"> {
  let summary = "jobs, task counts and devices, never addresses, and the task that drives the run";
  let description = [{
    `devices` has the jobs whose tasks have other devices than CPU:0 alone. What no request places
    is on the first.

    ```mlir
    #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">
    #graph.cluster<jobs = [worker = 2], devices = [worker = ["CPU:0", "CPU:1"]], chief = "/job:worker/task:0">
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::NamedAttribute",
                                          "name and i64 task count, in cluster.json's order">:$jobs,
      ArrayRefParameter<"::mlir::NamedAttribute",
                        "name and list of devices of each task, such as \"CPU:0\"">:$devices,
      "::graphc::graph::DeviceAttr":$chief);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of tasks of a job; 0 where there is no such job.
    int64_t getTasks(::llvm::StringRef job) const;
    /// The devices of a task of a job of the cluster, in order, with their full names; with a task
    /// of -1 those that every task has. The first is the task's default.
    ::llvm::SmallVector<::graphc::graph::DeviceAttr> getDevices(::llvm::StringRef job,
                                                               int64_t task) const;
    /// The first device of the chief's task.
    ::graphc::graph::DeviceAttr getChiefDevice() const {
      return getDevices(getChief().getJob(), getChief().getTask()).front();
    }
    /// The place of a job in `jobs`, or -1.
    int64_t getJobIndex(::llvm::StringRef job) const;
  }];
}

def Graph_StrategyAttr : Graph_Attr<"Strategy", "strategy"> {
  let summary = "how the model is spread over the cluster";
  let description = [{
    ```mlir
    #graph.strategy<name = "parameter_server", async = true>
    #graph.strategy<name = "one_device", micro_batches = 3>
    #graph.strategy<name = "all_reduce", micro_batches = 48, sum_leaves = 16>
    #graph.strategy<name = "parameter_server", async = true, max_staleness = 2>
    #graph.strategy<name = "mirrored", devices = ["/job:worker/task:0/device:CPU:0", "/job:worker/task:0/device:CPU:1"]>
    #graph.strategy<name = "all_reduce", fast = true, bucket_bytes = 1048576>
    ```
    `micro_batches`: how many batches a step takes, of all replicas together (0: one for each
    replica). `sum_leaves`: how many leaves the tree of a sum over them has (0: the larger of the
    number of replicas and the largest divisor of `micro_batches` that is at most 16). `in_graph`:
    one client drives one program over all tasks, where a strategy can do both. `max_staleness`: how
    many steps an asynchronous replica may be ahead of the slowest (-1: any number).
    `replicas_to_aggregate`: the first so many gradients of a synchronous step count (0: all).
    `fast`: all-reduce sums in any order. `bucket_bytes`: gradients leave in buckets of this size
    (0: chosen by the compiler). `hosts`: all-reduce may make sums within each of so many hosts
    first; replicas in a row share one, as many each, a power of two. `distinct_rows`: of a table on
    another device each number's row travels once, in messages of an actual size (else a row for
    each number). `recovers_from_memory`: a training step has a commit point, before which all sums
    are made and behind which variables are written.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, DefaultValuedParameter<"bool", "false">:$async,
      DefaultValuedParameter<"int64_t", "0">:$micro_batches,
      DefaultValuedParameter<"int64_t", "0">:$sum_leaves,
      DefaultValuedParameter<"bool", "false">:$in_graph,
      OptionalParameter<"::mlir::ArrayAttr">:$devices,
      DefaultValuedParameter<"int64_t", "-1">:$max_staleness,
      DefaultValuedParameter<"int64_t", "0">:$replicas_to_aggregate,
      DefaultValuedParameter<"bool", "false">:$fast,
      DefaultValuedParameter<"int64_t", "0">:$bucket_bytes,
      DefaultValuedParameter<"int64_t", "1">:$hosts,
      DefaultValuedParameter<"bool", "false">:$distinct_rows,
      DefaultValuedParameter<"bool", "false">:$recovers_from_memory);
  let genVerifyDecl = 1;
}

def Graph_MeshAttr : Graph_Attr<"Mesh", "mesh"> {
  let summary = "devices that are alike, counted along named axes";
  let description = [{
    The i-th device of the ranges, end to end, stands at the i-th place of the mesh, the last axis
    counting fastest.

    ```mlir
    #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>
    #graph.mesh<["data" = 3], ["/job:chief/task:0/device:CPU:0", "/job:worker/task:0-1/device:CPU:0"]>
    ```

    Constraints:
    - (ME1) Each axis has a name, which no other has, and at least one place.
    - (ME2) Each range is that of a full device of one task or of several in a row.
    - (ME3) There are as many devices as places, none of them twice.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::NamedAttribute", "name and i64 size">:$axes,
      "::mlir::ArrayAttr":$ranges);
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$axis,
      "::llvm::ArrayRef<::graphc::graph::DeviceAttr>":$devices)>];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of places along all axes.
    int64_t getSize() const;
    /// The devices, in the order of their places.
    ::llvm::SmallVector<::graphc::graph::DeviceAttr> getPlaces() const;
    /// Tasks in a row whose devices stand at places in a row.
    ::llvm::SmallVector<::graphc::graph::ReplicaRange> getTasks() const;
  }];
}

def Graph_DistributionAttr : Graph_Attr<"Distribution", "distribution"> {
  let summary =
      "the strategy, resolved for the cluster: what every pass from placement on and the plan read";
  let description = [{
    `resolve-strategy` makes it of `#graph.strategy` and what else is asked for, with every default
    filled in.

    ```mlir
    #graph.distribution<strategy = "one_device", mesh = #graph.mesh<["data" = 1], ["/job:worker/task:0/device:CPU:0"]>, stores = ["/job:worker/task:0/device:CPU:0"]>
    #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>, stores = ["/job:ps/task:0/device:CPU:0"], async = true, micro_batches = 2, max_staleness = 2>
    ```

    `mesh`: who computes; along its axis "data" each has batches of its own. `stores`: where
    variables are whose place nothing else decides. `in_graph`: one client drives all of the mesh.
    `placement`: how variables are dealt to the stores, of "split" with the least bytes and the most
    parts. The others are those of `#graph.strategy`.

    Constraints:
    - (DI1) The mesh has the axis "data" and no other, and one place where the strategy is
      one_device or in_graph.
    - (DI2) The strategy is one_device, in_graph, mirrored, parameter_server or all_reduce; of the
      last two there is in_graph.
    - (DI3) Each store is the name of a full device, and there is one at least.
    - (DI4) The placement is "round_robin", "balanced" or "split", which has `min_shard_bytes` and
      `max_shards` of at least 1.
    - (DI5) What one client drives and all_reduce are synchronous; staleness is bounded where
      updates are asynchronous; replicas_to_aggregate is less than the number of replicas, of a
      parameter server with synchronous updates.
    - (DI6) micro_batches and sum_leaves are 1 to 1,024 * 65,536; each device has as many
      micro-batches, asynchronous ones one; no other count is negative.
    - (DI7) More than one of `hosts` only of all_reduce without in_graph; each has as many replicas,
      a power of two of at least 2.
    - (DI8) `recovers_from_memory` only of all_reduce without in_graph, of two replicas or more.
    - (DI9) `distinct_rows` not of one_device, nor of all_reduce without in_graph, by which no rows
      travel.
  }];
  let parameters = (ins "::mlir::StringAttr":$strategy, "::graphc::graph::MeshAttr":$mesh,
      "::mlir::ArrayAttr":$stores, DefaultValuedParameter<"bool", "false">:$in_graph,
      DefaultValuedParameter<"bool", "false">:$async,
      DefaultValuedParameter<"int64_t", "1">:$micro_batches,
      DefaultValuedParameter<"int64_t", "1">:$sum_leaves,
      DefaultValuedParameter<"int64_t", "-1">:$max_staleness,
      DefaultValuedParameter<"int64_t", "0">:$replicas_to_aggregate,
      DefaultValuedParameter<"bool", "false">:$fast,
      DefaultValuedParameter<"int64_t", "0">:$bucket_bytes,
      DefaultValuedParameter<"int64_t", "1">:$hosts,
      OptionalParameter<"::mlir::StringAttr">:$placement,
      DefaultValuedParameter<"int64_t", "0">:$min_shard_bytes,
      DefaultValuedParameter<"int64_t", "0">:$max_shards,
      DefaultValuedParameter<"bool", "false">:$distinct_rows,
      DefaultValuedParameter<"bool", "false">:$recovers_from_memory);
  let genVerifyDecl = 1;
}

//===------------------------------------------------------------------------------------------===//
// Initializers
//===------------------------------------------------------------------------------------------===//

class Graph_Initializer<string cppName, string mnemonicName>
    : Graph_Attr<cppName, mnemonicName, [DeclareAttrInterfaceMethods<InitializerAttrInterface>]>;

def Graph_ZerosAttr : Graph_Initializer<"Zeros", "zeros"> {
  let summary = "all elements zero";
  let hasCustomAssemblyFormat = 0;
}
def Graph_UninitializedAttr : Graph_Initializer<"Uninitialized", "uninitialized"> {
  let summary = "no value of its own: a run takes it from a checkpoint, or from a file of values";
  let description = [{
    For variables whose first values were made elsewhere, by JAX, PyTorch or NumPy. A run that
    begins without a value for one (`graphrun --init_from FILE.npz`, or a checkpoint) ends with an
    error before its first step.

    ```mlir
    graph.variable @w : tensor<784x10xf32> = #graph.uninitialized
    ```
  }];
  let hasCustomAssemblyFormat = 0;
}
def Graph_ValueAttr : Graph_Initializer<"Value", "value"> {
  let summary = "the given value; a scalar or a splat fills the variable";
  let description = [{
    ```mlir
    graph.variable @n : tensor<i64> = #graph.value<dense<0> : tensor<i64>>
    ```
  }];
  let parameters = (ins "::mlir::DenseElementsAttr":$value);
}
def Graph_UniformAttr : Graph_Initializer<"Uniform", "uniform"> {
  let summary = "independent draws from [low, high)";
  let description = [{
    Drawn in f64 and rounded to the variable's type, in which the largest may be `high` itself.

    ```mlir
    #graph.uniform<low = -0.1, high = 0.1, seed = 1>
    ```
  }];
  let parameters = (ins DefaultedDouble<"0.0", "">:$low, DefaultedDouble<"1.0", "">:$high,
      DefaultValuedParameter<"uint64_t", "0">:$seed);
}
def Graph_NormalAttr : Graph_Initializer<"Normal", "normal"> {
  let summary = "independent normal draws; truncated redraws beyond two standard deviations";
  let description = [{
    ```mlir
    #graph.normal<mean = 0.0, stddev = 0.1, seed = 1, truncated = true>
    ```
  }];
  let parameters = (ins DefaultedDouble<"0.0", "">:$mean, DefaultedDouble<"1.0", "">:$stddev,
      DefaultValuedParameter<"uint64_t", "0">:$seed,
      DefaultValuedParameter<"bool", "false">:$truncated);
}
def Graph_GlorotUniformAttr : Graph_Initializer<"GlorotUniform", "glorot_uniform"> {
  let summary =
      "uniform in ±sqrt(6 / (fan_in + fan_out)), the fans being the variable's last two dimensions";
  let description = [{
    ```mlir
    #graph.glorot_uniform<seed = 1>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"uint64_t", "0">:$seed);
  let extraClassDeclaration = [{
    /// The bound of the uniform distribution for a variable of this type.
    double getLimit(::mlir::RankedTensorType type) const;
  }];
}

//===------------------------------------------------------------------------------------------===//
// Parts
//===------------------------------------------------------------------------------------------===//

def Graph_PartAttr : Graph_Attr<"Part", "part"> {
  let summary = "which rows of a variable of the model a variable is";
  let description = [{
    `row`: the first of them along dimension 0.

    ```mlir
    #graph.part<of = "w1", type = tensor<784x512xf32>, row = 392>
    ```
  }];
  let parameters = (ins StringRefParameter<"the variable of the model">:$of,
      "::mlir::RankedTensorType":$type, "int64_t":$row);
}

//===------------------------------------------------------------------------------------------===//
// Data set sources
//===------------------------------------------------------------------------------------------===//

class Graph_DatasetSource<string cppName, string mnemonicName>
    : Graph_Attr<cppName, mnemonicName, [DeclareAttrInterfaceMethods<DatasetSourceAttrInterface>]>;

def Graph_IdxAttr : Graph_DatasetSource<"Idx", "idx"> {
  let summary =
      "one IDX file (plain or .gz) a component; float components are stored * scale + offset";
  let description = [{
    ```mlir
    #graph.idx<files = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"], scale = 0.00392156862745098>
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$files, DefaultedDouble<"1.0", "">:$scale,
      DefaultedDouble<"0.0", "">:$offset);
}
def Graph_SyntheticAttr : Graph_DatasetSource<"Synthetic", "synthetic"> {
  let summary = "Philox: floats uniform in [0, 1), integers uniform in [0, limit)";
  let description = [{
    `limits` has one entry a component, 0 for floats; it may be left out where every component is
    float.

    ```mlir
    #graph.synthetic<samples = 60000, seed = 7, limits = [0, 10]>
    ```
  }];
  let parameters = (ins "int64_t":$samples, DefaultValuedParameter<"uint64_t", "0">:$seed,
      OptionalParameter<"::mlir::ArrayAttr">:$limits);
}

def Graph_NpyAttr : Graph_DatasetSource<"Npy", "npy"> {
  let summary =
      "one NumPy array a component, FILE.npy or FILE.npz:NAME; float components are stored * scale + offset";
  let description = [{
    The first dimension counts samples. Arrays are in C order, of bool, integers or floats, little
    endian; each element becomes the component's where no value can be lost.

    ```mlir
    #graph.npy<files = ["digits.npz:images", "labels.npy"], scale = 0.0625>
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$files, DefaultedDouble<"1.0", "">:$scale,
      DefaultedDouble<"0.0", "">:$offset);
}
def Graph_CsvAttr : Graph_DatasetSource<"Csv", "csv"> {
  let summary = "columns of numbers of a CSV file (plain or .gz), a sample a line";
  let description = [{
    `columns` has the columns of the components' elements, one after the other, by name or counted
    from 0; without it they are the file's, all of them. `header`: the first line has names. A field
    that is empty is `missing`, and an error where that is not given.

    ```mlir
    #graph.csv<file = "wine.csv", columns = ["alcohol", "ash", "class"], separator = ";", missing = 0.0>
    #graph.csv<file = "table.csv.gz", columns = [0, 1, 4], header = false>
    ```
  }];
  let parameters = (ins StringRefParameter<"">:$file,
      OptionalParameter<"::mlir::ArrayAttr">:$columns,
      DefaultValuedParameter<"bool", "true">:$header,
      StringRefParameter<"one character", "\",\"">:$separator,
      OptionalParameter<"::mlir::FloatAttr">:$missing);
}
def Graph_TextAttr : Graph_DatasetSource<"Text", "text"> {
  let summary =
      "windows of a text file's bytes or tokens, and the same one further: what predicts the next one";
  let description = [{
    Sample i is the elements from `begin` + i * `stride` on, as many as the component has; the
    second component, where there is one, begins one element later. `stride` is 0 for windows end to
    end. Elements are bytes, or with `vocabulary` tokens, of which that file has one a line: the
    text is cut from left to right into the longest ones that fit, each counted from 0. In the
    vocabulary `\n`, `\r`, `\t`, `\\` and `\xHH` are what they are in C. Only elements from `begin`
    up to `end` are used; an `end` of 0 is the file's.

    ```mlir
    #graph.text<file = "corpus.txt", stride = 1, end = 1000000>
    #graph.text<file = "corpus.txt", vocabulary = "tokens.txt">
    ```
  }];
  let parameters = (ins StringRefParameter<"">:$file, StringRefParameter<"", "\"\"">:$vocabulary,
      DefaultValuedParameter<"int64_t", "0">:$stride, DefaultValuedParameter<"int64_t", "0">:$begin,
      DefaultValuedParameter<"int64_t", "0">:$end);
}
def Graph_Cifar10Attr : Graph_DatasetSource<"Cifar10", "cifar10"> {
  let summary =
      "CIFAR-10's binary files, end to end: images of 3x32x32 bytes and labels; float images are stored * scale + offset";
  let description = [{
    ```mlir
    #graph.cifar10<files = ["data_batch_1.bin", "data_batch_2.bin"], scale = 0.00392156862745098>
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$files, DefaultedDouble<"1.0", "">:$scale,
      DefaultedDouble<"0.0", "">:$offset);
}

//===------------------------------------------------------------------------------------------===//
// Transforms of samples
//===------------------------------------------------------------------------------------------===//

class Graph_Transform<string cppName, string mnemonicName>
    : Graph_Attr<cppName, mnemonicName, [TransformAttrInterface]> {
  // getComponent() is the parameter's.
  let extraClassDeclaration = [{
    ::llvm::LogicalResult verifyFor(::mlir::RankedTensorType component, ::mlir::Attribute source,
                                    ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError) const;
  }];
}

def Graph_RandomCropAttr : Graph_Transform<"RandomCrop", "random_crop"> {
  let summary =
      "in training, the sample moved by up to `padding` places along its height and width; what comes in is stored as 0";
  let description = [{
    Both moves are drawn evenly from -padding to padding. `dimension` is the sample's height, the
    next one its width; -1: its last two.

    ```mlir
    #graph.random_crop<padding = 4>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$component, "int64_t":$padding,
      DefaultValuedParameter<"int64_t", "-1">:$dimension);
}
def Graph_RandomFlipAttr : Graph_Transform<"RandomFlip", "random_flip"> {
  let summary = "in training, every second sample (by chance) the other way round along its width";
  let description = [{
    `dimension` is the sample's width; -1: its last one.

    ```mlir
    #graph.random_flip<component = 0>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$component,
      DefaultValuedParameter<"int64_t", "-1">:$dimension);
}
def Graph_NormalizeAttr : Graph_Transform<"Normalize", "normalize"> {
  let summary = "(value - mean) / stddev, behind the source's scale and offset";
  let description = [{
    One mean and deviation for all, or one for each place along `dimension`, the channels.

    ```mlir
    #graph.normalize<mean = [0.4914, 0.4822, 0.4465], stddev = [0.247, 0.2435, 0.2616]>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$component,
      "::mlir::ArrayAttr":$mean, "::mlir::ArrayAttr":$stddev,
      DefaultValuedParameter<"int64_t", "0">:$dimension);
}

#endif
