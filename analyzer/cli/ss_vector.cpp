#include "analyzer/cli/ss_vector.h"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>

#include <array>
#include <optional>

#include "proto/json/base64.h"
#include "proto/json/rapid_memory.h"

namespace cdcscope::cli {
namespace {

// payload_count can ask for more than a line holds.
constexpr std::uint64_t max_count_size = std::uint64_t{1} << 32;

// Fields come as events; the two of payload_count are one level down. Unknown fields are passed
// over.
class line_handler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, line_handler> {
  public:
    explicit line_handler(vector_line& to) : to_(to) {}

    bool Key(const char* text, rapidjson::SizeType size, bool) {
        if (depth_ == 1 || in_count_) name_.assign(text, size);
        return true;
    }
    bool String(const char* text, rapidjson::SizeType size, bool) {
        if (depth_ != 1) return true;
        const std::string_view value(text, size);
        if (name_ == "type") type_ = value;
        if (name_ == "file_name") to_.file_name = value;
        if (name_ == "key") to_.key = value;
        if (name_ == "payload_utf8") to_.payload.assign(value.begin(), value.end());
        if (name_ == "payload_b64") return base64(value);
        return true;
    }
    bool Int(int value) { return value >= 0 ? number(static_cast<unsigned>(value)) : wrong(); }
    bool Uint(unsigned value) { return number(value); }
    bool Int64(std::int64_t value) {
        return value >= 0 ? number(static_cast<std::uint64_t>(value)) : wrong();
    }
    bool Uint64(std::uint64_t value) { return number(value); }
    bool Double(double) { return wrong(); }
    bool StartObject() {
        in_count_ = depth_ == 1 && name_ == "payload_count";
        ++depth_;
        return true;
    }
    bool EndObject(rapidjson::SizeType) {
        --depth_;
        in_count_ = false;
        return true;
    }
    bool StartArray() {
        ++depth_;
        return true;
    }
    bool EndArray(rapidjson::SizeType) {
        --depth_;
        return true;
    }

    std::string finish() {
        if (!fault_.empty()) return fault_;
        constexpr std::array<std::pair<std::string_view, vector_type>, 6> types{
            {{"header", vector_type::header},
             {"message", vector_type::message},
             {"eos", vector_type::eos},
             {"reopen", vector_type::reopen},
             {"beacon", vector_type::beacon},
             {"summary", vector_type::summary}}};
        for (const auto& [text, type] : types) {
            if (text != type_) continue;
            to_.type = type;
            if (count_size_) fill_count();
            if (type == vector_type::message && size_ && *size_ != to_.payload.size())
                return fmt::format(
                    "size {}, but the payload has {} bytes; ss dump --payload prints them", *size_,
                    to_.payload.size());
            return {};
        }
        return fmt::format("type \"{}\" is none of header, message, eos, reopen", type_);
    }
    [[nodiscard]] const std::string& fault() const { return fault_; }

  private:
    bool number(std::uint64_t value) {
        if (in_count_) {
            if (name_ == "start") count_start_ = value;
            if (name_ == "size") count_size_ = value;
            return !count_size_ || *count_size_ < max_count_size || wrong();
        }
        if (depth_ != 1) return true;
        if (name_ == "created_at_ms") to_.created_ms = value;
        if (name_ == "beacon_interval") to_.interval = value;
        if (name_ == "shard") to_.shard = value;
        if (name_ == "seq") to_.sequence = value;
        if (name_ == "ts_ms") to_.timestamp_ms = value;
        if (name_ == "size") size_ = value;
        return true;
    }
    bool wrong() {
        if (depth_ != 1 && !in_count_) return true;
        fault_ = fmt::format("{} is no number that fits", name_);
        return false;
    }
    bool base64(std::string_view text) {
        auto bytes = decode_base64(text);
        if (!bytes) {
            fault_ = "payload_b64 is not Base64";
            return false;
        }
        to_.payload = std::move(*bytes);
        return true;
    }
    void fill_count() {
        to_.payload.resize(static_cast<std::size_t>(*count_size_));
        auto next = static_cast<std::uint8_t>(count_start_);
        for (std::uint8_t& b : to_.payload) b = next++;
    }

    vector_line& to_;
    std::string type_;
    std::string name_;
    std::string fault_;
    int depth_ = 0;
    bool in_count_ = false;
    std::uint64_t count_start_ = 0;
    std::optional<std::uint64_t> count_size_;
    std::optional<std::uint64_t> size_;  // as `ss dump` says it
};

}  // namespace

std::string read_vector_line(std::string_view line, vector_line& to) {
    to.shard = to.sequence = to.timestamp_ms = 0;
    to.key.clear();
    to.payload.clear();
    constexpr unsigned flags =
        rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
    rapidjson::MemoryStream in(line.data(), line.size());
    line_handler handler(to);
    rapid_reader reader;
    const rapidjson::ParseResult parsed = reader.Parse<flags>(in, handler);
    if (parsed.IsError() && handler.fault().empty()) {
        return fmt::format("not JSON at column {}: {}", parsed.Offset() + 1,
                           rapidjson::GetParseError_En(parsed.Code()));
    }
    return handler.finish();
}

}  // namespace cdcscope::cli
