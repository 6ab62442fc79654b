import { type Header, sides } from "../data/page";
import { heatTop, percent } from "../heat";
import { countFraction } from "../scene/colors";
import { countRamp, errorRamp, weightRamp } from "../scene/ramp";
import type { State, Store } from "../state";
import { el, select, short } from "./dom";

type Label = [at: string, more: string];

function scale(gradient: string, labels: Label[]): HTMLElement {
  const ticks = labels.map(([at, more]) => el("span", {}, el("b", {}, at), more === "" ? null : el("i", {}, ` ${more}`)));
  return el("div", { class: "scale" }, el("div", { class: "bar", style: `background:${gradient}` }), el("div", { class: "ticks" }, ...ticks));
}

function errorScale(header: Header, store: Store): HTMLElement[] {
  const { heatTop: choice, frame, color } = store.state;
  const top = heatTop(header, choice, frame);
  const labels = [0, 0.5, 1].map((f): Label => {
    const value = short(f * top);
    return [f === 1 && choice === "p99" ? `≥ ${value}` : value, `${short(percent(header, f * top), 2)} %`];
  });
  const what = color === "error" ? `Distance to the ${sides(header).original.toLowerCase()}` : "Largest distance over time";
  const choices: [State["heatTop"], string][] = [
    ["p99", "scale to the 99th percentile"],
    ["max", "scale to the largest"],
    ["frame", "scale to this frame’s largest"],
  ];
  const pick = select("Range of colours", choices, choice, (value) => store.set({ heatTop: value }));
  return [el("p", { title: "in model units, and in % of the size" }, what), scale(errorRamp.gradient(), labels), pick];
}

function countScale(most: number): HTMLElement[] {
  const counts = Array.from({ length: most }, (_, k) => k + 1);
  const chips = counts.map((n) => el("span", {}, el("i", { style: `background:${countRamp.css(countFraction(n, most))}` }), String(n)));
  return [el("p", {}, "Bones per vertex"), el("div", { class: "chips" }, ...chips)];
}

function weightScale(name: string): HTMLElement[] {
  const labels: Label[] = [["0", ""], ["0.5", ""], ["1", ""]];
  return [el("p", {}, `Weight of ${name}`), scale(weightRamp.gradient(), labels)];
}

/** Meaning of the colours, below the views. */
export function makeLegend(header: Header, boneNames: string[], store: Store): HTMLElement {
  const line = el("div", { class: "legend" });
  const content = (): HTMLElement[] => {
    const { color, selection } = store.state;
    switch (color) {
      case "plain":
        return [el("p", {}, "No colours")];
      case "error":
      case "error_max":
        return errorScale(header, store);
      case "influences":
        return countScale(header.rig?.influences ?? 1);
      case "weights":
        return weightScale(boneNames[selection.kind === "bone" ? selection.bone : 0]);
      case "bones":
        return [el("p", {}, "Colour of the bone with the largest weight")];
    }
  };
  store.on(["color", "heatTop", "selection"], () => line.replaceChildren(...content()));
  store.on(["frame"], ({ heatTop: choice, color }) => {
    if (choice === "frame" && color.startsWith("error")) line.replaceChildren(...content());
  });
  return line;
}
