// What our parser is measured beside. Part of one program with ada itself, so that the compiler may
// inline all of it.
#include "CPeers/peers.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <curl/curl.h>
#include <glib.h>
#include <unicode/uidna.h>

#include "ada.cpp"

namespace {

// Keeps what is made from being left out because nobody reads it.
volatile size_t total_length;

template <typename Function>
size_t count_if(string_list strings, Function accepts) {
    size_t count = 0;
    for (size_t i = 0; i < strings.count; i++) {
        const char *start = reinterpret_cast<const char *>(strings.bytes) + strings.offsets[i];
        count += accepts(std::string_view(start, strings.offsets[i + 1] - strings.offsets[i] - 1));
    }
    return count;
}

enum : uint8_t { other, in_authority, ends_authority };

constexpr auto kinds = [] {
    std::array<uint8_t, 256> kinds{};
    for (char byte : std::string_view("abcdefghijklmnopqrstuvwxyz0123456789-._:"))
        kinds[uint8_t(byte)] = in_authority;
    for (char byte : std::string_view("/\\?#"))
        kinds[uint8_t(byte)] = ends_authority;
    return kinds;
}();

}  // namespace

size_t peer_ada_origin(string_list urls) {
    size_t length = 0;
    size_t count = count_if(urls, [&](std::string_view url) {
        auto parsed = ada::parse<ada::url_aggregator>(url);
        if (!parsed)
            return false;
        length += parsed->get_origin().size();
        return true;
    });
    total_length = length;
    return count;
}

size_t peer_ada_can_parse(string_list urls) {
    return count_if(urls, [](std::string_view url) { return ada::can_parse(url); });
}

size_t peer_curl(string_list urls) {
    CURLU *handle = curl_url();
    if (handle == nullptr)
        abort();
    size_t count = count_if(urls, [&](std::string_view url) {
        // Without this a relative reference would be resolved against the URL before it.
        curl_url_set(handle, CURLUPART_URL, nullptr, 0);
        return curl_url_set(handle, CURLUPART_URL, url.data(), 0) == CURLUE_OK;
    });
    curl_url_cleanup(handle);
    return count;
}

size_t peer_glib(string_list urls) {
    return count_if(urls, [](std::string_view url) {
        char *scheme, *host;
        int port;
        if (!g_uri_split_network(url.data(), G_URI_FLAGS_NONE, &scheme, &host, &port, nullptr))
            return false;
        g_free(scheme);
        g_free(host);
        return true;
    });
}

// The options are those of Sources/CICU.
size_t peer_icu(string_list hosts) {
    static UIDNA *const idna = [] {
        UErrorCode error = U_ZERO_ERROR;
        UIDNA *idna = uidna_openUTS46(
            UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII
                | UIDNA_NONTRANSITIONAL_TO_UNICODE,
            &error);
        if (U_FAILURE(error))
            abort();
        return idna;
    }();
    return count_if(hosts, [](std::string_view host) {
        char ascii[512];
        UIDNAInfo info = UIDNA_INFO_INITIALIZER;
        UErrorCode error = U_ZERO_ERROR;
        uidna_nameToASCII_UTF8(
            idna, host.data(), int32_t(host.size()), ascii, sizeof ascii, &info, &error);
        return U_SUCCESS(error) && info.errors == 0;
    });
}

size_t peer_floor(string_list urls, const char *origin) {
    const std::string_view active(origin);
    size_t same = 0;
    size_t count = count_if(urls, [&](std::string_view url) {
        size_t end;
        if (url.size() > 8 && memcmp(url.data(), "https://", 8) == 0)
            end = 8;
        else if (url.size() > 7 && memcmp(url.data(), "http://", 7) == 0)
            end = 7;
        else
            return false;
        while (end < url.size() && kinds[uint8_t(url[end])] == in_authority)
            end++;
        if (end < url.size() && kinds[uint8_t(url[end])] != ends_authority)
            return false;
        same += end == active.size() && memcmp(url.data(), active.data(), end) == 0;
        return true;
    });
    total_length = same;
    return count;
}

size_t peer_ada_origin_of(const uint8_t *url, size_t length, char *text, size_t capacity) {
    auto parsed =
        ada::parse<ada::url_aggregator>({reinterpret_cast<const char *>(url), length});
    const std::string origin = parsed ? parsed->get_origin() : "failure";
    memcpy(text, origin.data(), std::min(origin.size(), capacity));
    return origin.size();
}
