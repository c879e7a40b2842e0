// Handlers for RapidJSON's event reader.
#include "proto/dcp/json_values.h"

#include "proto/dcp/json_members.h"
#include "proto/dcp/json_reading.h"

namespace cdcscope::dcp {
namespace {

// Depth and the name of the member that a value belongs to; the handlers below look at few of both.
template <typename Derived>
class walker : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Derived> {
  public:
    bool StartObject() {
        if (depth_ == 0) is_object_ = true;
        ++depth_;
        return self().opened(true);
    }
    bool EndObject(rapidjson::SizeType /*members*/) {
        const bool go_on = self().closed(true);
        --depth_;
        return go_on;
    }
    bool StartArray() {
        ++depth_;
        return self().opened(false);
    }
    bool EndArray(rapidjson::SizeType /*elements*/) {
        const bool go_on = self().closed(false);
        --depth_;
        return go_on;
    }
    bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
        return self().named({text, size});
    }
    bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
        return self().text({text, size});
    }
    bool RawNumber(const char* /*text*/, rapidjson::SizeType /*size*/, bool /*copy*/) {
        return true;
    }
    [[nodiscard]] bool is_object() const { return is_object_; }

    bool opened(bool /*object*/) { return true; }
    bool closed(bool /*object*/) { return true; }
    bool named(std::string_view /*value*/) { return true; }
    bool text(std::string_view /*value*/) { return true; }

  protected:
    [[nodiscard]] int depth() const { return depth_; }

  private:
    Derived& self() { return static_cast<Derived&>(*this); }
    int depth_ = 0;
    bool is_object_ = false;
};

template <typename Handler>
bool parse(byte_view json, Handler& handler) {
    rapidjson::MemoryStream in = stream_over(json);
    return read_object(in, json.size(), handler);
}

class manifest_handler : public walker<manifest_handler> {
  public:
    explicit manifest_handler(const std::function<void(const manifest_entry&)>& call)
        : call_(call) {}
    // {"scopes":[{"name":..,"uid":..,"collections":[{"name":..,"uid":..}]}]}: scopes at depth 3,
    // collections at depth 5
    bool opened(bool object) {
        if (object && depth() == scope_depth) scope_ = {};
        if (object && depth() == collection_depth) collection_ = {};
        return true;
    }
    bool closed(bool object) {
        if (!object) return true;
        if (depth() == collection_depth && in_collections_) waiting_.push_back(collection_);
        if (depth() == scope_depth) finish_scope();
        return true;
    }
    bool named(std::string_view name) {
        member_ = name;
        if (depth() == 1) in_scopes_ = name == "scopes";
        if (depth() == scope_depth) in_collections_ = name == "collections";
        return true;
    }
    bool text(std::string_view value) {
        if (!in_scopes_) return true;
        entry* const to = depth() == scope_depth                           ? &scope_
                          : depth() == collection_depth && in_collections_ ? &collection_
                                                                           : nullptr;
        if (to == nullptr) return true;
        if (member_ == "name") to->name = value;
        if (member_ == "uid") to->id = number_of<std::uint32_t>(value, 16);
        return true;
    }
    [[nodiscard]] bool is_manifest() const { return seen_; }

  private:
    struct entry {
        std::optional<std::uint32_t> id;
        std::string name;
    };
    static constexpr int scope_depth = 3;
    static constexpr int collection_depth = 5;

    // The id and name of a scope may stand behind its collections.
    void finish_scope() {
        in_collections_ = false;
        if (in_scopes_ && scope_.id) {
            seen_ = true;
            for (const entry& c : waiting_) {
                if (c.id) call_({*scope_.id, *c.id, scope_.name, c.name, true});
            }
            if (waiting_.empty()) call_({*scope_.id, 0, scope_.name, {}, false});
        }
        waiting_.clear();
    }

    const std::function<void(const manifest_entry&)>& call_;
    std::string member_;
    entry scope_, collection_;
    std::vector<entry> waiting_;
    bool in_scopes_ = false;
    bool in_collections_ = false;
    bool seen_ = false;
};

}  // namespace

stream_filter parse_stream_filter(byte_view value) {
    stream_filter out;
    if (value.empty()) return out;
    member_list members;
    out.valid = members.read(field_id::stream_filter, value);
    for (const member_list::item& m : members.items()) {
        const std::string_view text = members.text(m);
        if (m.field == field_id::filter_uid) out.uid = text;
        if (m.field == field_id::filter_scope) out.scope = text;
        if (m.field == field_id::filter_purge_seqno) out.purge_seqno = text;
        if (m.field == field_id::filter_stream_id)
            out.stream_id = number_of<std::uint16_t>(text, 10);
        if (m.field != field_id::filter_collections) continue;
        if (const auto id = number_of<std::uint32_t>(text, 16)) out.collections.push_back(*id);
    }
    return out;
}

bool read_manifest(byte_view value,
                   const std::function<void(const manifest_entry&)>& on_collection) {
    manifest_handler handler(on_collection);
    return parse(value, handler) && handler.is_manifest();
}

std::string open_consumer_name(byte_view value) {
    member_list members;
    if (!members.read(field_id::open_value, value) || members.items().empty()) return {};
    return std::string(members.text(members.items().back()));
}

bool looks_like_json(byte_view body) noexcept {
    constexpr std::string_view starts = "{[\"-0123456789tfn";
    std::size_t i = 0;
    while (i < body.size() &&
           (body[i] == ' ' || body[i] == '\t' || body[i] == '\n' || body[i] == '\r'))
        ++i;
    return i < body.size() && starts.find(static_cast<char>(body[i])) != std::string_view::npos;
}

}  // namespace cdcscope::dcp
