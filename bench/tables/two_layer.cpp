// Two-layer compression of dense weights: the error of the weights beside k-largest, the paper's algorithm and the
// paper's Table 2, the error against the frames beside reduce(), bytes and blending operations; how the error falls
// with bones per vertex, and how time grows with vertices and frames.
#include "marrow/two_layer.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>

#include "csv.hpp"
#include "dense_rigs.hpp"
#include "marrow/decompose.hpp"
#include "marrow/deform.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "marrow/reduce.hpp"
#include "marrow/synthetic.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using marrow::CompressMethod;
using marrow::CompressOptions;
using marrow::Effort;
using marrow::ReduceMethod;
using marrow::Refit;
using marrow::tables::DenseRig;

struct Settings {
  std::filesystem::path rigs, sequences, cache, paper;
  std::string only;
  std::vector<double> bones_per_vertex = {4, 8};
  bool eight = false, poses = false, best = false, any_sign = false, curve = false, scale = false, frames = false,
       no_weights = false, refit = false;
  std::size_t scale_most = 1000000;
};

/// Ratios and times of all rows.
class Summary {
 public:
  void add(const std::string& name, double value) {
    if (value > 0 && std::isfinite(value)) values_[name].push_back(value);
  }
  void print() const {
    for (const auto& [name, list] : values_) {
      double logarithms = 0;
      for (const double v : list) logarithms += std::log(v);
      std::vector<double> sorted = list;
      std::sort(sorted.begin(), sorted.end());
      const std::size_t half = sorted.size() / 2;
      const double median = sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
      fmt::print("  {:<40} {:>3} rows: geometric mean {:>8.4f}, median {:>8.4f}, {:>8.4f} to {:>8.4f}\n", name,
                 list.size(), std::exp(logarithms / double(list.size())), median, sorted.front(), sorted.back());
    }
  }

 private:
  std::map<std::string, std::vector<double>> values_;
};

/// Plain weights as layers, every bone a virtual bone, so that weight_error() applies.
marrow::TwoLayerRig as_layers(const marrow::Rig& rig) {
  marrow::TwoLayerRig result{rig, {{0}, {}, {}}, {rig.weights.offsets, rig.weights.bones, rig.weights.values}};
  for (std::uint32_t j = 0; j < rig.bones(); ++j) {
    result.virtual_bones.sources.push_back(j);
    result.virtual_bones.values.push_back(1);
    result.virtual_bones.offsets.push_back(j + 1);
  }
  return result;
}

/// As storage() of layers: 2 bytes per value (one per row is not stored), 1 per index and per row.
std::size_t plain_bytes(const marrow::Weights& weights) {
  return (2 + 1) * weights.values.size() - (2 - 1) * weights.vertices();
}

struct Compressed {
  marrow::TwoLayerRig rig;
  double seconds = 0;  ///< without making the plain skin
};

Compressed timed_compress(const marrow::Rig& rig, const CompressOptions& options,
                          const marrow::Sequence* target = nullptr) {
  auto result = marrow::compress(rig, options, target);
  Compressed compressed{std::move(result.value), 0};
  for (const auto& [stage, seconds] : result.report.timings) {
    if (stage != "plain skin") compressed.seconds += seconds;
  }
  return compressed;
}

double cell(const std::vector<marrow::tables::Row>& paper, const DenseRig& rig, const std::string& column) {
  for (const marrow::tables::Row& row : paper) {
    if (row.at("dataset") != rig.dataset || std::stoul(row.at("bones")) != rig.bones) continue;
    const auto found = row.find(column);
    return found == row.end() || found->second.empty() ? NAN : std::stod(found->second);
  }
  return NAN;
}

double operations(const marrow::Rig& rig) {
  return double(rig.weights.values.size()) / double(rig.vertices());
}

/// One line per method: Delta_W, bones per vertex, time.
double print_weights(const char* name, const marrow::Rig& rig, const Compressed& compressed, double asked) {
  const double error = marrow::weight_error(rig.weights, compressed.rig);
  fmt::print("  {:<18} Delta_W {:>8.3f}  b/v {:.4f}{}  {:>6} virtual bones  {:>7.2f} s\n", name, error,
             compressed.rig.bones_per_vertex(), compressed.rig.bones_per_vertex() > asked ? " (too many)" : "",
             compressed.rig.virtual_bone_count(), compressed.seconds);
  std::fflush(stdout);
  return error;
}

