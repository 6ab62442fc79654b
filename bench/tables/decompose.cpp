// Regenerates the decomposition tables: every row of a targets file, solved with one setting, beside the figures to
// beat. Errors are E_RMS by marrow::compare; seconds are wall and processor time of decompose() alone.
#include "marrow/decompose.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "csv.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "names.hpp"

namespace {

using marrow::tables::read_csv;
using marrow::tables::Row;

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& v) { return double(v.tv_sec) + 1e-6 * double(v.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double number(const Row& row, const std::string& column) {
  const auto cell = row.find(column);
  return cell == row.end() || cell->second.empty() ? 0 : std::stod(cell->second);
}

bool has_cell(const Row& row, const std::string& value) {
  return value.empty() || std::ranges::any_of(row, [&](const auto& cell) { return cell.second == value; });
}

/// Geometric mean of E / reference over the rows that have one.
struct Mean {
  double sum = 0, worst = 0, least = 1e300;
  int count = 0;
  void add(double ratio) {
    sum += std::log(ratio);
    worst = std::max(worst, ratio);
    least = std::min(least, ratio);
    ++count;
  }
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Solves the rows of a targets file and prints them beside the figures to beat");
  std::filesystem::path targets, sequences;
  std::string only, where, reach, seconds;
  std::vector<std::string> columns;
  marrow::DecomposeOptions options;
  options.smooth = 0;
  bool unlimited = false;
  app.add_option("targets", targets, "CSV with the columns dataset, bones and the figures to beat")->required();
  app.add_option("sequences", sequences, "Folder with NAME.pc2 and NAME.obj")->required();
  app.add_option("--against", columns, "Columns to divide by; several: the smallest that is there")->delimiter(',');
  app.add_option("--only", only, "Rows whose dataset contains this");
  app.add_option("--effort", options.effort)
      ->transform(CLI::CheckedTransformer(values_by_name(marrow::effort_names())));
  app.add_option("--kind", options.kind)->transform(CLI::CheckedTransformer(values_by_name(marrow::bone_kind_names())));
  app.add_option("--rest-pose", options.rest_pose)
      ->transform(CLI::CheckedTransformer(values_by_name(marrow::rest_pose_names())));
  app.add_option("--rest-limit", options.rest_limit);
  app.add_option("--smooth", options.smooth);
  app.add_flag("--unconditioned", unlimited);
  app.add_option("--where", where, "Rows in which some cell is this");
  app.add_option("--reach", reach,
                 "Column with an error to reach: says when that was, and how much sooner than --seconds");
  app.add_option("--seconds", seconds, "Column with the time that it took someone else");
  CLI11_PARSE(app, argc, argv);
  if (unlimited) options.conditioning = 0;

  fmt::print("{:<16} {:>5} {:>8} {:>8} {:>7} {:>8} {:>8} {:>8}\n", "dataset", "bones", "E", "to beat", "ratio",
             "wall s", "cpu s", "moved %");
  Mean errors, sooner;
  std::string loaded;
  marrow::Sequence sequence;
  for (const Row& row : read_csv(targets)) {
    const std::string& name = row.at("dataset");
    if (name.find(only) == std::string::npos || !has_cell(row, where)) continue;
    if (name != loaded) sequence = marrow::read_sequence({(sequences / (name + ".pc2")).string()});
    loaded = name;
    options.bones = std::stoul(row.at("bones"));
    const double cpu = processor_seconds();
    const auto start = std::chrono::steady_clock::now();
    double reached_after = 0;
    marrow::Run run;
    if (!reach.empty()) {
      // Only errors over all vertices count; the last stage reports them.
      run.progress = [&](const marrow::Progress& p) {
        if (reached_after > 0 || p.stage != "refining" || p.error > number(row, reach)) return;
        reached_after = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      };
    }
    const marrow::Result<marrow::Rig> result = marrow::decompose(sequence, options, run);
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double used = processor_seconds() - cpu;
    const double error = marrow::compare(sequence, result.value).e_rms;
    double reference = 0;
    for (const std::string& column : columns) {
      const double value = number(row, column);
      if (value > 0 && (reference == 0 || value < reference)) reference = value;
    }
    if (reference > 0) errors.add(error / reference);
    if (reached_after > 0) sooner.add(number(row, seconds) / reached_after);
    const double moved = std::ranges::max(marrow::vertex_errors(sequence.mesh.positions, result.value.mesh.positions));
    fmt::print("{:<16} {:>5} {:>8.4f} {:>8.2f} {:>7.3f} {:>8.2f} {:>8.2f} {:>8.2f}", name, options.bones, error,
               reference, reference > 0 ? error / reference : 0, wall, used,
               100 * moved / marrow::size_of(sequence.mesh.positions));
    if (reached_after > 0) {
      fmt::print("  reached {} after {:.3f} s, {:.0f} times sooner", row.at(reach), reached_after,
                 number(row, seconds) / reached_after);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
  if (errors.count > 0) {
    fmt::print("geometric mean of E / to beat: {:.4f} over {} rows, worst {:.3f}\n",
               std::exp(errors.sum / errors.count), errors.count, errors.worst);
  }
  if (sooner.count > 0) {
    fmt::print("reached sooner by, geometric mean: {:.1f} over {} rows, least {:.1f}\n",
               std::exp(sooner.sum / sooner.count), sooner.count, sooner.least);
  }
  return 0;
}
