// The admin port: rules 3, 7 and 20 only; answers are shifted there.
#include "proto/canal/track_connection.h"
#include "proto/canal/walk.h"
#include "proto/findings/words.h"

namespace cdcscope::canal {

using findings::sentence;

void tracker::state::admin_packet(const message_input& m, const packet_view& packet,
                                  track_record& rec) {
    const packet_row& row = row_of_type(port, packet.type);
    if (row.body != message_id::none) {
        const fault why = check_message(row.body, packet.body);
        if (why != fault::none)
            malformed(sentence("the body of ", type_text(port, packet.type)), text(why));
    }
    if (m.dir == direction::c2s) {
        request r;
        r.number = next_number++;
        r.id = m.id;
        r.at = where.done;
        r.type = packet.type;
        r.login = packet.type == static_cast<int>(enums::admin_packet_type::clientauthentication);
        return push(std::move(r));
    }
    if (packet.type != static_cast<int>(enums::admin_packet_type::ack)) return;
    const ack_view ack = parse_ack(packet.body);
    const bool refused = ack.code != 0;
    const bool bypass = !refused && open_.empty() && login_failed;
    std::string subject = "a request";
    bool login = false;
    frame_ref first;
    if (!open_.empty()) {
        const request r = take(0, m, rec);
        login = r.login;
        subject = type_text(port, r.type);
        first = r.at;
        if (login && !refused) login_failed = false;
    }
    if (bypass) {
        login_failed = false;
        report(code::canal_auth_failed, {severity::error, false, {}}, {},
               "the server accepts the client although its login failed");
    }
    if (!refused) return;
    std::vector<findings::figure> figures{{"errorCode", std::int64_t{ack.code}},
                                          {"answers", subject},
                                          {"errorMessage", server_text(ack.message)}};
    if (ack.message.find("auth failed") != std::string_view::npos) {
        login_failed = true;
        report(code::canal_auth_failed, {severity::error, false, first}, figures,
               sentence("the server refused the login: ", server_text(ack.message)));
    }
    report(code::canal_request_refused, {severity::error, false, first}, std::move(figures),
           sentence("the server refused ", subject, " with code ", std::to_string(ack.code), ": ",
                    server_text(ack.message)));
}

}  // namespace cdcscope::canal
