#pragma once

#include <string_view>

namespace marrow::view {

/// viewer/dist/index.html as it was when the library was built, or nothing. cmake/viewer.cmake generates the
/// definition.
std::string_view page_template();

}  // namespace marrow::view
