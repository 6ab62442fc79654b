// Compression of Direct Delta Mush: true error on the clips of a file, storage and time, beside scalar weights only and
// the paper's update; --ablations removes the parts of the paper's objective one by one.
#include "marrow/ddm_compression.hpp"
#include "marrow/ddm.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>
#include <map>

#include "marrow/io.hpp"
#include "marrow/synthetic.hpp"

namespace {

using namespace marrow;
using Method = DdmCompressionMethod;

constexpr double shown_height = 175;  // cm

const std::map<Method, const char*> method_names = {
    {Method::scalar_only, "scalar"}, {Method::paper, "paper"}, {Method::refined, "refined"}};

/// The setting of docs/results/ddm_compression.md: reaches of 2.5 and 1.5 are t = (c d)^2 / (2 steps) with c = 2.5
/// and 1.5.
DdmOptions setting() {
  return {.rotation_reach = 2.5, .translation_reach = 1.5, .alpha = 0.5, .steps = 4, .prune = 1e-3};
}

double height_of(const Mesh& mesh) {
  const auto [low, high] = std::ranges::minmax_element(mesh.positions, {}, &Vec3::y);
  return double(high->y) - double(low->y);
}

struct Subject {
  std::string name;
  DdmRig ddm;
  Sequence truth;
  double height = 1;
  std::vector<bool> rigid;  ///< per vertex, whether it follows one bone
};

Subject make_subject(const std::string& name, const Rig& rig) {
  Subject s{name, make_ddm(rig, setting()).value, {}, height_of(rig.mesh), {}};
  s.truth = bake(s.ddm);
  const std::vector<std::uint32_t>& offsets = s.ddm.multi_weights.offsets;
  for (std::size_t i = 0; i < rig.vertices(); ++i) s.rigid.push_back(offsets[i + 1] - offsets[i] == 1);
  return s;
}

/// "NAME.glb", or a generated body: "quadruped:VERTICES".
Subject read_subject(const std::string& input) {
  if (const std::string prefix = "quadruped:"; input.starts_with(prefix)) {
    return make_subject(input,
                        synthetic::quadruped({.vertices = std::stoul(input.substr(prefix.size())), .frames = 60}));
  }
  return make_subject(std::filesystem::path(input).stem().string(), read_rig(input));
}

double kilobytes(std::size_t bytes) {
  return double(bytes) / 1024;
}

/// As storage() of the other models: 4 bytes per weight (one per row is not stored), 1 per index and per row.
std::size_t storage_of_weights(const Weights& weights) {
  return (4 + 1) * weights.values.size() - (4 - 1) * weights.vertices();
}

/// With ten doubles per multi-weight instead of floats, which the paper's table probably counts for the original.
std::size_t storage_in_doubles(const DdmRig& ddm) {
  return storage(ddm) + 40 * ddm.multi_weights.values.size();
}

void print_subject(const Subject& s) {
  const auto n = double(s.ddm.vertices());
  const auto rigid = double(std::ranges::count(s.rigid, true));
  fmt::print("{}: {} vertices, {} bones, {} frames, {:.2f} multi-weights per vertex, {:.0f} % of the vertices rigid\n",
             s.name, s.ddm.vertices(), s.ddm.bones(), s.ddm.rig.frames(), double(s.ddm.multi_weights.values.size()) / n,
             100 * rigid / n);
  fmt::print("  DDM {:.0f} KB ({:.0f} KB in doubles), LBS {:.0f} KB, dense LBS {:.0f} KB\n", kilobytes(storage(s.ddm)),
             kilobytes(storage_in_doubles(s.ddm)), kilobytes(storage_of_weights(s.ddm.rig.weights)),
             kilobytes(storage_of_weights(dense_lbs(s.ddm).weights)));
}

struct Measured {
  CompressedDdm model;
  Metrics metrics;
  double wall = 0, processor = 0;
};

Measured measure(const Subject& s, const DdmCompressionOptions& options, const RangesOfMotion& ranges, const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  Measured out{compress(s.ddm, options, ranges, run).value, {}, 0, 0};
  out.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  out.processor = double(std::clock() - processor) / CLOCKS_PER_SEC;
  out.metrics = compare(s.truth, out.model, run);
  return out;
}

double rms_of_the_others(const Subject& s, const Metrics& metrics) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < s.rigid.size(); ++i) {
    if (s.rigid[i]) continue;
    sum += metrics.per_vertex_rms[i] * metrics.per_vertex_rms[i];
    ++count;
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

void print_header() {
  fmt::print("{:>4} {:>2} {:<8} {:>7} {:>7} {:>7} {:>6} {:>7} {:>8} {:>7} {:>6} {:>6} {:>5} {:>5} {:>6} {:>6}\n", "P",
             "Z", "method", "median", "RMS", "99%", "max", "RMS %h", "non-rig.", "KB", "ratio", "(dbl)", "z", "J", "s",
             "cpu s");
}

void print_row(const Subject& s, const DdmCompressionOptions& options, const Measured& m) {
  const double cm = shown_height / s.height;
  const ErrorStats& e = m.metrics.error;
  const auto bytes = double(storage(m.model));
  fmt::print(
      "{:>4} {:>2} {:<8} {:>7.4f} {:>7.4f} {:>7.4f} {:>6.3f} {:>7.4f} {:>8.4f} {:>7.1f} {:>6.2f} {:>6.2f} {:>5.2f} "
      "{:>5.1f} "
      "{:>6.1f} {:>6.1f}\n",
      options.virtual_bones, options.influences, method_names.at(options.method), e.median * cm, e.rms * cm, e.p99 * cm,
      e.max * cm, 100 * e.rms / s.height, rms_of_the_others(s, m.metrics) * cm, bytes / 1024,
      double(storage(s.ddm)) / bytes, double(storage_in_doubles(s.ddm)) / bytes,
      double(m.model.weights.values.size()) / double(m.model.vertices()),
      double(m.model.virtual_bones.values.size()) / double(m.model.virtual_bone_count()), m.wall, m.processor);
}

struct Place {
  double bytes, rms;
};

/// Lowest error of a method at a number of bytes: log-linear between its rows, its best row outside.
double at_bytes(std::vector<Place> curve, double bytes) {
  std::ranges::sort(curve, {}, &Place::bytes);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < curve.size(); ++k) {
    if (curve[k].bytes <= bytes) best = std::min(best, curve[k].rms);
    if (k > 0 && curve[k - 1].bytes <= bytes && bytes < curve[k].bytes) {
      const double share = (bytes - curve[k - 1].bytes) / (curve[k].bytes - curve[k - 1].bytes);
      best = std::min(best, std::exp((1 - share) * std::log(curve[k - 1].rms) + share * std::log(curve[k].rms)));
    }
  }
  return best;
}

