// Build-time program: descriptors of the .proto files in, the constexpr tables of proto/canal out.
// Usage: canal_table_generator DESCRIPTORS OUTPUT; DESCRIPTORS is what `protoc
// --include_source_info --descriptor_set_out` writes.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace pb = google::protobuf;

// HeartBeat, entryType, fetch_size -> heart_beat, entry_type, fetch_size.
std::string snake(const std::string& name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool upper = std::isupper(static_cast<unsigned char>(name[i])) != 0;
        if (upper && i > 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0)
            out += '_';
        out += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    }
    return out;
}

std::string lower(std::string name) {
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name == "delete" ? "delete_" : name;
}

bool is_admin(const pb::FileDescriptor& file) {
    return file.package().ends_with(".admin");
}

template <typename Descriptor>
std::string id_of(const Descriptor& d) {
    return (is_admin(*d.file()) ? "admin_" : "") + snake(d.name());
}

// The text of the note `[key = text]` or `[key text]` in a field's trailing comment; empty text for
// `[key]`.
std::optional<std::string> note(const pb::FieldDescriptor& field, const std::string& key) {
    pb::SourceLocation where;
    if (!field.GetSourceLocation(&where)) return std::nullopt;
    const std::string& comment = where.trailing_comments;
    const std::size_t open = comment.find("[" + key);
    if (open == std::string::npos) return std::nullopt;
    const std::size_t close = comment.find(']', open);
    if (close == std::string::npos) return std::nullopt;
    std::string text = comment.substr(open + 1 + key.size(), close - open - 1 - key.size());
    const std::size_t begin = text.find_first_not_of(" =");
    return begin == std::string::npos ? "" : text.substr(begin);
}

const char* kind_of(const pb::FieldDescriptor& field) {
    switch (field.type()) {
        case pb::FieldDescriptor::TYPE_INT32:
            return "int32";
        case pb::FieldDescriptor::TYPE_INT64:
            return "int64";
        case pb::FieldDescriptor::TYPE_BOOL:
            return "boolean";
        case pb::FieldDescriptor::TYPE_ENUM:
            return "enumeration";
        case pb::FieldDescriptor::TYPE_STRING:
            return "text";
        case pb::FieldDescriptor::TYPE_BYTES:
            return "bytes";
        case pb::FieldDescriptor::TYPE_MESSAGE:
            return "message";
        default:
            return nullptr;
    }
}

class generator {
  public:
    explicit generator(std::vector<const pb::FileDescriptor*> files) : files_(std::move(files)) {}

    // False, with a line in error(), if a .proto holds something that the tables cannot say.
    bool write(std::ostream& out) {
        out << "// Made of the .proto files of proto/canal by canal_table_generator.\n#pragma "
               "once\n\n"
               "#include <iterator>\n\n#include \"proto/canal/schema.h\"\n\nnamespace "
               "cdcscope::canal {\n\n";
        write_ids(out);
        write_enums(out);
        write_field_numbers(out);
        write_fields(out);
        write_messages(out);
        out << "}  // namespace cdcscope::canal\n";
        return error_.empty();
    }
    [[nodiscard]] const std::string& error() const { return error_; }

  private:
    template <typename Action>
    void each_message(Action action) const {
        for (const auto* file : files_) {
            for (int i = 0; i < file->message_type_count(); ++i) action(*file->message_type(i));
        }
    }
    template <typename Action>
    void each_enum(Action action) const {
        for (const auto* file : files_) {
            for (int i = 0; i < file->enum_type_count(); ++i) action(*file->enum_type(i));
        }
    }
    template <typename Action>
    static void each_field(const pb::Descriptor& message, Action action) {
        std::vector<const pb::FieldDescriptor*> fields;
        fields.reserve(static_cast<std::size_t>(message.field_count()));
        for (int i = 0; i < message.field_count(); ++i) fields.push_back(message.field(i));
        std::sort(fields.begin(), fields.end(),
                  [](const auto* a, const auto* b) { return a->number() < b->number(); });
        for (const auto* f : fields) action(*f);
    }

    void write_ids(std::ostream& out) const {
        out << "enum class message_id : std::uint8_t {\n    none,\n";
        each_message([&](const pb::Descriptor& m) { out << "    " << id_of(m) << ",\n"; });
        out << "};\n\nenum class enum_id : std::uint8_t {\n    none,\n";
        each_enum([&](const pb::EnumDescriptor& e) { out << "    " << id_of(e) << ",\n"; });
        out << "};\n\n";
    }

    void write_enums(std::ostream& out) const {
        out << "// The enums are open: other numbers are legal.\nnamespace enums {\n";
        each_enum([&](const pb::EnumDescriptor& e) {
            out << "enum class " << id_of(e) << " : std::int32_t {\n";
            for (int i = 0; i < e.value_count(); ++i) {
                out << "    " << lower(e.value(i)->name()) << " = " << e.value(i)->number()
                    << ",\n";
            }
            out << "};\n";
        });
        out << "}  // namespace enums\n\ninline constexpr enum_value enum_values[] = {\n";
        std::ostringstream rows;
        int first = 0;
        each_enum([&](const pb::EnumDescriptor& e) {
            for (int i = 0; i < e.value_count(); ++i) {
                out << "    {" << e.value(i)->number() << ", \"" << e.value(i)->name() << "\"},\n";
            }
            rows << "    {\"" << e.name() << "\", " << (is_admin(*e.file()) ? "true" : "false")
                 << ", {enum_values + " << first << ", " << e.value_count() << "}},\n";
            first += e.value_count();
        });
        out << "};\n\n// Indexed by enum_id - 1.\ninline constexpr enum_row enum_rows[] = {\n"
            << rows.str() << "};\n\n";
    }

