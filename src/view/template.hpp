#pragma once

#include <string_view>

namespace marrow::view {

/// viewer/dist/index.html at build time, or empty. cmake/viewer.cmake generates the definition.
std::string_view page_template();

}  // namespace marrow::view
