//===- NameSuggestions.cpp - names of other frameworks, names spelt alike ---------------------===//
#include "dialects/graph/NameSuggestions.h"

#include "runtime/common/base/TextUtils.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace graphc::graph {

namespace {

struct Synonym {
  const char *words; ///< lower case, without '_', between spaces
  const char *answer; ///< a name of ours, or what to do where there is none
};

/// What TensorFlow, JAX, PyTorch, ONNX and StableHLO call what is here, where the spelling leads
/// nowhere.
constexpr Synonym kOps[] = {
    {" exp ", "'graph.exponential'"},
    {" neg negative ", "'graph.negate'"},
    {" sigmoid expit ", "'graph.logistic'"},
    {" mul times ", "'graph.multiply'"},
    {" prod product ", "'graph.reduce_prod' (or 'graph.multiply' of two)"},
    {" sub minus ", "'graph.subtract'"},
    {" div truediv realdiv quotient ", "'graph.divide'"},
    {" plus ", "'graph.add'"},
    {" sum ", "'graph.reduce_sum' (or 'graph.add' of two)"},
    {" mean average avg ", "'graph.reduce_mean'"},
    {" max amax ", "'graph.maximum' of two or 'graph.reduce_max' over dimensions"},
    {" min ", "'graph.minimum'"},
    {" pow ", "'graph.power'"},
    {" ln ", "'graph.log'"},
    {" absolute ", "'graph.abs'"},
    {" sgn signum ", "'graph.sign'"},
    {" expm1 ", "'graph.exponential_minus_one'"},
    {" log1p ", "'graph.log_plus_one'"},
    {" sin ", "'graph.sine'"},
    {" cos ", "'graph.cosine'"},
    {" mod fmod rem modulo ", "'graph.remainder'"},
    {" round rint roundeven ", "'graph.round_nearest_even'"},
    {" ceiling ", "'graph.ceil'"},
    {" clip clipbyvalue hardtanh relu6 ", "'graph.clamp'"},
    {" swish ", "'graph.silu'"},
    {" flip rev ", "'graph.reverse'"},
    {" cumulativesum scan prefixsum ", "'graph.cumsum'"},
    {" all reduceall ", "'graph.reduce_and'"},
    {" any reduceany ", "'graph.reduce_or'"},
    {" populationcount bitcount ", "'graph.popcnt'"},
    {" clz leadingzeros ", "'graph.count_leading_zeros'"},
    {" leftshift bitshift ", "'graph.shift_left'"},
    {" rightshift ", "'graph.shift_right_arithmetic' or 'graph.shift_right_logical'"},
    {" conv conv1d conv2d conv3d ", "'graph.convolution'"},
    {" convtranspose convtranspose1d convtranspose2d deconvolution ",
     "'graph.convolution_input_grad'"},
    {" maxpool1d maxpool2d ", "'graph.max_pool'"},
    {" pool reducewindow ", "'graph.max_pool' or 'graph.avg_pool'"},
    {" selectandscatter ", "'graph.max_pool', whose gradient graphc makes by itself"},
    {" reduce ",
     "'graph.reduce_sum', 'graph.reduce_max', 'graph.reduce_min', 'graph.reduce_prod', 'graph.reduce_mean', "
     "'graph.reduce_and' or 'graph.reduce_or'"},
    {" sort argsort ", "'graph.top_k'"},
    {" avgpool1d avgpool2d averagepool globalaveragepool ", "'graph.avg_pool'"},
    {" dot gemm mm bmm linear dense einsum addmm ", "'graph.matmul'"},
    {" fill full splat literal const zeros ones ", "'graph.constant'"},
    {" arange range ", "'graph.iota'"},
    {" cast astype to convertelementtype ", "'graph.convert'"},
    {" where cond ", "'graph.select'"},
    {" eq ne lt le gt ge equal notequal less lessequal greater greaterequal equals ",
     "'graph.compare'"},
    {" logicaland bitwiseand ", "'graph.and'"},
    {" logicalor bitwiseor ", "'graph.or'"},
    {" logicalxor bitwisexor ", "'graph.xor'"},
    {" logicalnot bitwisenot ", "'graph.not'"},
    {" broadcast broadcastto expand tile ", "'graph.broadcast_in_dim'"},
    {" concat cat stack pack ", "'graph.concatenate'"},
    {" permute perm t ", "'graph.transpose'"},
    {" view flatten squeeze unsqueeze expanddims ", "'graph.reshape'"},
    {" stridedslice narrow ", "'graph.slice'"},
    {" topk ", "'graph.top_k'"},
    {" take indexselect gathernd ", "'graph.gather'"},
    {" crossentropy sparsecrossentropy softmaxcrossentropywithlogits sparsesoftmaxcrossentropywithlogits "
     "crossentropyloss categoricalcrossentropy ",
     "'graph.softmax_cross_entropy'"},
    {" nll ", "'graph.nll_loss'"},
    {" binarycrossentropy bcewithlogits bce bcewithlogitsloss sigmoidcrossentropywithlogits ",
     "'graph.sigmoid_cross_entropy'"},
    {" mse mseloss meansquarederror ", "'graph.reduce_mean' of the difference times itself"},
    {" batchnorm batchnormalization ",
     "'graph.batch_norm_training' (or 'graph.batch_norm_inference', of given values)"},
    {" layernormalization normalization ", "'graph.layer_norm'"},
    {" scaleddotproductattention sdpa multiheadattention selfattention ", "'graph.attention'"},
    {" exponentialmovingaverage movingaverage ema ", "'graph.assign_moving_average'"},
    {" sgd adam train optimize optimizer optimise backward step ", "'graph.minimize'"},
    {" gradient grad ", "'graph.gradients' (or 'graph.minimize')"},
    {" var getvariable parameter param weight state ", "'graph.variable'"},
    {" get load readvariable readvariableop value ", "'graph.read'"},
    {" set store update assignvariable ", "'graph.assign'"},
    {" increment assignsub ", "'graph.assign_add'"},
    {" accuracy ", "'graph.metric'"},
    {" scalar print fetch output logscalar ", "'graph.summary'"},
    {" invoke inline callfunction ", "'graph.call'"},
    {" function fn def program ", "'graph.func'"},
    {" batch iterator next getnext input dataloader ",
     "'graph.next_batch' (what the user gives is an argument of the function)"},
    {" placeholder feed ", "an argument of the function"},
    {" data source ", "'graph.dataset'"},
    {" namescope variablescope device ", "'graph.scope'"},
    {" ret ", "'graph.return'"},
    {" square ", "'graph.multiply' of the value with itself"},
    {" reciprocal inverse ", "'graph.divide' of a constant 1"},
    {" random uniform rand randomuniformlike rnguniform rng bernoulli ", "'graph.random_uniform'"},
    {" normal randn gaussian randomnormallike truncatednormal ", "'graph.random_normal'"},
    {" alphadropout dropout1d dropout2d dropout3d droppath ", "'graph.dropout'"},
    {" identity stopgradient detach copy ", "the value itself"},
};

/// Of kinds that are not here at all.
constexpr const char *kAbsent = " tan while if case map "
                                "custom customcall fft rnn lstm gru ";

constexpr Synonym kAttributes[] = {
    {" adadelta nadam adamax radam lamb lars lion lbfgs ftrl optimizer ",
     "optimizers are #graph.sgd, #graph.momentum, #graph.adam, #graph.adamw, #graph.adagrad and #graph.rmsprop"},
    {" sgdmomentum heavyball ", "did you mean '#graph.momentum'?"},
    {" nesterov ", "did you mean '#graph.momentum' with nesterov = true?"},
    {" exponentialdecay inversetimedecay onecycle cosineannealing steplr multisteplr schedule ",
     "schedules are #graph.piecewise_constant, #graph.cosine_decay, #graph.polynomial_decay and #graph.linear_warmup"},
    {" lineardecay ", "did you mean '#graph.polynomial_decay'?"},
    {" warmup ", "did you mean '#graph.linear_warmup'?"},
    {" gradientdescent gd ", "did you mean '#graph.sgd'?"},
    {" xavier glorot xavieruniform he heuniform kaiming lecun variancescaling glorotnormal xaviernormal ",
     "did you mean '#graph.glorot_uniform'?"},
    {" constant const fill ones dense full ", "did you mean '#graph.value'?"},
    {" randomnormal gaussian truncatednormal randn ", "did you mean '#graph.normal'?"},
    {" randomuniform rand ", "did you mean '#graph.uniform'?"},
    {" zero ", "did you mean '#graph.zeros'?"},
    {" random fake ", "did you mean '#graph.synthetic'?"},
    {" mnist ubyte file files ", "did you mean '#graph.idx'?"},
    {" numpy npz ", "did you mean '#graph.npy'?"},
    {" tsv table ", "did you mean '#graph.csv'?"},
    {" cifar ", "did you mean '#graph.cifar10'?"},
    {" txt bytes tokens corpus vocabulary ", "did you mean '#graph.text'?"},
    {" crop randomresizedcrop ", "did you mean '#graph.random_crop'?"},
    {" flip randomhorizontalflip ", "did you mean '#graph.random_flip'?"},
    {" normalization standardize ", "did you mean '#graph.normalize'?"},
    {" tfrecord parquet image ",
     "sources of data are #graph.idx, #graph.npy, #graph.csv, #graph.text, #graph.cifar10 and #graph.synthetic"},
};

std::string fold(StringRef word) {
  std::string folded = " ";
  for (char c : word)
    if (c != '_')
      folded += llvm::toLower(c);
  return folded + " ";
}

StringRef findSynonym(ArrayRef<Synonym> table, StringRef word) {
  std::string folded = fold(word);
  for (const Synonym &synonym : table)
    if (StringRef(synonym.words).contains(folded))
      return synonym.answer;
  return "";
}

std::string findNearest(StringRef word, ArrayRef<StringRef> known) {
  std::vector<std::string> candidates;
  for (StringRef name : known)
    candidates.push_back(name.str());
  return base::nearestWord(std::string_view(word.data(), word.size()), candidates);
}

} // namespace

