#include "core/atomic_file.hpp"
#include "marrow/io.hpp"

namespace marrow {

void require_writable(const std::filesystem::path& file) {
  writable_target(file);
}

}  // namespace marrow
