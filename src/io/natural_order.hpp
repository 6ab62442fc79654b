#pragma once

#include <string_view>

namespace marrow {

/// Whether `a` comes before `b` with runs of digits read as numbers: frame_2 before frame_10, 2 before 02 before 3.
/// Other characters compare as bytes, upper case before lower. A strict total order: different texts never tie.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace marrow
