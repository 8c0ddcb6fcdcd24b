#include "ports/host/text/other_words.hpp"

#include <algorithm>

#include "ports/host/text/words.hpp"

namespace samara::desk {
namespace {

struct OtherWord {
    WordKind kind;
    std::string_view words;    // in lower case, with dashes, a blank between two of them
    std::string_view of;       // the same of what they must belong to; empty: anything
    std::string_view samara;   // the name here, or nothing
    std::string_view sentence; // what is to be said beside the name, or in its place
};

constexpr OtherWord other_words[] = {
    {WordKind::option, "--alpha --l2 --reg --regularization --regularisation --weight-decay --penalty", "", "--ridge",
     ""},
    {WordKind::option, "--lambda", "", "--ridge", ""},
    {WordKind::option, "--c", "", "--ridge", "1/(C * rows)"},
    {WordKind::option, "--n-components --n-features --n-estimators --num-features --components --dim --width", "",
     "--features", "of `samara train`, or MAP:features=N"},
    {WordKind::option, "--gamma", "", "MAP:gamma=G", "as in rff:gamma=0.5"},
    {WordKind::option, "--sigma --lengthscale --length-scale --ls --bandwidth --band-width", "", "MAP:bandwidth=B",
     "as in rff:bandwidth=auto"},
    {WordKind::option, "--kernel --map --model-type --sampler", "", "MAP",
     "the first argument, as in rff:kernel=gaussian; `samara maps` lists them"},
    {WordKind::option, "--degree", "", "MAP:degree=N", "as in polynomial:degree=3"},
    {WordKind::option, "--coef0", "", "MAP:offset=C", "as in polynomial:offset=1"},
    {WordKind::option, "--depth --layers --n-layers --num-layers --hidden-layers", "", "MAP:depth=N",
     "as in ntk:depth=2"},
    {WordKind::option, "--random-state --random-seed --rng --rng-seed --rand-seed", "", "--seed", ""},
    {WordKind::option, "--n-jobs --jobs --num-threads --n-threads --nthreads --num-workers --workers", "", "--threads",
     ""},
    {WordKind::option, "--cv --k-folds --kfold --k-fold --n-folds --n-splits --cross-validation", "", "--folds",
     "of the accuracy; of the ridge --ridge cv"},
    {WordKind::option, "--criterion --objective --loss-function --multi-class", "", "--loss",
     "auto, squared, logistic or hinge"},
    {WordKind::option,
     "--class-weight --class-weights --balanced --scale-pos-weight --is-unbalance --auto-class-weights", "",
     "--balance", "all classes count the same; --weights has a number a row"},
    {WordKind::option, "--sample-weight --sample-weights --weight --weight-column --instance-weights --case-weights",
     "", "--weights", "a column of X or a file, a number a row"},
    {WordKind::option, "--group --group-column --cv-groups --group-k-fold --groupkfold --subject --subjects --batch",
     "", "--groups", "a column of X or a file"},
    {WordKind::option, "--calibrate --calibration --calibrated --temperature --temperature-scaling --platt", "",
     "--probabilities", "of `samara train`, which logistic loss seals without it"},
    {WordKind::option,
     "--epochs --n-epochs --max-iter --iterations --n-iter --steps --batch-size --learning-rate --lr --eta --eta0 "
     "--tol --momentum --optimizer --optimiser --early-stopping --warm-start --solver",
     "", "",
     "training solves its equations, or takes steps of L-BFGS until they gain nothing: there is no rate to set"},
    {WordKind::option,
     "--test-size --train-size --validation-split --valid-split --val-split --validation-fraction --holdout", "",
     "--folds", "or give the rows apart with --valid-in and --test-in"},
    {WordKind::option, "--data --input --inputs --train --train-in --training --x --samples --dataset", "", "--in", ""},
    {WordKind::option, "--labels --label --y --label-column --target-column --class-column --answers --targets", "",
     "--target", ""},
    {WordKind::option, "--output --save --output-file --save-model", "", "--out", ""},
    {WordKind::option, "--model", "", "MODEL", "the first argument; of `samara train` it is --out"},
    {WordKind::option, "--test --test-data --eval --eval-in --test-x", "", "--test-in", ""},
    {WordKind::option, "--test-y --test-labels", "", "--test-target", ""},
    {WordKind::option, "--valid --val --validation --valid-data --val-in --val-data", "", "--valid-in", ""},
    {WordKind::option, "--val-target --valid-y --valid-labels", "", "--valid-target", ""},
    {WordKind::option,
     "--scaler --scaling --normalize --normalise --standardize --standardise --standard-scaler --with-mean --with-std",
     "", "--scale", "as in --scale standardise"},
    {WordKind::option, "--quantize --quantise --quantization --dtype --precision --bits --int8", "", "--readout",
     "as in --readout int8"},
    {WordKind::option, "--impute --imputer --missing-values --nan --na --fill --fillna", "", "--missing",
     "as in --missing mean"},
    {WordKind::option, "--classification --classify --regression --regress --problem --mode", "", "--task",
     "classify or regress"},
    {WordKind::option, "--fit-intercept --intercept --bias --no-intercept", "", "",
     "the intercept is always fitted, and has no ridge"},
    {WordKind::option, "--probability --proba --predict-proba --softmax", "", "--probabilities",
     "of `samara predict`, where the model was trained for them"},
    {WordKind::option, "--logits --decision-function --raw-scores", "", "--scores", "of `samara predict`"},
    {WordKind::option, "--verbose --quiet --silent", "", "", "notes go to standard error, which can go to /dev/null"},

    {WordKind::option, "--features", "", "MAP:features=N", "as in rff:features=512"},
    {WordKind::option, "-i", "", "--in", ""},
    {WordKind::option, "-o", "", "--out", ""},
    {WordKind::option, "-j -t", "", "--threads", ""},

    {WordKind::command, "fit learn seal", "", "train", ""},
    {WordKind::command, "test score eval validate accuracy", "", "evaluate", ""},
    {WordKind::command, "infer run classify regress", "", "predict", ""},
    {WordKind::command, "transform map embed", "", "features", ""},
    {WordKind::command, "info show describe dump", "", "inspect", ""},
    {WordKind::command, "convert codegen generate", "", "export", ""},
    {WordKind::command, "sum add combine", "", "merge", ""},
    {WordKind::command, "list ls", "", "maps", ""},
    {WordKind::command, "benchmark speed", "", "bench", ""},
    {WordKind::command, "version -v", "", "--version", ""},

    {WordKind::map, "rbf gaussian squared-exponential se rks rbfsampler rbf-sampler fourier random-fourier orf sorf",
     "", "rff", ""},
    {WordKind::map, "random-fourier-features randomfourierfeatures random-kitchen-sinks", "", "rff", ""},
    {WordKind::map, "laplacian laplace exponential", "", "rff:kernel=laplacian", ""},
    {WordKind::map, "cauchy", "", "rff:kernel=cauchy", ""},
    {WordKind::map, "fastfood", "", "rff:rows=fastfood", ""},
    {WordKind::map, "qmc quasi", "", "rff:rows=quasi", ""},
    {WordKind::map, "poly polynomialcountsketch polynomial-count-sketch tensorsketch tensor-sketch polynomialfeatures",
     "", "polynomial", "polynomial:sketch=count has the sketch of scikit-learn's PolynomialCountSketch"},
    {WordKind::map, "linear identity none", "", "polynomial:degree=1", ""},
    {WordKind::map, "cosine", "", "polynomial:degree=1", "of inputs with --scale unit"},
    {WordKind::map, "relu elm acos arccosine arc-cosine random-relu rvfl", "", "arccos", ""},
    {WordKind::map, "step", "", "arccos:order=0", ""},
    {WordKind::map, "mlp nn network neural-network deep", "", "ntk", "the kernel of a wide network"},
    {WordKind::map, "gp gaussian-process gpr", "", "rff", "the Gaussian kernel; nngp has that of a deep network"},
    {WordKind::map,
     "svm svc svr krr kernelridge kernel-ridge ridge ridgeclassifier logistic logisticregression sgdclassifier", "",
     "rff", "it has the Gaussian kernel; --loss of `samara train` says how a map is trained"},
    {WordKind::map, "nystroem nystrom nystrom-method", "", "",
     "no training rows are kept: `samara train rff --candidates N` chooses the features that are worth most"},
    {WordKind::map, "sigmoid tanh matern rational-quadratic chi2 chi-squared additivechi2sampler skewedchi2sampler", "",
     "", "no map estimates this kernel; those that there are `samara maps` lists"},
    {WordKind::map, "standardscaler minmaxscaler normalizer pca", "", "",
     "inputs are scaled by --scale of `samara train`"},
    {WordKind::map, "countsketch count-sketch", "", "sketch-count", "for `samara features`"},
    {WordKind::map, "srht", "", "sketch-srht", "for `samara features`"},

    {WordKind::key, "n-components n-features n-estimators num-features components dim m d n size outputs", "",
     "features", ""},
    {WordKind::key, "sigma lengthscale length-scale ell scale ls band-width h", "rff", "bandwidth", ""},
    {WordKind::key, "gamma", "polynomial", "scale", "(scale * <x,y> + offset)^degree"},
    {WordKind::key, "coef0 c constant bias c0", "polynomial", "offset", ""},
    {WordKind::key, "alpha lambda ridge l2 reg c", "", "--ridge of `samara train`", ""},
    {WordKind::key, "random-state random-seed rng", "", "seed", ""},
    {WordKind::key, "n-layers num-layers layers hidden-layers",
     "nngp ntk ntk-sketch ntk-poly ntk-gradient cntk cntk-gradient", "depth", ""},
    {WordKind::key, "kernel-size filter-size window-size window", "cntk cntk-gradient", "patch",
     "one side of the square"},
    {WordKind::key, "n-filters num-filters units", "cntk-gradient", "filters", ""},
    {WordKind::key, "pooling", "cntk cntk-gradient", "pool", ""},
    {WordKind::key, "activation degree", "arccos", "order", "1 is relu, 0 the step"},
    {WordKind::key, "n-jobs threads", "", "--threads", ""},
    {WordKind::key, "type distribution", "rff", "kernel", ""},
    {WordKind::key, "coef coefs coefficient weights", "dot", "coefficients", ""},
    {WordKind::key, "inputs n-inputs input-dim", "", "", "the data say how many inputs there are"},

    {WordKind::value, "rbf rff normal squared-exponential se", "kernel", "gaussian", ""},
    {WordKind::value, "laplace exponential l1", "kernel", "laplacian", ""},
    {WordKind::value, "matern matern32 matern52 poly polynomial linear sigmoid cosine arccos chi2", "kernel", "",
     "rff has the gaussian, laplacian and cauchy kernels; polynomial, dot, arccos and the others are maps of their "
     "own"},
    {WordKind::value, "scale", "gamma", "",
     "scikit-learn's scale is 1/(columns * variance of all entries); bandwidth=auto in place of gamma is chosen from "
     "the "
     "data"},
    {WordKind::value, "auto", "gamma", "",
     "scikit-learn's auto is 1/columns; write the number, or bandwidth=auto in place of gamma"},
    {WordKind::value, "median scale mean", "bandwidth", "auto", ""},
    {WordKind::value, "relu", "order", "1", ""},
    {WordKind::value, "step sign", "order", "0", ""},
    {WordKind::value, "gaussian normal independent iid", "rows", "dense", ""},
    {WordKind::value, "orthogonal orf sorf srht", "rows", "hadamard", ""},
    {WordKind::value, "sobol qmc halton", "rows", "quasi", ""},
    {WordKind::value, "srf countsketch count-sketch tensorsketch tensor-sketch", "sketch", "count", ""},
    {WordKind::value, "gap mean global global-average", "pool", "average", ""},
    {WordKind::value, "vanilla flatten no", "pool", "none", ""},
    {WordKind::value, "channels per-channel", "--scale", "channel", ""},
    {WordKind::value, "standard standardscaler standard-scaler zscore z-score normal std", "--scale", "standardise",
     ""},
    {WordKind::value, "minmaxscaler min-max range", "--scale", "minmax", ""},
    {WordKind::value, "l2 norm normalize normalise normalizer sphere", "--scale", "unit", ""},
    {WordKind::value, "center mean", "--scale", "centre", ""},
    {WordKind::value, "classification class classifier binary multiclass", "--task", "classify", ""},
    {WordKind::value, "regression regressor regr", "--task", "regress", ""},
    {WordKind::value, "float fp32 f32 single float64 double", "--readout", "float32", ""},
    {WordKind::value, "half fp16 f16 bfloat16", "--readout", "float16", ""},
    {WordKind::value, "int q7 i8 byte uint8 int4 quantized quantised", "--readout", "int8", ""},
    {WordKind::value, "median impute fill yes", "--missing", "mean", ""},
    {WordKind::value, "drop ignore skip no none", "--missing", "error", "no row is left out in silence"},
    {WordKind::value, "gcv leave-one-out", "--ridge", "loo", ""},
    {WordKind::value,
     "log-loss logloss log cross-entropy crossentropy categorical-crossentropy softmax nll multinomial", "--loss",
     "logistic", ""},
    {WordKind::value, "mse l2 squared-error squared-loss mean-squared-error least-squares ridge", "--loss", "squared",
     ""},
    {WordKind::value, "squared-hinge svm svc linear-svm", "--loss", "hinge", "it is the squared hinge"},
    {WordKind::value, "none no off", "--ridge", "", "a ridge is needed, and 1e-12 is next to none"},
    {WordKind::value, "grid gridsearch search", "--ridge", "cv", ""},
};

bool among(std::string_view words, std::string_view word)
{
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(' '), words.size());
        if (words.substr(0, end) == word) {
            return true;
        }
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return false;
}

} // namespace

std::string KnownWord::text() const
{
    std::string text;
    if (!name.empty()) {
        text.append(", which samara calls ").append(name);
    }
    if (!sentence.empty()) {
        text.append(name.empty() ? ": " : " (").append(sentence).append(name.empty() ? "" : ")");
    }
    return text;
}

KnownWord known_word(WordKind kind, std::string_view word, std::string_view of)
{
    std::string plain = lower_case(word);
    std::replace(plain.begin(), plain.end(), '_', '-');
    for (const OtherWord& other : other_words) {
        if (other.kind == kind && among(other.words, plain) && (other.of.empty() || among(other.of, of))) {
            return {other.samara, other.sentence};
        }
    }
    return {};
}

} // namespace samara::desk
