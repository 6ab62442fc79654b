#include "common.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

#include "marrow/decompose.hpp"
#include "marrow/error.hpp"
#include "marrow/reduce.hpp"

namespace marrow::cli {
namespace {

double parse_number(const std::string& text, const std::string& flag, const char* expected) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw Error(ErrorCode::bad_request, flag, fmt::format("\"{}\" is not {}", text, expected));
  }
  return value;
}

double parse_unit(const std::string& text) {
  static const std::map<std::string, double> metres = {{"m", 1},       {"cm", 0.01},   {"mm", 0.001},
                                                       {"in", 0.0254}, {"ft", 0.3048}, {"km", 1000}};
  if (const auto known = metres.find(text); known != metres.end()) return known->second;
  return parse_number(text, "--unit", "a number or one of m, cm, mm, in, ft, km");
}

const Clip& find_clip(const Timeline& timeline, const std::string& name) {
  std::string known;
  for (const Clip& clip : timeline.clips) {
    if (clip.name == name) return clip;
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", clip.name);
  }
  throw Error(ErrorCode::bad_request, "--clip", fmt::format("there is no clip \"{}\"; there are {}", name, known));
}

}  // namespace

ReadOptions Input::options() const {
  if (up != "y" && up != "z") {
    throw Error(ErrorCode::bad_request, "--up", fmt::format("\"{}\" is not an up axis; give y or z", up));
  }
  return {.rest = rest, .fps = fps, .up = up[0], .unit = parse_unit(unit)};
}

std::string Input::name() const {
  std::filesystem::path file = files.front();
  if (!file.has_filename() || file.string().find('*') != std::string::npos) file = file.parent_path();
  const std::string stem = file.stem().string();
  return stem.empty() ? "marrow" : stem;
}

const std::string& Input::only_file(const std::string& wanted) const {
  if (files.size() != 1) throw Error(ErrorCode::bad_request, "IN", "give " + wanted);
  return files.front();
}

bool Input::is_matrix() const {
  return files.size() == 1 && std::filesystem::path(files.front()).extension() == ".npy";
}

CLI::App* add_command(CLI::App& root, Common& common, const std::string& name, const std::string& description,
                      const std::string& example) {
  CLI::App* command = root.add_subcommand(name, description);
  command->add_flag("--json", common.json, "Print the result as JSON");
  command->add_flag("-q,--quiet", common.quiet, "No progress and no warnings");
  command->add_option("--threads", common.threads, "Use at most this many threads (0: all cores)")
      ->check(CLI::Range(0, 1024));
  command->footer("Example:\n  " + example);
  return command;
}

void add_read_flags(CLI::App& command, Input& input) {
  command.add_option("--rest", input.rest, "OBJ with the rest pose and faces (else NAME.obj, or the first frame)");
  command.add_option("--fps", input.fps, "Frames per second (else the file's own times, or 30)")
      ->check(CLI::PositiveNumber);
  command.add_option("--up", input.up, "Up axis of the input, y or z; z is turned to y");
  command.add_option("--unit", input.unit, "Unit of the input: m, cm, mm, in, ft, km or a factor");
}

void add_input(CLI::App& command, Input& input) {
  command.add_option("IN", input.files, "GLB, PC2, OBJ, a folder or \"glob\" of numbered OBJ files")->required();
  add_read_flags(command, input);
}

void add_weights_input(CLI::App& command, Input& input) {
  command.add_option("IN", input.files, "Skinned GLB, or an NPY with a row of weights per vertex of --rest")
      ->required();
  add_read_flags(command, input);
}

void add_sampling(CLI::App& command, Sampling& sampling, const std::string& when) {
  command.add_option("--ranges", sampling.ranges, when + ", how far joints turn: default, clips or a JSON file");
  command.add_option("--seed", sampling.seed, when + ": other poses for other numbers (default 1)");
}

void add_effort(CLI::App& command, std::string& effort) {
  command.add_option("--effort", effort, "fast, normal or best (default normal)")->check(CLI::IsMember(effort_names()));
}

void add_report(CLI::App& command, std::string& report) {
  command.add_option("--report", report, "Report to write: a page to look at (page.html) or JSON (any other name)");
}

void refuse(const CLI::App& command, std::initializer_list<const char*> flags, const char* why) {
  for (const char* flag : flags) {
    if (command.count(flag) > 0) throw Error(ErrorCode::bad_request, flag, why);
  }
}

