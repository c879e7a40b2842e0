// Packets and files made by hand, from the outside in: each layer is a string of bytes.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "analyzer/capture/byte_source.h"
#include "analyzer/capture/packet_reader.h"
#include "proto/wire/bytes.h"

namespace cdcscope::capture::testing {

inline std::string be(std::uint64_t value, std::size_t size) {
    std::string out(size, '\0');
    for (std::size_t n = 0; n < std::min<std::size_t>(size, 8); ++n)
        out[size - 1 - n] = static_cast<char>(value >> (8 * n));
    return out;
}
inline std::string le(std::uint64_t value, std::size_t size) {
    const std::string big = be(value, size);
    return {big.rbegin(), big.rend()};
}
inline std::string be16(std::uint64_t v) {
    return be(v, 2);
}
inline std::string be32(std::uint64_t v) {
    return be(v, 4);
}

// "hex digits, blanks allowed" as bytes.
inline std::string hex(std::string_view digits) {
    std::string out;
    std::string pair;
    for (const char digit : digits) {
        if (digit == ' ') continue;
        pair += digit;
        if (pair.size() == 2) {
            out += static_cast<char>(std::stoi(pair, nullptr, 16));
            pair.clear();
        }
    }
    return out;
}

// 10.0.0.1:40000 -> 10.0.0.2:11210
inline std::string tcp(std::string_view payload, std::uint32_t sequence = 1000,
                       const std::string& options = {}, std::uint8_t flags = 0x18) {
    const std::size_t words = 5 + options.size() / 4;
    return be16(40000) + be16(11210) + be32(sequence) + be32(77) + be(words << 4, 1) +
           be(flags, 1) + be16(512) + be32(0) + options + std::string(payload);
}
inline std::string udp(std::uint16_t port, const std::string& payload) {
    return be16(50000) + be16(port) + be16(8 + payload.size()) + be16(0) + payload;
}

struct v4 {
    std::uint8_t protocol = 6;
    std::uint16_t id = 7;
    std::uint32_t offset = 0;  // bytes
    bool more = false;
    int total = -1;  // -1: the right one
    std::string options{};
};
inline std::string ipv4(const std::string& payload, const v4& h = {}) {
    const std::size_t header = 20 + h.options.size();
    const auto total = h.total < 0 ? header + payload.size() : static_cast<std::size_t>(h.total);
    return be(0x40 | header / 4, 1) + be(0, 1) + be16(total) + be16(h.id) +
           be16(h.offset / 8 | (h.more ? 0x2000 : 0)) + be(64, 1) + be(h.protocol, 1) + be16(0) +
           hex("0a000001 0a000002") + h.options + payload;
}
// fd00::1 -> fd00::2
inline std::string ipv6(const std::string& payload, std::uint8_t next = 6, int length = -1) {
    return be32(0x60000000) + be16(length < 0 ? payload.size() : static_cast<std::size_t>(length)) +
           be(next, 1) + be(64, 1) +
           hex("fd000000000000000000000000000001 fd000000000000000000000000000002") + payload;
}
inline std::string v6_fragment(const std::string& payload, std::uint32_t offset, bool more,
                               std::uint32_t id = 9, std::uint8_t next = 6) {
    return ipv6(be(next, 1) + be(0, 1) + be16(offset | (more ? 1 : 0)) + be32(id) + payload, 44);
}
inline std::string ethernet(const std::string& payload, std::uint16_t type = 0x0800) {
    return hex("020000000001 020000000002") + be16(type) + payload;
}

struct record {
    std::string bytes;
    std::int64_t time_ns = 1'700'000'000'000'000'000;
    std::uint32_t wire = 0;  // 0: as long as the bytes
};

struct pcap_form {
    std::uint32_t magic = 0xa1b2c3d4;
    bool big = false;
    std::uint32_t link_type = 1;
    std::uint32_t snap_length = 262144;
};
inline std::string pcap_file(const std::vector<record>& records, const pcap_form& form = {}) {
    const auto n = [&](std::uint64_t v, std::size_t size) {
        return form.big ? be(v, size) : le(v, size);
    };
    std::string out = n(form.magic, 4) + n(2, 2) + n(4, 2) + n(0, 4) + n(0, 4) +
                      n(form.snap_length, 4) + n(form.link_type, 4);
    const std::int64_t unit = form.magic == 0xa1b23c4d ? 1 : 1000;
    const std::string patched = form.magic == 0xa1b2cd34 ? n(0, 8) : "";
    for (const record& r : records) {
        out += n(static_cast<std::uint64_t>(r.time_ns / 1'000'000'000), 4) +
               n(static_cast<std::uint64_t>(r.time_ns % 1'000'000'000 / unit), 4);
        out +=
            n(r.bytes.size(), 4) + n(r.wire == 0 ? r.bytes.size() : r.wire, 4) + patched + r.bytes;
    }
    return out;
}

// Blocks of a pcapng.
struct pcapng_form {
    bool big = false;

    [[nodiscard]] std::string n(std::uint64_t v, std::size_t size) const {
        return big ? be(v, size) : le(v, size);
    }
    [[nodiscard]] std::string block(std::uint32_t type, std::string body) const {
        body.resize((body.size() + 3) / 4 * 4);
        return n(type, 4) + n(body.size() + 12, 4) + body + n(body.size() + 12, 4);
    }
    [[nodiscard]] std::string section() const {
        return block(0x0a0d0d0a, n(0x1a2b3c4d, 4) + n(1, 2) + n(0, 2) + n(~0ULL, 8));
    }
    [[nodiscard]] std::string option(std::uint16_t code, std::string value) const {
        const std::size_t size = value.size();
        value.resize((size + 3) / 4 * 4);
        return n(code, 2) + n(size, 2) + value;
    }
    [[nodiscard]] std::string interface(std::uint16_t link_type, const std::string& options = {},
                                        std::uint32_t snap_length = 0) const {
        return block(1, n(link_type, 2) + n(0, 2) + n(snap_length, 4) + options);
    }
    [[nodiscard]] std::string enhanced(const std::string& bytes, std::uint64_t units = 0,
                                       std::uint32_t interface_id = 0,
                                       std::uint32_t wire = 0) const {
        return block(6, n(interface_id, 4) + n(units >> 32, 4) + n(units & 0xffffffff, 4) +
                            n(bytes.size(), 4) + n(wire == 0 ? bytes.size() : wire, 4) + bytes);
    }
    [[nodiscard]] std::string simple(const std::string& bytes, std::uint32_t wire) const {
        return block(3, n(wire, 4) + bytes);
    }
    [[nodiscard]] std::string obsolete(const std::string& bytes, std::uint64_t units = 0,
                                       std::uint16_t interface_id = 0) const {
        return block(2, n(interface_id, 2) + n(0xffff, 2) + n(units >> 32, 4) +
                            n(units & 0xffffffff, 4) + n(bytes.size(), 4) + n(bytes.size(), 4) +
                            bytes);
    }
};

// A file in the tests' folder, gone with the object. Its name holds the process, as other runs of
// the tests may be going on.
class temporary_file {
  public:
    explicit temporary_file(const std::string& name, std::string_view content = {})
        : path_(::testing::TempDir() + std::to_string(::getpid()) + "-" +
                ::testing::UnitTest::GetInstance()->current_test_info()->name() + "-" + name) {
        std::remove(path_.c_str());
        append(content);
    }
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    ~temporary_file() { std::remove(path_.c_str()); }

    void append(std::string_view content) const {
        std::ofstream(path_, std::ios::binary | std::ios::app)
            .write(content.data(), static_cast<std::streamsize>(content.size()));
    }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

// Gives the pieces one by one, `more` for an empty one, then the end.
class scripted_source final : public byte_source {
  public:
    explicit scripted_source(std::vector<std::string> pieces, read_state end = read_state::end)
        : pieces_(std::move(pieces)), end_(end) {}

    read_result read(std::span<std::uint8_t> into) override {
        if (at_ == pieces_.size()) return {end_, 0};
        std::string& piece = pieces_[at_];
        const std::size_t n = std::min(into.size(), piece.size());
        std::copy_n(piece.begin(), n, into.begin());
        piece.erase(0, n);
        if (piece.empty()) ++at_;
        return {n == 0 ? read_state::more : read_state::data, n};
    }
    [[nodiscard]] bool can_pause() const noexcept override { return true; }

  private:
    std::vector<std::string> pieces_;
    read_state end_;
    std::size_t at_ = 0;
};

// Everything that a reader gives: a line a packet, and how it ended. Pauses are counted, not lines.
struct readings {
    std::vector<std::string> packets;  // bytes
    std::vector<packet> heads;         // their bytes are not valid any more
    int pauses = 0;
    next_state last = next_state::packet;
    read_problem problem;
};
inline readings read_all(packet_reader& reader, int give_up_after = 1'000'000) {
    readings r;
    packet p;
    while (give_up_after-- > 0) {
        r.last = reader.next(p);
        if (r.last == next_state::more) {
            ++r.pauses;
            continue;
        }
        if (r.last != next_state::packet) break;
        r.packets.emplace_back(as_text(p.bytes));
        r.heads.push_back(p);
    }
    r.problem = reader.problem();
    return r;
}

}  // namespace cdcscope::capture::testing
