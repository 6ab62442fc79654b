import {
  BackSide,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  PerspectiveCamera,
  Scene,
  SphereGeometry,
  Vector3,
  WebGLRenderer,
  type WebGLRenderTarget,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { floats, integers, type PageData } from "../data/page";
import { makePositions } from "../gpu/pass";
import { tableHeight, tableWidth } from "../gpu/table";
import type { Reference } from "../model/reference";
import type { SkinModel } from "../model/skin_model";
import type { Selection, State, Store } from "../state";
import { errorTexture, VertexColors } from "./colors";
import { Grid } from "./grid";
import { pickPoint, pickVertex, type ViewPoint } from "./pick";
import { SkeletonView } from "./skeleton";
import { makeSurfaceParts, paint, scalarTable, Surface } from "./surface";
import type { Travel } from "./travel";

/** A part of the canvas (CSS pixels) and what it shows. */
interface Pane {
  x: number;
  y: number;
  width: number;
  height: number;
  original: boolean;
  result: boolean;
}

const gap = 2;

/** A dot with a rim, radius about 1. */
function makeMarker(): Mesh {
  const dot = new Mesh(new SphereGeometry(1, 20, 12), new MeshBasicMaterial({ color: "#1aa7ff" }));
  dot.add(new Mesh(new SphereGeometry(1.45, 20, 12), new MeshBasicMaterial({ color: "#ffffff", side: BackSide })));
  return dot;
}

/** Draws everything: two surfaces, bones, grid, panes; owns the camera. */
export class Stage {
  readonly renderer: WebGLRenderer;
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  readonly controls: OrbitControls;
  private readonly scene = new Scene();
  private readonly overScene = new Scene();
  private readonly moved = new Group();
  private readonly overMoved = new Group();
  private readonly originalPositions: WebGLRenderTarget;
  private readonly resultPositions: WebGLRenderTarget;
  private readonly originalSurface: Surface;
  private readonly ghost: Surface;
  private readonly resultSurface: Surface;
  private readonly skeleton: SkeletonView | null;
  private readonly marker: Mesh;
  private readonly grid: Grid;
  private readonly light = new DirectionalLight(0xffffff, 1.6);
  private readonly colors: VertexColors;
  private readonly triangles: Uint32Array;
  private readonly uniforms = {
    colors: { value: null as unknown },
    scalars: { value: null as unknown },
    ramp: { value: errorTexture() as unknown },
    top: { value: 1 },
    pointSize: { value: 4 },
  };
  private shownFrame = -1;
  private dirty = true;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly page: PageData,
    private readonly original: Reference | null,
    private readonly model: SkinModel | null,
    private readonly travel: Travel,
    private readonly store: Store,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.autoClear = false;
    this.renderer.setClearAlpha(0);
    if (!this.renderer.extensions.has("EXT_color_buffer_float")) {
      throw new Error("This browser's WebGL cannot render to float textures (EXT_color_buffer_float). Try another browser.");
    }
    const { vertices, size } = page.header;
    this.originalPositions = makePositions(vertices);
    this.resultPositions = makePositions(vertices);
    this.colors = new VertexColors(vertices, model, page.header.rig?.influences ?? 1);
    this.uniforms.colors.value = this.colors.texture;
    const largest = page.header.metrics === null ? new Float32Array(1) : floats(page, "vertex_max");
    this.uniforms.scalars.value = scalarTable(largest);
    this.triangles = integers(page, "triangles");
    const parts = makeSurfaceParts(this.triangles, integers(page, "edges"), vertices, this.uniforms);
    this.originalSurface = new Surface(parts, this.originalPositions, "solid");
    this.ghost = new Surface(parts, this.originalPositions, "ghost");
    this.resultSurface = new Surface(parts, this.resultPositions, "solid");
    this.moved.add(this.originalSurface, this.ghost, this.resultSurface);
    this.skeleton = model === null ? null : new SkeletonView(model, size);
    this.marker = makeMarker();
    if (this.skeleton !== null) this.overMoved.add(this.skeleton);
    this.overMoved.add(this.marker);
    this.grid = new Grid(travel.radius);
    this.grid.position.set(travel.middle[0], travel.floor, travel.middle[2]);
    this.scene.add(this.moved, this.grid);
    this.overScene.add(this.overMoved, new HemisphereLight(0xffffff, 0x999999, 1.8), this.light);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.invalidate());
    this.fit();
    this.follow(store);
  }

  private follow(store: Store): void {
    store.on([], () => this.invalidate());
    store.on(["color", "selection"], (state) => this.colors.update(state));
    store.on(["selection", "color"], ({ selection, color }) => {
      // The bones' own colours could be mistaken for errors.
      this.skeleton?.paint(selection.kind === "bone" ? selection.bone : -1, color.startsWith("error"));
    });
    store.on(["dark"], ({ dark }) => {
      this.originalSurface.clay.value.set(dark ? "#aeb6c2" : "#b9c2cf");
      this.resultSurface.clay.value.set("#d3cbbd");
      this.ghost.clay.value.set(dark ? "#8fc4ff" : "#2463b8");
      this.grid.material.color.set(dark ? "#59636f" : "#9aa0a8");
    });
    store.on(["wire", "dark"], ({ wire, dark }) => {
      const color = new Color(dark ? "#05070a" : "#1a1d22");
      for (const surface of [this.originalSurface, this.resultSurface]) surface.setWire(wire, color);
      this.ghost.setWire(false, color);
    });
  }

  invalidate(): void {
    this.dirty = true;
  }

  /** Sets the value of the hottest colour, model units. */
  setTop(top: number): void {
    this.uniforms.top.value = top;
    this.invalidate();
  }

  /** Fits the whole model into the view. */
  fit(): void {
    const [x, y, z] = this.travel.middle;
    const pane = this.panes()[0];
    const aspect = pane.width / pane.height;
    const half = Math.tan((this.camera.fov * Math.PI) / 360) * Math.min(1, aspect);
    const distance = (1.02 * this.travel.radius) / Math.sin(Math.atan(half));
    this.controls.target.set(x, y, z);
    this.camera.position.set(x, y, z).addScaledVector(new Vector3(0.62, 0.28, 1).normalize(), distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 40;
    this.controls.minDistance = distance / 60;
    this.controls.maxDistance = distance * 8;
    this.controls.update();
  }

  /** Rotates the camera about its target (radians) and zooms. */
  orbit(right: number, up: number, zoom = 1): void {
    const { target } = this.controls;
    const arm = this.camera.position.clone().sub(target);
    const polar = Math.acos(Math.min(1, Math.max(-1, arm.y / arm.length())));
    const azimuth = Math.atan2(arm.x, arm.z) + right;
    arm.setFromSphericalCoords(arm.length() * zoom, Math.min(3.1, Math.max(0.04, polar - up)), azimuth);
    this.camera.position.copy(target).add(arm);
    this.controls.update();
    this.invalidate();
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.invalidate();
  }

  /** Panes of the layout: side by side if the canvas is wide, else below each other. */
  panes(): Pane[] {
    const width = Math.max(1, this.canvas.clientWidth);
    const height = Math.max(1, this.canvas.clientHeight);
    const { layout } = this.store.state;
    if (layout !== "side") {
      return [{ x: 0, y: 0, width, height, original: layout !== "result", result: layout !== "original" }];
    }
    if (width >= height) {
      const half = (width - gap) / 2;
      const part = { y: 0, width: half, height };
      return [{ ...part, x: 0, original: true, result: false }, { ...part, x: half + gap, original: false, result: true }];
    }
    const half = (height - gap) / 2;
    const part = { x: 0, width, height: half };
    return [{ ...part, y: 0, original: true, result: false }, { ...part, y: half + gap, original: false, result: true }];
  }

  /** Updates the positions on the GPU to a frame. */
  private pose(frame: number): void {
    if (this.original !== null) this.original.show(this.renderer, frame, this.originalPositions);
    this.model?.deform(this.renderer, frame, this.original === null ? null : this.originalPositions, this.resultPositions);
    this.skeleton?.pose(frame);
    this.shownFrame = frame;
  }

  /** Draws if something has changed; returns whether it did. */
  draw(): boolean {
    if (!this.dirty) return false;
    this.dirty = false;
    const { state } = this.store;
    if (state.frame !== this.shownFrame) this.pose(state.frame);
    const shift = this.shift(state);
    this.moved.position.copy(shift);
    this.overMoved.position.copy(shift);
    this.placeMarker(state);
    this.resultSurface.paint.value = this.paintOf(state);
    this.uniforms.pointSize.value = 5 * this.renderer.getPixelRatio();
    this.grid.visible = state.grid;
    this.renderer.setScissorTest(false);
    this.renderer.clear();
    this.renderer.setScissorTest(true);
    for (const pane of this.panes()) this.drawPane(pane, state);
    return true;
  }

  private drawPane(pane: Pane, state: Readonly<State>): void {
    const bottom = this.canvas.clientHeight - pane.y - pane.height;
    this.renderer.setViewport(pane.x, bottom, pane.width, pane.height);
    this.renderer.setScissor(pane.x, bottom, pane.width, pane.height);
    this.aim(pane);
    this.originalSurface.visible = pane.original && !pane.result;
    this.ghost.visible = pane.original && pane.result;
    this.resultSurface.visible = pane.result;
    this.renderer.render(this.scene, this.camera);
    if (this.skeleton !== null) this.skeleton.visible = state.bones && pane.result;
    this.light.position.copy(this.camera.position);
    this.renderer.clearDepth(); // bones show through the skin, but not through each other
    this.renderer.render(this.overScene, this.camera);
  }

  private aim(pane: Pane): void {
    this.camera.aspect = pane.width / pane.height;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  private paintOf(state: Readonly<State>): number {
    if (state.color === "error") return paint.error;
    if (state.color === "error_max") return paint.scalar;
    return state.color === "plain" ? paint.plain : paint.perVertex;
  }

  /** Offset that keeps a travelling model in view. */
  private shift({ follow, frame }: Readonly<State>): Vector3 {
    return follow ? new Vector3().fromArray(this.travel.offsets, 3 * frame).negate() : new Vector3();
  }

  private placeMarker({ selection, frame }: Readonly<State>): void {
    this.marker.visible = selection.kind === "vertex";
    if (selection.kind !== "vertex") return;
    const p = new Float64Array(3);
    (this.model ?? this.original)?.positionOf(selection.vertex, frame, p);
    this.marker.position.fromArray(p);
    const away = this.marker.position.clone().add(this.overMoved.position).distanceTo(this.camera.position);
    this.marker.scale.setScalar(0.0065 * away); // constant size on the screen
  }

  /** What a click at (x, y) hits, CSS pixels of the canvas. */
  pick(x: number, y: number): Selection {
    const pane = this.panes().find((p) => x >= p.x && y >= p.y && x < p.x + p.width && y < p.y + p.height);
    if (pane === undefined) return { kind: "none" };
    const { state } = this.store;
    const at: ViewPoint = { x: x - pane.x, y: y - pane.y, width: pane.width, height: pane.height };
    const shift = this.shift(state);
    this.aim(pane);
    if (state.bones && pane.result && this.skeleton !== null) {
      const bone = pickPoint(this.camera, at, shift, this.skeleton.joints, 3, this.skeleton.joints.length / 3, 10);
      if (bone >= 0) return { kind: "bone", bone };
    }
    const positions = this.readPositions(pane.result ? "result" : "original");
    const vertex =
      this.triangles.length > 0
        ? pickVertex(this.camera, at, shift, positions, this.triangles)
        : pickPoint(this.camera, at, shift, positions, 4, this.page.header.vertices, 12);
    return vertex >= 0 ? { kind: "vertex", vertex } : { kind: "none" };
  }

  /** Reads back positions and errors of the current frame: 4 floats per vertex. */
  readPositions(of: "result" | "original"): Float32Array {
    if (this.store.state.frame !== this.shownFrame) this.pose(this.store.state.frame);
    const { vertices } = this.page.header;
    const height = tableHeight(vertices);
    const all = new Float32Array(4 * tableWidth * height);
    const target = of === "result" ? this.resultPositions : this.originalPositions;
    this.renderer.readRenderTargetPixels(target, 0, 0, tableWidth, height, all);
    return all.subarray(0, 4 * vertices);
  }
}
