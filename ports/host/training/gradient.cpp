#include "ports/host/training/gradient.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "ports/host/text/error.hpp"
#include "ports/host/text/progress.hpp"
#include "ports/host/text/words.hpp"
#include "ports/host/training/dense.hpp"
#include "ports/host/training/gradient_state.hpp"
#include "ports/host/training/map_data.hpp"
#include "ports/host/training/scaling.hpp"
#include "ports/host/training/score.hpp"
#include "ports/host/training/threads.hpp"
#include "ports/host/training/train.hpp"
#include "samara/memory.hpp"
#include "samara/stream.hpp"

namespace samara::desk {
namespace {

// Numbers of features that are in memory at a time, and rows of a step at most.
constexpr std::size_t batch_numbers = std::size_t{1} << 24;
constexpr std::size_t most_batch_rows = 64;
// Features of a piece of work. Sums over pieces are added in order, whoever made them.
constexpr std::size_t piece_features = 8192;

using Floats = std::vector<float>;

template <class Number>
void add_to(std::uint32_t& crc, const std::vector<Number>& numbers)
{
    crc = crc32(std::as_bytes(std::span(numbers)), crc);
}
template <class Number>
void add_to(std::uint32_t& crc, Number number)
{
    crc = crc32(std::as_bytes(std::span(&number, 1)), crc);
}

class GradientTraining {
public:
    GradientTraining(const FeatureStage& stage, const RowSet& rows, const GradientSettings& settings, FillRow fill)
        : stage_(stage), rows_(rows), settings_(settings), fill_(std::move(fill)), numbers_(rows.numbers()),
          features_(stage.features()), outputs_(rows.y().outputs()),
          batch_(std::clamp<std::size_t>(batch_numbers / features_, 1, std::min(most_batch_rows, numbers_.size()))),
          now_(outputs_, features_), z_(batch_, features_),
          x_(batch_, std::visit([](const auto& s) { return std::size_t{s.inputs}; }, stage.spec())),
          errors_(batch_, outputs_)
    {
        learn_units();
        rate_ = static_cast<float>(settings.rate / std::sqrt(static_cast<double>(features_)));
        if (!settings_.state.empty()) {
            identity_ = identity();
            if (std::filesystem::exists(settings_.state)) {
                load();
            }
        }
        saved_ = std::chrono::steady_clock::now();
    }

    TrainedModel run(const AfterEpoch& after)
    {
        while (now_.epoch < settings_.epochs) {
            run_epoch();
            if (settings_.talk) {
                say("epoch " + std::to_string(now_.epoch + 1) + ": " + progress_of_epoch());
            }
            if (after) {
                after(now_.epoch, model());
            }
            ++now_.epoch;
            now_.position = 0;
            now_.loss = 0.0;
            now_.right = 0;
            save_after(std::min(settings_.save_seconds, 1u));
        }
        save();
        return model();
    }

private:
    bool classifies() const { return rows_.y().task == Task::classify; }

    // Values are learned less their mean and in units of their spread.
    void learn_units()
    {
        unit_.assign(outputs_, 1.0f);
        origin_.assign(outputs_, 0.0f);
        if (classifies()) {
            return;
        }
        Floats y(outputs_);
        std::vector<double> sum(outputs_), squares(outputs_);
        for (const std::size_t row : numbers_) {
            rows_.y().encode(row, y.data());
            for (std::size_t o = 0; o < outputs_; ++o) {
                sum[o] += static_cast<double>(y[o]);
                squares[o] += static_cast<double>(y[o]) * static_cast<double>(y[o]);
            }
        }
        const auto count = static_cast<double>(numbers_.size());
        for (std::size_t o = 0; o < outputs_; ++o) {
            const double mean = sum[o] / count, spread = std::sqrt(std::max(0.0, squares[o] / count - mean * mean));
            origin_[o] = static_cast<float>(mean);
            unit_[o] = spread > 0.0 ? static_cast<float>(spread) : 1.0f;
        }
    }

    // A new order in every epoch.
    std::vector<std::size_t> order() const
    {
        std::vector<std::size_t> order = numbers_;
        std::uint64_t word = mix64(settings_.seed + splitmix_increment * (now_.epoch + std::uint64_t{1}));
        for (std::size_t i = order.size(); i > 1; --i) {
            word = mix64(word + splitmix_increment);
            std::swap(order[i - 1], order[word % i]);
        }
        return order;
    }

