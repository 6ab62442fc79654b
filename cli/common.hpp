#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "marrow/effort.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "marrow/motion_range.hpp"
#include "marrow/report.hpp"
#include "marrow/run.hpp"
#include "marrow/stages.hpp"
#include "options.hpp"

namespace marrow::cli {

/// Exit codes, the same for every command.
enum Exit { done = 0, bad_input = 1, bad_usage = 2, quality_missed = 3, interrupted = 130 };

/// Flags that every command has.
struct Common {
  bool json = false;
  std::string command;
  bool quiet = false;
  int threads = 0;
  OptionFlags flags;

  /// With progress on a terminal, warnings on stderr, and a stop at Ctrl-C.
  Run run() const;
};

/// What to read, and how.
struct Input {
  std::vector<std::string> files;
  ReadOptions reading;
  std::string clip;  ///< empty: all

  /// What to call it: "horse" for horse.pc2, "frames" for frames/ and "frames/*.obj".
  std::string name() const;
  /// The file, where `wanted` ("one skinned GLB") is all that a command takes; else Error{bad_request}.
  const std::string& only_file(const std::string& wanted) const;
  /// Whether the input is weights without a rig: one NPY.
  bool is_matrix() const;
};

/// How poses are drawn at random.
struct Sampling {
  std::string ranges = "default";
  std::uint64_t seed = 1;
};

/// Of a file's name, in small letters: ".glb" for Horse.GLB.
std::string suffix_of(const std::filesystem::path& file);
bool is_gltf(const std::filesystem::path& file);

/// Weights without a rig, and the mesh that they are for.
struct MeshWeights {
  Matrix weights;
  Mesh mesh;
};

/// A subcommand: its flags are added to the app, and `action` runs it and gives the exit code.
struct Command {
  CLI::App* app = nullptr;
  std::function<int()> action;
};

Command make_info(CLI::App& root);
Command make_convert(CLI::App& root);
Command make_compare(CLI::App& root);
Command make_render(CLI::App& root);
Command make_decompose(CLI::App& root);
Command make_ddm(CLI::App& root);
Command make_skeleton(CLI::App& root);
Command make_reduce(CLI::App& root);
Command make_compress(CLI::App& root);
Command make_view(CLI::App& root);
Command make_demo(CLI::App& root);
Command make_tables(CLI::App& root);

/// The time that reading, solving, writing and comparing take of a command, in percent.
std::vector<double> usual_shares(Effort effort = Effort::normal);

/// A subcommand with the common flags; `example` ends its help.
CLI::App* add_command(CLI::App& root, Common& common, const std::string& name, const std::string& description,
                      const std::string& example);
/// --rest, --fps, --up, --unit and --clip.
void add_read_flags(CLI::App& command, Common& common, Input& input);
/// IN and the read flags.
void add_input(CLI::App& command, Common& common, Input& input);
/// The same for what has weights: a skinned GLB or an NPY.
void add_weights_input(CLI::App& command, Common& common, Input& input);
/// --ranges and --seed; `when` they have a meaning starts their help.
void add_sampling(CLI::App& command, Sampling& sampling, const std::string& when);
void add_report(CLI::App& command, std::string& report);
/// Refuses all but whole numbers from 0. (CLI11 takes -1 for the largest number there is.)
CLI::Validator whole_number();
/// An option that counts, or a list of them.
template <class Counts>
CLI::Option* add_count(CLI::App& command, const std::string& flag, Counts& counts, const std::string& help) {
  return command.add_option(flag, counts, help)->check(whole_number());
}
/// Refuses all but numbers above 0; `meaning` says what they stand for.
CLI::Validator positive_number(const std::string& meaning);

/// One kind of mistake is common: options that would do nothing. Error{bad_request} where one of them is given.
void refuse(const CLI::App& command, std::initializer_list<const char*> flags, const char* why);
/// Why --rest is refused beside a GLB.
inline constexpr const char* rest_of_original =
    "is for an NPY or for the frames of --original; a GLB has its own rest pose";

// Mistakes about what is written are found before anything is solved.

/// Error{bad_request} unless the name ends in one of the suffixes; `what` says what is written. The folder is checked.
void check_output(const std::string& file, std::initializer_list<std::string> suffixes, const std::string& what);
/// Error{bad_file} unless a file can be made there. Nothing for an empty name.
void check_folder(const std::string& file);

MeshWeights read_matrix(const Input& input, const Run& run);
/// What --ranges asks for; none for the default ones.
std::optional<RangesOfMotion> find_ranges(const Sampling& sampling, const Rig& rig);

/// Says so where only the plain skin of a file is used, and it has a model beside that.
void warn_of_model(const std::vector<std::string>& files, const Run& run);
/// The input, or its clip where one is named; with that warning.
Animated read_input(const Input& input, const Run& run);
/// Says so where all frames are the same.
void warn_if_still(const Sequence& frames, const Input& input, const Run& run);
/// The same as frames.
Sequence read_frames(const Input& input, const Run& run);
/// The plain skin of the one file, without --rest, which is that of the original; `wanted` as in only_file().
Rig read_skin(const Input& input, const std::string& wanted, const Run& run);
/// Frames to compare with, read as the input is; of a clip that the input was cut to, only that, where it is in them.
Sequence read_original(const std::vector<std::string>& files, const Input& input, const Run& run);
/// The original, or where none is named, what the rig does; checked against the rig.
Sequence read_original_of(const Rig& rig, const std::string& file, const Input& input, const Run& run);
void add_original(CLI::App& command, std::string& original, const std::string& help);
/// Error{bad_input} unless the frames named by `flag` are of the same vertices, and as many, as what they are held
/// against.
void check_same_shape(const Sequence& frames, const std::string& flag, const std::string& file, std::size_t vertices,
                      std::size_t count);

/// The model of the input, where that is one GLB that has one beside its plain skin; of a clip where one is named.
/// Options that it does not take are an Error{bad_request}, a model that cannot be read an Error{bad_file}.
std::optional<Model> read_model(const Input& input, const Run& run);

/// An error as users give it: "1.5" is E_RMS, "0.2%" RMS distance in percent of the size, "3u" RMS distance in model
/// units.
struct ErrorBound {
  double value = 0;
  enum class Unit { e_rms, percent, model } unit = Unit::e_rms;