    void write_field_numbers(std::ostream& out) const {
        out << "// Field numbers by name, for code that reads known fields.\nnamespace fields {\n";
        each_message([&](const pb::Descriptor& m) {
            out << "namespace " << id_of(m) << " {\n";
            each_field(m, [&](const pb::FieldDescriptor& f) {
                out << "inline constexpr std::uint32_t " << snake(f.name()) << " = " << f.number()
                    << ";\n";
            });
            out << "}\n";
        });
        out << "}  // namespace fields\n\n";
    }

    void write_fields(std::ostream& out) {
        out << "inline constexpr field_row field_rows[] = {\n";
        each_message([&](const pb::Descriptor& m) {
            out << "    // " << id_of(m) << "\n";
            each_field(m, [&](const pb::FieldDescriptor& f) { write_field(out, f); });
        });
        out << "};\n\n";
    }

    void write_field(std::ostream& out, const pb::FieldDescriptor& f) {
        const char* kind = kind_of(f);
        if (kind == nullptr) return fail(f, "has a type that the tables do not know");
        const auto flag = [](bool on) { return on ? "true" : "false"; };
        const auto value = note(f, "default");
        out << "    {" << f.number() << ", \"" << f.name() << "\", \"" << f.json_name()
            << "\", field_kind::" << kind << ", " << flag(f.is_repeated()) << ", "
            << flag(f.containing_oneof() != nullptr) << ", " << flag(note(f, "secret").has_value())
            << ", " << flag(value.has_value()) << ", ";
        write_content(out, f);
        out << ", enum_id::" << (f.enum_type() != nullptr ? id_of(*f.enum_type()) : "none");
        write_default(out, f, value);
        out << "},\n";
    }

    void write_content(std::ostream& out, const pb::FieldDescriptor& f) {
        const std::string held = note(f, "holds").value_or("");
        const pb::Descriptor* inner = f.message_type();
        const char* how = "plain";
        if (held == "by type") {
            how = "by_packet_type";
        } else if (held == "by entryType") {
            how = "by_entry_type";
        } else if (!held.empty()) {
            how = "one_message";
            inner = f.file()->pool()->FindMessageTypeByName(f.file()->package() + "." + held);
            if (inner == nullptr) fail(f, "holds a message that is not there");
        }
        out << "content::" << how
            << ", message_id::" << (inner != nullptr ? id_of(*inner) : "none");
    }

    void write_default(std::ostream& out, const pb::FieldDescriptor& f,
                       const std::optional<std::string>& value) {
        if (!value) {
            out << ", 0, {}";
        } else if (f.type() == pb::FieldDescriptor::TYPE_STRING) {
            out << ", 0, \"" << *value << "\"";
        } else if (f.enum_type() != nullptr) {
            const auto* named = f.enum_type()->FindValueByName(*value);
            if (named == nullptr) return fail(f, "has a default that its enum does not know");
            out << ", " << named->number() << ", {}";
        } else {
            out << ", " << (*value == "true" ? "1" : *value == "false" ? "0" : *value) << ", {}";
        }
    }

    void write_messages(std::ostream& out) const {
        out << "// Indexed by message_id - 1.\ninline constexpr message_row message_rows[] = {\n";
        int first = 0;
        each_message([&](const pb::Descriptor& m) {
            out << "    {\"" << m.name() << "\", " << (is_admin(*m.file()) ? "true" : "false")
                << ", " << first << ", {field_rows + " << first << ", " << m.field_count()
                << "}},\n";
            first += m.field_count();
        });
        out << "};\n\n"
               "[[nodiscard]] constexpr const message_row& row_of(message_id id) noexcept {\n"
               "    return message_rows[static_cast<std::size_t>(id) - 1];\n}\n"
               "[[nodiscard]] constexpr const enum_row& row_of(enum_id id) noexcept {\n"
               "    return enum_rows[static_cast<std::size_t>(id) - 1];\n}\n\n";
    }

    void fail(const pb::FieldDescriptor& f, const char* what) {
        error_ = f.full_name() + " " + what;
    }

    std::vector<const pb::FileDescriptor*> files_;
    std::string error_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: canal_table_generator DESCRIPTORS OUTPUT\n";
        return 2;
    }
    pb::FileDescriptorSet set;
    std::ifstream in(argv[1], std::ios::binary);
    if (!in || !set.ParseFromIstream(&in)) {
        std::cerr << argv[1] << ": not a set of descriptors\n";
        return 1;
    }
    pb::DescriptorPool pool;
    std::vector<const pb::FileDescriptor*> files;
    for (const auto& file : set.file()) files.push_back(pool.BuildFile(file));
    if (std::count(files.begin(), files.end(), nullptr) != 0) return 1;

    std::ofstream out(argv[2], std::ios::binary);
    generator made(files);
    if (!made.write(out) || !out.flush()) {
        std::cerr << argv[2] << ": " << (made.error().empty() ? "cannot be written" : made.error())
                  << "\n";
        return 1;
    }
    return 0;
}