void weights_at(const DenseRig& row, const marrow::Rig& rig, double asked,
                const std::vector<marrow::tables::Row>& paper, const Settings& settings, Summary& summary) {
  const auto k = std::size_t(asked);
  const std::string group = row.influences == 0 ? fmt::format("dense to {}", asked) : fmt::format("8 to {}", asked);
  const std::string column = row.influences == 0 ? fmt::format("dense{}", asked) : fmt::format("8to{}", asked);
  const marrow::Rig largest = marrow::reduce(rig, {.influences = k, .method = ReduceMethod::klargest}).value;
  const double by_largest = marrow::weight_error(rig.weights, as_layers(largest));
  const double paper_largest = cell(paper, row, column + "_klargest"),
               paper_two = cell(paper, row, column + "_twolayer");
  fmt::print(" {}: k-largest Delta_W {:.3f} (paper {:.1f}; two layers {:.1f})\n", group, by_largest, paper_largest,
             paper_two);
  const CompressOptions paper_options{.bones_per_vertex = asked, .method = CompressMethod::paper};
  const double by_paper = print_weights("paper", rig, timed_compress(rig, paper_options), asked);
  const Compressed normal = timed_compress(rig, {.bones_per_vertex = asked});
  const double refined = print_weights("refined", rig, normal, asked);
  summary.add(group + ": paper / refined", by_paper / refined);
  summary.add(group + ": k-largest / paper", by_largest / by_paper);
  summary.add(group + ": k-largest / two layers, paper", paper_largest / paper_two);
  summary.add(group + ": k-largest / refined", by_largest / refined);
  summary.add(group + ": k-largest here / paper", by_largest / paper_largest);
  summary.add(group + ": seconds, refined", normal.seconds);
  summary.add(group + ": two bytes a value / refined",
              marrow::weight_error(rig.weights, quantised(normal.rig)) / refined);
  if (settings.best) {
    const Compressed best = timed_compress(rig, {.bones_per_vertex = asked, .effort = Effort::best});
    summary.add(group + ": paper / refined best", by_paper / print_weights("refined, best", rig, best, asked));
  }
  if (settings.any_sign) {
    const Compressed any = timed_compress(rig, {.bones_per_vertex = asked, .any_sign = true});
    summary.add(group + ": paper / refined any sign", by_paper / print_weights("refined, any sign", rig, any, asked));
  }
  fmt::print("  paper / refined {:.2f}; k-largest / paper {:.1f} ({:.1f} in print), k-largest / refined {:.1f}\n",
             by_paper / refined, by_largest / by_paper, paper_largest / paper_two, by_largest / refined);
}

/// Results of methods on a rig: sizes in a file, errors by marrow::compare and weight_error().
class PoseTable {
 public:
  /// `least`: E_RMS of the best convex weights for the frames, W* of Section 3.5.
  PoseTable(const marrow::Rig& rig, const marrow::Sequence& sequence, double given, double least)
      : rig_(rig), sequence_(sequence), given_(given), least_(least) {}

  /// Returns E_RMS.
  double print(const char* name, const marrow::TwoLayerRig& layers, std::size_t bytes, double blends, double seconds) {
    const double e = marrow::compare(sequence_, layers).e_rms;
    fmt::print(
        "  {:<24} E {:>7.3f} ({:.3f} x given), Delta_E {:>7.3f}, Delta_W {:>7.3f}; {:>5.2f} operations, {:>8} "
        "bytes; {:.2f} s\n",
        name, e, e / given_, std::sqrt(std::max(e * e - least_ * least_, 0.0)),
        marrow::weight_error(rig_.weights, layers), blends, bytes, seconds);
    std::fflush(stdout);
    return e;
  }
  double print(const char* name, const marrow::Rig& plain, double seconds) {
    return print(name, as_layers(plain), plain_bytes(plain.weights), operations(plain), seconds);
  }
  double print(const char* name, const Compressed& result) {
    return print(name, result.rig, marrow::storage(result.rig), result.rig.bones_per_vertex(), result.seconds);
  }

