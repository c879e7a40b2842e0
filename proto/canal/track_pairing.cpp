// The server's packets: which request each answers.
#include <algorithm>
#include <charconv>

#include "proto/canal/track_connection.h"
#include "proto/findings/words.h"

namespace cdcscope::canal {

using findings::printable;
using findings::sentence;

namespace {

bool contains(std::string_view text, std::string_view part) noexcept {
    return text.find(part) != std::string_view::npos;
}

// The number behind `label`, if there is one.
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view label) noexcept {
    const std::size_t at = text.find(label);
    if (at == std::string_view::npos) return std::nullopt;
    const char* begin = text.data() + at + label.size();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
    return error == std::errc{} ? std::optional(value) : std::nullopt;
}

// The word behind `label`, up to a blank, a comma or a bracket.
std::string_view word_behind(std::string_view text, std::string_view label) noexcept {
    const std::size_t at = text.find(label);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = text.substr(at + label.size());
    return rest.substr(0, rest.find_first_of(" ,]\n"));
}

// Does a request fit what the server says of destination and client?
bool fits(const request& r, std::string_view destination, std::string_view client) noexcept {
    if (r.destination == nullptr || r.destination->name != destination) return false;
    return client.empty() || (r.key != nullptr && r.key->client_id == client);
}

}  // namespace

std::size_t tracker::state::first_always() const noexcept {
    if (always_open == 0) return open_.size();
    const auto found = std::find_if(open_.begin(), open_.end(),
                                    [](const request& r) { return r.how != answered::on_error; });
    return static_cast<std::size_t>(found - open_.begin());
}

// The request that an error belongs to, among the silent ones in front and the first that is always
// answered; open_.size() if none.
std::size_t tracker::state::choose_refused(std::string_view text) const noexcept {
    const std::size_t candidates = std::min(first_always() + 1, open_.size());
    const auto choose = [&](auto fit) -> std::size_t {
        for (std::size_t i = 0; i < candidates; ++i) {
            if (fit(open_[i])) return i;
        }
        return open_.size();
    };
    const auto names_batch = [&](packet_type a, packet_type b) {
        const auto batch = number_behind(text, "batchId:");
        return choose([&](const request& r) {
            return (is(r.type, a) || is(r.type, b)) && batch == r.batch_id;
        });
    };
    if (contains(text, "batchId should assign value")) {
        return choose(
            [](const request& r) { return is(r.type, packet_type::clientack) && r.batch_id == 0; });
    }
    if (contains(text, "is not the firstly")) {
        return names_batch(packet_type::clientack, packet_type::clientrollback);
    }
    if (contains(text, "rollback error")) {
        return names_batch(packet_type::clientrollback, packet_type::clientrollback);
    }
    if (contains(text, "ack error"))
        return names_batch(packet_type::clientack, packet_type::clientack);
    if (contains(text, "packet type")) {
        return choose([](const request& r) { return r.how == answered::unsupported; });
    }
    if (contains(text, "auth failed")) return choose([](const request& r) { return r.login; });
    if (contains(text, "destination or clientId is null")) {
        return choose([](const request& r) { return r.no_name; });
    }
    // "destination:X should start first", "ClientIdentity[destination=X,clientId=C,filter=...]
    // should subscribe first"
    const std::string_view start = word_behind(text, "destination:");
    const std::string_view identity = word_behind(text, "[destination=");
    const std::string_view destination = start.empty() ? identity : start;
    const std::string_view client =
        start.empty() ? word_behind(text, "clientId=") : std::string_view();
    const std::size_t fitting =
        choose([&](const request& r) { return fits(r, destination, client); });
    return fitting < open_.size() ? fitting : 0;
}

