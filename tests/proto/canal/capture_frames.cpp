#include "tests/proto/canal/capture_frames.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace cdcscope::canal {

namespace {

const std::string folder = CDCSCOPE_SOURCE_DIR "/captures/canal/";

struct segment {
    std::string source, destination;
    std::uint16_t destination_port = 0;
    std::uint32_t sequence = 0;
    std::uint8_t flags = 0;
    byte_view data;
};

std::string address(const std::uint8_t* ip, std::uint16_t port) {
    return std::to_string(ip[0]) + '.' + std::to_string(ip[1]) + '.' + std::to_string(ip[2]) + '.' +
           std::to_string(ip[3]) + ':' + std::to_string(port);
}

segment parse(byte_view packet) {
    const byte_view ip = packet.subspan(14);
    const std::size_t header = (ip[0] & 15U) * 4;
    const byte_view tcp = ip.subspan(header, load_be16(&ip[2]) - header);
    segment s;
    s.source = address(&ip[12], load_be16(&tcp[0]));
    s.destination_port = load_be16(&tcp[2]);
    s.destination = address(&ip[16], s.destination_port);
    s.sequence = load_be32(&tcp[4]);
    s.flags = tcp[13];
    s.data = tcp.subspan((tcp[12] >> 4) * 4U);
    return s;
}

// One direction of a connection: bytes since the last whole frame.
struct stream {
    std::uint32_t next = 0;
    std::uint64_t offset = 0;
    std::vector<std::uint8_t> bytes;
    frame_ref first;
};

struct reader {
    captured out;
    std::map<std::string, std::uint32_t> live;  // client + server -> connection
    std::vector<std::array<stream, 2>> streams;

    void take(const segment& s, const frame_ref& at) {
        constexpr std::uint8_t fin = 1, syn = 2, rst = 4, ack = 16;
        const bool opens = (s.flags & (syn | ack)) == syn;
        if (opens) {
            live[s.source + s.destination] = static_cast<std::uint32_t>(streams.size());
            out.connections.push_back({s.source, s.destination, s.destination_port});
            streams.emplace_back();
        }
        const auto forward = live.find(s.source + s.destination);
        const direction dir = forward != live.end() ? direction::c2s : direction::s2c;
        const std::uint32_t c =
            forward != live.end() ? forward->second : live.at(s.destination + s.source);
        stream& half = streams[c][index(dir)];
        if ((s.flags & syn) != 0) {
            half.next = s.sequence + 1;
            return;
        }
        const std::uint32_t repeated = half.next - s.sequence;
        if (repeated < s.data.size()) {
            append(c, dir, s.data.subspan(repeated), at);
            half.next = s.sequence + static_cast<std::uint32_t>(s.data.size());
        }
        if ((s.flags & (fin | rst)) == 0) return;
        tails(c, dir, at, (s.flags & rst) != 0);
        captured_event end;
        end.kind = (s.flags & rst) != 0 ? captured_event::what::rst : captured_event::what::fin;
        end.connection = c;
        end.dir = dir;
        end.frames = {at.frame, at.frame, at};
        out.events.push_back(end);
    }

    void append(std::uint32_t c, direction dir, byte_view data, const frame_ref& at) {
        stream& half = streams[c][index(dir)];
        if (half.bytes.empty()) half.first = at;
        half.bytes.insert(half.bytes.end(), data.begin(), data.end());
        while (half.bytes.size() >= 4) {
            if (load_be32(half.bytes.data()) > 0x7fffffffU) return bad_length(c, dir, at);
            const std::uint64_t whole = std::uint64_t{load_be32(half.bytes.data())} + 4;
            if (half.bytes.size() < whole) return;
            const auto end = half.bytes.begin() + static_cast<std::ptrdiff_t>(whole);
            captured_event event;
            event.connection = c;
            event.dir = dir;
            event.offset = half.offset;
            event.payload.assign(half.bytes.begin() + 4, end);
            event.frames = {half.first.frame, at.frame, at};
            event.first_ns = half.first.time_ns;
            out.events.push_back(event);
            half.bytes.erase(half.bytes.begin(), end);
            half.offset += whole;
            half.first = at;
        }
    }

    void bad_length(std::uint32_t c, direction dir, const frame_ref& at) {
        stream& half = streams[c][index(dir)];
        captured_event event;
        event.kind = captured_event::what::bad_length;
        event.connection = c;
        event.dir = dir;
        event.offset = half.offset;
        event.payload = half.bytes;
        event.frames = {half.first.frame, at.frame, at};
        out.events.push_back(event);
        half.bytes.clear();
    }

    void tails(std::uint32_t c, direction ending, const frame_ref& at, bool both) {
        for (const direction dir : {direction::c2s, direction::s2c}) {
            stream& half = streams[c][index(dir)];
            if (half.bytes.empty() || (dir != ending && !both)) continue;
            captured_event event;
            event.kind = captured_event::what::incomplete;
            event.connection = c;
            event.dir = dir;
            event.offset = half.offset;
            event.payload = half.bytes;
            event.frames = {half.first.frame, at.frame, at};
            out.events.push_back(event);
            half.bytes.clear();
        }
    }
};

}  // namespace

captured read_canal_capture(const std::string& name) {
    std::ifstream in(folder + name + ".pcap", std::ios::binary);
    const std::vector<std::uint8_t> file{std::istreambuf_iterator<char>(in), {}};
    if (file.size() < 24 || load_le32(file.data()) != 0xa1b2c3d4) {
        throw std::runtime_error(name + ": no classic pcap");
    }
    reader r;
    frame_ref at;
    for (std::size_t i = 24; i + 16 <= file.size();) {
        at.time_ns = load_le32(&file[i]) * std::int64_t{1'000'000'000} +
                     load_le32(&file[i + 4]) * std::int64_t{1000};
        ++at.frame;
        const std::uint32_t captured_length = load_le32(&file[i + 8]);
        r.take(parse(byte_view(file).subspan(i + 16, captured_length)), at);
        i += 16 + captured_length;
    }
    r.out.end = at;
    return r.out;
}

std::vector<std::string> canal_captures() {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        if (file.path().extension() == ".pcap") names.push_back(file.path().stem());
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace cdcscope::canal