/// Errors of every frame, for bench/plots/plot.mjs.
std::string curve_rows(const Subject& s, const DdmCompressionOptions& options, const Measured& m) {
  std::string text;
  const double cm = shown_height / s.height;
  for (std::size_t t = 0; t < m.metrics.per_frame.size(); ++t) {
    const ErrorStats& e = m.metrics.per_frame[t];
    text += fmt::format("{},{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}\n", s.name, options.virtual_bones,
                        options.influences, method_names.at(options.method), t, e.q25 * cm, e.median * cm, e.q75 * cm,
                        e.rms * cm, e.max * cm);
  }
  return text;
}

void print_comparison(std::size_t influences, const std::map<Method, std::vector<Place>>& curves) {
  const std::vector<Place>& own = curves.at(Method::refined);
  fmt::print("refined against scalar / paper, Z = {}: ", influences);
  for (std::size_t k = 0; k < own.size(); ++k) {
    fmt::print("{}{:.2f}x / {:.2f}x", k == 0 ? "" : ", ", curves.at(Method::scalar_only)[k].rms / own[k].rms,
               curves.at(Method::paper)[k].rms / own[k].rms);
  }
  fmt::print("; at equal bytes: ");
  for (std::size_t k = 0; k < own.size(); ++k) {
    const double other = std::min(at_bytes(curves.at(Method::scalar_only), own[k].bytes),
                                  at_bytes(curves.at(Method::paper), own[k].bytes));
    fmt::print("{}{:.2f}x", k == 0 ? "" : ", ", other / own[k].rms);
  }
  fmt::print("\n");
}

struct Arguments {
  std::vector<std::string> inputs;
  std::vector<std::size_t> bones{100, 200, 500}, influences{4, 8};
  std::string curves;
  bool refined_only = false, ablations = false;
  std::size_t ablation_bones = 100;
  DdmCompressionOptions options;
  Run run;
};