// Takes the request at `at` out of the queue; the silent ones before it have succeeded.
request tracker::state::take(std::size_t at, const message_input& m, track_record& rec) {
    for (; at > 0; --at) commit(pop());
    request r = pop();
    rec.request = r.id;
    rec.request_frame = r.at.frame;
    rec.request_type =
        r.type >= 0 && r.type <= 127 ? static_cast<std::int8_t>(r.type) : std::int8_t{-1};
    rec.elapsed_ns = now() - r.at.time_ns;
    fill(rec, r);
    shared.link(r.id, link_kind::answered_by, m.id);
    settle_request(r, true, {});
    last_answer_ns = now();
    if (r.number >= doubt_number) pairing_doubt = false;
    answered_something();
    if (!live && is(r.type, packet_type::get) && r.key != nullptr && r.key->lost_gets > 0)
        --r.key->lost_gets;
    return r;
}

void tracker::state::answered_something() {
    if (doubt_number == after_next_answer) doubt_number = next_number;
}

// Rule 7: a good answer to something else than a login shows that the failed login did not matter.
void tracker::state::served(const request& r) {
    if (r.login) {
        logged_in = true;
        login_failed = false;
        return;
    }
    if (!login_failed) return;
    login_failed = false;
    era = server_era::from_1_1_4_to_1_1_7;
    report(code::canal_auth_failed, {severity::error, false, r.at},
           {{"packet", type_text(port, r.type)}},
           sentence("the server served ", type_text(port, r.type),
                    " although the login had failed (servers 1.1.4 to 1.1.7 do)"));
}

void tracker::state::server_packet(const message_input& m, const packet_view& packet,
                                   track_record& rec) {
    check_body(packet);
    switch (static_cast<packet_type>(packet.type)) {
        case packet_type::handshake:
            return handshake(packet);
        case packet_type::ack:
            return answer_with_ack(m, packet, rec);
        case packet_type::messages:
            return answer_with_messages(m, packet, rec);
        default:
            break;
    }
    report(code::canal_packet_unsupported, {severity::warning, false, {}},
           {{"packet", type_text(port, packet.type)}},
           sentence("the server sent ", type_text(port, packet.type),
                    row_of_type(port, packet.type).from == sender::client
                        ? ", which only clients send"
                        : ", which no server sends"));
}

void tracker::state::handshake(const packet_view& packet) {
    version_sent = packet.version.has_value();
    seeds_sent = !parse_handshake(packet.body).seeds.empty();
    era = version_sent || seeds_sent ? server_era::from_1_1_4 : server_era::up_to_1_1_3;
}

void tracker::state::answer_with_messages(const message_input& m, const packet_view& packet,
                                          track_record& rec) {
    const messages_view v = parse_messages(packet.body);
    if (v.why != fault::none) malformed("the body of MESSAGES", text(v.why));
    const std::size_t at = first_always();
    if (at == open_.size() || !is(open_[at].type, packet_type::get)) {
        unexpected(
            {{"packet", std::string("MESSAGES")}, {"batchId", v.batch_id}},
            sentence("MESSAGES with batch ", std::to_string(v.batch_id), " came without a GET"));
        key_state* key = named.size() == 1 ? last_key : nullptr;
        deliver(m, packet, v, key, nullptr, rec);
        return;
    }
    const request get = take(at, m, rec);
    served(get);
    deliver(m, packet, v, get.key, &get, rec);
    apply_leading();
    after(rec, get.key);
}

void tracker::state::answer_with_ack(const message_input& m, const packet_view& packet,
                                     track_record& rec) {
    const ack_view ack = parse_ack(packet.body);
    if (ack.code == 0) {
        good_ack(m, rec);
    } else {
        bad_ack(m, ack, rec);
    }
}

// Rule 2. Where nothing of the client was captured every answer is without request, and none worth
// telling.
void tracker::state::unexpected(std::vector<findings::figure> figures, std::string text) {
    answered_something();
    if (!client_spoke && !from_start[index(direction::c2s)]) return;
    report(code::canal_answer_unexpected,
           {doubtful() ? severity::note : severity::warning, doubtful(), {}}, std::move(figures),
           std::move(text));
}

