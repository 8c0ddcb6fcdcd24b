#include "ports/host/training/whole_descent.hpp"

#include <algorithm>
#include <cmath>

#include "ports/host/training/dense.hpp"

namespace samara::desk {
namespace {

constexpr int most_sweeps = 8;
constexpr int newton_steps = 3, most_halvings = 6;
// A gain below this share of the loss is none.
constexpr double least_gain = 1e-5;
constexpr double tiny = 1e-12, most_exponent = 700.0;

class Descent {
public:
    Descent(const ClassSample& sample, std::vector<WholeRow>& outputs)
        : sample_(sample), outputs_(outputs), z_(view(sample.z).cast<double>()),
          weights_(view(sample.weights).array() / view(sample.weights).sum()), scores_(z_.rows(), std::ssize(outputs)),
          wanted_(Eigen::MatrixXd::Zero(z_.rows(), std::ssize(outputs)))
    {
        for (Eigen::Index i = 0; i < wanted_.rows(); ++i) {
            wanted_(i, static_cast<Eigen::Index>(sample.classes[static_cast<std::size_t>(i)])) = 1.0;
        }
        begin();
    }

    // From the outputs as they are.
    void begin()
    {
        for (Eigen::Index o = 0; o < scores_.cols(); ++o) {
            scores_.col(o) = (sums_of(o) * row(o).scale).array() + row(o).bias;
        }
        most_ = scores_.rowwise().maxCoeff();
        parts_ = (scores_.colwise() - most_).array().exp();
        total_ = parts_.rowwise().sum();
    }
    double loss() const
    {
        const Eigen::ArrayXd own = scores_.cwiseProduct(wanted_).rowwise().sum();
        return (weights_ * (total_.array().log() + most_.array() - own)).sum() + ridge_share();
    }

    // One weight after the other, each by a rounded step of Newton's, or by 1 where that goes too far.
    void sweep(int most)
    {
        for (Eigen::Index j = 0; j < z_.cols(); ++j) {
            for (Eigen::Index o = 0; o < scores_.cols(); ++o) {
                const double scale = row(o).scale, share = penalty(j) * scale * scale;
                int& q = row(o).q[static_cast<std::size_t>(j)];
                const Eigen::ArrayXd p = parts_.col(o).array() / total_.array();
                const Eigen::ArrayXd weighted = weights_ * z_.col(j).array();
                const double slope = scale * (weighted * (p - wanted_.col(o).array())).sum() + 2.0 * share * q;
                const double curve = scale * scale * (weighted * z_.col(j).array() * p * (1.0 - p)).sum() + 2.0 * share;
                const double free = std::clamp(-slope / (curve + tiny), -1.0 * most, 1.0 * most);
                const int wanted = std::clamp(q + static_cast<int>(std::lround(free)), -most, most) - q;
                for (const int step : {wanted, std::clamp(wanted, -1, 1)}) {
                    if (step != 0 && change(o, z_.col(j) * (scale * step), share * step * (2 * q + step))) {
                        q += step;
                        break;
                    }
                }
            }
        }
    }
    // The scale and the bias of each output, by steps of Newton's that are halved until they gain.
    void fit_scales()
    {
        for (Eigen::Index o = 0; o < scores_.cols(); ++o) {
            const Eigen::VectorXd sums = sums_of(o);
            double square = 0.0;
            for (Eigen::Index j = 0; j < z_.cols(); ++j) {
                const double q = row(o).q[static_cast<std::size_t>(j)];
                square += penalty(j) * q * q;
            }
            for (int step = 0; step < newton_steps; ++step) {
                const Eigen::ArrayXd p = parts_.col(o).array() / total_.array();
                const Eigen::ArrayXd slope = weights_ * (p - wanted_.col(o).array()), curve = weights_ * p * (1.0 - p);
                const double scale = row(o).scale;
                const double a = (curve * sums.array().square()).sum() + 2.0 * square, b = (curve * sums.array()).sum(),
                             d = curve.sum() + tiny, determinant = a * d - b * b;
                if (!(determinant > tiny * a * d)) {
                    break;
                }
                const double by_scale = (slope * sums.array()).sum() + 2.0 * square * scale, by_bias = slope.sum();
                // At most half of the scale at a time, so that it stays above 0.
                double of_scale = std::clamp(-(d * by_scale - b * by_bias) / determinant, -0.5 * scale, 0.5 * scale);
                double of_bias = -(by_bias + b * of_scale) / d;
                int halvings = 0;
                while (halvings < most_halvings &&
                       !change(o, (sums * of_scale).array() + of_bias, square * of_scale * (2.0 * scale + of_scale))) {
                    of_scale *= 0.5;
                    of_bias *= 0.5;
                    ++halvings;
                }
                if (halvings == most_halvings) {
                    break;
                }
                row(o).scale += of_scale;
                row(o).bias += of_bias;
            }
        }
    }

private:
    WholeRow& row(Eigen::Index o) { return outputs_[static_cast<std::size_t>(o)]; }

    Eigen::VectorXd sums_of(Eigen::Index o)
    {
        const std::vector<int>& q = row(o).q;
        return z_ * Eigen::Map<const Eigen::VectorXi>(q.data(), std::ssize(q)).cast<double>();
    }
    double penalty(Eigen::Index j) const { return sample_.ridge * sample_.variances[static_cast<std::size_t>(j)]; }

    // Adds to an output's scores, if the loss and `more` together become smaller with that.
    bool change(Eigen::Index o, const Eigen::VectorXd& by, double more)
    {
        const Eigen::VectorXd parts = (scores_.col(o) + by - most_).array().min(most_exponent).exp();
        // Of what is subtracted rounding may be all that is left.
        const Eigen::VectorXd total = (total_ - parts_.col(o) + parts).array().max(tiny);
        const double gained =
            (weights_ * ((total_.array() / total.array()).log() + wanted_.col(o).array() * by.array())).sum();
        if (!(gained - more > tiny)) {
            return false;
        }
        scores_.col(o) += by;
        parts_.col(o) = parts;
        total_ = total;
        return true;
    }
    double ridge_share() const
    {
        double sum = 0.0;
        for (const WholeRow& output : outputs_) {
            for (std::size_t j = 0; j < output.q.size(); ++j) {
                const double weight = output.scale * output.q[j];
                sum += sample_.variances[j] * weight * weight;
            }
        }
        return sample_.ridge * sum;
    }

    const ClassSample& sample_;
    std::vector<WholeRow>& outputs_;
    Eigen::MatrixXd z_;
    Eigen::ArrayXd weights_;
    Eigen::MatrixXd scores_, parts_, wanted_; // parts: exp of the scores less `most`
    Eigen::VectorXd most_, total_;
};

} // namespace

double logistic_loss(const ClassSample& sample, const std::vector<WholeRow>& outputs)
{
    std::vector<WholeRow> same = outputs;
    return Descent(sample, same).loss();
}

void descend_logistic(const ClassSample& sample, int most, std::vector<WholeRow>& outputs)
{
    std::vector<WholeRow> best = outputs;
    Descent descent(sample, outputs);
    double least = descent.loss();
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        descent.fit_scales();
        descent.sweep(most);
        descent.fit_scales();
        descent.begin();
        const double loss = descent.loss();
        if (!(loss < least * (1.0 - least_gain))) {
            break;
        }
        least = loss;
        best = outputs;
    }
    outputs = std::move(best);
}

} // namespace samara::desk
