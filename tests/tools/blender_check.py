"""Opens a GLB in Blender and compares what its armature makes of the mesh with what the file says.

    blender --background --factory-startup --python tests/tools/blender_check.py -- RIG.glb

The second opinion is worked out here from the file's own nodes, keys and weights, at the times of its keys. Prints the
largest distance of a vertex in % of the size; exits with 1 where that is above 1e-3 %. Run by hand: Blender is large.
"""

import json
import struct
import sys
import traceback

import bpy
import numpy as np

# Blender 3.4's importer still uses a name that NumPy 1.24 no longer has; Debian 12 has both.
if "bool" not in vars(np):
    np.bool = bool

MOST_PERCENT = 1e-3
MOST_FRAMES = 40  # evenly spread over the clip
TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Glb:
    """A file with one skinned mesh of one primitive, as Marrow writes it."""

    def __init__(self, path):
        data = open(path, "rb").read()
        length = struct.unpack_from("<I", data, 12)[0]
        self.json = json.loads(data[20 : 20 + length])
        self.binary = data[28 + length :]
        self.node = next(n for n in self.json["nodes"] if "skin" in n and "mesh" in n)
        self.skin = self.json["skins"][self.node["skin"]]
        (primitive,) = self.json["meshes"][self.node["mesh"]]["primitives"]
        attributes = primitive["attributes"]
        self.positions = self.accessor(attributes["POSITION"])
        sets = sorted(name for name in attributes if name.startswith("JOINTS_"))
        self.joints = np.hstack([self.accessor(attributes[name]) for name in sets]).astype(int)
        self.weights = np.hstack([self.accessor(attributes[name.replace("JOINTS", "WEIGHTS")]) for name in sets])
        self.inverse_bind = self.accessor(self.skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        self.parent = {child: k for k, node in enumerate(self.json["nodes"]) for child in node.get("children", [])}

    def accessor(self, index):
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        kind, width = np.dtype(TYPES[accessor["componentType"]]), WIDTHS[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        values = np.ndarray(
            (accessor["count"], width),
            kind,
            self.binary,
            start,
            (view.get("byteStride", kind.itemsize * width), kind.itemsize),
        ).astype(float)
        return values / np.iinfo(kind).max if accessor.get("normalized") else values

    def channels(self, clip):
        animation = self.json["animations"][clip]
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            target = channel["target"]
            yield target["node"], target["path"], self.accessor(sampler["input"])[:, 0], self.accessor(sampler["output"])

    def vertices(self, clip, time):
        """All vertices at the time of a key, in the file's own space."""
        local = [dict(node) for node in self.json["nodes"]]
        for node, path, times, values in self.channels(clip):
            local[node][path] = values[np.abs(times - time).argmin()]
        world = {}

        def placed(k):
            if k not in world:
                world[k] = (placed(self.parent[k]) if k in self.parent else np.eye(4)) @ matrix_of(local[k])
            return world[k]

        bones = np.array([placed(k) for k in self.skin["joints"]]) @ self.inverse_bind
        rest = np.hstack([self.positions, np.ones((len(self.positions), 1))])
        out = np.zeros((len(rest), 3))
        for slot in range(self.joints.shape[1]):
            moved = np.einsum("nij,nj->ni", bones[self.joints[:, slot], :3], rest)
            out += self.weights[:, slot, None] * moved
        return out / self.weights.sum(axis=1)[:, None]


def matrix_of(node):
    if "matrix" in node:
        return np.array(node["matrix"]).reshape(4, 4).T
    x, y, z, w = np.array(node.get("rotation", [0, 0, 0, 1])) / np.linalg.norm(node.get("rotation", [0, 0, 0, 1]))
    out = np.eye(4)
    out[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    out[:3, :3] *= np.array(node.get("scale", [1, 1, 1]))
    out[:3, 3] = node.get("translation", [0, 0, 0])
    return out


def blender_vertices(mesh_object, frame):
    """All vertices as Blender's armature moves them, turned back to the file's axes (Blender's z is up)."""
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
    evaluated = mesh_object.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    flat = np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", flat)
    evaluated.to_mesh_clear()
    world = np.array(evaluated.matrix_world)
    placed = flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
    return np.stack([placed[:, 0], placed[:, 2], -placed[:, 1]], axis=1)


def main(path):
    glb = Glb(path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    times = np.unique(np.concatenate([times for _, _, times, _ in glb.channels(0)]))
    # At the file's own rate keys are at whole frames, and Blender's rounding of frames between does not count.
    render = bpy.context.scene.render
    render.fps = max(1, round(1 / np.median(np.diff(times))))
    bpy.ops.import_scene.gltf(filepath=path, merge_vertices=False)
    (mesh_object,) = [o for o in bpy.data.objects if o.type == "MESH" and o.find_armature()]
    armature = mesh_object.find_armature()
    pose_bones = {bone.name for bone in armature.pose.bones}
    missing = [glb.json["nodes"][k]["name"] for k in glb.skin["joints"] if glb.json["nodes"][k]["name"] not in pose_bones]
    if missing:
        sys.exit("not pose bones: " + ", ".join(missing))
    times = times[np.unique(np.linspace(0, len(times) - 1, min(len(times), MOST_FRAMES)).astype(int))]
    size = np.linalg.norm(np.ptp(glb.positions, axis=0))
    worst, moved = 0.0, 0.0
    for time in times:
        expected = glb.vertices(0, time)
        got = blender_vertices(mesh_object, time * render.fps / render.fps_base)
        if got.shape != expected.shape:
            sys.exit(f"Blender has {len(got)} vertices, the file {len(expected)}")
        worst = max(worst, np.linalg.norm(got - expected, axis=1).max())
        moved = max(moved, np.linalg.norm(expected - glb.positions, axis=1).max())
    percent = 100 * worst / size
    print(
        f"{path}: {len(pose_bones)} pose bones, {len(expected)} vertices, {len(times)} frames; vertices move by up to "
        f"{100 * moved / size:.1f} % of the size; Blender differs by at most {percent:.2e} %"
    )
    return 0 if percent <= MOST_PERCENT else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[sys.argv.index("--") + 1]))
    except Exception:
        # Blender itself would go on and exit with 0.
        traceback.print_exc()
        sys.exit(1)
