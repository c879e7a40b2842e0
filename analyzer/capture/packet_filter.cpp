#include "analyzer/capture/packet_filter.h"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace cdcscope::capture {
namespace {

constexpr int snap_length = 262144;
constexpr std::uint32_t link_null = 0, link_ethernet = 1, link_raw = 101, link_loop = 108;
constexpr std::size_t loopback_header = 4;

struct pcap_closer {
    void operator()(pcap_t* p) const noexcept { ::pcap_close(p); }
};

// libpcap's own numbers (DLT_) differ from those in files for raw IP only, as far as we read them.
int dlt_of(std::uint32_t link_type) {
    return link_type == link_raw ? DLT_RAW : static_cast<int>(link_type);
}

// BSD loopback is judged without its header, whose byte order libpcap takes from the machine it
// runs on.
bool is_loopback(std::uint32_t link_type) {
    return link_type == link_null || link_type == link_loop;
}

// Compiles; the error text of libpcap, empty if it is good.
std::string compile(std::uint32_t link_type, const std::string& expression, bpf_program& into) {
    const std::unique_ptr<pcap_t, pcap_closer> p(
        ::pcap_open_dead(is_loopback(link_type) ? DLT_RAW : dlt_of(link_type), snap_length));
    if (!p) return "out of memory";
    constexpr int optimize = 1;
    if (::pcap_compile(p.get(), &into, expression.c_str(), optimize, PCAP_NETMASK_UNKNOWN) == 0)
        return {};
    return ::pcap_geterr(p.get());
}

bool compiles(const std::string& expression) {
    bpf_program program{};
    if (!compile(link_ethernet, expression, program).empty()) return false;
    ::pcap_freecode(&program);
    return true;
}

// Whether an expression can begin like this: some end makes it whole.
bool can_begin(const std::string& start) {
    constexpr std::array<std::string_view, 11> ends{
        "",    " tcp",        " 1",       " port 1", " 10.0.0.1", " host 10.0.0.1", " tcp port 1",
        "= 1", " 10.0.0.0/8", " proto 6", " 1 = 1"};
    const auto open = std::ranges::count(start, '(') - std::ranges::count(start, ')');
    const std::string closing(static_cast<std::size_t>(std::max<std::ptrdiff_t>(open, 0)), ')');
    return std::ranges::any_of(ends, [&](std::string_view end) {
        return compiles(fmt::format("{}{}{}", start, end, closing));
    });
}

struct word {
    std::size_t begin = 0;
    std::size_t end = 0;
};

std::vector<word> words_of(std::string_view expression) {
    std::vector<word> words;
    constexpr std::string_view blank = " \t\r\n";
    for (std::size_t at = expression.find_first_not_of(blank); at != std::string_view::npos;) {
        const std::size_t end = std::min(expression.find_first_of(blank, at), expression.size());
        words.push_back({at, end});
        at = expression.find_first_not_of(blank, end);
    }
    return words;
}

// libpcap does not say where its syntax errors are: at the first word that no expression can have
// there.
std::string locate(const std::string& expression, const std::string& reason) {
    if (reason.find("syntax error") == std::string::npos) return reason;
    for (const word& w : words_of(expression)) {
        if (can_begin(expression.substr(0, w.end))) continue;
        return fmt::format("syntax error at \"{}\" (column {})",
                           expression.substr(w.begin, w.end - w.begin), w.begin + 1);
    }
    return "syntax error: it ends too early";
}

}  // namespace

struct packet_filter::program {
    bpf_program code{};
    std::size_t skip = 0;

    program() = default;
    program(const program&) = delete;
    program& operator=(const program&) = delete;
    ~program() { ::pcap_freecode(&code); }
};

packet_filter::packet_filter() = default;
packet_filter::~packet_filter() = default;

std::string packet_filter::set(std::string expression) {
    expression_ = std::move(expression);
    programs_.clear();
    error_.clear();
    if (expression_.empty()) return {};
    bpf_program trial{};
    std::string reason = compile(link_ethernet, expression_, trial);
    if (reason.empty()) {
        ::pcap_freecode(&trial);
        return {};
    }
    return fmt::format("--filter '{}': {}; the syntax is that of tcpdump: 'tcp port 11210'",
                       expression_, locate(expression_, reason));
}

const packet_filter::program* packet_filter::find(std::uint32_t link_type) {
    const auto known = programs_.find(link_type);
    if (known != programs_.end()) return known->second.get();
    auto fresh = std::make_unique<program>();
    const std::string reason = compile(link_type, expression_, fresh->code);
    if (!reason.empty()) {
        error_ = fmt::format("--filter '{}': not for packets of link type {}: {}", expression_,
                             link_type, reason);
        return nullptr;
    }
    if (is_loopback(link_type)) fresh->skip = loopback_header;
    return programs_.emplace(link_type, std::move(fresh)).first->second.get();
}

bool packet_filter::passes(const packet& p) {
    if (expression_.empty()) return true;
    const program* with = find(p.link_type);
    if (with == nullptr || p.bytes.size() < with->skip) return false;
    pcap_pkthdr header{};
    header.caplen = static_cast<bpf_u_int32>(p.bytes.size() - with->skip);
    header.len = static_cast<bpf_u_int32>(p.wire_length - with->skip);
    return ::pcap_offline_filter(&with->code, &header, p.bytes.data() + with->skip) != 0;
}

}  // namespace cdcscope::capture
