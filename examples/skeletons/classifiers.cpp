// Classifiers of images by random features of skeletons, with convolutions of several sizes: arXiv 1703.07872, Table 1,
// at a smaller scale. Every epoch sees other crops of the images (augment.hpp); a component of a patch is an angle, a
// turn from -4 to 4 standard deviations. AdaGrad over features that are made anew for each step.
#include <cstdio>
#include <string>
#include <vector>

#include "examples/skeletons/augment.hpp"
#include "examples/skeletons/skeletons.hpp"
#include "ports/host/data/row_set.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/data/target.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/gradient.hpp"
#include "ports/host/training/score.hpp"
#include "samara/stream.hpp"

namespace samara::examples {

namespace {

using namespace samara::desk;

struct Architecture {
    const char* name;
    std::size_t first, components; // of the first convolution, whose patches become components
    std::size_t second;            // 0: fully connected, of all components
};
// As many components as the source takes of patches of these sizes.
constexpr Architecture architectures[] = {{"4,4", 4, 10, 4}, {"4,5", 4, 10, 5}, {"4,6", 4, 10, 6}, {"5,4", 5, 12, 4},
                                          {"5,5", 5, 12, 5}, {"5,6", 5, 12, 6}, {"6,4", 6, 16, 4}, {"6,5", 6, 16, 5},
                                          {"6,6", 6, 16, 6}, {"full", 4, 10, 0}};

std::string map_words(const Architecture& a, const PatchComponents& patches, unsigned features)
{
    const std::string places = std::to_string(patches.places());
    // The first convolution is over the components of one place.
    const std::string layers =
        a.second == 0 ? "dual=relu" : "patch=1;" + std::to_string(a.second) + ",stride=1;2,dual=relu";
    return "skeleton:base=circle,period=8,height=" + places + ",width=" + places +
           ",channels=" + std::to_string(a.components) + "," + layers + ",features=" + std::to_string(features);
}

MatrixF middles(TableSource& table, std::size_t count)
{
    MatrixF crops(count, crop_size);
    std::vector<float> image(table.cols());
    for (std::size_t i = 0; i < count; ++i) {
        table.read(i, 1, image.data());
        crop(image.data(), 0, crops.row(i));
    }
    return crops;
}

Dataset open_images(const std::string& images, const std::string& labels)
{
    Dataset data = open_dataset(images, labels);
    if (data.x->cols() != image_side * image_side * image_channels) {
        throw BadInput(images + ": found rows of " + std::to_string(data.x->cols()) +
                       " numbers, expected images of 32 x 32 pixels with 3 channels");
    }
    return data;
}

} // namespace

int train_classifiers(const Job& job)
{
    constexpr std::size_t learned_images = 500;
    const Dataset train = open_images(job.images, job.labels), test = open_images(job.test_images, job.test_labels);
    const Target target = make_target(train.y, Task::classify);
    const Target test_target = target_like(test.y, Task::classify, target.labels, target.outputs());
    const RowSet rows(*train.x, target);
    const MatrixF known = middles(*train.x, std::min(learned_images, train.x->rows()));
    const MatrixF judged = middles(*test.x, test.x->rows());
    std::printf("%-6s %10s  %s\n", "sizes", "complexity", "accuracy on the middle of each test image, by epochs");
    for (const Architecture& a : architectures) {
        const PatchComponents patches(known, a.first, a.components);
        MatrixF test_rows(judged.rows, patches.columns());
        for (std::size_t i = 0; i < judged.rows; ++i)
            patches.project(judged.row(i), test_rows.row(i));
        const MapSpec map = fit_map(parse_map(map_words(a, patches, job.features)), test_rows, job.test_images);
        const FeatureStage stage(map, {}, {}, job.threads);
        const auto source = table_of(test_rows, job.test_images);
        const RowSet test_set(*source, test_target);
        const auto fill = [&](std::uint32_t epoch, std::size_t row, float* x) {
            std::vector<float> image(train.x->cols()), some(crop_size);
            train.x->read(row, 1, image.data());
            crop(image.data(), mix64((std::uint64_t{epoch} << 32) + row + 1), some.data());
            patches.project(some.data(), x);
        };
        std::printf("%-6s %10.3f ", a.name, skeleton_of(*map.skeleton).cost() / double{one_factor});
        const auto after = [&](std::uint32_t epoch, TrainedModel model) {
            // Now and then, because it takes as long as learning from as many rows.
            if ((epoch + 1) % 5 == 0 || epoch + 1 == job.epochs) {
                model.spec = map;
                model.labels = target.labels;
                std::printf(" %u: %s", epoch + 1, per_cent(score_of(model, test_set, job.threads).accuracy()).c_str());
                std::fflush(stdout);
            }
        };
        GradientSettings settings;
        settings.epochs = job.epochs;
        settings.talk = false;
        static_cast<void>(train_by_gradient(stage, rows, settings, fill, after));
        std::printf("\n");
    }
    return 0;
}

} // namespace samara::examples
