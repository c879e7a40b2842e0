// How the state machine says what it found.
#include "proto/canal/track_connection.h"
#include "proto/findings/table.h"
#include "proto/findings/words.h"

namespace cdcscope::canal {

using findings::printable;

namespace {

// Bit of a canal code in the set of those reported for one event.
std::uint32_t bit(code what) noexcept {
    return 1U << (static_cast<unsigned>(what) -
                  static_cast<unsigned>(code::canal_request_unanswered));
}

}  // namespace

std::string type_text(port_kind port, std::int32_t type) {
    const std::string_view name = packet_type_name(port, type);
    return name.empty() ? "type " + std::to_string(type) : std::string(name);
}

std::string key_text(const key_state* key) {
    if (key == nullptr) return "an unknown destination";
    return printable(key->destination->name) + ", client " + printable(key->client_id);
}

std::string server_text(std::string_view message) {
    // "something goes wrong with channel:[...], exception=package.Class: what went wrong\n..."
    for (const std::string_view frame : {"exception=", "exception: "}) {
        const std::size_t at = message.find(frame);
        if (at == std::string_view::npos) continue;
        message.remove_prefix(at + frame.size());
        const std::size_t colon = message.find(": ");
        if (colon != std::string_view::npos) message.remove_prefix(colon + 2);
        break;
    }
    return printable(message.substr(0, message.find('\n')), 400);
}

void add_key(std::vector<findings::figure>& figures, const key_state* key) {
    if (key == nullptr) return;
    figures.push_back({"destination", key->destination->name});
    figures.push_back({"clientId", key->client_id});
}

void tracker::state::begin_event(std::uint32_t event_id, const frame_span& frames) noexcept {
    event = event_id;
    where = frames;
    reported_rules = 0;
}

bool tracker::state::reported(code what) const noexcept {
    return (reported_rules & bit(what)) != 0;
}

std::uint32_t tracker::state::report(code what, const said& how,
                                     std::vector<findings::figure> figures, std::string text) {
    if (foreign || reported(what)) return 0;
    reported_rules |= bit(what);
    findings::finding f;
    f.what = what;
    f.level = how.level;
    f.uncertain = how.uncertain;
    f.connection = id;
    f.at = where.done;
    f.first = how.first.frame != 0 || how.first.time_ns != 0 ? how.first : where.done;
    f.event = event;
    f.figures = std::move(figures);
    f.text = std::move(text);
    f.id = how.lasts ? ++shared.last_finding : 0;
    const std::uint32_t finding = f.id;
    sink.on_finding(std::move(f));
    return finding;
}

void tracker::state::settle(std::uint32_t finding, bool over, const frame_ref& at,
                            std::vector<findings::figure> figures, std::string text) {
    if (finding != 0) sink.on_settled(finding, over, at, std::move(figures), std::move(text));
}

void tracker::state::malformed(std::string_view what, std::string_view why) {
    report(code::canal_malformed, {severity::error, false, {}},
           {{"part", std::string(what)}, {"reason", std::string(why)}},
           findings::sentence(what, " is malformed: ", why));
}

}  // namespace cdcscope::canal
