// Makes a capture for benchmarks and volume tests: CONNECTIONS that replicate at once, cut into
// segments and acknowledged as a kernel would do it. make_traffic dcp|canal OUT.pcap MIB
// CONNECTIONS. Prints the truth as one JSON object.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "proto/wire/bytes.h"

namespace {

using cdcscope::store_be16;
using cdcscope::store_be32;
using cdcscope::store_be64;

using buffer = std::vector<std::uint8_t>;

constexpr std::size_t segment_size = 1448;

// xorshift64*: the same capture on every machine.
class random_numbers {
  public:
    std::uint64_t next() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545f4914f6cdd1dULL;
    }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() >> 33) % n; }

  private:
    std::uint64_t state_ = 88172645463325252ULL;
};

void append(buffer& to, const buffer& from) {
    to.insert(to.end(), from.begin(), from.end());
}
void append(buffer& to, const std::string& text) {
    to.insert(to.end(), text.begin(), text.end());
}

// ---- DCP

buffer dcp_message(std::uint8_t magic, std::uint8_t opcode, std::uint16_t vbucket_or_status,
                   std::uint32_t opaque, const buffer& extras, const std::string& key,
                   const std::string& value, std::uint64_t cas = 0) {
    buffer m;
    m.reserve(24 + extras.size() + key.size() + value.size());
    m.resize(24);
    m[0] = magic;
    m[1] = opcode;
    store_be16(&m[2], static_cast<std::uint16_t>(key.size()));
    m[4] = static_cast<std::uint8_t>(extras.size());
    store_be16(&m[6], vbucket_or_status);
    store_be32(&m[8], static_cast<std::uint32_t>(extras.size() + key.size() + value.size()));
    store_be32(&m[12], opaque);
    store_be64(&m[16], cas);
    append(m, extras);
    append(m, key);
    append(m, value);
    return m;
}

std::string document(random_numbers& random, std::size_t size) {
    std::string text = "{\"v\":\"";
    while (text.size() < size) text.push_back(static_cast<char>('a' + random.below(26)));
    return text + "\"}";
}

// ---- canal

void put_varint(buffer& to, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) to.push_back(static_cast<std::uint8_t>(value | 0x80));
    to.push_back(static_cast<std::uint8_t>(value));
}
void put_number(buffer& to, unsigned field, std::uint64_t value) {
    put_varint(to, field << 3);
    put_varint(to, value);
}
template <typename Bytes>
void put_bytes(buffer& to, unsigned field, const Bytes& bytes) {
    put_varint(to, field << 3 | 2);
    put_varint(to, bytes.size());
    to.insert(to.end(), bytes.begin(), bytes.end());
}

buffer canal_packet(unsigned type, const buffer& body) {
    buffer packet;
    put_number(packet, 3, type);
    put_bytes(packet, 5, body);
    buffer framed;
    framed.reserve(4 + packet.size());
    framed.resize(4);
    store_be32(framed.data(), static_cast<std::uint32_t>(packet.size()));
    append(framed, packet);
    return framed;
}

buffer canal_entry(random_numbers& random, std::uint64_t position, std::uint64_t time_ms) {
    buffer header, column, row, change, entry;
    put_number(header, 1, 1);
    put_bytes(header, 2, std::string("mysql-bin.000001"));
    put_number(header, 3, position);
    put_number(header, 6, time_ms);
    put_bytes(header, 8, std::string("shop"));
    put_bytes(header, 9, std::string("orders"));
    put_number(header, 10, 200);
    put_number(header, 11, 1);
    for (unsigned i = 0; i < 4; ++i) {
        column.clear();
        put_number(column, 1, i);
        put_number(column, 2, 12);
        put_bytes(column, 3, "column" + std::to_string(i));
        put_number(column, 4, i == 0);
        put_number(column, 5, 1);
        put_number(column, 6, 0);
        put_bytes(column, 8, document(random, 20 + random.below(60)));
        put_bytes(column, 10, std::string("varchar(64)"));
        put_bytes(row, 2, column);
    }
    put_number(change, 1, 77);
    put_number(change, 2, 1);
    put_bytes(change, 12, row);
    put_bytes(entry, 1, header);
    put_number(entry, 2, 2);
    put_bytes(entry, 3, change);
    return entry;
}

// ---- TCP and the file