 private:
  const marrow::Rig& rig_;
  const marrow::Sequence& sequence_;
  double given_, least_;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Dense weights, refitted with the same freedom: flexible bones as in dense_rigs.hpp.
void print_given_refitted(const marrow::Rig& rig, const marrow::Sequence& sequence, PoseTable& table) {
  const marrow::DecomposeOptions options{.influences = rig.bones(),
                                         .kind = marrow::BoneKind::flexible,
                                         .conditioning = marrow::tables::dense_conditioning,
                                         .rest_pose = marrow::RestPose::alternate,
                                         .rest_limit = marrow::refit_rest_limit,
                                         .smooth = 0,
                                         .effort = Effort::fast};
  const Clock::time_point start = Clock::now();
  const marrow::Rig refitted = marrow::decompose_from(sequence, rig.motion, options).value;
  table.print("given, all refitted", refitted, seconds_since(start));
}

void poses_at(const DenseRig& row, const marrow::Rig& rig, const marrow::Sequence& sequence, double asked,
              const Settings& settings, Summary& summary) {
  const auto k = std::size_t(asked);
  const std::string group = fmt::format("{} to {}", row.influences == 0 ? "dense" : "8", asked);
  Clock::time_point start = Clock::now();
  const marrow::Rig best = marrow::fit_weights(sequence, rig, {.influences = rig.bones(), .smooth = 0}).value;
  const double best_seconds = seconds_since(start), given = marrow::compare(sequence, rig).e_rms;
  PoseTable table(rig, sequence, given, marrow::compare(sequence, best).e_rms);
  fmt::print(" {}, with poses\n", group);
  table.print("given", rig, 0);
  table.print("best weights, W*", best, best_seconds);
  if (settings.refit) print_given_refitted(rig, sequence, table);
  const auto add = [&](const char* name, double e) { summary.add(group + ": E / given, " + name, e / given); };
  for (const auto& [name, method] :
       {std::pair{"k-largest", ReduceMethod::klargest}, {"reduce", ReduceMethod::best_fit}}) {
    start = Clock::now();
    const marrow::Rig reduced = marrow::reduce(rig, {.influences = k, .method = method}, &sequence).value;
    add(name, table.print(name, reduced, seconds_since(start)));
  }
  const auto two_layers = [&](const char* name, const CompressOptions& options, const marrow::Sequence* target) {
    add(name, table.print(name, timed_compress(rig, options, target)));
  };
  two_layers("paper, without poses", {.bones_per_vertex = asked, .method = CompressMethod::paper}, nullptr);
  two_layers("refined, without poses", {.bones_per_vertex = asked}, nullptr);
  two_layers("refined, convex", {.bones_per_vertex = asked}, &sequence);
  two_layers("refined, any sign", {.bones_per_vertex = asked, .any_sign = true}, &sequence);
  if (settings.best)
    two_layers("refined, convex, best", {.bones_per_vertex = asked, .effort = Effort::best}, &sequence);
  if (!settings.refit) return;
  for (const auto& [what, refit] : {std::pair{"rest", Refit::rest}, {"all", Refit::all}}) {
    const auto name = [&](const char* kind) { return fmt::format("refit {}, {}", what, kind); };
    two_layers(name("convex").c_str(), {.bones_per_vertex = asked, .refit = refit}, &sequence);
    two_layers(name("any sign").c_str(), {.bones_per_vertex = asked, .refit = refit, .any_sign = true}, &sequence);
    if (settings.best) {
      two_layers(name("best").c_str(), {.bones_per_vertex = asked, .refit = refit, .effort = Effort::best}, &sequence);
    }
  }
}

/// Figs. 6, 7 and 11 of the paper, as CSV: errors of the weights and against the frames, and virtual bones, against
/// bones per vertex. The memory for the virtual bones' matrices is counted as in Fig. 11: 64 bytes each, beside
/// vertices of 16 and weights of 8 bytes.
void print_curve(const DenseRig& row, const marrow::Rig& rig, const marrow::Sequence& sequence) {
  const auto print = [&](const char* method, double asked, const marrow::TwoLayerRig& layers, std::size_t cached) {
    fmt::print("{},{},{},{},{:.4f},{:.4f},{},{:.3f}\n", row.dataset, row.bones, method, asked,
               marrow::weight_error(rig.weights, layers), marrow::compare(sequence, layers).e_rms, cached,
               100 * 64 * double(cached) / ((16 + 8 * asked) * double(rig.vertices())));
    std::fflush(stdout);
  };
  for (const double asked : {2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0}) {
    if (asked == std::floor(asked)) {
      const marrow::ReduceOptions options{.influences = std::size_t(asked), .method = ReduceMethod::klargest};
      print("k-largest", asked, as_layers(marrow::reduce(rig, options).value), 0);
    }
    const auto layers = [&](const char* name, const CompressOptions& options, const marrow::Sequence* target) {
      const marrow::TwoLayerRig result = timed_compress(rig, options, target).rig;
      print(name, asked, result, result.virtual_bone_count());
    };
    layers("paper", {.bones_per_vertex = asked, .method = CompressMethod::paper}, nullptr);
    layers("refined", {.bones_per_vertex = asked}, nullptr);
    layers("refined with poses", {.bones_per_vertex = asked}, &sequence);
  }
}

/// A generated body whose vertices follow 16 of 20 bones, by distance.
marrow::Rig generated(std::size_t vertices) {
  marrow::Rig rig = marrow::synthetic::quadruped({.vertices = vertices, .frames = 20});
  const std::vector<marrow::Vec3> middles = marrow::weighted_centroids(rig.mesh, rig.weights, rig.bones());
  const double size = marrow::size_of(rig.mesh.positions);
  marrow::Weights weights{{0}, {}, {}};
  std::vector<std::pair<double, std::uint32_t>> row;
  for (const marrow::Vec3& p : rig.mesh.positions) {
    row.clear();
    for (std::uint32_t j = 0; j < rig.bones(); ++j) {
      const double distance = std::hypot(p.x - middles[j].x, p.y - middles[j].y, p.z - middles[j].z) / size;
      row.emplace_back(-1 / (0.0025 + distance * distance), j);
    }
    std::sort(row.begin(), row.end());
    row.resize(std::min<std::size_t>(row.size(), 16));
    double sum = 0;
    for (const auto& [w, j] : row) sum += w;
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [w, j] : row) {
      weights.bones.push_back(j);
      weights.values.push_back(float(w / sum));
    }
    weights.offsets.push_back(std::uint32_t(weights.bones.size()));
  }
  rig.weights = std::move(weights);
  return rig;
}

