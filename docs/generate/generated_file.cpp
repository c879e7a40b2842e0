#include "docs/generate/generated_file.h"

#include <fstream>
#include <iostream>
#include <iterator>

namespace cdcscope::docs {

bool put(const std::filesystem::path& file, const std::string& text, bool check) {
    if (check) {
        std::ifstream in(file, std::ios::binary);
        if (std::string(std::istreambuf_iterator<char>(in), {}) == text) return true;
        std::cerr << file.string() << ": not what the tables say; run ./dev docs\n";
        return false;
    }
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out << text;
    if (out.flush()) return true;
    std::cerr << file.string() << ": cannot be written\n";
    return false;
}

}  // namespace cdcscope::docs
