// Writes the generated references of DCP: dcp_reference FOLDER; with --check FOLDER it compares
// instead, exit status 1 on a difference.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "docs/generate/dcp_fields.h"
#include "docs/generate/dcp_schema.h"

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// False if it differs (check) or cannot be written.
bool put(const fs::path& file, const std::string& text, bool check) {
    if (check) {
        if (read(file) == text) return true;
        std::cerr << file.string() << ": not what the tables say; run ./dev docs\n";
        return false;
    }
    fs::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out << text;
    if (out.flush()) return true;
    std::cerr << file.string() << ": cannot be written\n";
    return false;
}

}  // namespace

int main(int count, char** arguments) {
    const bool check = count == 3 && std::string_view(arguments[1]) == "--check";
    if (count != 2 && !check) {
        std::cerr << "usage: dcp_reference [--check] FOLDER\n";
        return 2;
    }
    const fs::path folder = arguments[count - 1];
    bool good = put(folder / "dcp-fields.md", cdcscope::docs::dcp_fields_markdown(), check);
    for (const auto& schema : cdcscope::docs::dcp_schemas()) {
        good &= put(folder / "schema" / schema.name, schema.text, check);
    }
    return good ? 0 : 1;
}
