#include "test/cuda/Ptx.h"

#include <charconv>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

namespace graphc::ptx {

uint32_t sizeOf(Type type) {
  switch (type) {
  case Type::None:
    return 0;
  case Type::Pred:
  case Type::B8:
  case Type::U8:
  case Type::S8:
    return 1;
  case Type::B16:
  case Type::U16:
  case Type::S16:
  case Type::F16:
  case Type::BF16:
    return 2;
  case Type::B32:
  case Type::U32:
  case Type::S32:
  case Type::F32:
    return 4;
  case Type::B64:
  case Type::U64:
  case Type::S64:
  case Type::F64:
    return 8;
  }
  return 0;
}

namespace {

constexpr const char *kBlank = " \t\r";

std::string_view strip(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlank);
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

/// At any of the characters.
std::vector<std::string_view> cut(std::string_view text, const char *at, bool keepEmpty = false) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(at, begin), text.size());
    if (keepEmpty || !strip(text.substr(begin, end - begin)).empty())
      parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool consume(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

template <typename T> bool toNumber(std::string_view text, T *out, int base = 10) {
  text = strip(text);
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out, base);
  return error == std::errc() && end == text.data() + text.size();
}

const std::map<std::string_view, Type> kTypes = {
    {"pred", Type::Pred}, {"b8", Type::B8},   {"b16", Type::B16},   {"b32", Type::B32},
    {"b64", Type::B64},   {"u8", Type::U8},   {"u16", Type::U16},   {"u32", Type::U32},
    {"u64", Type::U64},   {"s8", Type::S8},   {"s16", Type::S16},   {"s32", Type::S32},
    {"s64", Type::S64},   {"f16", Type::F16}, {"bf16", Type::BF16}, {"f32", Type::F32},
    {"f64", Type::F64}};

const std::map<std::string_view, Code> kCodes = {
    {"abs", Code::Abs},           {"add", Code::Add},     {"and", Code::And},
    {"bar", Code::Bar},           {"barrier", Code::Bar}, {"bfe", Code::Bfe},
    {"bra", Code::Bra},           {"brev", Code::Brev},   {"clz", Code::Clz},
    {"copysign", Code::Copysign}, {"cvt", Code::Cvt},     {"cvta", Code::Cvta},
    {"div", Code::Div},           {"fma", Code::Fma},     {"ld", Code::Ld},
    {"mad", Code::Mad},           {"max", Code::Max},     {"min", Code::Min},
    {"mov", Code::Mov},           {"mul", Code::Mul},     {"neg", Code::Neg},
    {"not", Code::Not},           {"or", Code::Or},       {"popc", Code::Popc},
    {"prmt", Code::Prmt},         {"rem", Code::Rem},     {"ret", Code::Ret},
    {"rcp", Code::Rcp},           {"selp", Code::Selp},   {"setp", Code::Setp},
    {"shf", Code::Shf},           {"shfl", Code::Shfl},   {"shl", Code::Shl},
    {"shr", Code::Shr},           {"sqrt", Code::Sqrt},   {"st", Code::St},
    {"sub", Code::Sub},           {"xor", Code::Xor}};

const std::map<std::string_view, Modifier> kModifiers = {
    {"eq", Modifier::Eq},     {"ne", Modifier::Ne},
    {"lt", Modifier::Lt},     {"le", Modifier::Le},
    {"gt", Modifier::Gt},     {"ge", Modifier::Ge},
    {"lo", Modifier::Lo},     {"ls", Modifier::Ls},
    {"hi", Modifier::Hi},     {"hs", Modifier::Hs},
    {"equ", Modifier::Equ},   {"neu", Modifier::Neu},
    {"ltu", Modifier::Ltu},   {"leu", Modifier::Leu},
    {"gtu", Modifier::Gtu},   {"geu", Modifier::Geu},
    {"num", Modifier::Num},   {"nan", Modifier::Nan},
    {"wide", Modifier::Wide}, {"rn", Modifier::Rn},
    {"rz", Modifier::Rz},     {"rm", Modifier::Rm},
    {"rp", Modifier::Rp},     {"rni", Modifier::Rni},
    {"rzi", Modifier::Rzi},   {"rmi", Modifier::Rmi},
    {"rpi", Modifier::Rpi},   {"NaN", Modifier::PropagateNan},
    {"v2", Modifier::V2},     {"v4", Modifier::V4},
    {"l", Modifier::L},       {"r", Modifier::R},
    {"wrap", Modifier::Wrap}, {"clamp", Modifier::Clamp},
    {"down", Modifier::Down}, {"up", Modifier::Up},
    {"bfly", Modifier::Bfly}, {"idx", Modifier::Idx},
    {"to", Modifier::To}};

/// That change nothing here.
const std::set<std::string_view> kIgnored = {"uni", "sync", "aligned", "nc", "cta"};

const std::map<std::string_view, Special> kSpecials = {
    {"%tid.x", Special::TidX},       {"%tid.y", Special::TidY},
    {"%tid.z", Special::TidZ},       {"%ntid.x", Special::NtidX},
    {"%ntid.y", Special::NtidY},     {"%ntid.z", Special::NtidZ},
    {"%ctaid.x", Special::CtaidX},   {"%ctaid.y", Special::CtaidY},
    {"%ctaid.z", Special::CtaidZ},   {"%nctaid.x", Special::NctaidX},
    {"%nctaid.y", Special::NctaidY}, {"%nctaid.z", Special::NctaidZ},
    {"%laneid", Special::Laneid},    {"WARP_SZ", Special::Warpsize}};

/// Line by line; a statement ends where its last character says so.
class Parser {
public:
  explicit Parser(std::string_view text) : lines_(cut(text, "\n", /*keepEmpty=*/true)) {}

