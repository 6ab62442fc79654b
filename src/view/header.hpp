#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "marrow/view.hpp"

namespace marrow::view {

/// The page's data except large arrays. `frames`: indices of the shown frames in the source.
nlohmann::ordered_json header(const Page& page, const std::vector<std::size_t>& frames);

}  // namespace marrow::view
