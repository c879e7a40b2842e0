#include <algorithm>
#include <charconv>

#include "proto/canal/track_state.h"

namespace cdcscope::canal {

namespace {

// The number behind the last dot.
std::optional<std::uint64_t> file_number(std::string_view file) noexcept {
    const std::size_t dot = file.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const char* end = file.data() + file.size();
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(file.data() + dot + 1, end, number);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return number;
}

}  // namespace

std::string_view name(server_era era) noexcept {
    constexpr std::string_view names[] = {"unknown", "up to 1.1.3", "1.1.4 or later",
                                          "1.1.4 to 1.1.7", "later than 1.1.8"};
    return names[static_cast<std::size_t>(era)];
}

int compare(std::string_view file, std::int64_t offset, const position& p) noexcept {
    if (file != p.file) {
        const auto ours = file_number(file);
        const auto theirs = file_number(p.file);
        if (ours && theirs && *ours != *theirs) return *ours < *theirs ? -1 : 1;
        if (!ours || !theirs) return file < p.file ? -1 : 1;
    }
    return offset < p.offset ? -1 : offset > p.offset ? 1 : 0;
}

void key_state::begin_doubt() {
    uncertain = true;
    doubt = deliveries;
    if (highest) unsure_again = highest;
}

bool key_state::may_be_unseen(std::int64_t id) const noexcept {
    return id < unseen_below || std::any_of(skipped.begin(), skipped.end(), [&](const auto& run) {
               return run.doubt && run.first <= id && id <= run.last;
           });
}

void key_state::clear_doubt() noexcept {
    if (!uncertain || open.empty()) return;
    const bool old_left = std::any_of(
        open.begin(), open.end(), [&](const auto& each) { return each.second.number <= doubt; });
    if (!old_left) uncertain = false;
}

bool key_state::was_skipped(std::int64_t id) const noexcept {
    return std::any_of(skipped.begin(), skipped.end(),
                       [&](const auto& run) { return run.first <= id && id <= run.last; });
}

void key_state::remember(std::int64_t id, past_batch what) {
    past.insert_or_assign(id, what);
    if (past.size() > most_past) past.erase(past.begin());
}

destination_state* world::state::destination(std::string_view server, std::string_view name) {
    if (name.empty() || name.size() > longest_name) return nullptr;
    scratch.assign(server).append(1, '\0').append(name);
    const auto found = destination_by_name.find(scratch);
    if (found != destination_by_name.end()) return found->second;
    if (destinations.size() >= most_destinations) return nullptr;
    auto made = std::make_unique<destination_state>();
    made->index = static_cast<std::uint32_t>(destinations.size() + 1);
    made->server = server;
    made->name = name;
    made->rank = servers_of_name[made->name]++;
    destination_by_name.emplace(scratch, made.get());
    return destinations.emplace_back(std::move(made)).get();
}

key_state* world::state::key(destination_state* destination, std::string_view client_id) {
    if (destination == nullptr || client_id.empty() || client_id.size() > longest_name)
        return nullptr;
    scratch.assign(std::to_string(destination->index)).append(1, ' ').append(client_id);
    const auto found = key_by_name.find(scratch);
    if (found != key_by_name.end()) return found->second;
    if (keys.size() >= most_keys) return nullptr;
    auto made = std::make_unique<key_state>();
    made->index = static_cast<std::uint32_t>(keys.size() + 1);
    made->destination = destination;
    made->client_id = client_id;
    key_by_name.emplace(scratch, made.get());
    return keys.emplace_back(std::move(made)).get();
}

straggler world::state::straggling(std::uint32_t connection) const noexcept {
    const auto found = stragglers.find(connection);
    return found == stragglers.end() ? straggler{} : found->second;
}

void world::state::set_straggling(std::uint32_t connection, const straggler& s) {
    if (s.behind || s.may_be_over) {
        stragglers.insert_or_assign(connection, s);
    } else {
        stragglers.erase(connection);
    }
}

void world::state::tell(const batch& b, batch_fate fate, std::uint32_t closer,
                        const frame_ref& at) const noexcept {
    if (watching == nullptr) return;
    batch_facts facts = b.facts;
    facts.fate = fate;
    facts.closer = closer;
    facts.closed = at;
    watching->on_batch(facts);
}

world::world(const findings::thresholds& limits, observer* watching)
    : state_(std::make_unique<state>()) {
    state_->limits = limits;
    state_->watching = watching;
}
world::~world() = default;

void world::lacking(std::int64_t upto_ns) noexcept {
    state_->lost_ns = std::max(state_->lost_ns, upto_ns);
}

void world::unheard(bool is) noexcept {
    state_->unheard += is ? 1 : -1;
}

std::uint32_t world::destinations() const noexcept {
    return static_cast<std::uint32_t>(state_->destinations.size());
}

destination_info world::destination(std::uint32_t index) const noexcept {
    if (index == 0 || index > state_->destinations.size()) return {};
    const destination_state& d = *state_->destinations[index - 1];
    return {d.server, d.name, d.rank, d.filter};
}

std::uint32_t world::keys() const noexcept {
    return static_cast<std::uint32_t>(state_->keys.size());
}

key_info world::key(std::uint32_t index) const noexcept {
    if (index == 0 || index > state_->keys.size()) return {};
    const key_state& k = *state_->keys[index - 1];
    key_info info;
    info.destination = k.destination->index;
    info.client_id = k.client_id;
    if (k.acked) {
        info.acked_file = k.acked->file;
        info.acked_offset = k.acked->offset;
    }
    info.open = static_cast<std::uint32_t>(k.open.size());
    return info;
}

void world::finish() noexcept {
    for (const auto& key : state_->keys) {
        for (const auto& [id, each] : key->open) state_->tell(each, batch_fate::open, 0, {});
    }
}

}  // namespace cdcscope::canal