  absl::StatusOr<Module> run() {
    for (number_ = 1; number_ <= lines_.size(); ++number_) {
      std::string_view line = lines_[number_ - 1];
      if (size_t comment = line.find("//"); comment != line.npos)
        line = line.substr(0, comment);
      line = strip(line);
      if (line.empty())
        continue;
      // A statement may go over several lines: those of an entry and its parameters, or a global's
      // numbers.
      pending_ += (pending_.empty() ? "" : " ") + std::string(line);
      if (!isWhole())
        continue;
      std::string statement = std::exchange(pending_, "");
      if (function_ && statement.front() == '{' && statement.back() == '}') { // a scope on one line
        for (std::string_view inner :
             cut(std::string_view(statement).substr(1, statement.size() - 2), ";"))
          if (absl::Status status = take(std::string(strip(inner)) + ";"); !status.ok())
            return status;
        continue;
      }
      if (absl::Status status = take(statement); !status.ok())
        return status;
    }
    if (function_ || !pending_.empty())
      return fail("the text ends in the middle");
    return std::move(module_);
  }

private:
  template <typename... Parts> absl::Status fail(const Parts &...parts) const {
    std::ostringstream text;
    text << "PTX line " << number_ << ": ";
    (text << ... << parts);
    return absl::InvalidArgumentError(text.str());
  }

  bool isWhole() const {
    if (pending_.front() == '{' && function_)
      return pending_.back() == '}';
    if (pending_.back() == ';' || pending_.back() == ':' || pending_ == "{" || pending_ == "}")
      return true;
    if (pending_.starts_with(".version") || pending_.starts_with(".target") ||
        pending_.starts_with(".address_size"))
      return true;
    return pending_.find(".entry") != std::string::npos && pending_.back() == '{';
  }

  absl::Status take(std::string_view statement) {
    if (!function_)
      return takeOutside(statement);
    if (statement == "}")
      return endFunction();
    if (statement.back() == ':') {
      labels_[std::string(statement.substr(0, statement.size() - 1))] =
          uint32_t(function_->code.size());
      return absl::OkStatus();
    }
    statement.remove_suffix(1); // ;
    statement = strip(statement);
    if (statement.starts_with(".reg"))
      return takeRegisters(statement);
    if (statement.starts_with(".shared"))
      return takeShared(statement);
    if (statement.starts_with(".pragma"))
      return absl::OkStatus();
    if (statement.starts_with("."))
      return fail("unknown directive: ", statement);
    return takeInstruction(statement);
  }

