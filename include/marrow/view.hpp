#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "marrow/metrics.hpp"
#include "marrow/model.hpp"
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

/// What a page shows. Nothing is owned; what is null is left out, but there must be an original, a rig or a model.
struct Page {
  std::string title{};                       ///< such as the input's name
  const Sequence* original = nullptr;        ///< what the rig stands for
  const Rig* rig = nullptr;                  ///< with an original: the same vertices and frames
  const Model* model = nullptr;              ///< in place of a rig; without an original, beside its own plain skin
  const Metrics* metrics = nullptr;          ///< of what is shown beside each other: compare(*original, *rig), ...
  const Report* report = nullptr;            ///< of the solver that made the rig
  std::vector<BonesError> error_by_bones{};  ///< where rigs with several numbers of bones were solved

  /// The rig that gives mesh, bones and motion; null where a sequence is alone.
  const Rig* shown_rig() const { return model != nullptr ? &plain_rig(*model) : rig; }
};

struct PageOptions {
  /// Bytes. A page that would be longer shows every second frame, or every third, ...; it says so, and so does a
  /// warning. The metrics stay those of all frames, and the frame with the largest error is kept.
  std::size_t size_limit = 50'000'000;
};

/// What a written page holds.
struct PageSummary {
  std::size_t bytes = 0;
  std::size_t frames = 0;     ///< shown
  std::size_t frames_of = 0;  ///< of so many
  double position_error = 0;  ///< an original position in the page is off by at most this, model units
};

/// Writes one HTML file that needs no server and no network: the original beside the rig, which the page deforms
/// itself, with the error drawn on it, plots and figures. See docs/viewer.md. Throws Error{bad_input} where the parts
/// do not fit each other, Error{bad_request} where this build of the library lacks the page (has_page_template()).
PageSummary write_page(const Page& page, const std::filesystem::path& file, const PageOptions& options = {},
                       const Run& run = {});

/// Whether the page was built (scripts/build-viewer) before the library was.
bool has_page_template();

}  // namespace marrow
