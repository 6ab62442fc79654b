import type { Analysis } from "../analysis";
import { floats, type PageData } from "../data/page";
import { percent } from "../heat";
import type { SkinModel } from "../model/skin_model";
import type { Player } from "../player";
import type { Store } from "../state";
import { button, count, el, select, short } from "./dom";

interface Parts {
  page: PageData;
  model: SkinModel | null;
  analysis: Analysis;
  player: Player;
  store: Store;
}

function row(name: string, ...value: (Node | string)[]): HTMLElement {
  return el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, ...value));
}

function boneLink({ store, model }: Parts, bone: number): HTMLElement {
  const link = button(model?.boneNames[bone] ?? "", () => store.set({ selection: { kind: "bone", bone } }));
  link.classList.add("link");
  return link;
}

function frameLink({ page, player }: Parts, frame: number): HTMLElement {
  const link = button(`frame ${page.header.timeline.source[frame]}`, () => player.goTo(frame));
  link.classList.add("link");
  return link;
}

function units(parts: Parts, value: number): string {
  return `${short(value)} · ${short(percent(parts.page.header, value))} %`;
}

/** A view and the function that updates it to a frame. */
interface Followed {
  view: HTMLElement;
  update: (frame: number) => void;
}

function vertexView(parts: Parts, vertex: number): Followed {
  const { model, analysis, page } = parts;
  const view = el("div", {}, el("h3", {}, `Vertex ${vertex}`));
  const body = el("tbody");
  const here = el("td");
  if (page.header.metrics !== null) {
    const worst = analysis.worstFrameOf(vertex);
    body.append(
      el("tr", {}, el("th", { scope: "row" }, "error in this frame"), here),
      row("largest", `${units(parts, floats(page, "vertex_max")[vertex])} in `, frameLink(parts, worst)),
      row("RMS over all frames", units(parts, floats(page, "vertex_rms")[vertex])),
    );
  }
  view.append(el("table", {}, body));
  if (model !== null) {
    const influences = model.influencesOf(vertex);
    view.append(el("h3", {}, influences.length === 1 ? "Follows 1 bone" : `Follows ${influences.length} bones`));
    const bars = influences.map(({ bone, weight }) => {
      const fill = el("i", { style: `width:${100 * weight}%;background:${model.boneColors[bone]}` });
      return el("li", {}, boneLink(parts, bone), el("span", { class: "weight" }, weight.toFixed(3)), el("div", { class: "track" }, fill));
    });
    view.append(el("ul", { class: "bars" }, ...bars));
  }
  return {
    view,
    update: (frame) => {
      here.textContent = units(parts, analysis.errorAt(vertex, frame));
    },
  };
}

function boneView(parts: Parts, model: SkinModel, bone: number): HTMLElement {
  const { analysis, store } = parts;
  const parent = model.boneParents[bone];
  const children = model.boneParents.flatMap((p, j) => (p === bone ? [j] : []));
  const region = analysis.regionOf(bone);
  const chip = el("i", { class: "chip", style: `background:${model.boneColors[bone]}` });
  const body = el(
    "tbody",
    {},
    row("parent", ...(parent >= 0 ? [boneLink(parts, parent)] : ["none"])),
    row("children", ...(children.length > 0 ? children.map((child) => boneLink(parts, child)) : ["none"])),
    row("vertices with weight", count(region.vertices)),
    row("with weight ≥ 0.5", count(region.mostly)),
  );
  if (region.worst >= 0) {
    const link = button(`vertex ${region.worst}`, () => store.set({ selection: { kind: "vertex", vertex: region.worst } }));
    link.classList.add("link");
    const largest = floats(parts.page, "vertex_max")[region.worst];
    body.append(row("worst of these", `${units(parts, largest)} at `, link, " in ", frameLink(parts, analysis.worstFrameOf(region.worst))));
  }
  const weights = button("Show weights", () => store.set({ color: "weights" }));
  return el("div", {}, el("h3", {}, chip, ` ${model.boneNames[bone]}`), el("table", {}, body), weights);
}

/** Details of the selected vertex or bone, with inputs to select one without a mouse. */
export function makeInspector(parts: Parts, goToWorst: (() => void) | null): HTMLElement {
  const { store, model, page } = parts;
  const content = el("div");
  const choose = el("div", { class: "choose" });
  const vertexInput = el("input", { type: "number", min: 0, max: page.header.vertices - 1, step: 1, "aria-label": "Vertex number" });
  vertexInput.addEventListener("change", () => {
    const vertex = Math.round(Number(vertexInput.value));
    if (vertex >= 0 && vertex < page.header.vertices) store.set({ selection: { kind: "vertex", vertex } });
  });
  choose.append(el("label", { class: "field" }, el("span", {}, "Vertex"), vertexInput));
  const bones: HTMLSelectElement | null =
    model === null
      ? null
      : select("Bone", [["", "none"], ...model.boneNames.map((name, j): [string, string] => [String(j), name])], "", (value) =>
          store.set({ selection: value === "" ? { kind: "none" } : { kind: "bone", bone: Number(value) } }),
        );
  if (bones !== null) choose.append(el("label", { class: "field" }, el("span", {}, "Bone"), bones));
  if (goToWorst !== null) choose.append(button("Worst vertex", goToWorst, "Worst vertex", "X"));

  let update: ((frame: number) => void) | null = null;
  store.on(["selection"], ({ selection }) => {
    update = null;
    vertexInput.value = selection.kind === "vertex" ? String(selection.vertex) : "";
    if (bones !== null) bones.value = selection.kind === "bone" ? String(selection.bone) : "";
    if (selection.kind === "vertex") {
      const followed = vertexView(parts, selection.vertex);
      content.replaceChildren(followed.view);
      update = followed.update;
    } else if (selection.kind === "bone" && model !== null) content.replaceChildren(boneView(parts, model, selection.bone));
    else content.replaceChildren(el("p", { class: "hint" }, "Click the surface or a bone, or choose one above."));
  });
  store.on(["frame", "selection"], ({ frame }) => update?.(frame));
  return el("div", { class: "inspector" }, choose, content);
}
