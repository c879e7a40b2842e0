// The table, and a handler that follows the path of what it reads.
#include "proto/dcp/json_members.h"

#include <algorithm>
#include <array>

#include "proto/dcp/json_reading.h"

namespace cdcscope::dcp {
namespace {

using f = field_id;

constexpr json_member table[] = {
    {f::open_value, "consumer_name", f::consumer_name},
    {f::stream_filter, "uid", f::filter_uid},
    {f::stream_filter, "sid", f::filter_stream_id},
    {f::stream_filter, "collections[]", f::filter_collections},
    {f::stream_filter, "scope", f::filter_scope},
    {f::stream_filter, "purge_seqno", f::filter_purge_seqno},
    {f::stream_filter, "cts.free_memory", f::filter_free_memory},
    {f::stream_filter, "cts.all_keys", f::filter_all_keys},
    {f::hello_agent, "a", f::agent_name},
    {f::hello_agent, "i", f::agent_connection},
    {f::error_text, "error.context", f::error_context},
    {f::error_text, "error.ref", f::error_reference},
    {f::error_text, "manifest_uid", f::error_manifest_uid},
};

constexpr std::size_t most_items = 4096;

class handler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, handler> {
  public:
    handler(field_id of, byte_view json, const rapidjson::MemoryStream& in,
            std::vector<member_list::item>& items, std::string& texts)
        : of_(of), json_(as_text(json)), in_(in), items_(items), texts_(texts) {}

    bool StartObject() { return open(true); }
    bool EndObject(rapidjson::SizeType /*members*/) { return close(); }
    bool StartArray() { return open(false); }
    bool EndArray(rapidjson::SizeType /*elements*/) { return close(); }
    bool Key(const char* name, rapidjson::SizeType size, bool /*copy*/) {
        if (depth_ > deepest) return true;
        path_.resize(levels_[depth_].path_size);
        if (!path_.empty()) path_ += '.';
        path_.append(name, size);
        return true;
    }
    bool String(const char* value, rapidjson::SizeType size, bool /*copy*/) {
        constexpr std::size_t quote = 1;
        return take({value, size}, quote);
    }
    bool RawNumber(const char* value, rapidjson::SizeType size, bool /*copy*/) {
        return take({value, size}, 0);
    }
    bool Bool(bool value) { return take(value ? "true" : "false", 0); }
    [[nodiscard]] bool is_object() const { return is_object_; }

  private:
    static constexpr std::size_t deepest = 3;  // of a path in the table
    struct level {
        bool is_object = false;
        std::size_t path_size = 0;
    };

    bool open(bool is_object) {
        if (depth_ == 0) is_object_ = is_object;
        if (++depth_ > deepest) return true;
        if (!is_object) path_ += "[]";
        levels_[depth_] = {is_object, path_.size()};
        return true;
    }
    bool close() {
        if (--depth_ <= deepest) path_.resize(levels_[depth_].path_size);
        return true;
    }

    bool take(std::string_view value, std::size_t behind) {
        if (depth_ == 0 || depth_ > deepest || items_.size() >= most_items) return true;
        const auto* row = std::find_if(std::begin(table), std::end(table), [&](const auto& m) {
            return m.of == of_ && m.path == path_;
        });
        if (row == std::end(table)) return true;
        member_list::item item{row->field, 0, static_cast<std::uint32_t>(json_.size()),
                               static_cast<std::uint32_t>(texts_.size()),
                               static_cast<std::uint32_t>(value.size())};
        // Text with escapes is longer where it stands; then all of the value is its place.
        const std::size_t end = in_.Tell() - behind;
        if (end >= value.size() && json_.substr(end - value.size(), value.size()) == value) {
            item.at = static_cast<std::uint32_t>(end - value.size());
            item.size = item.text_size;
        }
        texts_ += value;
        items_.push_back(item);
        return true;
    }

    field_id of_;
    std::string_view json_;
    const rapidjson::MemoryStream& in_;
    std::vector<member_list::item>& items_;
    std::string& texts_;
    std::string path_;
    std::array<level, deepest + 1> levels_{};
    std::size_t depth_ = 0;
    bool is_object_ = false;
};

}  // namespace

std::span<const json_member> json_members() noexcept {
    return table;
}

bool has_json_members(field_id of) noexcept {
    return std::any_of(std::begin(table), std::end(table),
                       [&](const json_member& m) { return m.of == of; });
}

bool member_list::read(field_id of, byte_view json) {
    items_.clear();
    text_.clear();
    rapidjson::MemoryStream in = stream_over(json);
    handler reading(of, json, in, items_, text_);
    return read_object(in, json.size(), reading);
}

}  // namespace cdcscope::dcp
