#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "common.hpp"
#include "marrow/error.hpp"
#include "marrow/version.hpp"

namespace marrow::cli {
namespace {

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_request:
      return Exit::bad_usage;
    case ErrorCode::stopped:
      return Exit::interrupted;
    case ErrorCode::bad_input:
    case ErrorCode::bad_file:
      break;
  }
  return Exit::bad_input;
}

constexpr const char* out_of_memory = "out of memory: the input or a number that was asked for is too large";

int fail(int code, const std::string& message) {
  end_progress();
  fmt::print(stderr, "marrow: {}\n", message);
  return code;
}

int run(int argc, char** argv) {
  CLI::App root("Marrow turns animated meshes into bones and weights.", "marrow");
  root.set_version_flag("--version", "marrow " MARROW_VERSION);
  root.require_subcommand(1);
  root.footer("Each command has its own help, with an example: marrow COMMAND --help");
  const Command commands[] = {make_info(root),      make_convert(root),  make_compare(root), make_render(root),
                              make_decompose(root), make_skeleton(root), make_reduce(root),  make_compress(root),
                              make_ddm(root),       make_view(root),     make_demo(root),    make_tables(root)};
  for (const Command& command : commands) group_options(*command.app);
  if (const std::string wrong = unknown_word(root, {argv + std::min(argc, 1), argv + argc}); !wrong.empty()) {
    fmt::print(stderr, "{}\n", wrong);
    return Exit::bad_usage;
  }
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return root.exit(error) == 0 ? Exit::done : Exit::bad_usage;
  }
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    const int code = command.action();
    end_progress();
    return code;
  }
  return Exit::bad_usage;
}

}  // namespace
}  // namespace marrow::cli

int main(int argc, char** argv) {
  using namespace marrow::cli;
  try {
    stop_on_signals();
    return run(argc, argv);
  } catch (const marrow::Error& error) {
    // Where it was stopped is of no use to who stopped it.
    return fail(exit_code(error.code()), error.code() == marrow::ErrorCode::stopped ? error.message() : error.what());
  } catch (const std::bad_alloc&) {
    return fail(Exit::bad_input, out_of_memory);
  } catch (const std::length_error&) {
    return fail(Exit::bad_input, out_of_memory);
  } catch (const std::exception& error) {
    return fail(Exit::bad_input, error.what());
  }
}
