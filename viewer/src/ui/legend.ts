import type { Header } from "../data/page";
import { heatTop, percent } from "../heat";
import { countFraction } from "../scene/colors";
import { countRamp, errorRamp, weightRamp } from "../scene/ramp";
import type { State, Store } from "../state";
import { el, select, short } from "./dom";

function bar(gradient: string, labels: [string, string][]): HTMLElement {
  const ticks = labels.map(([upper, lower]) => el("span", {}, el("b", {}, upper), lower === "" ? null : el("i", {}, lower)));
  return el("div", { class: "scale" }, el("div", { class: "bar", style: `background:${gradient}` }), el("div", { class: "ticks" }, ...ticks));
}

function errorScale(header: Header, store: Store): HTMLElement {
  const { heatTop: choice, frame, color } = store.state;
  const top = heatTop(header, choice, frame);
  const labels = [0, 0.5, 1].map((f): [string, string] => {
    const more = f === 1 && choice === "p99" ? "≥ " : "";
    return [`${more}${short(f * top)}`, `${short(percent(header, f * top), 2)} %`];
  });
  const title = color === "error" ? "distance to the original, this frame" : "largest distance over all frames";
  const choices: [State["heatTop"], string][] = [
    ["p99", "to 99 % of all"],
    ["max", "to the largest"],
    ["frame", "to this frame’s largest"],
  ];
  const pick = select("Scale of the colours", choices, choice, (value) => store.set({ heatTop: value }));
  return el("div", {}, el("p", {}, title, " ", pick), bar(errorRamp.gradient(), labels), el("p", { class: "units" }, "model units, and % of the size"));
}

function countScale(most: number): HTMLElement {
  const shown = Array.from({ length: most }, (_, k) => k + 1);
  const chips = shown.map((n) => el("span", {}, el("i", { style: `background:${countRamp.css(countFraction(n, most))}` }), String(n)));
  return el("div", {}, el("p", {}, "bones per vertex"), el("div", { class: "chips" }, ...chips));
}

/** What the colours mean, over the result. */
export function makeLegend(header: Header, boneNames: string[], store: Store): HTMLElement {
  const box = el("div", { class: "legend" });
  store.on(["color", "heatTop", "selection", "layout"], () => update());
  store.on(["frame"], ({ heatTop: choice, color }) => {
    if (choice === "frame" && color.startsWith("error")) update();
  });
  function update(): void {
    const { color, selection, layout } = store.state;
    box.hidden = color === "plain" || layout === "original";
    if (box.hidden) return;
    if (color === "error" || color === "error_max") box.replaceChildren(errorScale(header, store));
    else if (color === "influences") box.replaceChildren(countScale(header.rig?.influences ?? 1));
    else if (color === "weights") {
      const name = boneNames[selection.kind === "bone" ? selection.bone : 0];
      const labels: [string, string][] = [["0", ""], ["0.5", ""], ["1", ""]];
      box.replaceChildren(el("p", {}, `weight of ${name}`), bar(weightRamp.gradient(), labels));
    } else box.replaceChildren(el("p", {}, "each vertex in the colour of its strongest bone"));
  }
  return box;
}
