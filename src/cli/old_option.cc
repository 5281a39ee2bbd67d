#include "cli/old_option.h"

#include <fmt/core.h>

namespace akgen::cli {

void AddOldName(CLI::App& command, const std::string& old_name, CLI::Option* option) {
  auto pass_on = [old_name, option](const CLI::results_t& values) {
    fmt::print(stderr, "warning: {} is now called {}; the old name goes in the next release\n",
               old_name, option->get_name());
    option->add_result(values);
    option->run_callback();
    return true;
  };
  command.add_option(old_name, CLI::callback_t(pass_on))
      ->type_size(option->get_type_size_min(), option->get_type_size_max())
      ->expected(option->get_expected_min(), option->get_expected_max())
      ->allow_extra_args(option->get_allow_extra_args())
      ->delimiter(option->get_delimiter())
      ->group("");
}

}  // namespace akgen::cli
