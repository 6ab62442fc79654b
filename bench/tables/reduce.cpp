// Weights reduced to 4 per vertex by every method, from dense rigs and from rigs with 8 influences: E_RMS against the
// frames and fairness (% of the size) by marrow::compare, beside the figures of the two-layer paper's Table 3.
#include "marrow/reduce.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>

#include "csv.hpp"
#include "dense_rigs.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using marrow::ReduceMethod;

constexpr std::size_t influences = 4;
constexpr std::pair<const char*, ReduceMethod> methods[] = {{"best-fit", ReduceMethod::best_fit},
                                                            {"geometry", ReduceMethod::geometry},
                                                            {"poisson", ReduceMethod::poisson},
                                                            {"klargest", ReduceMethod::klargest},
                                                            {"smooth", ReduceMethod::smooth}};

/// Sums for geometric means.
struct Means {
  double e = 0, fairness = 0, seconds = 0;
};

std::string paper_figure(const std::vector<marrow::tables::Row>& paper, const marrow::tables::DenseRig& rig,
                         const char* method) {
  const std::string column = fmt::format("{}_{}", rig.influences == 0 ? "dense4" : "8to4", method);
  for (const marrow::tables::Row& row : paper) {
    if (row.at("dataset") != rig.dataset || std::stoul(row.at("bones")) != rig.bones) continue;
    const auto cell = row.find(column);
    return cell == row.end() ? "" : cell->second;
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Reduces the weights of solved rigs by every method and prints the table");
  std::filesystem::path rigs, sequences, cache, paper_file;
  std::string only;
  app.add_option("rigs", rigs, "CSV with the rigs: dense_rigs.csv")->required();
  app.add_option("sequences", sequences, "Folder with NAME.pc2 and NAME.obj")->required();
  app.add_option("cache", cache, "Folder that solved rigs are kept in")->required();
  app.add_option("--paper", paper_file, "CSV with the columns dataset, bones, 8to4_METHOD and dense4_METHOD");
  app.add_option("--only", only, "Rigs whose dataset contains this");
  CLI11_PARSE(app, argc, argv);

  const std::vector<marrow::tables::Row> paper =
      paper_file.empty() ? std::vector<marrow::tables::Row>() : marrow::tables::read_csv(paper_file);
  std::map<std::string, Means> means;
  int rows = 0, best = 0;
  for (const marrow::tables::DenseRig& row : marrow::tables::read_dense_rigs(rigs)) {
    if (row.dataset.find(only) == std::string::npos) continue;
    const marrow::Sequence sequence = marrow::read_sequence({(sequences / (row.dataset + ".pc2")).string()});
    const marrow::Rig rig = marrow::tables::solve_or_load(row, sequence, cache);
    const marrow::Metrics full = marrow::compare(sequence, rig);
    fmt::print("{} {} bones, {} to {}: E {:.3f}, fairness {:.4f} %, rig {:016x}\n", row.dataset, row.bones,
               row.influences == 0 ? "dense" : std::to_string(row.influences), influences, full.e_rms,
               full.percent(full.fairness), marrow::tables::hash_of(rig));
    double best_fit = 0;
    bool is_best = true;
    for (const auto& [name, method] : methods) {
      const Clock::time_point start = Clock::now();
      const marrow::Rig reduced = marrow::reduce(rig, {.influences = influences, .method = method}, &sequence).value;
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      const marrow::Metrics metrics = marrow::compare(sequence, reduced);
      fmt::print("  {:<9} E {:>8.3f}  fairness {:>7.4f} %  {:>6.2f} s  paper {:>5}\n", name, metrics.e_rms,
                 metrics.percent(metrics.fairness), seconds, paper_figure(paper, row, name));
      std::fflush(stdout);
      Means& mean = means[name];
      mean.e += std::log(metrics.e_rms);
      mean.fairness += std::log(metrics.percent(metrics.fairness));
      mean.seconds += seconds;
      if (method == ReduceMethod::best_fit) best_fit = metrics.e_rms;
      is_best = is_best && best_fit <= metrics.e_rms;
    }
    best += is_best ? 1 : 0;
    ++rows;
  }
  if (rows == 0) return 0;
  fmt::print("geometric means over {} rows; best-fit has the smallest E in {}\n", rows, best);
  for (const auto& [name, method] : methods) {
    const Means& mean = means[name];
    fmt::print("  {:<9} E {:>8.3f}  fairness {:>7.4f} %  {:>6.2f} s on average\n", name, std::exp(mean.e / rows),
               std::exp(mean.fairness / rows), mean.seconds / rows);
  }
  return best == rows ? 0 : 1;
}
