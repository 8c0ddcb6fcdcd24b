"""The maps that the tool lists, for what the tests ask of every one of them."""
import subprocess


def catalogue(tool):
    """The help of each map by its name. Names are what is not indented; bare sketches are no maps."""
    text = subprocess.run([tool, "maps"], stdout=subprocess.PIPE, text=True, timeout=60, check=True).stdout
    helps, name = {}, None
    for line in text.splitlines():
        if line and not line[0].isspace():
            name = line
            helps[name] = []
        else:
            helps[name].append(line)
    return {name: "\n".join(lines) for name, lines in helps.items() if not name.startswith("sketch-")}


def keys_of(help_text):
    """The keys of a map: the first words of its table."""
    lines = [line.split() for line in help_text.splitlines()]
    first = next(i for i, words in enumerate(lines) if words[:2] == ["key", "default"]) + 1
    return [words[0] for words in lines[first:] if words]


def of_images(keys):
    """Whether these are the keys of a map of images; a skeleton's have a length too."""
    return "height" in keys and "length" not in keys


def of_series(keys):
    """Whether these are the keys of a map of images or series; a skeleton's have no reach."""
    return "height" in keys and "length" in keys and "reach" in keys


def every_map(tool):
    """Name, keys, and a text with what a user has to give and at depth 2 where there is one, without features. Images
    are series, and so is what may be either."""
    for name, help_text in catalogue(tool).items():
        keys = keys_of(help_text)
        given = ["depth=2"] if "depth" in keys else []
        given += ["height=1"] if of_images(keys) else ["channels=1"] if of_series(keys) else []
        given += ["coefficients=1;0.01;0.01"] if "coefficients" in keys else []
        yield name, keys, ",".join(given)


def with_features(name, given, features):
    return "%s:features=%d%s" % (name, features, "," + given if given else "")
