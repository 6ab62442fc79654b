#include "report.hpp"

#include <fmt/format.h>

#include "common.hpp"
#include "marrow/io.hpp"

namespace marrow::cli {

nlohmann::ordered_json curve_object(const BoneCurve& curve) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < curve.bones.size(); ++k) {
    points.push_back({{"bones", curve.bones[k]}, {"e_rms", curve.e_rms[k]}});
  }
  return {{"knee", curve.bones[curve.knee()]}, {"points", points}};
}

nlohmann::ordered_json report_object(const Result<Rig>& result, const Metrics& metrics, const BoneCurve* curve) {
  auto json = nlohmann::ordered_json::parse(to_json(result.report));
  const Bytes bytes = storage(result.value);
  json["reached"] = {
      {"bones", result.value.bones()},
      {"influences", result.value.weights.max_influences()},
      {"bytes", {{"rig", bytes.rig}, {"raw_frames", bytes.raw_frames}, {"morph_targets", bytes.morph_targets}}},
      {"metrics", nlohmann::ordered_json::parse(to_json(metrics))}};
  if (curve) json["curve"] = curve_object(*curve);
  return json;
}

void print_written(const std::string& out, const std::string& report) {
  fmt::print("wrote {}\n", out);
  if (suffix_of(report) == ".html") {
    fmt::print("open {} in a browser\n", report);
  } else if (!report.empty()) {
    fmt::print("wrote {}\n", report);
  }
}

void write_report(const std::filesystem::path& file, const Run& run, const std::function<Page()>& page,
                  const std::function<nlohmann::ordered_json()>& figures) {
  if (suffix_of(file) == ".html") {
    write_page(page(), file, {}, run);
  } else if (!file.empty()) {
    write_text(figures().dump(2) + "\n", file);
  }
}

void write_report(const std::filesystem::path& file, const std::string& title, const Sequence& sequence,
                  const Result<Rig>& result, const Metrics& metrics, const Run& run, const BoneCurve* curve) {
  const auto page = [&] {
    Page shown{
        .title = title, .original = &sequence, .rig = &result.value, .metrics = &metrics, .report = &result.report};
    for (std::size_t k = 0; curve && k < curve->bones.size(); ++k) {
      shown.error_by_bones.push_back({curve->bones[k], curve->e_rms[k]});
    }
    return shown;
  };
  write_report(file, run, page, [&] { return report_object(result, metrics, curve); });
}

}  // namespace marrow::cli
