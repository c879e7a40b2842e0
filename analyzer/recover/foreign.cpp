#include "analyzer/recover/foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyzer/recover/tls_hello.h"

namespace cdcscope::recover {

namespace {

struct signature {
    std::string_view name;
    std::string_view begins;
};
constexpr signature signatures[] = {
    {"HTTP", "GET "},
    {"HTTP", "POST "},
    {"HTTP", "PUT "},
    {"HTTP", "HEAD "},
    {"HTTP", "DELETE "},
    {"HTTP", "OPTIONS "},
    {"HTTP", "PATCH "},
    {"HTTP", "CONNECT "},
    {"HTTP", "PRI * "},
    {"HTTP", "HTTP/"},
    {"SSH", "SSH-"},
    {"memcached text", "get "},
    {"memcached text", "set "},
    {"memcached text", "stats"},
    {"memcached text", "version\r\n"},
    {"Redis", "*1\r\n$"},
    {"Redis", "*2\r\n$"},
    {"Redis", "*3\r\n$"},
};

// Length, number 0, protocol 10, then a version like "5.7.42" or "11.4.2-MariaDB".
bool is_mysql_greeting(byte_view b) noexcept {
    return b.size() >= 6 && b[1] == 0 && b[2] == 0 && b[3] == 0 && b[4] == 0x0a && b[5] >= '0' &&
           b[5] <= '9';
}

constexpr std::string_view mysql = "MySQL", tls = "TLS";
constexpr std::size_t longest_hello = 8192, mysql_version = 5, longest_version = 64;

// As a person calls it; empty: nothing was promised.
std::string_view promise_words(protocol promised) noexcept {
    switch (promised) {
        case protocol::dcp:
            return "DCP";
        case protocol::canal:
            return "canal";
        case protocol::canal_admin:
            return "canal's admin protocol";
        case protocol::tls:
            return "TLS";
        default:
            return {};
    }
}

// "1.1, 1.2 and 1.3".
std::string listed(const std::set<std::string_view>& words) {
    std::string text;
    std::size_t i = 0;
    for (const std::string_view word : words) {
        text += i == 0 ? "" : i + 1 == words.size() ? " and " : ", ";
        text += word;
        ++i;
    }
    return text;
}

}  // namespace

bool may_begin_tls(byte_view b) noexcept {
    return (b.empty() || (b[0] >= 0x14 && b[0] <= 0x17)) && (b.size() < 2 || b[1] == 3) &&
           (b.size() < 3 || b[2] <= 4);
}

// Handshake, alert or data of SSL 3 to TLS 1.3, with a length that a record can have.
bool is_tls_record(byte_view b) noexcept {
    if (b.size() < 5 || !may_begin_tls(b)) return false;
    const std::uint16_t length = load_be16(b.data() + 3);
    return length > 0 && length <= (1U << 14) + 2048;
}

std::string_view name_foreign(byte_view first) noexcept {
    if (is_tls_record(first)) return tls;
    if (is_mysql_greeting(first)) return mysql;
    const std::string_view text = as_text(first);
    for (const signature& s : signatures) {
        if (text.starts_with(s.begins)) return s.name;
    }
    return {};
}

std::string foreign_words(const foreign_signs& what) {
    if (what.version.empty()) return std::string(what.name);
    if (what.name == mysql) return fmt::format("MySQL (server greeting \"{}\")", what.version);
    if (what.only_offered) return fmt::format("{}, {} offered", what.name, what.version);
    return what.version.starts_with("SSL") ? what.version
                                           : fmt::format("{} {}", what.name, what.version);
}

std::string tls_words(const std::vector<foreign_signs>& all) {
    std::set<std::string_view> chosen, offered;
    std::uint64_t unknown = 0;
    for (const foreign_signs& one : all) {
        if (one.version.empty()) {
            ++unknown;
        } else {
            (one.only_offered ? offered : chosen).insert(one.version);
        }
    }
    std::string text(tls);
    if (!chosen.empty()) text += " " + listed(chosen);
    if (!offered.empty()) text += ", " + listed(offered) + " offered";
    if (unknown > 0 && unknown < all.size())
        text += fmt::format(", of {} the version is not known", unknown);
    return text;
}

std::string foreign_sentence(std::string_view who, std::uint16_t port, protocol promised,
                             const foreign_signs& what) {
    const std::string_view ours = promise_words(promised);
    const std::string words = foreign_words(what);
    if (ours.empty()) return fmt::format("{} on port {} speaks {}", who, port, words);
    return fmt::format("{} on port {} is not {}: it speaks {}", who, port, ours, words);
}

std::string_view foreign_advice(protocol promised, const foreign_signs& what) noexcept {
    if (what.name == mysql && promised == protocol::canal)
        return "; the binlog itself is not read. Capture between canal server and client";
    return "; if the port is used for something else, name the right ones with --port";
}

foreign_watch::foreign_watch(std::string_view name) : signs_{name, {}, false} {
    if (name == mysql) close(direction::c2s);
    if (name != mysql && name != tls) closed_[0] = closed_[1] = true;
}

void foreign_watch::close(direction dir) noexcept {
    closed_[index(dir)] = true;
    head_[index(dir)] = {};
}

bool foreign_watch::on_bytes(direction dir, byte_view bytes) {
    if (closed_[index(dir)]) return false;
    std::vector<std::uint8_t>& head = head_[index(dir)];
    const byte_view more = bytes.first(std::min(bytes.size(), longest_hello - head.size()));
    head.insert(head.end(), more.begin(), more.end());
    const bool full = head.size() >= longest_hello;
    const bool news = signs_.name == mysql ? read_mysql(dir) : read_tls(dir);
    if (full) close(dir);
    return news;
}

bool foreign_watch::read_mysql(direction dir) {
    const std::string_view text = as_text(head_[index(dir)]);
    if (text.size() <= mysql_version) return false;
    const std::size_t end = text.find('\0', mysql_version);
    if (end == std::string_view::npos && text.size() < mysql_version + longest_version)
        return false;
    const std::string_view version = text.substr(mysql_version, end - mysql_version);
    const bool plain =
        std::ranges::all_of(version, [](char c) { return c >= ' ' && c <= '~' && c != '"'; });
    if (plain) signs_.version = version.substr(0, longest_version);
    close(dir);
    return !signs_.version.empty();
}

bool foreign_watch::read_tls(direction dir) {
    const tls_hello hello = read_tls_hello(head_[index(dir)]);
    if (hello.is == tls_hello::state::need_more) return false;
    close(dir);
    const std::string_view version = tls_version_name(hello.version);
    if (hello.is == tls_hello::state::none || version.empty() || chosen_) return false;
    signs_.version = version;
    signs_.only_offered = !hello.of_server;
    chosen_ = hello.of_server;
    return true;
}

}  // namespace cdcscope::recover
