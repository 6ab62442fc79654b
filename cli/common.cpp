#include "common.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "marrow/decompose.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "marrow/reduce.hpp"

namespace marrow::cli {
namespace {

/// Three digits.
std::string short_number(double value) {
  return value < 100 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

/// Whether all frames are the same; of one frame, whether it is the rest pose.
bool never_moves(const Sequence& sequence) {
  const std::span<const Vec3> first = sequence.frames() == 1 ? sequence.mesh.positions : sequence.frame(0);
  for (std::size_t t = 0; t < sequence.frames(); ++t) {
    if (!std::ranges::equal(first, sequence.frame(t))) return false;
  }
  return true;
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
  return files.size() == 1 && suffix_of(files.front()) == ".npy";
}

std::string suffix_of(const std::filesystem::path& file) {
  std::string suffix = file.extension().string();
  std::ranges::transform(suffix, suffix.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; });
  return suffix;
}

bool is_gltf(const std::filesystem::path& file) {
  const std::string suffix = suffix_of(file);
  return suffix == ".glb" || suffix == ".gltf";
}

std::vector<double> usual_shares(Effort effort) {
  if (effort == Effort::best) return {0.5, 98, 0.5, 1};
  if (effort == Effort::fast) return {10, 65, 10, 15};
  return {4, 85, 4, 7};
}

CLI::App* add_command(CLI::App& root, Common& common, const std::string& name, const std::string& description,
                      const std::string& example) {
  CLI::App* command = root.add_subcommand(name, description);
  common.command = name;
  command->add_flag("--json", common.json, "Print the result as JSON");
  command->add_flag("-q,--quiet", common.quiet, "No progress and no warnings");
  command->add_option("--threads", common.threads, "Use at most this many threads (0: all cores)")
      ->check(CLI::Range(0, 1024));
  common.flags.add_file(*command);
  command->footer("Example:\n  " + example);
  return command;
}

void add_read_flags(CLI::App& command, Common& common, Input& input) {
  common.flags.add(command, input.reading);
  command.add_option("--clip", input.clip, "Only this clip of the input, and of --original if that has it too");
}

void add_input(CLI::App& command, Common& common, Input& input) {
  command.add_option("IN", input.files, "GLB, PC2, OBJ, a folder or \"glob\" of numbered OBJ files")->required();
  add_read_flags(command, common, input);
}

void add_weights_input(CLI::App& command, Common& common, Input& input) {
  command.add_option("IN", input.files, "Skinned GLB, or an NPY with a row of weights per vertex of --rest")
      ->required();
  add_read_flags(command, common, input);
}

void add_sampling(CLI::App& command, Sampling& sampling, const std::string& when) {
  command.add_option("--ranges", sampling.ranges, when + ", how far joints turn: default, clips or a JSON file");
  add_count(command, "--seed", sampling.seed, when + ": other poses for other numbers (default 1)");
}

void add_report(CLI::App& command, std::string& report) {
  command.add_option("--report", report, "Report to write: a page to look at (page.html) or JSON (any other name)");
}

CLI::Validator whole_number() {
  return {[](const std::string& text) {
            if (to_number<std::uint64_t>(text)) return std::string();
            return fmt::format("\"{}\" is not a whole number from 0", text);
          },
          ""};
}

CLI::Validator positive_number(const std::string& meaning) {
  return {[meaning](const std::string& text) {
            const std::optional<double> value = to_number<double>(text);
            if (value && std::isfinite(*value) && *value > 0) return std::string();
            return fmt::format("\"{}\" is not a positive number; it is {}", text, meaning);
          },
          ""};
}

void refuse(const CLI::App& command, std::initializer_list<const char*> flags, const char* why) {
  for (const char* flag : flags) {
    if (command.count(flag) > 0) throw Error(ErrorCode::bad_request, flag, why);
  }
}

void check_output(const std::string& file, std::initializer_list<std::string> suffixes, const std::string& what) {
  if (std::ranges::find(suffixes, suffix_of(file)) == suffixes.end()) {
    throw Error(ErrorCode::bad_request, file,
                fmt::format("{}; give a name that ends in {}", what, fmt::join(suffixes, " or ")));
  }
  check_folder(file);
}

void check_folder(const std::string& file) {
  if (file.empty()) return;
  std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (folder.empty()) folder = ".";
  const auto fail = [&](const char* what) {
    throw Error(ErrorCode::bad_file, file, fmt::format("the folder {} {}", folder.string(), what));
  };
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) fail("does not exist; make it first");
  if (access(folder.c_str(), W_OK | X_OK) != 0) fail("may not be written; choose another one");
  require_writable(file);
}

MeshWeights read_matrix(const Input& input, const Run& run) {
  if (input.reading.rest.empty())
    throw Error(ErrorCode::bad_request, "--rest", "give the OBJ that the weights are for");
  if (input.reading.fps != 0) throw Error(ErrorCode::bad_request, "--fps", "an NPY has no frames; leave it out");
  if (!input.clip.empty()) throw Error(ErrorCode::bad_request, "--clip", "an NPY has no frames; leave it out");
  ReadOptions of_mesh = input.reading;
  of_mesh.rest.clear();
  return {read_npy(input.files.front()), read_sequence({input.reading.rest.string()}, of_mesh, run).mesh};
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

void warn_of_model(const std::vector<std::string>& files, const Run& run) {
  if (files.size() != 1 || !is_gltf(files.front()) || !has_model_extension(files.front())) return;
  run.warn(fmt::format("the plain skin of {} is used; the model beside it is left out", files.front()));
}

Animated read_input(const Input& input, const Run& run) {
  Animated animated = read(input.files, input.reading, run);
  warn_of_model(input.files, run);
  if (!input.clip.empty()) std::visit([&](auto& value) { value = select_clip(value, input.clip); }, animated);
  return animated;
}

void warn_if_still(const Sequence& frames, const Input& input, const Run& run) {
  if (never_moves(frames)) run.warn(fmt::format("{} never moves: all frames are the same", input.files.front()));
}

Sequence read_frames(const Input& input, const Run& run) {
  Stages stages(run, {2, 1});
  Animated animated = read_input(input, stages.next());
  const Rig* rig = std::get_if<Rig>(&animated);
  Sequence frames = rig != nullptr ? bake(*rig, stages.next()) : std::get<Sequence>(std::move(animated));
  stages.done();
  warn_if_still(frames, input, run);
  return frames;
}

Rig read_skin(const Input& input, const std::string& wanted, const Run& run) {
  const std::string& file = input.only_file(wanted);
  ReadOptions options = input.reading;
  options.rest.clear();
  Rig rig = read_rig(file, options, run);
  warn_of_model(input.files, run);
  return input.clip.empty() ? rig : select_clip(rig, input.clip);
}

Sequence read_original(const std::vector<std::string>& files, const Input& input, const Run& run) {
  Sequence frames = read_sequence(files, input.reading, run);
  warn_of_model(files, run);
  const auto is_clip = [&](const Clip& clip) { return clip.name == input.clip; };
  const bool cut = !input.clip.empty() && std::ranges::any_of(frames.timeline.clips, is_clip);
  return cut ? select_clip(frames, input.clip) : frames;
}

Sequence read_original_of(const Rig& rig, const std::string& file, const Input& input, const Run& run) {
  if (file.empty()) return bake(rig, run);
  Sequence frames = read_original({file}, input, run);
  check_same_shape(frames, "--original", file, rig.vertices(), rig.frames());
  return frames;
}

void add_original(CLI::App& command, std::string& original, const std::string& help) {
  command.add_option("--original", original, help);
}

void check_same_shape(const Sequence& frames, const std::string& flag, const std::string& file, std::size_t vertices,
                      std::size_t count) {
  if (frames.vertices() == vertices && frames.frames() == count) return;
  throw Error(ErrorCode::bad_input, file,
              fmt::format("has {} vertices and {} frames, but the input {} and {}; give {} what it was made from",
                          frames.vertices(), frames.frames(), vertices, count, flag));
}

std::optional<Model> read_model(const Input& input, const Run& run) {
  if (input.files.size() != 1) return {};
  const std::filesystem::path file = input.files.front();
  if (!is_gltf(file) || !has_model_extension(file)) return {};
  const ReadOptions options = input.reading;
  if (options.fps != 0 || options.up != 'y' || options.unit != 1) {
    throw Error(ErrorCode::bad_request, file.string(),
                "has a model beside its skin, which --fps, --up and --unit do not change; leave them out");
  }
  try {
    Model model = marrow::read_model(file, run);
    if (!input.clip.empty()) {
      std::visit([&](auto& kind) { kind.rig = select_clip(kind.rig, input.clip); }, model);
    }
    return model;
  } catch (const Error& error) {
    if (has_model(file)) throw;
    throw Error(error.code(), error.where(),
                error.message() + "; or go on with its plain skin: marrow convert it to GLB");
  }
}

std::optional<ErrorBound> parse_error_bound(const std::string& text) {
  if (text.empty()) return {};
  ErrorBound bound;
  std::string number = text;
  if (text.ends_with('%')) bound.unit = ErrorBound::Unit::percent;
  if (text.ends_with('u')) bound.unit = ErrorBound::Unit::model;
  if (bound.unit != ErrorBound::Unit::e_rms) number.pop_back();
  const std::optional<double> value = to_number<double>(number);
  if (!value || !std::isfinite(*value)) {
    throw Error(ErrorCode::bad_request, "--error", fmt::format("\"{}\" is not an error: give {}", text, error_grammar));
  }
  bound.value = *value;
  if (bound.value < 0) throw Error(ErrorCode::bad_request, "--error", "an error cannot be negative");
  return bound;
}

double ErrorBound::as_e_rms(std::span<const Vec3> rest) const {
  const double radius = smallest_enclosing_ball(rest).radius;
  // E_RMS counts coordinates, distances count vertices: sqrt(3) between them.
  const double per_unit = 1000 / (radius * std::sqrt(3.0));
  return unit == Unit::e_rms ? value : value * per_unit * (unit == Unit::percent ? size_of(rest) / 100 : 1);
}

double ErrorBound::as_share(std::span<const Vec3> rest) const {
  const double size = size_of(rest);
  if (unit == Unit::percent) return value / 100;
  return (unit == Unit::model ? value : value * smallest_enclosing_ball(rest).radius * std::sqrt(3.0) / 1000) / size;
}

int check_bound(const std::optional<ErrorBound>& bound, const Metrics& metrics, const std::string& text) {
  if (!bound || bound->holds(metrics)) return Exit::done;
  const char* unit = bound->unit == ErrorBound::Unit::percent ? "%" : bound->unit == ErrorBound::Unit::model ? "u" : "";
  fmt::print(stderr, "marrow: the error is {:.6g}{}, above the {} asked for\n", bound->measured(metrics), unit, text);
  return Exit::quality_missed;
}

void warn(Report& report, const Run& run) {
  for (const std::string& warning : report.warnings) run.warn(warning);
  if (run.log) report.warnings = warnings_so_far();
}

int check_status(const Report& report) {
  if (report.status != Status::quality_missed) return Exit::done;
  fmt::print(stderr, "the error asked for was not reached; this is the best that was found\n");
  return Exit::quality_missed;
}

std::size_t parse_count(const std::string& text, const std::string& flag) {
  const std::optional<std::size_t> value = to_number<std::size_t>(text);
  if (!value || *value < 1) {
    throw Error(ErrorCode::bad_request, flag, fmt::format("\"{}\" is not a whole number from 1", text));
  }
  return *value;
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
  return fmt::format("RMS {} % of the size, largest {} %; E_RMS {}", short_number(metrics.percent(metrics.error.rms)),
                     short_number(metrics.percent(metrics.error.max)), short_number(metrics.e_rms));
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
  const auto bytes = double(n);
  if (bytes < 1e3) return fmt::format("{} B", n);
  if (bytes < 1e6) return fmt::format("{:.1f} kB", bytes / 1e3);
  if (bytes < 1e9) return fmt::format("{:.1f} MB", bytes / 1e6);
  return fmt::format("{:.2f} GB", bytes / 1e9);
}

}  // namespace marrow::cli