    void run_epoch()
    {
        const std::vector<std::size_t> order = this->order();
        Progress progress("epoch " + std::to_string(now_.epoch + 1) + "/" + std::to_string(settings_.epochs),
                          order.size());
        progress.advance(now_.position);
        while (now_.position < order.size()) {
            const std::size_t count = std::min<std::size_t>(batch_, order.size() - now_.position);
            const std::span<const std::size_t> some(order.data() + now_.position, count);
            read(some);
            step(some);
            if (!std::isfinite(now_.loss)) {
                throw BadInput("training: found scores that leave the range of floats in epoch " +
                               std::to_string(now_.epoch + 1) + ", expected finite ones (take a smaller --rate than " +
                               short_number(settings_.rate, 3) +
                               (settings_.ridge > 0.0 ? " or a smaller --ridge)" : ")"));
            }
            now_.position += count;
            progress.advance(count);
            save_after(settings_.save_seconds);
        }
    }

    void read(std::span<const std::size_t> some)
    {
        for (std::size_t i = 0; i < some.size(); ++i) {
            if (fill_) {
                fill_(now_.epoch, some[i], x_.row(i));
            } else {
                rows_.x().read(some[i], 1, x_.row(i));
            }
        }
        MatrixF checked(some.size(), x_.cols);
        std::copy_n(x_.values.begin(), checked.values.size(), checked.values.begin());
        require_usable(stage_.scaling(), checked, {some.begin(), some.end()}, rows_.x().name());
        stage_.compute(x_, some.size(), {}, z_);
    }

    void step(std::span<const std::size_t> some)
    {
        const std::size_t count = some.size(), pieces = (features_ + piece_features - 1) / piece_features;
        std::vector<EigenRows<float>> parts(pieces);
        const auto for_pieces = [&](auto body) {
            in_pieces(pieces, 1, stage_.threads(), "", [&](std::size_t piece, std::size_t) {
                const auto first = static_cast<Eigen::Index>(piece * piece_features);
                const auto width =
                    static_cast<Eigen::Index>(std::min(piece_features, features_ - piece * piece_features));
                body(piece, first, width);
            });
        };
        const auto rows = static_cast<Eigen::Index>(count);
        for_pieces([&](std::size_t piece, Eigen::Index first, Eigen::Index width) {
            parts[piece] =
                view(z_).block(0, first, rows, width) * view(now_.weights).middleCols(first, width).transpose();
        });
        for (std::size_t i = 0; i < count; ++i) {
            Floats scores(now_.bias);
            for (const EigenRows<float>& part : parts) {
                for (std::size_t o = 0; o < outputs_; ++o) {
                    scores[o] += part(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(o));
                }
            }
            make_errors(some[i], scores, errors_.row(i));
        }
        const float share = 1.0f / static_cast<float>(count), ridge = static_cast<float>(settings_.ridge);
        for_pieces([&](std::size_t, Eigen::Index first, Eigen::Index width) {
            auto w = view(now_.weights).middleCols(first, width).array();
            auto squares = view(now_.squares).middleCols(first, width).array();
            EigenRows<float> g =
                share * view(errors_).topRows(rows).transpose() * view(z_).block(0, first, rows, width);
            g.array() += ridge * w;
            squares += g.array().square();
            w -= rate_ * g.array() / (squares.sqrt() + least_root);
        });
        for (std::size_t o = 0; o < outputs_; ++o) {
            float g = 0.0f;
            for (std::size_t i = 0; i < count; ++i) {
                g += share * errors_.row(i)[o];
            }
            now_.bias_squares[o] += g * g;
            now_.bias[o] -= rate_ * g / (std::sqrt(now_.bias_squares[o]) + least_root);
        }
    }

    // The derivatives of the loss by the scores; what they come to is counted.
    void make_errors(std::size_t row, const Floats& scores, float* errors)
    {
        const Target& y = rows_.y();
        Floats wanted(outputs_);
        y.encode(row, wanted.data());
        const bool logistic = classifies() && settings_.loss == GradientLoss::logistic;
        const double weight = y.weight(row);
        if (classifies() && largest(scores.data(), outputs_) == y.classes[row]) {
            ++now_.right;
        }
        if (!logistic) {
            for (std::size_t o = 0; o < outputs_; ++o) {
                errors[o] = scores[o] - (wanted[o] - origin_[o]) / unit_[o];
                now_.loss += weight * static_cast<double>(errors[o]) * static_cast<double>(errors[o]);
                errors[o] *= static_cast<float>(weight);
            }
            return;
        }
        const double top = static_cast<double>(*std::max_element(scores.begin(), scores.end()));
        double sum = 0.0;
        for (const float s : scores) {
            sum += std::exp(static_cast<double>(s) - top);
        }
        for (std::size_t o = 0; o < outputs_; ++o) {
            const double p = std::exp(static_cast<double>(scores[o]) - top) / sum;
            errors[o] = static_cast<float>(weight * (p - (o == y.classes[row] ? 1.0 : 0.0)));
        }
        now_.loss += weight * (std::log(sum) + top - static_cast<double>(scores[y.classes[row]]));
    }

