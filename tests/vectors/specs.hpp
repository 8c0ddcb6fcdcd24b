// Specs from their form in the known answers: those of maps by the list of their fields, others by a function each.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "read.hpp"
#include "samara/samara.hpp"

namespace samara::test {

// The value of a kind by its name. "auto" is what names say that are not there.
template <class Kind>
Kind kind_of(const Json& j, const char* field, std::initializer_list<std::pair<const char*, Kind>> names,
             Kind otherwise = Kind{})
{
    const auto name = j.at(field).get<std::string>();
    for (const auto& [known, kind] : names)
        if (name == known)
            return kind;
    REQUIRE_MESSAGE(name == "auto", field << "=" << name);
    return otherwise;
}
inline PolyBase base_of(const Json& j)
{
    return kind_of<PolyBase>(j, "base", {{"srht", PolyBase::srht}, {"osnap", PolyBase::osnap}});
}
inline Remainder rest_of(const Json& j)
{
    return kind_of<Remainder>(j, "rest", {{"spread", Remainder::spread}, {"last", Remainder::last}});
}
inline Sampling sampling_of(const Json& j)
{
    return j.at("replacement").get<bool>() ? Sampling::with : Sampling::without;
}
// Visits the fields of a map's spec to read each from the member of its key, with _ for -.
class SpecReader {
public:
    explicit SpecReader(const Json& from) : from_(from) {}

    void inputs(std::uint32_t& value, std::uint32_t) { value = size_of(from_, "inputs"); }
    void features(std::uint32_t& value, std::uint32_t) { value = size_of(from_, "features"); }
    void whole(std::uint32_t, const char* key, std::uint32_t& value, Range, const char*)
    {
        value = member(key).get<std::uint32_t>();
    }
    void size(std::uint32_t at, const char* key, std::uint32_t& value, Range range, const char* meaning)
    {
        whole(at, key, value, range, meaning);
    }
    void made(std::uint32_t at, const char* key, std::uint32_t& value, Range range, const char* meaning)
    {
        whole(at, key, value, range, meaning);
    }
    void small(std::uint32_t at, const char* key, std::uint32_t& value, Range range, const char* meaning)
    {
        whole(at, key, value, range, meaning);
    }
    // As its word, or as the truth or the number that the word says.
    template <class T>
    void choice(std::uint32_t, const char* key, T& value, std::type_identity_t<Among<T>> among, const char*)
    {
        if (!from_.contains(key) && std::string(key) == "numbers")
            return; // vectors that are older than this field
        const Json& j = member(key);
        const std::string text = j.is_string()    ? j.get<std::string>()
                                 : j.is_boolean() ? samara::word(j.get<bool>())
                                                  : std::to_string(j.get<std::uint32_t>());
        for (std::uint32_t i = 0; i < among.count; ++i) {
            using samara::word;
            const std::string known = word(among.values[i]);
            if (text == known || (text == "0" && known == "none")) {
                value = among.values[i];
                return;
            }
        }
        FAIL(key << "=" << text);
    }
    void real(std::uint32_t, const char* key, float& value, const Reals&, const char*) { value = number(member(key)); }
    void bandwidth(std::uint32_t, const char* key, float& value, const char*) { value = number(member(key)); }
    void coefficients(std::uint32_t, std::uint32_t, Coefficients& value, CoefficientsFrom)
    {
        for (const float c : numbers(member("coefficients")))
            value.c[value.count++] = c;
    }
    void seed(std::uint32_t, std::uint64_t& value) { value = long_word(member("seed")); }

private:
    const Json& member(std::string key) const
    {
        std::replace(key.begin(), key.end(), '-', '_');
        return from_.at(key);
    }

    const Json& from_;
};

template <class Spec>
Spec spec_of(const Json& j)
{
    SpecReader reader(j);
    Spec spec;
    Map<Spec>::fields(reader, spec);
    return spec;
}

// Calls with the spec that an entry has, and with a second one of the same map.
template <class Call>
void with_specs(const Json& a, const Json& b, Call call)
{
    const bool known = AllMaps::any([&]<class Spec>(Spec) {
        // Maps with data have vectors of their own.
        if constexpr (DataSpec<Spec>) {
            return false;
        } else {
            if (static_cast<std::uint32_t>(Map<Spec>::id) != size_of(a, "map"))
                return false;
            call(spec_of<Spec>(a), spec_of<Spec>(b));
            return true;
        }
    });
    REQUIRE_MESSAGE(known, "a map that the library does not know: " << size_of(a, "map"));
}

inline CountSketchSpec count_sketch_spec(const Json& j)
{
    return {.size = size_of(j, "size"), .seed = long_word(j.at("seed"))};
}
inline OsnapSpec osnap_spec(const Json& j)
{
    return {.size = size_of(j, "size"), .nonzeros = size_of(j, "nonzeros"), .seed = long_word(j.at("seed"))};
}
inline SrhtSpec srht_spec(const Json& j)
{
    return {.inputs = static_cast<std::uint32_t>(j.at("x").size()),
            .features = size_of(j, "features"),
            .sampling = sampling_of(j),
            .seed = long_word(j.at("seed"))};
}
inline TensorSrhtSpec tensor_srht_spec(const Json& j)
{
    return {.left = static_cast<std::uint32_t>(j.at("x").size()),
            .right = static_cast<std::uint32_t>(j.at("y").size()),
            .features = size_of(j, "features"),
            .sampling = sampling_of(j),
            .seed = long_word(j.at("seed"))};
}
inline TensorSketchSpec tensor_sketch_spec(const Json& j)
{
    return {.size = size_of(j, "size"), .degree = size_of(j, "degree"), .seed = long_word(j.at("seed"))};
}
inline PolySketchSpec poly_sketch_spec(const Json& j)
{
    return {.inputs = static_cast<std::uint32_t>(j.at("x").size()),
            .degree = size_of(j, "degree"),
            .features = size_of(j, "features"),
            .base = base_of(j),
            .seed = long_word(j.at("seed"))};
}

inline SgdSpec sgd_spec(const Json& j)
{
    return {.features = size_of(j, "features"),
            .outputs = size_of(j, "outputs"),
            .loss = kind_of<Loss>(j, "loss",
                                  {{"squared", Loss::squared}, {"logistic", Loss::logistic}, {"hinge", Loss::hinge}}),
            .step = kind_of<Step>(j, "step",
                                  {{"constant", Step::constant},
                                   {"inverse_root", Step::inverse_root},
                                   {"adagrad", Step::adagrad},
                                   {"normalised", Step::normalised}}),
            .rate = number(j.at("rate")),
            .ridge = number(j.at("ridge")),
            .average = j.at("average").get<bool>()};
}
inline RlsSpec rls_spec(const Json& j)
{
    return {.features = size_of(j, "features"),
            .outputs = size_of(j, "outputs"),
            .forget = number(j.at("forget")),
            .prior = number(j.at("prior")),
            .block = j.contains("block") ? size_of(j, "block") : 0};
}
inline GramSpec gram_spec(const Json& j)
{
    return {.features = size_of(j, "features"), .outputs = size_of(j, "outputs")};
}

} // namespace samara::test
