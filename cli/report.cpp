#include "report.hpp"

#include "marrow/io.hpp"
#include "marrow/view.hpp"

namespace marrow::cli {

nlohmann::ordered_json report_object(const Result<Rig>& result, const Metrics& metrics) {
  auto json = nlohmann::ordered_json::parse(to_json(result.report));
  const Bytes bytes = storage(result.value);
  json["reached"] = {
      {"bones", result.value.bones()},
      {"influences", result.value.weights.max_influences()},
      {"bytes", {{"rig", bytes.rig}, {"raw_frames", bytes.raw_frames}, {"morph_targets", bytes.morph_targets}}},
      {"metrics", nlohmann::ordered_json::parse(to_json(metrics))}};
  return json;
}

void write_report(const std::filesystem::path& file, const std::string& title, const Sequence& sequence,
                  const Result<Rig>& result, const Metrics& metrics, const Run& run) {
  if (file.extension() != ".html") return write_text(report_object(result, metrics).dump(2) + "\n", file);
  write_page(
      {.title = title, .original = &sequence, .rig = &result.value, .metrics = &metrics, .report = &result.report},
      file, {}, run);
}

}  // namespace marrow::cli
