// What the two ends agree on: HELLO, DCP_OPEN, controls, the bucket (D38, D48).

#include <algorithm>
#include <charconv>

#include "proto/dcp/track_connection.h"

namespace cdcscope::dcp {
namespace {

constexpr std::size_t most_features = 256;

// "20", "1.000000": seconds of set_noop_interval; 0 if it is no number.
double seconds_of(std::string_view text) noexcept {
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    constexpr double most = 1e6;
    return problem == std::errc{} && value > 0 && value < most ? value : 0;
}

void take_hello_answer(connection_state& c, const incoming& in) {
    if (in.m.head.status() != status::success || in.m.parts.cut) return;
    c.hello_answered = true;
    c.story.hello_seen = true;
    c.story.features.clear();
    for (std::size_t i = 0; i < list_size(in.m) && i < most_features; ++i) {
        c.story.features.push_back(
            static_cast<std::uint16_t>(listed(in.m, i, field_id::hello_feature)));
    }
    const auto granted = [&](std::uint16_t feature) {
        return std::find(c.story.features.begin(), c.story.features.end(), feature) !=
               c.story.features.end();
    };
    c.agreed.collections = granted(feature::collections);
    c.agreed.mutation_tokens = granted(feature::mutation_seqno);
}

// Which of the yes-or-no settings this is.
bool* switch_of(agreement& agreed, std::string_view name) noexcept {
    if (name == "enable_noop") return &agreed.noop;
    if (name == "enable_expiry_opcode") return &agreed.expiry;
    if (name == "enable_stream_id") return &agreed.stream_ids;
    if (name == "enable_sync_writes") return &agreed.sync_writes;
    if (name == "v7_dcp_status_codes") return &agreed.v7_statuses;
    if (name == "flatbuffers_system_events") return &agreed.flat_events;
    return nullptr;
}

void accept(connection_state& c, const control_request& setting) {
    agreement& agreed = c.agreed;
    if (bool* is_on = switch_of(agreed, setting.name)) *is_on = setting.value == "true";
    if (setting.name == "consumer_name") agreed.named_consumer = true;
    if (setting.name == "enable_out_of_order_snapshots") agreed.oso = setting.value != "false";
    if (setting.name == "max_marker_version") agreed.marker_22 = setting.value == "2.2";
    if (setting.name == "set_noop_interval") {
        c.story.noops.interval_seconds = seconds_of(setting.value);
        agreed.noop_interval_ns = static_cast<std::int64_t>(c.story.noops.interval_seconds * 1e9);
    }
    c.story.noops.enabled = agreed.noop;
    c.story.noops.ever_enabled = c.story.noops.ever_enabled || agreed.noop;
    if (setting.name == "connection_buffer_size") {
        std::uint32_t size = 0;
        const char* end = setting.value.data() + setting.value.size();
        const auto [rest, problem] = std::from_chars(setting.value.data(), end, size);
        if (problem == std::errc{} && rest == end) c.flow.set_window(c.report, c.watch(), size);
    }
}

void take_control_answer(connection_state& c, const incoming& in, const open_request& request) {
    const auto* setting = std::get_if<control_request>(&request.detail);
    if (setting == nullptr) return;
    const std::uint16_t answered = in.m.head.status();
    if (c.story.settings.size() < most_settings) {
        c.story.settings.push_back(
            {setting->name, setting->value, answered == status::success, answered, c.now().at});
    }
    if (answered == status::success) {
        if (setting->whole) accept(c, *setting);
        return;
    }
    const bool grave = setting->name == "connection_buffer_size" || setting->name == "enable_noop";
    (void)c.report.tell(
        code::dcp_control_refused, grave ? severity::warning : severity::note, false,
        request.asked.at,
        {sentence("control ", findings::printable(setting->name), "=",
                  findings::printable(setting->value), " was refused: ", status_text(answered)),
         with_status(answered, {{"name", setting->name}, {"value", setting->value}})});
}

void take_bucket_answer(connection_state& c, const incoming& in, const open_request& request) {
    const auto* asked = std::get_if<bucket_request>(&request.detail);
    if (asked == nullptr || in.m.head.status() != status::success) return;
    c.story.bucket = asked->name;
    c.bucket = c.all.shared.intern(c.story.bucket);
}

}  // namespace

void take_lone_control_refusal(connection_state& c, const incoming& in) {
    const std::uint16_t answered = in.m.head.status();
    (void)c.report.tell(
        code::dcp_control_refused, severity::note, true, {},
        {sentence("a control that was not captured was refused: ", status_text(answered)),
         with_status(answered, {})});
}

void take_open(connection_state& c, const incoming& in) {
    const std::optional<std::uint64_t> flags = in.m.number(field_id::open_flags);
    if (!flags) return;
    c.sure().open_seen = true;
    c.agreed.open_flags = static_cast<std::uint32_t>(*flags);
    c.story.opens_dcp = true;
    c.story.open_flags = c.agreed.open_flags;
    c.story.name = std::string(kept_text(in.m.parts.key));
    const bool consumes = c.agreed.opened_with(open_flag::producer);
    c.agreed.producer = consumes ? opposite(in.event.dir) : in.event.dir;
    c.story.role = *c.agreed.producer == direction::s2c ? dcp_role::client_consumes
                                                        : dcp_role::client_produces;
    c.all.shared.dcp_seen();
    c.all.shared.dcp_opened(c.client_host, c.bucket, c.server_place);
    if (c.closed) return;
    if (c.named) c.all.shared.close_name(c.server_place, c.name, c.setup.id);
    c.name = c.all.shared.intern(c.story.name);
    c.named = true;
    const std::uint32_t other = c.all.shared.open_name(c.server_place, c.name, c.setup.id);
    if (other == 0) return;
    (void)c.report.tell(
        code::dcp_name_shared, severity::note, false, {},
        {sentence("DCP connection ", findings::printable(c.story.name), " to ", c.setup.server,
                  " is opened while connection ", other, " has the same name"),
         {{"name", c.story.name}, {"other", std::uint64_t{other}}}});
}

void take_setup_answer(connection_state& c, const incoming& in, open_request& request) {
    switch (in.m.head.opcode) {
        case op::hello:
            return take_hello_answer(c, in);
        case op::control:
            return take_control_answer(c, in, request);
        case op::select_bucket:
            return take_bucket_answer(c, in, request);
        case op::get_manifest:
            if (in.m.head.status() == status::success && !in.m.parts.cut)
                c.names.learn_manifest(in.m.parts.value);
            return;
        default:
            return;
    }
}

}  // namespace cdcscope::dcp