/// Fig. 9 of the paper, as CSV.
void print_scale(const Settings& settings) {
  fmt::print("vertices,bones,method,seconds,microseconds_per_vertex,bones_per_vertex,delta_w\n");
  for (const std::size_t vertices : {10000U, 30000U, 100000U, 300000U, 1000000U}) {
    if (vertices > settings.scale_most) break;
    const marrow::Rig rig = generated(vertices);
    const marrow::Sequence poses = settings.poses ? marrow::bake(rig) : marrow::Sequence();
    const Compressed result = timed_compress(rig, {.bones_per_vertex = 4}, settings.poses ? &poses : nullptr);
    fmt::print("{},{},{},{:.2f},{:.1f},{:.4f},{:.4f}\n", rig.vertices(), rig.bones(),
               settings.poses ? "with poses" : "without poses", result.seconds,
               1e6 * result.seconds / double(rig.vertices()), result.rig.bones_per_vertex(),
               marrow::weight_error(rig.weights, result.rig));
    std::fflush(stdout);
  }
}

/// Seconds of the pass over the frames, and after it, against the number of frames.
void print_frames(const DenseRig& row, const marrow::Rig& rig, const marrow::Sequence& sequence) {
  const auto print = [&](std::size_t frames, const char* what, Refit refit) {
    const marrow::Sequence target = marrow::slice(sequence, 0, frames);
    const marrow::Report report =
        marrow::compress(marrow::slice(rig, 0, frames), {.bones_per_vertex = 4, .refit = refit}, &target).report;
    fmt::print("{},{},{},{}", row.dataset, row.bones, what, frames);
    for (const char* stage : {"sum up poses", "compress"}) {
      for (const auto& [name, seconds] : report.timings) {
        if (name == stage) fmt::print(",{:.2f}", seconds);
      }
    }
    fmt::print("\n");
    std::fflush(stdout);
  };
  for (const auto& [what, refit] : {std::pair{"none", Refit::none}, {"rest", Refit::rest}, {"all", Refit::all}}) {
    for (const std::size_t parts : {8U, 4U, 2U, 1U}) print(sequence.frames() / parts, what, refit);
  }
}

