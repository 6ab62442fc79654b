import { type Header, sides } from "../data/page";
import type { ColorMode, Layout, State, Store } from "../state";
import { button, el, icon, select } from "./dom";

export const layouts: [Layout, string][] = [
  ["side", "Side by side"],
  ["overlay", "Overlaid"],
  ["original", "Original"],
  ["result", "Result"],
];

/** The colour modes for which the page has data. */
export function colorModes(header: Header): [ColorMode, string][] {
  const modes: [ColorMode, string][] = [["plain", "Plain"]];
  const { gap } = sides(header);
  if (header.metrics !== null) modes.push(["error", gap], ["error_max", `${gap}, largest over time`]);
  if (header.rig !== null) {
    modes.push(["bones", "Strongest bone"], ["weights", "Weights of a bone"], ["influences", "Influences"]);
  }
  return modes;
}

type Flag = "bones" | "wire" | "grid" | "follow";

function toggle(store: Store, key: Flag, label: string, keys: string): HTMLButtonElement {
  const element = button(label, () => store.set({ [key]: !store.state[key] }), label, keys);
  element.classList.add("toggle");
  store.on([key], (state) => element.setAttribute("aria-pressed", String(state[key])));
  return element;
}

export function makeToolbar(header: Header, store: Store, travels: boolean, fit: () => void): HTMLElement {
  const bar = el("div", { class: "toolbar", role: "toolbar", "aria-label": "View" });
  if (header.original !== null && header.rig !== null) {
    const group = el("div", { class: "segments", role: "group", "aria-label": "Layout" });
    const names = sides(header);
    layouts.forEach(([layout, label], k) => {
      const text = layout === "original" || layout === "result" ? names[layout] : label;
      const element = button(text, () => store.set({ layout }), text, String(k + 1));
      store.on(["layout"], (state) => element.setAttribute("aria-pressed", String(state.layout === layout)));
      group.append(element);
    });
    bar.append(group);
  }
  const modes = colorModes(header);
  if (modes.length > 1) {
    const colors = select("Colour", modes, store.state.color, (color) => store.set({ color }));
    store.on(["color"], (state: Readonly<State>) => {
      colors.value = state.color;
    });
    bar.append(el("label", { class: "field" }, el("span", {}, "Colour"), colors));
  }
  if (header.rig !== null) bar.append(toggle(store, "bones", "Bones", "B"));
  if (header.faces > 0) bar.append(toggle(store, "wire", "Wires", "W"));
  bar.append(toggle(store, "grid", "Grid", "G"));
  if (travels) bar.append(toggle(store, "follow", "Follow", "F"));
  bar.append(button("Fit the model into the view", fit, icon("fit"), "0"));
  return bar;
}