void tracker::state::good_ack(const message_input& m, track_record& rec) {
    const std::size_t at = first_always();
    const bool paired = at < open_.size() && open_[at].how == answered::always &&
                        (open_[at].login || !is(open_[at].type, packet_type::get));
    if (paired) {
        const request r = take(at, m, rec);
        served(r);
        apply_leading();
        return after(rec, r.key);
    }
    if (login_failed) {
        login_failed = false;
        era = server_era::from_1_1_4_to_1_1_7;
        report(
            code::canal_auth_failed, {severity::error, false, {}}, {},
            "the server accepts the client although its login failed (servers 1.1.4 to 1.1.7 do)");
        return;
    }
    unexpected({{"packet", std::string("ACK")}}, "a good ACK came, which answers no open request");
}

void tracker::state::bad_ack(const message_input& m, const ack_view& ack, track_record& rec) {
    const std::string_view message = ack.message;
    if (contains(message, ", exception: ") || contains(message, "packet type: "))
        era = server_era::after_1_1_8;
    std::vector<findings::figure> figures{{"errorCode", std::int64_t{ack.code}}};
    const std::size_t at = open_.empty() ? 0 : choose_refused(message);
    if (at >= open_.size()) {
        unexpected(figures, "an ACK with an error came, which belongs to no open request");
        figures.push_back({"errorMessage", server_text(message)});
        report(code::canal_request_refused, {severity::error, false, {}}, std::move(figures),
               sentence("the server answered with code ", std::to_string(ack.code), ": ",
                        server_text(message)));
        return;
    }
    request r = take(at, m, rec);
    const bool doubt = doubtful();
    const bool silent = r.how == answered::on_error;
    if (silent) undo(r);
    figures.push_back({"answers", type_text(port, r.type)});
    if (silent) figures.push_back({"batchId", r.batch_id});
    add_key(figures, r.key);
    if (silent) {
        const std::size_t next = first_always();
        std::string in;
        std::vector<findings::figure> late = figures;
        if (next < open_.size()) {
            in = sentence(", in frame ", std::to_string(open_[next].at.frame));
            late.push_back({"nextRequestFrame", std::uint64_t{open_[next].at.frame}});
        }
        report(
            code::canal_answer_unexpected,
            {doubt ? severity::note : severity::warning, doubt, r.at}, std::move(late),
            sentence("the error answers ", type_text(port, r.type), " ", std::to_string(r.batch_id),
                     "; the client will take it as the answer of its next request", in));
    }
    const std::string subject = silent ? type_text(port, r.type) + " " + std::to_string(r.batch_id)
                                       : type_text(port, r.type);
    if (contains(message, "should subscribe first") || contains(message, "should start first")) {
        report(code::canal_request_too_early,
               {doubt ? severity::note : severity::error, doubt, r.at}, figures,
               sentence(subject,
                        contains(message, "subscribe") ? " came before a subscription"
                                                       : " names a destination that is not running",
                        r.destination != nullptr ? ": " + printable(r.destination->name)
                                                 : std::string()));
    }
    figures.push_back({"errorMessage", server_text(message)});
    if (r.login && contains(message, "auth failed")) {
        login_failed = true;
        report(code::canal_auth_failed, {severity::error, false, r.at}, figures,
               sentence("the server refused the login: ", server_text(message)));
    }
    report(code::canal_request_refused, {severity::error, false, r.at}, std::move(figures),
           sentence("the server refused ", subject, " with code ", std::to_string(ack.code), ": ",
                    server_text(message)));
    apply_leading();
    after(rec, r.key);
}

void tracker::state::answers_lost() {
    bool any = false;
    while (!open_.empty() && open_.front().number < lost_before) {
        if (open_.front().how == answered::on_error && !open_.front().applied) apply(open_.front());
        commit(pop());
        any = true;
    }
    if (any) apply_leading();
}

}  // namespace cdcscope::canal
