import {
  BackSide,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  MeshLambertMaterial,
  SphereGeometry,
  Vector3,
} from "three";
import type { SkinModel } from "../model/skin_model";

/** A thin double pyramid from (0, 0, 0) to (0, 1, 0), thickest near its start. */
function shaftGeometry(): BufferGeometry {
  const at = [
    [0, 0, 0],
    [1, 0.16, 0],
    [0, 0.16, 1],
    [-1, 0.16, 0],
    [0, 0.16, -1],
    [0, 1, 0],
  ];
  const corners: number[] = [];
  for (let k = 1; k <= 4; ++k) {
    const next = (k % 4) + 1;
    corners.push(...at[0], ...at[k], ...at[next], ...at[5], ...at[next], ...at[k]);
  }
  const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
  geometry.computeVertexNormals();
  return geometry;
}

const selectedColor = new Color("#1aa7ff");
const neutralColor = new Color("#f4f4f0");

const virtualColor = "#ff9f43";

/**
 * Joints as balls, shafts from parents to children. Without a hierarchy, a ball at the centroid of each bone; virtual
 * bones as cubes at theirs.
 */
export class SkeletonView extends Group {
  /** Bones x 3: positions of the joints in the shown frame. */
  readonly joints: Float64Array;
  private readonly balls: InstancedMesh;
  private readonly rims: InstancedMesh;
  private readonly shafts: InstancedMesh;
  private readonly cubes: InstancedMesh;
  private readonly shaftBones: number[];
  private readonly radius: number;
  private readonly frame = new Float64Array(12);
  private readonly placing = new Matrix4();
  private readonly from = new Vector3();
  private readonly to = new Vector3();

  constructor(
    private readonly model: SkinModel,
    size: number,
  ) {
    super();
    const bones = model.boneNames.length;
    this.shaftBones = model.boneParents.flatMap((parent, bone) => (parent >= 0 ? [bone] : []));
    this.radius = size * (this.shaftBones.length > 0 ? 0.009 : 0.012) * Math.min(1, Math.sqrt(40 / Math.max(bones, 1)));
    this.joints = new Float64Array(3 * bones);
    const material = new MeshLambertMaterial();
    this.balls = new InstancedMesh(new SphereGeometry(1, 20, 12), material, bones);
    this.rims = new InstancedMesh(new SphereGeometry(1.28, 20, 12), new MeshBasicMaterial({ color: "#15181d", side: BackSide }), bones);
    this.shafts = new InstancedMesh(shaftGeometry(), material, this.shaftBones.length);
    const virtual = model.virtualBones?.count ?? 0;
    const cube = size * 0.009 * Math.min(1, Math.sqrt(100 / Math.max(virtual, 1)));
    this.cubes = new InstancedMesh(new BoxGeometry(cube, cube, cube), new MeshLambertMaterial({ color: virtualColor }), virtual);
    this.cubes.visible = virtual > 0;
    for (const mesh of [this.balls, this.rims, this.shafts, this.cubes]) {
      mesh.frustumCulled = false;
      this.add(mesh);
    }
    this.shafts.visible = this.shaftBones.length > 0;
    this.paint(-1, false);
  }

  /** Colours each bone, or all alike if `neutral`; highlights `selected` (-1: none). */
  paint(selected: number, neutral: boolean): void {
    const color = (bone: number): Color => {
      if (bone === selected) return selectedColor;
      return neutral ? neutralColor : new Color(this.model.boneColors[bone]);
    };
    this.model.boneNames.forEach((_, bone) => this.balls.setColorAt(bone, color(bone)));
    // A shaft has the colour of the bone at its start.
    this.shaftBones.forEach((child, k) => this.shafts.setColorAt(k, color(this.model.boneParents[child])));
    for (const mesh of [this.balls, this.shafts]) if (mesh.instanceColor !== null) mesh.instanceColor.needsUpdate = true;
  }

  pose(frame: number): void {
    for (let bone = 0; bone < this.model.boneNames.length; ++bone) {
      this.model.boneFrame(bone, frame, this.frame);
      const [x, y, z] = [this.frame[3], this.frame[7], this.frame[11]];
      this.joints.set([x, y, z], 3 * bone);
      this.placing.makeScale(this.radius, this.radius, this.radius).setPosition(x, y, z);
      this.balls.setMatrixAt(bone, this.placing);
      this.rims.setMatrixAt(bone, this.placing);
    }
    this.shaftBones.forEach((child, k) => {
      this.from.fromArray(this.joints, 3 * this.model.boneParents[child]);
      this.to.fromArray(this.joints, 3 * child);
      this.shafts.setMatrixAt(k, this.between());
    });
    this.poseVirtualBones(frame);
    for (const mesh of [this.balls, this.rims, this.shafts, this.cubes]) mesh.instanceMatrix.needsUpdate = true;
  }

  private poseVirtualBones(frame: number): void {
    const virtual = this.model.virtualBones;
    for (let k = 0; k < (virtual?.count ?? 0); ++k) {
      virtual?.placeOf(k, frame, this.frame);
      this.cubes.setMatrixAt(k, this.placing.makeTranslation(this.frame[0], this.frame[1], this.frame[2]));
    }
  }

  /** The transform that puts a shaft between `from` and `to`. */
  private between(): Matrix4 {
    const along = this.to.clone().sub(this.from);
    const length = along.length();
    if (length === 0) return this.placing.makeScale(0, 0, 0);
    const y = along.clone().divideScalar(length);
    const x = new Vector3(1, 0, 0).addScaledVector(y, -y.x);
    if (x.lengthSq() < 0.1) x.set(0, 0, 1).addScaledVector(y, -y.z);
    x.normalize();
    const z = new Vector3().crossVectors(x, y);
    const width = Math.min(1.1 * this.radius, 0.15 * length);
    return this.placing
      .makeBasis(x.multiplyScalar(width), along, z.multiplyScalar(width))
      .setPosition(this.from);
  }
}
