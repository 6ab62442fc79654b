#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "marrow/view.hpp"

namespace marrow::view {

/// Everything of the page that is not a large array. `frames`: which of the source's frames it shows.
nlohmann::ordered_json header(const Page& page, const std::vector<std::size_t>& frames);

}  // namespace marrow::view