MeshWeights read_matrix(const Input& input) {
  if (input.rest.empty()) throw Error(ErrorCode::bad_request, "--rest", "give the OBJ that the weights are for");
  return {read_npy(input.files.front()), read_obj(input.rest)};
}

std::optional<RangesOfMotion> find_ranges(const Sampling& sampling, const Rig& rig) {
  if (sampling.ranges == "default") return {};
  if (sampling.ranges != "clips") return read_ranges(sampling.ranges, rig.skeleton);
  if (!tells_bones_apart(rig.motion)) {
    throw Error(ErrorCode::bad_request, "--ranges clips", "the input has no clips in which its bones move");
  }
  return ranges_of(rig.skeleton, rig.motion);
}

double ErrorBound::measured(const Metrics& metrics) const {
  switch (unit) {
    case Unit::e_rms:
      return metrics.e_rms;
    case Unit::percent:
      return metrics.percent(metrics.error.rms);
    case Unit::model:
      return metrics.error.rms;
  }
  return 0;
}

std::optional<Model> read_model(const std::filesystem::path& file, const ReadOptions& options, const Run& run) {
  if (file.extension() != ".glb" || !has_model(file)) return std::nullopt;
  if (options.fps != 0 || options.up != 'y' || options.unit != 1) {
    throw Error(ErrorCode::bad_request, file.string(),
                "has a model beside its skin, which --fps, --up and --unit do not change; leave them out");
  }
  return marrow::read_model(file, run);
}

std::optional<ErrorBound> parse_error_bound(const std::string& text) {
  if (text.empty()) return {};
  ErrorBound bound;
  std::string number = text;
  if (text.ends_with('%')) bound.unit = ErrorBound::Unit::percent;
  if (text.ends_with('u')) bound.unit = ErrorBound::Unit::model;
  if (bound.unit != ErrorBound::Unit::e_rms) number.pop_back();
  bound.value = parse_number(number, "--error", "an error: give 1.5 (E_RMS), 0.2% (of the size) or 3u (model units)");
  if (bound.value < 0) throw Error(ErrorCode::bad_request, "--error", "an error cannot be negative");
  return bound;
}

int check_bound(const std::optional<ErrorBound>& bound, const Metrics& metrics, const std::string& text) {
  if (!bound || bound->holds(metrics)) return Exit::done;
  fmt::print(stderr, "marrow: the error is {:.6g}, above the {} asked for\n", bound->measured(metrics), text);
  return Exit::quality_missed;
}

void warn(const Report& report, const Run& run) {
  for (const std::string& warning : report.warnings) run.warn(warning);
}

int check_status(const Report& report) {
  if (report.status != Status::quality_missed) return Exit::done;
  fmt::print(stderr, "the error asked for was not reached; this is the best that was found\n");
  return Exit::quality_missed;
}

std::size_t parse_count(const std::string& text, const std::string& flag) {
  std::size_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || value < 1) {
    throw Error(ErrorCode::bad_request, flag, fmt::format("\"{}\" is not a whole number from 1", text));
  }
  return value;
}

Sequence select_clip(const Sequence& sequence, const std::string& name) {
  const Clip& clip = find_clip(sequence.timeline, name);
  return slice(sequence, clip.first, clip.count);
}

Rig select_clip(const Rig& rig, const std::string& name) {
  const Clip& clip = find_clip(rig.motion.timeline, name);
  return slice(rig, clip.first, clip.count);
}

std::string error_summary(const Metrics& metrics) {
  return fmt::format("E_RMS {:.4f}, RMS {:.4f} % of the size, max {:.3f} %", metrics.e_rms,
                     metrics.percent(metrics.error.rms), metrics.percent(metrics.error.max));
}

std::string with_thousands(std::size_t n) {
  const std::string digits = fmt::format("{}", n);
  std::string out;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && (digits.size() - k) % 3 == 0) out += ' ';
    out += digits[k];
  }
  return out;
}

std::string human_bytes(std::size_t n) {
  const auto bytes = static_cast<double>(n);
  if (bytes < 1e3) return fmt::format("{} B", n);
  if (bytes < 1e6) return fmt::format("{:.1f} kB", bytes / 1e3);
  if (bytes < 1e9) return fmt::format("{:.1f} MB", bytes / 1e6);
  return fmt::format("{:.2f} GB", bytes / 1e9);
}

}  // namespace marrow::cli
