#include "core/atomic_file.hpp"
#include "marrow/io.hpp"

namespace marrow {

void write_text(const std::string& text, const std::filesystem::path& file) {
  AtomicFile out(file);
  out.write(text);
  out.commit();
}

}  // namespace marrow
