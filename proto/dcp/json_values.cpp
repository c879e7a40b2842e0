// Handlers for RapidJSON's event reader: iterative, so depth costs no stack; numbers stay text
// where digits matter.
#include "proto/dcp/json_values.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <charconv>

namespace cdcscope::dcp {
namespace {

constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;

// Base 16 or 10; nothing unless all of the text is a number that fits.
template <typename Number>
std::optional<Number> number_of(std::string_view text, int base) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

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
    bool RawNumber(const char* text, rapidjson::SizeType size, bool /*copy*/) {
        return self().figure({text, size});
    }
    [[nodiscard]] bool is_object() const { return is_object_; }

    bool opened(bool /*object*/) { return true; }
    bool closed(bool /*object*/) { return true; }
    bool named(std::string_view /*value*/) { return true; }
    bool text(std::string_view /*value*/) { return true; }
    bool figure(std::string_view /*value*/) { return true; }

  protected:
    [[nodiscard]] int depth() const { return depth_; }

  private:
    Derived& self() { return static_cast<Derived&>(*this); }
    int depth_ = 0;
    bool is_object_ = false;
};

template <typename Handler>
bool parse(byte_view json, Handler& handler) {
    rapidjson::MemoryStream in(reinterpret_cast<const char*>(json.data()), json.size());
    const bool valid = !rapidjson::Reader().Parse<flags>(in, handler).IsError();
    return valid && in.Tell() == json.size() && handler.is_object();  // a zero byte is no end
}

class filter_handler : public walker<filter_handler> {
  public:
    explicit filter_handler(stream_filter& out) : out_(out) {}
    bool named(std::string_view name) {
        if (depth() == 1) member_ = name;
        return true;
    }
    bool text(std::string_view value) {
        if (depth() == 2 && member_ == "collections") {
            if (const auto id = number_of<std::uint32_t>(value, 16))
                out_.collections.push_back(*id);
        }
        if (depth() != 1) return true;
        if (member_ == "uid") out_.uid = value;
        if (member_ == "scope") out_.scope = value;
        if (member_ == "purge_seqno") out_.purge_seqno = value;
        return true;
    }
    bool figure(std::string_view value) {
        if (depth() == 1 && member_ == "sid") out_.stream_id = number_of<std::uint16_t>(value, 10);
        return true;
    }

  private:
    stream_filter& out_;
    std::string member_;
};

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

class consumer_name_handler : public walker<consumer_name_handler> {
  public:
    bool named(std::string_view member) {
        wanted_ = depth() == 1 && member == "consumer_name";
        return true;
    }
    bool text(std::string_view value) {
        if (wanted_ && depth() == 1) name = value;
        return true;
    }
    std::string name;

  private:
    bool wanted_ = false;
};

}  // namespace

stream_filter parse_stream_filter(byte_view value) {
    stream_filter out;
    if (value.empty()) return out;
    filter_handler handler(out);
    out.valid = parse(value, handler);
    return out;
}

bool read_manifest(byte_view value,
                   const std::function<void(const manifest_entry&)>& on_collection) {
    manifest_handler handler(on_collection);
    return parse(value, handler) && handler.is_manifest();
}

std::string open_consumer_name(byte_view value) {
    consumer_name_handler handler;
    return parse(value, handler) ? handler.name : std::string();
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
