#!/usr/bin/env python3
"""Reads the includes of src/ and include/ and compares them with the drawing in docs/architecture.md.

    include_graph.py            exit code 1 where a folder includes another that the drawing does not allow
    include_graph.py --update   write the drawing from the includes

A public header counts as part of the folder that implements it; headers of plain types count as core. Not drawn, but held
to rules of their own (PLACES): public headers, kernels, the tool, examples, benchmarks and tests.
"""
import collections
import fnmatch
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGE = TOP / "docs/architecture.md"
BEGIN, END = "<!-- include graph -->", "<!-- /include graph -->"
IMPLEMENTS = {
    "ddm": "ddm", "ddm_compression": "ddm_compression", "decompose": "decomposition", "deform": "deform",
    "diagnose": "metrics", "io": "io", "metrics": "metrics", "motion_range": "pose", "player": "io", "reduce": "reduction",
    "render": "render", "skeleton": "skeleton", "synthetic": "synthetic", "two_layer": "two_layer", "view": "view",
    "compressed_ddm": "model", "ddm_rig": "model", "model": "model", "two_layer_rig": "model",
}
# Whatever the drawing says: a solver includes no other solver's insides, and core knows no model.
SOLVERS = {"decomposition", "reduction", "skeleton", "two_layer", "ddm", "ddm_compression"}
MAY_SEARCH = {("skeleton", "decomposition")}


ROOMS = {path.name for path in (TOP / "src").iterdir() if path.is_dir()} | {"marrow"}
OF_ROOMS = f"({'|'.join(sorted(ROOMS))})/[a-z0-9_/]+\\.hpp"
TEST_ROOMS = "|".join(sorted({path.name for path in (TOP / "tests").iterdir() if path.is_dir()} | ROOMS))
PUBLIC, SAME_FOLDER = r"marrow/\w+\.hpp", r"\w+\.hpp"
# Files, what they may include of ours, what of others, and why. The first match counts.
PLACES = [
    ("include/marrow/*.hpp", PUBLIC, r"[a-z_]+", "public headers include public and standard ones only"),
    ("src/*/kernels/*", r"\w+/kernels/\w+\.hpp|core/kernel_level\.hpp", r"std(def|int)\.h",
     "kernels include nothing with inline functions"),
    ("src/core/kernel_level.hpp", r"", r"stddef\.h", "kernels include nothing with inline functions"),
    ("src/*", OF_ROOMS, r".*", "the library includes FOLDER/NAME.hpp of src/ and marrow/NAME.hpp"),
    ("cli/*", f"{PUBLIC}|{SAME_FOLDER}", r".*", "the tool uses the public API only"),
    ("examples/*", PUBLIC, r".*", "examples use the public API only"),
    ("bench/*", f"{OF_ROOMS}|{SAME_FOLDER}", r".*", "benchmarks include nothing of tests/"),
    ("tests/*", f"({TEST_ROOMS})/[a-z0-9_/]+\\.hpp|{SAME_FOLDER}", r".*", "tests include headers of src/ and tests/"),
]


def all_includes(path):
    """(whether it is ours, as written) of every include."""
    for line in path.read_text(encoding="utf-8").splitlines():
        found = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if found:
            yield found[1] == '"' or found[2].split("/")[0] in ROOMS, found[2]


def includes(path):
    """Folder and name of every include of the library's own."""
    for _, spelled in all_includes(path):
        found = re.fullmatch(r"([a-z0-9_]+)/([a-z0-9_/]+)\.hpp", spelled)
        if found and found[1] in ROOMS:
            yield found.groups()


def misplaced():
    for folder in ("include", "src", "cli", "examples", "bench", "tests"):
        for path in sorted((TOP / folder).rglob("*.?pp")):
            name = path.relative_to(TOP).as_posix()
            _, own, others, why = next(place for place in PLACES if fnmatch.fnmatch(name, place[0]))
            for is_ours, spelled in all_includes(path):
                if not re.fullmatch(own if is_ours else others, spelled):
                    yield f"{name} includes {spelled}: {why}"


def sources():
    """Every file of the library with its folder."""
    for path in sorted((TOP / "src").rglob("*.?pp")):
        yield path, path.relative_to(TOP / "src").parts[0]
    for path in sorted((TOP / "include/marrow").glob("*.hpp")):
        if path.stem != "marrow":
            yield path, IMPLEMENTS.get(path.stem, "core")


def arrows():
    """folder -> folders it includes, with one example each."""
    graph = collections.defaultdict(dict)
    for path, folder in sources():
        graph[folder]
        for room, name in includes(path):
            target = IMPLEMENTS.get(name, "core") if room == "marrow" else room
            if target != folder:
                graph[folder].setdefault(target, f"{path.relative_to(TOP)} includes {room}/{name}.hpp")
    return graph


def broken_rules(graph):
    for path, folder in sources():
        for room, name in includes(path):
            inside = room in SOLVERS and room != folder and folder in SOLVERS and (folder, room) not in MAY_SEARCH
            if inside:
                yield f"{path.relative_to(TOP)} includes {room}/{name}.hpp: the inside of another solver"
    for target, example in graph["core"].items():
        yield f"core includes {target}: {example}"
    yield from misplaced()


def levels(graph):
    """Folders from the bottom up: each only includes folders of lower levels. A cycle ends the script."""
    left, result = dict(graph), []
    while left:
        ready = sorted(f for f in left if not (set(left[f]) & set(left)))
        if not ready:
            sys.exit("the folders " + ", ".join(sorted(left)) + " include each other in a circle")
        result.append(ready)
        for folder in ready:
            del left[folder]
    return result


def drawing(graph):
    rows = ["```", "level  folder            includes"]
    for number, folders in reversed(list(enumerate(levels(graph)))):
        for folder in folders:
            rows.append(f"{number:<6} {folder:<17} {' '.join(sorted(graph[folder]))}".rstrip())
    return "\n".join(rows + ["```"])


def main():
    graph = arrows()
    page = PAGE.read_text(encoding="utf-8")
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    if "--update" in sys.argv[1:]:
        PAGE.write_text(page[:begin] + "\n" + drawing(graph) + "\n" + page[end:], encoding="utf-8")
        return 0
    drawn = {}
    for line in page[begin:end].splitlines():
        found = re.match(r"\d+ +(\w+) *(.*)", line)
        if found:
            drawn[found.group(1)] = set(found.group(2).split())
    faults = list(broken_rules(graph))
    for folder, targets in graph.items():
        for target, example in targets.items():
            if target not in drawn.get(folder, set()):
                faults.append(f"{folder} -> {target} is not in docs/architecture.md: {example}")
        for target in drawn.get(folder, set()) - set(targets):
            faults.append(f"{folder} -> {target} is drawn in docs/architecture.md, but no file includes it")
    levels(graph)
    print("\n".join(faults) if faults else f"{len(graph)} folders include what the drawing says")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
