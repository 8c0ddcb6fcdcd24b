// Signed models: a device opens what bears its makers' signature and nothing else. An image is a sealed model and,
// behind it, the 64 bytes of an Ed25519 signature of all bytes before them. The library brings no cryptography; here it
// is OpenSSL's, on a board that of its vendor or of a small library.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <vector>

#include <openssl/evp.h>

#include "digits.hpp"

namespace {

constexpr std::size_t signature_bytes = 64;

// The first test of RFC 8032, section 7.1. A secret key belongs on no device and in no repository; this one is public.
constexpr unsigned char secret_key[32] = {0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a,
                                          0xf4, 0x92, 0xec, 0x2c, 0xc4, 0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32,
                                          0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60};
constexpr unsigned char public_key[32] = {0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe,
                                          0xd3, 0xc9, 0x64, 0x07, 0x3a, 0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6,
                                          0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a};
// Of the empty message.
constexpr unsigned char known_signature[signature_bytes] = {
    0xe5, 0x56, 0x43, 0x00, 0xc3, 0x60, 0xac, 0x72, 0x90, 0x86, 0xe2, 0xcc, 0x80, 0x6e, 0x82, 0x8a,
    0x84, 0x87, 0x7f, 0x1e, 0xb8, 0xe5, 0xd9, 0x74, 0xd8, 0x73, 0xe0, 0x65, 0x22, 0x49, 0x01, 0x55,
    0x5f, 0xb8, 0x82, 0x15, 0x90, 0xa3, 0x3b, 0xac, 0xc6, 0x1e, 0x39, 0x70, 0x1c, 0xf9, 0xb4, 0x6b,
    0xd2, 0x5b, 0xf5, 0xf0, 0x59, 0x5b, 0xbe, 0x24, 0x65, 0x51, 0x41, 0x43, 0x8e, 0x7a, 0x10, 0x0b};

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Digest = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

const unsigned char* raw(const std::byte* p) { return reinterpret_cast<const unsigned char*>(p); }

// The hook. It is called before the library reads anything.
bool verify(void*, std::span<const std::byte> image) noexcept
{
    if (image.size() < signature_bytes)
        return false;
    const auto model = image.first(image.size() - signature_bytes), signature = image.last(signature_bytes);
    const Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, public_key, sizeof public_key), EVP_PKEY_free);
    const Digest digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    return key && digest && EVP_DigestVerifyInit(digest.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
           EVP_DigestVerify(digest.get(), raw(signature.data()), signature.size(), raw(model.data()), model.size()) ==
               1;
}

// What the makers do, where their secret key is.
std::vector<std::byte> signed_image(std::span<const std::byte> model)
{
    std::vector<std::byte> image(model.begin(), model.end());
    image.resize(model.size() + signature_bytes);
    const Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, secret_key, sizeof secret_key),
                  EVP_PKEY_free);
    const Digest digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    std::size_t length = signature_bytes;
    if (!key || !digest || EVP_DigestSignInit(digest.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
        EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(image.data() + model.size()), &length,
                       raw(model.data()), model.size()) != 1)
        image.clear();
    return image;
}

} // namespace

int main()
{
    const samara::OpenRules rules{.verify = verify};
    samara::Predictor<samara::ArcCos> predictor;
    if (!verify(nullptr, std::as_bytes(std::span(known_signature))))
        return 1; // this is not Ed25519

    std::vector<std::byte> image = signed_image(std::as_bytes(std::span(digits_model)));
    const samara::Status status = predictor.open(image, rules);
    std::printf("signed: %s\n", samara::text(status));
    const samara::Status unsigned_status = predictor.open(std::as_bytes(std::span(digits_model)), rules);
    std::printf("unsigned: %s\n", samara::text(unsigned_status));

    // A byte that is changed anywhere, a forged CRC behind it or not, and an image that is cut.
    std::size_t refused = 0;
    for (std::byte& b : image) {
        b ^= std::byte{1};
        refused += predictor.open(image, rules) == samara::Status::not_verified ? 1 : 0;
        b ^= std::byte{1};
    }
    std::printf("changed: %zu of %zu refused\n", refused, image.size());
    const bool cut = predictor.open(std::span(image).first(image.size() - 1), rules) == samara::Status::not_verified;
    std::printf("cut: %s\n", cut ? "refused" : "opened");
    return status == samara::Status::ok && unsigned_status == samara::Status::not_verified && refused == image.size() &&
                   cut && predictor.open(image, rules) == samara::Status::ok
               ? 0
               : 1;
}