class pcap_file {
  public:
    explicit pcap_file(const char* path) : out_(path, std::ios::binary) {
        const std::array<std::uint32_t, 6> header{0xa1b23c4d, 4U << 16 | 2U, 0, 0, 262144, 1};
        out_.write(reinterpret_cast<const char*>(header.data()), sizeof header);
    }
    void packet(std::uint64_t time_ns, const std::uint8_t* headers, std::size_t header_size,
                const std::uint8_t* payload, std::size_t size) {
        const auto length = static_cast<std::uint32_t>(header_size + size);
        const std::array<std::uint32_t, 4> record{static_cast<std::uint32_t>(time_ns / 1000000000),
                                                  static_cast<std::uint32_t>(time_ns % 1000000000),
                                                  length, length};
        out_.write(reinterpret_cast<const char*>(record.data()), sizeof record);
        out_.write(reinterpret_cast<const char*>(headers),
                   static_cast<std::streamsize>(header_size));
        out_.write(reinterpret_cast<const char*>(payload), static_cast<std::streamsize>(size));
        bytes_ += sizeof record + length;
    }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  private:
    std::ofstream out_;
    std::uint64_t bytes_ = 24;
};

struct side {
    std::uint32_t sequence = 0;
    buffer waiting;
};

class connection {
  public:
    connection(pcap_file& file, std::uint64_t& clock, unsigned number, std::uint16_t server_port)
        : file_(file), clock_(clock), number_(number), port_(server_port) {
        sides_[0].sequence = 1000 * number;
        sides_[1].sequence = 0xfffff000U + number;  // soon over the wrap
        segment(0, 0x02, nullptr, 0);
        ++sides_[0].sequence;
        segment(1, 0x12, nullptr, 0);
        ++sides_[1].sequence;
        segment(0, 0x10, nullptr, 0);
    }
    void send(int from, const buffer& bytes) {
        append(sides_[from].waiting, bytes);
        while (sides_[from].waiting.size() >= 8 * segment_size) flush(from, 8 * segment_size);
    }
    void flush(int from) { flush(from, sides_[from].waiting.size()); }
    void close() {
        for (int from : {0, 1}) {
            flush(from);
            segment(from, 0x11, nullptr, 0);
            ++sides_[from].sequence;
        }
        segment(0, 0x10, nullptr, 0);
    }

  private:
    void flush(int from, std::size_t size) {
        buffer& waiting = sides_[from].waiting;
        std::size_t sent = 0;
        for (unsigned n = 1; sent < size; ++n) {
            const std::size_t part = std::min(segment_size, size - sent);
            segment(from, 0x18, waiting.data() + sent, part);
            sides_[from].sequence += static_cast<std::uint32_t>(part);
            sent += part;
            if (n % 2 == 0 || sent == size) segment(1 - from, 0x10, nullptr, 0);
        }
        waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(size));
    }
    void segment(int from, std::uint8_t flags, const std::uint8_t* payload, std::size_t size) {
        std::array<std::uint8_t, 54> h{};
        h[12] = 0x08;
        h[14] = 0x45;
        store_be16(&h[16], static_cast<std::uint16_t>(40 + size));
        store_be16(&h[18], ++ip_id_);
        h[22] = 64;
        h[23] = 6;
        const std::uint32_t client = 0x0a010000U + number_, server = 0x0a000001U;
        store_be32(&h[26], from == 0 ? client : server);
        store_be32(&h[30], from == 0 ? server : client);
        store_be16(&h[34], from == 0 ? 40000 : port_);
        store_be16(&h[36], from == 0 ? port_ : 40000);
        store_be32(&h[38], sides_[from].sequence);
        store_be32(&h[42], (flags & 0x10) != 0 ? sides_[1 - from].sequence : 0);
        h[46] = 0x50;
        h[47] = flags;
        store_be16(&h[48], 65000);
        clock_ += 2000;
        file_.packet(clock_, h.data(), h.size(), payload, size);
    }

    pcap_file& file_;
    std::uint64_t& clock_;
    unsigned number_;
    std::uint16_t port_;
    std::uint16_t ip_id_ = 0;
    std::array<side, 2> sides_;
};

struct truth {
    std::uint64_t messages = 0, bytes = 0, items = 0;
};

void send(connection& c, int from, const buffer& message, truth& sum) {
    ++sum.messages;
    sum.bytes += message.size();
    c.send(from, message);
}

buffer seqnos(std::uint64_t a, std::uint64_t b, std::size_t size) {
    buffer extras(size);
    store_be64(&extras[0], a);
    store_be64(&extras[8], b);
    return extras;
}

