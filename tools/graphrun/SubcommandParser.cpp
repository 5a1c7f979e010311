#include "tools/graphrun/SubcommandParser.h"
#include "tools/graphrun/RunFlags.h"

#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"

namespace graphc::graphrun {

std::optional<int> parse(CLI::App &app, int argc, char **argv,
                         const std::function<void(const std::string &)> &say) {
  const auto refuse = [&say](const std::string &why) {
    say(why);
    return 2;
  };
  app.allow_extras();
  HostFlags none;
  auto arguments = commandLine(argc, argv, &none);
  if (!arguments.ok())
    return refuse(base::describe(arguments.status()));
  try {
    app.parse(*std::move(arguments));
  } catch (const CLI::Success &wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError &error) {
    return refuse(error.what());
  }
  if (!none.empty())
    return refuse(absl::StrCat("unknown flag --", none.begin()->first, "_hosts (see --help)"));
  if (absl::Status status = checkExtras(app); !status.ok())
    return refuse(base::describe(status));
  return std::nullopt;
}

} // namespace graphc::graphrun
