#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "marrow/metrics.hpp"
#include "marrow/model.hpp"
#include "marrow/options.hpp"
#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// One point of an error-against-bones curve.
struct BonesError {
  std::size_t bones = 0;
  double e_rms = 0;
};

/// Content of a page. Pointers are not owned; null parts are left out, but an original, a rig or a model is required.
struct Page {
  std::string title{};                       ///< such as the input's name
  const Sequence* original = nullptr;        ///< what the rig approximates
  const Rig* rig = nullptr;                  ///< with an original: the same vertices and frames
  const Model* model = nullptr;              ///< instead of `rig`; without an original, shown beside its own plain skin
  const Metrics* metrics = nullptr;          ///< of the two sides shown: compare(*original, *rig), ...
  const Report* report = nullptr;            ///< of the solver
  std::vector<BonesError> error_by_bones{};  ///< if rigs with several numbers of bones were solved

  /// The rig that gives mesh, bones and motion; null if only a sequence is shown.
  const Rig* shown_rig() const { return model != nullptr ? &plain_rig(*model) : rig; }
};

struct PageOptions {
  /// Bytes. A longer page shows every second frame, or every third, ..., and says so, with a warning. Metrics stay
  /// those of all frames; the frame with the largest error is kept.
  std::size_t size_limit = 50'000'000;
};
/// Its fields for flags, JSON, reports and documentation.
std::vector<Option> option_table(PageOptions& options);

/// Properties of a written page.
struct PageSummary {
  std::size_t bytes = 0;
  std::size_t frames = 0;     ///< frames shown
  std::size_t frames_of = 0;  ///< frames of the input
  double position_error = 0;  ///< largest rounding error of an original position, model units
};

/// Writes one HTML file that needs no server and no network: the original beside the rig, which the page deforms
/// itself, with errors, plots and figures (docs/viewer.md). Throws Error{bad_input} if the parts do not match,
/// Error{bad_request} if the library was built without the page (has_page_template()).
PageSummary write_page(const Page& page, const std::filesystem::path& file, const PageOptions& options = {},
                       const Run& run = {});

/// Whether the page was built (scripts/build-viewer) before the library.
bool has_page_template();

}  // namespace marrow