void print_tables(const Settings& settings) {
  const std::vector<marrow::tables::Row> paper =
      settings.paper.empty() ? std::vector<marrow::tables::Row>() : marrow::tables::read_csv(settings.paper);
  Summary summary;
  if (settings.frames) fmt::print("dataset,bones,refit,frames,seconds_of_frames,seconds_after\n");
  if (settings.curve) {
    fmt::print("dataset,bones,method,bones_per_vertex,delta_w,e_rms,virtual_bones,overhead_percent\n");
  }
  for (const DenseRig& row : marrow::tables::read_dense_rigs(settings.rigs)) {
    const std::string name = fmt::format("{}-{}", row.dataset, row.bones);
    if (name.find(settings.only) == std::string::npos || (row.influences != 0) != settings.eight) continue;
    const marrow::Sequence sequence = marrow::read_sequence({(settings.sequences / (row.dataset + ".pc2")).string()});
    const marrow::Rig rig = marrow::tables::solve_or_load(row, sequence, settings.cache);
    if (settings.curve) print_curve(row, rig, sequence);
    if (settings.frames) print_frames(row, rig, sequence);
    if (settings.curve || settings.frames) continue;
    fmt::print("{} {} bones, {} vertices, rig {:016x}\n", row.dataset, row.bones, rig.vertices(),
               marrow::tables::hash_of(rig));
    for (const double asked : settings.bones_per_vertex) {
      if (!settings.no_weights) weights_at(row, rig, asked, paper, settings, summary);
      if (settings.poses) poses_at(row, rig, sequence, asked, settings, summary);
    }
  }
  summary.print();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compresses the weights of solved rigs to two layers and prints the tables");
  Settings settings;
  app.add_option("rigs", settings.rigs, "CSV with the rigs: dense_rigs.csv");
  app.add_option("sequences", settings.sequences, "Folder with NAME.pc2 and NAME.obj");
  app.add_option("cache", settings.cache, "Folder that solved rigs are kept in");
  app.add_option("--paper", settings.paper, "CSV with the paper's Table 2");
  app.add_option("--only", settings.only, "Rigs whose DATASET-BONES contains this");
  app.add_option("--bones-per-vertex", settings.bones_per_vertex, "What to compress to; 4 and 8 unless given");
  app.add_flag("--eight", settings.eight, "Start from the rigs with 8 influences instead of the dense ones");
  app.add_flag("--poses", settings.poses, "Also the error against the frames");
  app.add_flag("--poses-only", settings.no_weights, "Of the tables, only that with --poses");
  app.add_flag("--best", settings.best, "Also the best effort, which is slow");
  app.add_flag("--refit", settings.refit, "With poses, also layers for which the rest pose or all may move");
  app.add_flag("--any-sign", settings.any_sign, "Also values of any sign");
  app.add_flag("--curve", settings.curve, "Instead: errors and virtual bones against bones per vertex, as CSV");
  app.add_flag("--scale", settings.scale, "Instead: the time against vertices of generated meshes, as CSV");
  app.add_flag("--frames", settings.frames, "Instead: the time with poses against frames, as CSV");
  app.add_option("--scale-most", settings.scale_most, "Up to so many vertices");
  CLI11_PARSE(app, argc, argv);
  if (settings.scale) {
    print_scale(settings);
    return 0;
  }
  if (settings.cache.empty()) {
    fmt::print(stderr, "give the rigs, the folder of the sequences and a folder for solved rigs\n");
    return 2;
  }
  settings.poses = settings.poses || settings.no_weights;
  try {
    print_tables(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