  absl::Status takeOutside(std::string_view statement) {
    if (statement.starts_with(".version") || statement.starts_with(".address_size"))
      return absl::OkStatus();
    if (consume(statement, ".target")) {
      module_.target = std::string(strip(statement));
      return absl::OkStatus();
    }
    if (statement.find(".entry") != statement.npos)
      return takeEntry(statement);
    if (statement.find(".global") != statement.npos)
      return takeGlobal(statement);
    return fail("unknown directive: ", statement);
  }

  /// `.visible .entry NAME( .param .u64 .ptr .align 64 P, … ) .reqntid 256 {`
  absl::Status takeEntry(std::string_view statement) {
    function_.emplace();
    registers_.clear();
    labels_.clear();
    singles_.clear();
    shared_.clear();
    branches_.clear();
    const size_t open = statement.find('('), close = statement.find(')');
    std::string_view head = statement.substr(0, open);
    function_->name = std::string(strip(head.substr(head.find(".entry") + 6)));
    if (open != statement.npos)
      for (std::string_view param : cut(statement.substr(open + 1, close - open - 1), ",")) {
        std::vector<std::string_view> words = cut(param, " \t");
        Type type = Type::None;
        for (std::string_view word : words)
          if (auto known = kTypes.find(word.substr(1)); word[0] == '.' && known != kTypes.end())
            type = known->second;
        if (type == Type::None || words[0] != ".param")
          return fail("unknown parameter: ", param);
        function_->params.emplace_back(std::string(words.back()), sizeOf(type));
      }
    std::string_view rest = close == statement.npos ? "" : statement.substr(close + 1);
    std::vector<std::string_view> words = cut(rest, " \t,{");
    for (size_t i = 0; i < words.size(); ++i) {
      if (const bool exact = words[i] == ".reqntid"; exact || words[i] == ".maxntid") {
        uint32_t threads = 1, each = 0;
        while (i + 1 < words.size() && toNumber(words[i + 1], &each)) {
          threads *= each;
          ++i;
        }
        if (exact)
          function_->threads = threads;
      } else if (words[i] == ".minnctapersm") {
        ++i;
      } else {
        return fail("unknown directive of an entry: ", words[i]);
      }
    }
    return absl::OkStatus();
  }

