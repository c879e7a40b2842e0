// Writes the generated references of DCP: dcp_reference FOLDER; with --check FOLDER it compares
// instead, exit status 1 on a difference.
#include <filesystem>
#include <iostream>
#include <string_view>

#include "docs/generate/dcp_fields.h"
#include "docs/generate/dcp_schema.h"
#include "docs/generate/generated_file.h"

int main(int count, char** arguments) {
    const bool check = count == 3 && std::string_view(arguments[1]) == "--check";
    if (count != 2 && !check) {
        std::cerr << "usage: dcp_reference [--check] FOLDER\n";
        return 2;
    }
    const std::filesystem::path folder = arguments[count - 1];
    bool good =
        cdcscope::docs::put(folder / "dcp-fields.md", cdcscope::docs::dcp_fields_markdown(), check);
    for (const auto& schema : cdcscope::docs::dcp_schemas()) {
        good &= cdcscope::docs::put(folder / "schema" / schema.name, schema.text, check);
    }
    return good ? 0 : 1;
}
