// Regenerates the table of skeletons: the rows of a CSV with dataset, bones and the columns I_rmse to IV_rmse, beside
// the same number of free rigid bones. Errors are RMS distances in % of the bounding box's diagonal, by
// marrow::compare.
#include "marrow/skeleton.hpp"
#include "marrow/decompose.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "csv.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "names.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The sequences have other names than the rows of the course notes.
std::string file_of(const std::string& dataset) {
  return dataset == "dance" ? "pdance" : dataset == "cow" ? "pcow" : dataset;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Solves the rows of a table of skeletons and prints them beside the published figures");
  std::filesystem::path targets, sequences, out;
  std::string only;
  bool first_only = false;
  marrow::SkeletonOptions options;
  app.add_option("targets", targets, "CSV with the columns dataset, bones and I_rmse to IV_rmse")->required();
  app.add_option("sequences", sequences, "Folder with NAME.pc2 and NAME.obj")->required();
  app.add_option("--only", only, "Rows whose dataset contains this");
  app.add_option("--effort", options.effort)
      ->transform(CLI::CheckedTransformer(values_by_name(marrow::effort_names())));
  app.add_option("--out", out, "Folder to write NAME.glb of method I to");
  app.add_flag("--first", first_only, "Method I only");
  CLI11_PARSE(app, argc, argv);

  fmt::print("{:<14} {:>5} {:>7} {:>7} {:>6} {:>6} {:>6} {:>13} {:>13} {:>13} {:>13}\n", "dataset", "bones", "free",
             "I", "ratio", "free s", "I s", "I/published", "II/publ.", "III/publ.", "IV/publ.");
  double sum = 0;
  int rows = 0;
  for (const marrow::tables::Row& row : marrow::tables::read_csv(targets)) {
    const std::string& dataset = row.at("dataset");
    const std::filesystem::path file = sequences / (file_of(dataset) + ".pc2");
    if (dataset.find(only) == std::string::npos || !std::filesystem::exists(file)) continue;
    const marrow::Sequence sequence = marrow::read_sequence({file.string()});
    options.bones = std::stoul(row.at("bones"));
    const auto percent = [&](const marrow::Rig& rig) {
      const marrow::Metrics metrics = marrow::compare(sequence, rig);
      return metrics.percent(metrics.error.rms);
    };
    Clock::time_point start = Clock::now();
    const marrow::Rig free = marrow::decompose(sequence, {.bones = options.bones, .effort = options.effort}).value;
    const double free_seconds = seconds_since(start), free_error = percent(free);
    std::string cells;
    double first = 0, first_seconds = 0;
    const std::pair<marrow::SkeletonMethod, const char*> methods[] = {{marrow::SkeletonMethod::multi, "I_rmse"},
                                                                      {marrow::SkeletonMethod::schaefer, "II_rmse"},
                                                                      {marrow::SkeletonMethod::aguiar, "III_rmse"},
                                                                      {marrow::SkeletonMethod::hasler, "IV_rmse"}};
    for (const auto& [method, column] : methods) {
      const bool multi = method == marrow::SkeletonMethod::multi;
      if (first_only && !multi) continue;
      options.method = method;
      start = Clock::now();
      const marrow::Rig rig = marrow::extract_skeleton(sequence, options).value;
      const double took = seconds_since(start), error = percent(rig);
      cells += fmt::format(" {:>6.3f}/{:<6}", error, row.at(column));
      if (!multi) continue;
      first = error;
      first_seconds = took;
      if (!out.empty()) marrow::write_glb(rig, out / (file_of(dataset) + ".glb"));
    }
    fmt::print("{:<14} {:>5} {:>7.3f} {:>7.3f} {:>6.3f} {:>6.1f} {:>6.1f}{}\n", dataset, options.bones, free_error,
               first, first / free_error, free_seconds, first_seconds, cells);
    std::fflush(stdout);
    sum += std::log(first / free_error);
    ++rows;
  }
  if (rows > 0) fmt::print("geometric mean of I / free: {:.4f} over {} rows\n", std::exp(sum / rows), rows);
  return 0;
}