void dcp_open(connection& c, unsigned number, truth& sum) {
    buffer open(8), request(48);
    open[7] = 1;
    std::memset(&request[16], 0xff, 8);
    buffer log(16);
    store_be64(log.data(), 0xa1b2c3d4e5f6ULL);
    send(c, 0, dcp_message(0x80, 0x50, 0, 1, open, "bench:" + std::to_string(number), ""), sum);
    send(c, 1, dcp_message(0x81, 0x50, 0, 1, {}, "", ""), sum);
    send(c, 0, dcp_message(0x80, 0x53, 7, 2, request, "", ""), sum);
    send(c, 1, dcp_message(0x81, 0x53, 0, 2, {}, "", std::string(log.begin(), log.end())), sum);
    c.flush(0);
    c.flush(1);
}

void dcp_snapshot(connection& c, std::uint64_t& seqno, random_numbers& random, truth& sum) {
    const std::size_t items = 1 + random.below(48);
    buffer marker = seqnos(seqno + 1, seqno + items, 20);
    marker[19] = 1;
    send(c, 1, dcp_message(0x80, 0x56, 7, 2, marker, "", ""), sum);
    for (std::size_t i = 0; i < items; ++i) {
        ++seqno;
        send(
            c, 1,
            dcp_message(0x80, 0x57, 7, 2, seqnos(seqno, 1, 31), "document-" + std::to_string(seqno),
                        document(random, 64 + random.below(1800)),
                        1'700'000'000'000'000'000ULL + (seqno << 16)),
            sum);
        ++sum.items;
    }
    c.flush(1);
}

void canal_open(connection& c, truth& sum) {
    buffer seeds, auth, subscription;
    put_bytes(seeds, 2, std::string("12345678"));
    send(c, 1, canal_packet(1, seeds), sum);
    c.flush(1);
    put_bytes(auth, 1, std::string("canal"));
    put_bytes(auth, 2, std::string(40, 'a'));
    send(c, 0, canal_packet(2, auth), sum);
    c.flush(0);
    send(c, 1, canal_packet(3, {}), sum);
    c.flush(1);
    put_bytes(subscription, 1, std::string("example"));
    put_bytes(subscription, 2, std::string("1001"));
    send(c, 0, canal_packet(4, subscription), sum);
    c.flush(0);
    send(c, 1, canal_packet(3, {}), sum);
    c.flush(1);
}

void canal_batch(connection& c, std::uint64_t& batch, std::uint64_t now_ns, random_numbers& random,
                 truth& sum) {
    buffer get, messages, ack;
    put_bytes(get, 1, std::string("example"));
    put_bytes(get, 2, std::string("1001"));
    put_number(get, 3, 1000);
    put_number(get, 4, static_cast<std::uint64_t>(-1));
    put_number(get, 5, 2);
    send(c, 0, canal_packet(6, get), sum);
    c.flush(0);
    ++batch;
    put_number(messages, 1, batch);
    const std::size_t entries = 1 + random.below(40);
    for (std::size_t i = 0; i < entries; ++i) {
        put_bytes(messages, 2, canal_entry(random, batch * 100000 + i * 200, now_ns / 1000000));
        ++sum.items;
    }
    send(c, 1, canal_packet(7, messages), sum);
    c.flush(1);
    put_bytes(ack, 1, std::string("example"));
    put_bytes(ack, 2, std::string("1001"));
    put_number(ack, 3, batch);
    send(c, 0, canal_packet(8, ack), sum);
    c.flush(0);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fprintf(stderr, "make_traffic dcp|canal OUT.pcap MIB CONNECTIONS\n");
        return 2;
    }
    const bool dcp = std::string(argv[1]) == "dcp";
    const std::uint64_t size = std::strtoull(argv[3], nullptr, 10) << 20;
    const auto count = static_cast<unsigned>(std::strtoul(argv[4], nullptr, 10));
    pcap_file file(argv[2]);
    random_numbers random;
    truth sum;
    std::uint64_t clock = 1'700'000'000'000'000'000ULL;
    std::vector<connection> connections;
    std::vector<std::uint64_t> numbers(count, 0);
    for (unsigned i = 0; i < count; ++i) {
        connections.emplace_back(file, clock, i + 1, dcp ? 11210 : 11111);
        if (dcp) {
            dcp_open(connections.back(), i + 1, sum);
        } else {
            canal_open(connections.back(), sum);
        }
    }
    while (file.bytes() < size) {
        const std::size_t i = random.below(count);
        if (dcp) {
            dcp_snapshot(connections[i], numbers[i], random, sum);
        } else {
            canal_batch(connections[i], numbers[i], clock, random, sum);
        }
    }
    for (connection& c : connections) c.close();
    std::printf("{\"messages\":%llu,\"bytes\":%llu,\"items\":%llu,\"connections\":%u}\n",
                static_cast<unsigned long long>(sum.messages),
                static_cast<unsigned long long>(sum.bytes),
                static_cast<unsigned long long>(sum.items), count);
    return 0;
}