  /// `.visible .global .align 8 .b64 NAME[5] = {1, 2, 3, 4, 5};`
  absl::Status takeGlobal(std::string_view statement) {
    statement.remove_suffix(1);
    std::string_view left = statement.substr(0, statement.find('='));
    std::vector<std::string_view> words = cut(left, " \t[]");
    Type type = Type::None;
    std::string name;
    uint64_t elements = 1;
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] == ".align")
        ++i;
      else if (words[i][0] == '.' && kTypes.contains(words[i].substr(1)))
        type = kTypes.at(words[i].substr(1));
      else if (words[i][0] != '.' && name.empty())
        name = std::string(words[i]);
      else if (words[i][0] != '.' && !toNumber(words[i], &elements))
        return fail("unknown size: ", words[i]);
    }
    if (type == Type::None || name.empty())
      return fail("unknown global: ", statement);
    Global &global = module_.globals[name];
    global.bytes = elements * sizeOf(type);
    if (size_t brace = statement.find('{'); brace != statement.npos)
      for (std::string_view word :
           cut(statement.substr(brace + 1, statement.find('}') - brace - 1), ",")) {
        int64_t value = 0;
        uint64_t large = 0;
        word = strip(word);
        if (!toNumber(word, &value)) {
          if (!toNumber(word, &large))
            return fail("unknown number: ", word);
          value = int64_t(large);
        }
        for (uint32_t byte = 0; byte < sizeOf(type); ++byte)
          global.init.push_back(uint8_t(uint64_t(value) >> (8 * byte)));
      }
    global.init.resize(global.bytes);
    return absl::OkStatus();
  }

  /// `.reg .b32 %r<10>`
  absl::Status takeRegisters(std::string_view statement) {
    std::vector<std::string_view> words = cut(statement, " \t<>");
    uint32_t count = 1;
    if (words.size() < 3 || !kTypes.contains(words[1].substr(1)) ||
        (words.size() > 3 && !toNumber(words[3], &count)))
      return fail("unknown registers: ", statement);
    if (words.size() == 3)
      // of its scope, which may have the name again
      singles_[std::string(words[2])] = function_->registers;
    else
      registers_[std::string(words[2])] = {function_->registers, count};
    function_->registers += count;
    return absl::OkStatus();
  }

  /// `.shared .align 16 .b8 NAME[4096]`
  absl::Status takeShared(std::string_view statement) {
    std::vector<std::string_view> words = cut(statement, " \t[]");
    uint32_t align = 0, elements = 0;
    if (words.size() != 6 || words[1] != ".align" || !toNumber(words[2], &align) || !align ||
        !kTypes.contains(words[3].substr(1)) || !toNumber(words[5], &elements))
      return fail("unknown shared memory: ", statement);
    function_->sharedBytes = (function_->sharedBytes + align - 1) / align * align;
    shared_[std::string(words[4])] = function_->sharedBytes;
    function_->sharedBytes += elements * sizeOf(kTypes.at(words[3].substr(1)));
    return absl::OkStatus();
  }

  absl::StatusOr<uint32_t> registerOf(std::string_view name) {
    if (auto single = singles_.find(std::string(name)); single != singles_.end())
      return single->second;
    size_t digits = name.size();
    while (digits > 0 && (name[digits - 1] >= '0' && name[digits - 1] <= '9'))
      --digits;
    uint32_t index = 0;
    auto bank = registers_.find(std::string(name.substr(0, digits)));
    if (bank == registers_.end() || !toNumber(name.substr(digits), &index) ||
        index >= bank->second.second)
      return fail("unknown register: ", name);
    return bank->second.first + index;
  }

  /// The bits of a number as the type has them.
  static std::optional<int64_t> numberOf(std::string_view word) {
    int64_t value = 0;
    uint64_t bits = 0;
    if (word.starts_with("0f") || word.starts_with("0F") || word.starts_with("0d") ||
        word.starts_with("0D"))
      return toNumber(word.substr(2), &bits, 16) ? std::optional(int64_t(bits)) : std::nullopt;
    if (word.ends_with("U"))
      word.remove_suffix(1);
    if (word.starts_with("0x"))
      return toNumber(word.substr(2), &bits, 16) ? std::optional(int64_t(bits)) : std::nullopt;
    if (toNumber(word, &value))
      return value;
    if (toNumber(word, &bits))
      return int64_t(bits);
    return std::nullopt;
  }

  absl::StatusOr<Operand> operandOf(std::string_view word) {
    word = strip(word);
    Operand operand;
    if (word.starts_with("{")) {
      operand.kind = Operand::Kind::List;
      for (std::string_view each : cut(word.substr(1, word.size() - 2), ",")) {
        absl::StatusOr<Operand> inner = operandOf(each);
        if (!inner.ok())
          return inner.status();
        operand.list.push_back(*std::move(inner));
      }
      return operand;
    }
    if (word.starts_with("["))
      return addressOf(strip(word.substr(1, word.size() - 2)));
    if (auto special = kSpecials.find(word); special != kSpecials.end()) {
      operand.kind = Operand::Kind::Special;
      operand.value = int64_t(special->second);
      return operand;
    }
    if (std::optional<int64_t> number = numberOf(word)) {
      operand.value = *number;
      return operand;
    }
    if (auto memory = shared_.find(std::string(word)); memory != shared_.end()) {
      operand.value = int64_t(memory->second);
      return operand;
    }
    absl::StatusOr<uint32_t> reg = registerOf(word);
    if (!reg.ok())
      return reg.status();
    operand.kind = Operand::Kind::Register;
    operand.reg = *reg;
    return operand;
  }

  /// `%rd1`, `%rd1+16`, `%rd1+-4`, `NAME_param_0`, a piece of shared memory.
  absl::StatusOr<Operand> addressOf(std::string_view text) {
    Operand operand;
    operand.kind = Operand::Kind::Address;
    std::string_view base = text;
    if (size_t plus = text.find('+'); plus != text.npos) {
      base = text.substr(0, plus);
      if (!toNumber(text.substr(plus + 1), &operand.value))
        return fail("unknown address: ", text);
    }
    uint32_t offset = 0;
    for (const auto &[name, bytes] : function_->params) {
      if (name == base) {
        operand.value += offset;
        return operand;
      }
      offset += 8; // each has a place of its own
    }
    if (auto memory = shared_.find(std::string(base)); memory != shared_.end()) {
      operand.value += int64_t(memory->second);
      return operand;
    }
    absl::StatusOr<uint32_t> reg = registerOf(base);
    if (!reg.ok())
      return reg.status();
    operand.reg = *reg;
    return operand;
  }

  /// At commas that are in no braces or brackets; "d|p" of shfl is two operands.
  static std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    size_t begin = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? text[i] : ',';
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      if ((c == ',' || c == '|') && depth == 0) {
        parts.push_back(strip(text.substr(begin, i - begin)));
        begin = i + 1;
      }
    }
    if (parts.size() == 1 && parts[0].empty())
      parts.clear();
    return parts;
  }

  absl::Status takeInstruction(std::string_view text) {
    Instruction out;
    out.line = uint32_t(number_);
    if (consume(text, "@")) {
      out.negated = consume(text, "!");
      const size_t space = text.find_first_of(" \t");
      absl::StatusOr<uint32_t> guard = registerOf(text.substr(0, space));
      if (!guard.ok())
        return guard.status();
      out.guard = *guard;
      text = strip(text.substr(space));
    }
    const size_t space = std::min(text.find_first_of(" \t"), text.size());
    std::vector<std::string_view> words = cut(text.substr(0, space), ".");
    auto code = kCodes.find(words[0]);
    if (code == kCodes.end())
      return fail("unknown instruction: ", text);
    out.code = code->second;
    for (size_t i = 1; i < words.size(); ++i) {
      std::string_view word = words[i];
      if (auto type = kTypes.find(word); type != kTypes.end())
        (out.type == Type::None ? out.type : out.from) = type->second;
      else if (word == "param" || word == "global" || word == "shared")
        out.space = word == "param"    ? Space::Param
                    : word == "global" ? Space::Global
                                       : Space::Shared;
      else if (auto modifier = kModifiers.find(word); modifier != kModifiers.end())
        out.modifiers |= uint64_t(1) << unsigned(modifier->second);
      else if (!kIgnored.contains(word))
        return fail("unknown modifier .", word, ": ", text);
    }
    text = strip(text.substr(space));
    if (out.code == Code::Bra) {
      branches_.emplace_back(function_->code.size(), std::string(text));
    } else {
      for (std::string_view word : split(text)) {
        absl::StatusOr<Operand> operand = operandOf(word);
        if (!operand.ok())
          return operand.status();
        out.operands.push_back(*std::move(operand));
      }
    }
    function_->code.push_back(std::move(out));
    return absl::OkStatus();
  }

  absl::Status endFunction() {
    for (const auto &[index, label] : branches_) {
      auto target = labels_.find(label);
      if (target == labels_.end())
        return fail(function_->name, " branches to ", label, ", which it does not have");
      function_->code[index].target = target->second;
    }
    std::string name = function_->name;
    module_.functions.emplace(std::move(name), *std::exchange(function_, std::nullopt));
    return absl::OkStatus();
  }

  std::vector<std::string_view> lines_;
  size_t number_ = 0; // of the line, from 1
  std::string pending_;
  Module module_;
  std::optional<Function> function_; // that is being read
  // a bank: its first one, how many
  std::map<std::string, std::pair<uint32_t, uint32_t>> registers_;
  std::map<std::string, uint32_t> labels_, shared_, singles_;
  std::vector<std::pair<size_t, std::string>> branches_;
};

} // namespace

absl::StatusOr<Module> parse(std::string_view text) { return Parser(text).run(); }

} // namespace graphc::ptx
