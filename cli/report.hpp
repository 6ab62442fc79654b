#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "marrow/decompose.hpp"
#include "marrow/metrics.hpp"
#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"
#include "marrow/view.hpp"

namespace marrow::cli {

/// What was asked, what was reached, times and warnings; error against bones where that was solved.
nlohmann::ordered_json report_object(const Result<Rig>& result, const Metrics& metrics,
                                     const BoneCurve* curve = nullptr);
nlohmann::ordered_json curve_object(const BoneCurve& curve);

/// Ends a summary: what was written, and which page to open.
void print_written(const std::string& out, const std::string& report);

/// What --report FILE writes: a page to look at where FILE ends in .html, else figures. Only the one that is needed is
/// made; nothing where FILE is empty.
void write_report(const std::filesystem::path& file, const Run& run, const std::function<Page()>& page,
                  const std::function<nlohmann::ordered_json()>& figures);
/// The same about a rig: figures are report_object().
void write_report(const std::filesystem::path& file, const std::string& title, const Sequence& sequence,
                  const Result<Rig>& result, const Metrics& metrics, const Run& run, const BoneCurve* curve = nullptr);

}  // namespace marrow::cli