    std::string progress_of_epoch() const
    {
        const auto count = static_cast<double>(numbers_.size());
        return (classifies() ? "accuracy " + per_cent(static_cast<double>(now_.right) / count) + ", " : "") + "loss " +
               short_number(now_.loss / count, 4) + " of rows before they were learned";
    }

    TrainedModel model() const
    {
        TrainedModel model;
        model.task = rows_.y().task;
        model.weights = now_.weights;
        model.bias = now_.bias;
        for (std::size_t o = 0; o < outputs_; ++o) {
            for (std::size_t j = 0; j < features_; ++j) {
                model.weights.row(o)[j] *= unit_[o];
            }
            model.bias[o] = now_.bias[o] * unit_[o] + origin_[o];
        }
        return model;
    }

    // Of all inputs and answers.
    std::uint32_t crc_of_data() const
    {
        std::uint32_t crc = 0;
        Floats y(outputs_);
        rows_.in_blocks(batch_, [&](const MatrixF& x, const std::vector<std::size_t>& numbers) {
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                crc = crc32(std::as_bytes(std::span(x.row(i), x.cols)), crc);
                rows_.y().encode(numbers[i], y.data());
                add_to(crc, y);
            }
        });
        return crc;
    }

    // A number that another map, other data or other settings would change. More epochs are the same training.
    std::uint32_t identity() const
    {
        std::uint32_t crc = 0;
        const std::string map = map_text(stage_.spec());
        crc = crc32(std::as_bytes(std::span(map)), crc);
        if (stage_.spec().skeleton) {
            add_to(crc, data_bytes(*stage_.spec().skeleton, stage_.spec().skeleton->list));
        }
        add_to(crc, stage_.kept_rows());
        for (const auto* const vector : {&stage_.scaling().fill, &stage_.scaling().shift, &stage_.scaling().factor}) {
            add_to(crc, *vector);
        }
        add_to(crc, std::uint32_t{stage_.scaling().unit});
        add_to(crc, numbers_);
        add_to(crc, settings_.rate);
        add_to(crc, settings_.ridge);
        add_to(crc, settings_.seed);
        add_to(crc, static_cast<std::uint32_t>(settings_.loss));
        add_to(crc, static_cast<std::uint32_t>(rows_.y().task));
        add_to(crc, crc_of_data());
        add_to(crc, rows_.y().weights);
        if (const Augmentation* const augmentation = rows_.augmentation()) {
            const AugmentSettings& copies = augmentation->settings();
            add_to(crc, copies.shift);
            add_to(crc, copies.noise);
            add_to(crc, copies.scale);
            add_to(crc, augmentation->seed());
        }
        return crc;
    }

    void save_after(unsigned seconds)
    {
        if (std::chrono::steady_clock::now() - saved_ >= std::chrono::seconds(seconds)) {
            save();
        }
    }

    void save()
    {
        if (!settings_.state.empty()) {
            save_state(settings_.state, identity_, now_);
        }
        saved_ = std::chrono::steady_clock::now();
    }

    void load()
    {
        load_state(settings_.state, identity_, numbers_.size(), now_);
        if (now_.epoch > settings_.epochs || (now_.epoch == settings_.epochs && now_.position != 0)) {
            throw BadInput(settings_.state + ": found the state after " + std::to_string(now_.epoch) + " epochs and " +
                           with_commas(now_.position) + " rows, expected at most " + std::to_string(settings_.epochs) +
                           " of --epochs");
        }
        if (settings_.talk) {
            say(settings_.state + ": going on after " + std::to_string(now_.epoch) + " epochs and " +
                with_commas(now_.position) + " rows");
        }
    }

    static constexpr float least_root = 0x1p-20f;

    const FeatureStage& stage_;
    const RowSet& rows_;
    GradientSettings settings_;
    FillRow fill_;
    std::vector<std::size_t> numbers_;
    std::size_t features_, outputs_, batch_;
    GradientState now_;
    Floats unit_, origin_;
    MatrixF z_, x_, errors_;
    float rate_ = 0.0f;
    std::uint32_t identity_ = 0; // where there is a file of the state
    std::chrono::steady_clock::time_point saved_;
};

} // namespace

TrainedModel train_by_gradient(const FeatureStage& stage, const RowSet& rows, const GradientSettings& settings,
                               const FillRow& fill, const AfterEpoch& after)
{
    return GradientTraining(stage, rows, settings, fill).run(after);
}

} // namespace samara::desk