/// Prints the table; returns the rows of --curves.
std::string table(const Subject& s, const Arguments& args) {
  print_subject(s);
  print_header();
  const RangesOfMotion ranges = default_ranges(s.ddm.rig.skeleton);
  DdmCompressionOptions options = args.options;
  std::string frames;
  for (const std::size_t z : args.influences) {
    std::map<Method, std::vector<Place>> curves;
    for (const std::size_t p : args.bones) {
      for (const Method method : {Method::scalar_only, Method::paper, Method::refined}) {
        if (args.refined_only && method != Method::refined) continue;
        options.virtual_bones = p;
        options.influences = z;
        options.method = method;
        const Measured m = measure(s, options, ranges, args.run);
        print_row(s, options, m);
        std::fflush(stdout);
        curves[method].push_back({double(storage(m.model)), m.metrics.error.rms});
        frames += curve_rows(s, options, m);
      }
    }
    if (!args.refined_only) print_comparison(z, curves);
  }
  return frames;
}

void print_ablation(const Subject& s, const char* what, const DdmCompressionOptions& options,
                    const RangesOfMotion& ranges, const Run& run) {
  const Measured m = measure(s, options, ranges, run);
  const double cm = shown_height / s.height;
  const double fit = fitting_error(s.ddm, m.model, default_ranges(s.ddm.rig.skeleton), {}, run);
  fmt::print("  {:<52} RMS {:>8.4f}  max {:>7.3f}  RMSE_fit {:>8.5f}\n", what, m.metrics.error.rms * cm,
             m.metrics.error.max * cm, fit * cm);
  std::fflush(stdout);
}

/// Section 7: removes each part of the objective, with a linearised method; errors on the clips.
void ablate_maps(const Subject& s, DdmCompressionOptions options, const Run& run) {
  fmt::print(" {}, {} virtual bones\n", method_names.at(options.method), options.virtual_bones);
  const RangesOfMotion ranges = default_ranges(s.ddm.rig.skeleton);
  print_ablation(s, "all maps", options, ranges, run);
  RangesOfMotion uniform = ranges;
  for (JointRange& range : uniform.joints) range = JointRange::even(120);
  print_ablation(s, "the same range for every joint (Fig. 10)", options, uniform, run);
  print_ablation(s, "ranges of the clips (Fig. 10)", options, ranges_of(s.ddm.rig.skeleton, s.ddm.rig.motion), run);
  options.examples.hierarchy = false;
  print_ablation(s, "without the hierarchy (Fig. 12)", options, ranges, run);
  options.examples.bind_pose = false;
  print_ablation(s, "nor the change of coordinates (Fig. 13)", options, ranges, run);
  options.examples = {};
  options.examples.poses = sample_poses(s.ddm.rig.skeleton, ranges, 100, 3);
  print_ablation(s, "half of the objective from 100 sampled poses", options, ranges, run);
}

void ablate(const Subject& s, std::size_t bones, const Run& run) {
  fmt::print("{} (cm at a height, or size of bar and arm, of 175 cm)\n", s.name);
  const RangesOfMotion ranges = default_ranges(s.ddm.rig.skeleton);
  DdmCompressionOptions options{.virtual_bones = bones, .influences = 8, .method = Method::scalar_only, .sparsity = 0};
  ablate_maps(s, options, run);
  options.method = Method::paper;
  ablate_maps(s, options, run);
  options.method = Method::scalar_only;
  options.virtual_bones = s.ddm.bones();
  print_ablation(s, "as many as bones, weights only (Fig. 14)", options, ranges, run);
  options.method = Method::refined;
  options.virtual_bones = bones;
  print_ablation(s, "(refined on the true error)", options, ranges, run);
  const Metrics plain = compare(s.truth, s.ddm.rig, run);
  fmt::print("  {:<52} RMS {:>8.4f}\n", "(linear blend skinning as given)", plain.error.rms * shown_height / s.height);
}

/// The paper's bar has four bones in a chain: here the generated bar in quarters, in random poses.
Rig bar_of_four() {
  Rig rig = synthetic::bar({.vertices = 2000, .frames = 2});
  std::array<double, 3> low{}, high{};
  const auto axis = [](const Vec3& p, std::size_t a) { return double(a == 0 ? p.x : a == 1 ? p.y : p.z); };
  std::size_t along = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    low[a] = std::numeric_limits<double>::max();
    high[a] = std::numeric_limits<double>::lowest();
    for (const Vec3& p : rig.mesh.positions) {
      low[a] = std::min(low[a], axis(p, a));
      high[a] = std::max(high[a], axis(p, a));
    }
    if (high[a] - low[a] > high[along] - low[along]) along = a;
  }
  rig.skeleton = {};
  rig.weights = {{0}, {}, {}};
  for (int k = 0; k < 4; ++k) {
    std::array<double, 3> joint;
    for (std::size_t a = 0; a < 3; ++a)
      joint[a] = a == along ? low[a] + k * (high[a] - low[a]) / 4 : (low[a] + high[a]) / 2;
    rig.skeleton.names.push_back(fmt::format("quarter_{}", k));
    rig.skeleton.parents.push_back(k - 1);
    rig.skeleton.bind.push_back(Affine::translation(joint[0], joint[1], joint[2]));
  }
  for (const Vec3& p : rig.mesh.positions) {
    const double share = (axis(p, along) - low[along]) / (high[along] - low[along]);
    rig.weights.bones.push_back(std::uint32_t(std::clamp(4 * share, 0.0, 3.0)));
    rig.weights.values.push_back(1);
    rig.weights.offsets.push_back(std::uint32_t(rig.weights.bones.size()));
  }
  RangesOfMotion ranges;
  ranges.joints.assign(4, JointRange::even(90));
  rig.motion = sample_poses(rig.skeleton, ranges, 60, 21);
  return rig;
}