std::string suggestName(StringRef word, ArrayRef<StringRef> known) {
  if (known.empty())
    return "; none is known here";
  std::string nearest = findNearest(word, known);
  if (nearest.empty()) // `device` for `graph.device`
    for (StringRef name : known)
      if (std::string bare = name.rsplit('.').second.str();
          !bare.empty() && !findNearest(word, {bare}).empty())
        nearest = name.str();
  return (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") + "; known are " +
         llvm::join(known, ", ");
}

static std::string suggestNear(StringRef op, MLIRContext *context) {
  StringRef word = op.contains('.') ? op.rsplit('.').second : op;
  StringRef dialect = op.contains('.') ? op.split('.').first : "";
  SmallVector<StringRef> names;
  for (StringRef each : {"graph", "dist"}) {
    if ((dialect == "graph" || dialect == "dist") && each != dialect)
      continue;
    // Not getRegisteredOperationsByDialect, whose search by halves goes wrong in LLVM 22: it takes
    // a three-way comparison for "less".
    for (RegisteredOperationName known : context->getRegisteredOperations())
      if (known.getDialectNamespace() == each)
        names.push_back(known.getStringRef());
  }
  auto answer = [](StringRef text) { return "; did you mean " + text.str() + "?"; };
  for (StringRef name : names)
    if (name.rsplit('.').second == word)
      return answer("'" + name.str() + "'");
  if (StringRef synonym = findSynonym(kOps, word); !synonym.empty() && dialect != "dist")
    return answer(synonym);
  std::vector<StringRef> bare;
  for (StringRef name : names)
    bare.push_back(name.rsplit('.').second);
  if (std::string nearest = findNearest(word, bare); !nearest.empty())
    return answer("'" + names[llvm::find(bare, StringRef(nearest)) - bare.begin()].str() + "'");
  if (StringRef(kAbsent).contains(fold(word)))
    return "; this version has nothing of the kind (docs/status.md lists the ops)";
  return "; docs/status.md lists the ops";
}

std::string suggestOp(StringRef op, MLIRContext *context) {
  std::string near = suggestNear(op, context);
  if (StringRef dialect = op.split('.').first; dialect != "stablehlo" && dialect != "chlo")
    return near;
  return near + (StringRef(near).ends_with("?") ? "" : ".") +
         " What JAX has written is read in MLIR's generic form alone (docs/import.md)";
}

static constexpr StringRef kKnownAttributes[] = {"zeros",
                                                 "value",
                                                 "uniform",
                                                 "normal",
                                                 "glorot_uniform",
                                                 "uninitialized",
                                                 "idx",
                                                 "sgd",
                                                 "momentum",
                                                 "device",
                                                 "role",
                                                 "synthetic",
                                                 "strategy",
                                                 "part",
                                                 "cluster",
                                                 "replicas",
                                                 "adam",
                                                 "adamw",
                                                 "adagrad",
                                                 "rmsprop",
                                                 "weight_decay",
                                                 "piecewise_constant",
                                                 "cosine_decay",
                                                 "polynomial_decay",
                                                 "linear_warmup",
                                                 "npy",
                                                 "csv",
                                                 "text",
                                                 "cifar10",
                                                 "random_crop",
                                                 "normalize",
                                                 "random_flip"};

bool isAttributeMnemonic(StringRef word) { return llvm::is_contained(kKnownAttributes, word); }

std::string suggestAttribute(StringRef mnemonic) {
  if (StringRef synonym = findSynonym(kAttributes, mnemonic); !synonym.empty())
    return "; " + synonym.str();
  if (std::string nearest = findNearest(mnemonic, kKnownAttributes); !nearest.empty())
    return "; did you mean '#graph." + nearest + "'?";
  return "; initializers are #graph.zeros, #graph.value, #graph.uniform, #graph.normal, #graph.glorot_uniform and "
         "#graph.uninitialized, "
         "sources "
         "of data #graph.idx, #graph.npy, #graph.csv, #graph.text, #graph.cifar10 and #graph.synthetic, optimizers "
         "#graph.sgd, #graph.momentum, #graph.adam, #graph.adamw, #graph.adagrad and #graph.rmsprop, schedules "
         "#graph.piecewise_constant, #graph.cosine_decay, #graph.polynomial_decay and #graph.linear_warmup";
}

} // namespace graphc::graph