  /// The figure of `metrics` that the bound is about.
  double measured(const Metrics& metrics) const;
  bool holds(const Metrics& metrics) const { return measured(metrics) <= value; }
  /// The same as E_RMS, and as a share of the size, of what has this rest pose.
  double as_e_rms(std::span<const Vec3> rest) const;
  double as_share(std::span<const Vec3> rest) const;
};
/// What --error takes, for its help.
inline constexpr const char* error_grammar = "1.5 (E_RMS), 0.2% (RMS, of the size) or 3u (RMS, model units)";
/// None for an empty text.
std::optional<ErrorBound> parse_error_bound(const std::string& text);
/// The exit code for a bound that may not have been given; says so on stderr where it does not hold.
int check_bound(const std::optional<ErrorBound>& bound, const Metrics& metrics, const std::string& text);

/// Passes on what a solver warned of, and adds to its report what was warned of before.
void warn(Report& report, const Run& run);
/// The exit code of a solver's report; says so on stderr where it missed what was asked for.
int check_status(const Report& report);

/// A whole number from 1.
std::size_t parse_count(const std::string& text, const std::string& flag);

/// Frames of one clip; Error{bad_request} with the clips' names where there is no such clip.
Sequence select_clip(const Sequence& sequence, const std::string& name);
Rig select_clip(const Rig& rig, const std::string& name);

/// All warnings so far, whether they were shown or not.
const std::vector<std::string>& warnings_so_far();

/// Says which options are in which group of help.
void group_options(CLI::App& command);
/// What to say about a command or an option that there is not; empty where all are known.
std::string unknown_word(const CLI::App& root, const std::vector<std::string>& arguments);

/// Signals that mean "stop" now trigger the stop token of every Run made here.
void stop_on_signals();

/// Ends the progress line, so that other output starts on a clean one.
void end_progress();

/// "20 bones and 5 ends, 4 influences".
std::string skeleton_summary(const Rig& rig);

/// "RMS 0.19 % of the size, largest 1.2 %; E_RMS 4.36".
std::string error_summary(const Metrics& metrics);

/// "12 345 678" -> easier to read; "1.2 MB".
std::string with_thousands(std::size_t n);
std::string human_bytes(std::size_t n);

}  // namespace marrow::cli
