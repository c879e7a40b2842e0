// Writes the generated references of canal: canal_reference FOLDER; with --check FOLDER it compares
// instead, exit status 1 on a difference.
#include <filesystem>
#include <iostream>
#include <string_view>

#include "docs/generate/canal_fields.h"
#include "docs/generate/canal_schema.h"
#include "docs/generate/generated_file.h"

int main(int count, char** arguments) {
    const bool check = count == 3 && std::string_view(arguments[1]) == "--check";
    if (count != 2 && !check) {
        std::cerr << "usage: canal_reference [--check] FOLDER\n";
        return 2;
    }
    const std::filesystem::path folder = arguments[count - 1];
    bool good = cdcscope::docs::put(folder / "canal-fields.md",
                                    cdcscope::docs::canal_fields_markdown(), check);
    for (const auto& schema : cdcscope::docs::canal_schemas()) {
        good &= cdcscope::docs::put(folder / "schema" / schema.name, schema.text, check);
    }
    return good ? 0 : 1;
}
