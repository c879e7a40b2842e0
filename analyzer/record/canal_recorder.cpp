#include "analyzer/record/canal_recorder.h"

#include <algorithm>

#include "analyzer/record/stream_key.h"
#include "proto/canal/frame.h"

namespace cdcscope::record {

using namespace canal;

namespace {

constexpr std::size_t most_waiting = 16;

// Parts of keys that a schema without a table must not be taken for.
constexpr std::string_view own_names[] = {"packets", "transactions", "statements", "admin"};

port_kind port_of(const recover::message& m) noexcept {
    return m.carries == recover::protocol::canal_admin ? port_kind::admin : port_kind::data;
}

byte_view payload_of(const recover::message& m) noexcept {
    return m.bytes.size() < length_size ? byte_view{} : m.bytes.subspan(length_size);
}

// Long enough for every name that MySQL allows; of longer ones a digest stands for the rest.
constexpr std::size_t longest_name = 1024;

void append_name(std::string& place, std::string_view name) {
    place.append(name.substr(0, longest_name)).append(1, '\0');
    if (name.size() > longest_name)
        place.append(std::to_string(name.size()))
            .append(1, ' ')
            .append(std::to_string(crc32(as_bytes(name))));
}

bool is_row(const entry_view& e) noexcept {
    return e.type == static_cast<std::int32_t>(entry_type::rowdata);
}

bool brings_rows(const packet_view& packet) noexcept {
    if (packet.type != static_cast<std::int32_t>(packet_type::messages)) return false;
    for (const byte_view entry : occurrences(packet.body, fields::messages::messages)) {
        if (is_row(parse_entry(entry))) return true;
    }
    return false;
}

}  // namespace

canal_recorder::canal_recorder(const options& chosen, std::span<const std::string> files)
    : options_(chosen), packets_(chosen, files), rows_(chosen) {}

void canal_recorder::on_transaction(const transaction_facts& transaction) noexcept {
    ended_.push_back({{transaction.batches.begin(), transaction.batches.end()}, transaction.rows});
}

// Layout `changes` holds rows only; with raw payloads these are inside their packets.
bool canal_recorder::wanted(const packet_view& packet) const {
    if (options_.streams != layout::changes) return true;
    return options_.payload == payload_mode::raw && brings_rows(packet);
}

void canal_recorder::record(const recover::message& m, const track_record& said, const world& world,
                            entry_sink& out) {
    const port_kind port = port_of(m);
    const packet_view packet = parse_packet(payload_of(m), port);
    if (wanted(packet)) {
        connection_state& connection = connections_[m.connection];
        const bool admin = port == port_kind::admin;
        if (admin || said.destination != 0 || connection.settled) {
            if (!connection.settled && !admin) release(m.connection, said.destination, world, out);
            write_packet(m, port, said, world, out);
        } else {
            waiting_packet& waits = connection.waiting.emplace_back();
            waits.message = m;
            waits.bytes.assign(m.bytes.begin(), m.bytes.end());
            waits.said = said;
            if (connection.waiting.size() > most_waiting) release(m.connection, 0, world, out);
        }
    }
    const bool messages =
        port == port_kind::data && packet.type == static_cast<std::int32_t>(packet_type::messages);
    if (messages && options_.payload != payload_mode::raw)
        write_entries(m, packet, said, world, out);
    ended_.clear();
}

void canal_recorder::close(std::uint32_t connection, const world& world, entry_sink& out) {
    release(connection, 0, world, out);
    connections_.erase(connection);
}

void canal_recorder::release(std::uint32_t connection, std::uint32_t destination,
                             const world& world, entry_sink& out) {
    const auto found = connections_.find(connection);
    if (found == connections_.end()) return;
    found->second.settled = true;
    for (waiting_packet& each : found->second.waiting) {
        each.message.bytes = each.bytes;
        each.said.destination = destination;
        write_packet(each.message, port_kind::data, each.said, world, out);
    }
    found->second.waiting.clear();
}

void canal_recorder::write_packet(const recover::message& m, port_kind port,
                                  const track_record& said, const world& world, entry_sink& out) {
    const byte_view payload = payload_of(m);
    const bool with_raw = options_.payload != payload_mode::json;
    const byte_view raw =
        with_raw ? blanked_packet(payload, port, m.dir, options_, blanked_) : byte_view{};
    entry e;
    const canal_stream& stream = packet_stream(m, port, said.destination, world);
    e.key = stream.key;
    e.time_ns = m.frames.done.time_ns;
    e.is_json = options_.payload != payload_mode::raw;
    e.payload =
        e.is_json
            ? as_bytes(packets_.write(m, port, parse_packet(payload, port), said, raw, with_raw))
            : raw;
    out.on_entry(e, stream);
}

void canal_recorder::write_entries(const recover::message& m, const packet_view& packet,
                                   const track_record& said, const world& world, entry_sink& out) {
    entry_origin from;
    from.batch_id = parse_messages(packet.body).batch_id;
    from.time_ns = m.frames.done.time_ns;
    for (const byte_view bytes : occurrences(packet.body, fields::messages::messages)) {
        const entry_view e = parse_entry(bytes);
        from.row_offset = row_offset(e, said.destination);
        from.why = e.why;
        if (said.malformed && from.why == fault::none &&
            stored_message(e.type) != message_id::none) {
            from.why = check_message(stored_message(e.type), e.store);
        }
        write_entry(e, from, m.connection, said, world, out);
    }
}

void canal_recorder::write_entry(const entry_view& e, const entry_origin& from,
                                 std::uint32_t connection, const track_record& said,
                                 const world& world, entry_sink& out) {
    const bool row = is_row(e);
    if (!row && options_.streams == layout::changes) return;
    entry made;
    const canal_stream& stream = entry_stream(e, connection, said.destination, world);
    made.key = stream.key;
    made.time_ns = from.time_ns;
    if (row) {
        made.payload = as_bytes(rows_.write_row(e, from));
    } else {
        const bool end = e.type == static_cast<std::int32_t>(entry_type::transactionend);
        const bool known = end && !ended_.empty();
        made.payload = as_bytes(rows_.write_event(e, from, known ? &ended_.front() : nullptr));
        if (known) ended_.pop_front();
    }
    out.on_entry(made, stream);
}

// Entries of a compressed transaction share the position of its one event.
std::uint32_t canal_recorder::row_offset(const entry_view& e, std::uint32_t destination) {
    last_position& last = positions_[destination];
    if (last.entries != 0 && last.offset == e.header.logfile_offset &&
        last.file == e.header.logfile_name) {
        return last.entries++;
    }
    last.file = e.header.logfile_name;
    last.offset = e.header.logfile_offset;
    last.entries = 1;
    return 0;
}

std::string canal_recorder::destination_part(std::uint32_t destination, std::uint32_t connection,
                                             const world& world) const {
    if (destination == 0) return connection_part(connection);
    const destination_info info = world.destination(destination);
    std::string part = key_part(info.name);
    return info.rank == 0 ? part : with_crc(part, info.server);
}

const canal_stream& canal_recorder::remember(canal_stream stream) {
    const auto [at, fresh] = by_key_.try_emplace(stream.key, streams_.size());
    by_place_.emplace(place_, at->second);
    if (fresh) streams_.push_back(std::move(stream));
    return streams_[at->second];
}

const canal_stream& canal_recorder::packet_stream(const recover::message& m, port_kind port,
                                                  std::uint32_t destination, const world& world) {
    const bool admin = port == port_kind::admin;
    const bool raw = options_.payload == payload_mode::raw;
    place_.assign(1, admin ? 'a' : 'p');
    place_.append(std::to_string(admin || destination == 0 ? m.connection : destination));
    place_.append(1, admin || destination != 0 ? ' ' : '?');
    if (raw) place_.append(name(m.dir));
    if (const auto found = by_place_.find(place_); found != by_place_.end())
        return streams_[found->second];

    std::string suffix = admin ? ".admin" : ".packets";
    if (raw) suffix.append(".").append(name(m.dir));
    canal_stream made;
    made.key = stream_key("canal",
                          {admin ? connection_part(m.connection)
                                 : destination_part(destination, m.connection, world)},
                          suffix);
    made.kind = admin ? "canal.admin" : "canal.packets";
    made.name = admin ? "admin" : "packets";
    made.destination = world.destination(destination).name;
    made.connection = m.connection;
    return remember(std::move(made));
}

const canal_stream& canal_recorder::entry_stream(const entry_view& e, std::uint32_t connection,
                                                 std::uint32_t destination, const world& world) {
    const bool row = is_row(e);
    const std::string_view schema = row ? e.header.schema : std::string_view();
    const std::string_view table = row && !schema.empty() ? e.header.table : std::string_view();
    place_.assign(1, row ? 'r' : 't');
    place_.append(std::to_string(destination == 0 ? connection : destination));
    place_.append(1, destination != 0 ? ' ' : '?');
    append_name(place_, schema);
    append_name(place_, table);
    if (const auto found = by_place_.find(place_); found != by_place_.end())
        return streams_[found->second];

    const std::string first = destination_part(destination, connection, world);
    canal_stream made;
    made.kind = row ? "canal.rows" : "canal.transactions";
    made.destination = world.destination(destination).name;
    made.connection = connection;
    if (!row) {
        made.name = "transactions";
        made.key = stream_key("canal", {first}, ".transactions");
    } else if (schema.empty()) {
        made.name = "statements";
        made.key = stream_key("canal", {first}, ".statements");
    } else if (table.empty()) {
        const bool taken =
            std::find(std::begin(own_names), std::end(own_names), schema) != std::end(own_names);
        made.name = schema.substr(0, longest_name);
        made.key =
            stream_key("canal", {first, taken ? with_crc(schema, schema) : std::string(schema)});
    } else {
        made.name.assign(schema.substr(0, longest_name))
            .append(".")
            .append(table.substr(0, longest_name));
        made.key = stream_key("canal", {first, schema, table});
    }
    return remember(std::move(made));
}

}  // namespace cdcscope::record