/// Fig. 11: two bones without hierarchy that move far apart and rotate little.
void ablate_translations(const Run& run) {
  Rig rig = synthetic::bar({.vertices = 2000, .frames = 2});
  rig.skeleton.parents.assign(rig.bones(), -1);
  const double height = size_of(rig.mesh.positions);
  RangesOfMotion small, trained;
  small.joints.assign(rig.bones(), JointRange::even(15));
  trained.joints.assign(rig.bones(), JointRange::even(90));
  rig.motion = sample_poses(rig.skeleton, small, 80, 5);
  for (std::size_t t = 0; t < rig.frames(); ++t) {
    for (std::size_t j = 0; j < rig.bones(); ++j) {
      // Low-discrepancy points of a cube.
      const double k = double(t * rig.bones() + j + 1);
      const auto spread = [&](double step) { return height * (4 * (k * step - std::floor(k * step)) - 2); };
      Affine& bone = rig.motion.frame(t)[j];
      bone = Affine::translation(spread(0.8191725134), spread(0.6710436067), spread(0.5497004779)) * bone;
    }
  }
  Subject s = make_subject("bar of two loose bones", rig);
  s.height = height;
  fmt::print("{}, 10 virtual bones, joints turn by up to 90 degrees in training; poses with far translations\n",
             s.name);
  DdmCompressionOptions options{.virtual_bones = 10, .influences = 8, .method = Method::paper, .sparsity = 0};
  for (const double range : {0.0, 0.5, 2.0}) {
    options.examples.translation = range;
    const Measured m = measure(s, options, trained, run);
    fmt::print("  translations up to {:.1f} sizes: RMS {:.4f} % of the size, median {:.4f} %\n", range,
               100 * m.metrics.error.rms / height, 100 * m.metrics.error.median / height);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compresses Direct Delta Mush models and prints error, storage and time; errors in cm at 175 cm height");
  Arguments args;
  app.add_option("inputs", args.inputs, "Skinned GLBs with clips, or quadruped:VERTICES")->required();
  app.add_option("--bones", args.bones, "Virtual bones, P")->delimiter(',');
  app.add_option("--influences", args.influences, "Influences, Z")->delimiter(',');
  app.add_option("--poses", args.options.poses);
  app.add_option("--iterations", args.options.iterations);
  app.add_option("--worst", args.options.worst);
  app.add_option("--sparsity", args.options.sparsity);
  app.add_option("--smoothness", args.options.smoothness);
  app.add_flag("--area", args.options.area_weights);
  app.add_option("--threads", args.run.threads);
  app.add_option("--seed", args.run.seed);
  app.add_option("--curves", args.curves, "CSV to write: the errors of every frame");
  app.add_flag("--refined", args.refined_only, "Only the default method");
  app.add_flag("--ablations", args.ablations, "Section 7 of the paper instead; also on generated bars");
  CLI11_PARSE(app, argc, argv);
  if (args.ablations) {
    Subject bar = make_subject("bar of four bones", bar_of_four());
    bar.height = size_of(bar.ddm.rig.mesh.positions);
    ablate(bar, 20, args.run);
    Subject arm = make_subject("arm", synthetic::arm({.vertices = 2000, .frames = 60}));
    arm.height = size_of(arm.ddm.rig.mesh.positions);
    ablate(arm, 20, args.run);
    ablate_translations(args.run);
  }
  std::string frames = "model,virtual_bones,influences,method,frame,q25_cm,median_cm,q75_cm,rms_cm,max_cm\n";
  for (const std::string& input : args.inputs) {
    const Subject s = read_subject(input);
    if (args.ablations) {
      ablate(s, args.ablation_bones, args.run);
    } else {
      frames += table(s, args);
    }
  }
  if (!args.curves.empty()) write_text(frames, args.curves);
}
