import { el } from "./dom";

export interface Shortcut {
  keys: string[];
  /** Keys as shown in the help. */
  shown: string;
  what: string;
  action: (event: KeyboardEvent) => void;
}

/** Whether the focused control uses the key itself. */
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (target.matches("select, input:not([type=range])")) return true;
  if (target.matches("button, summary, a")) return event.key === " " || event.key === "Enter";
  if (target.matches("[role=tab]")) return event.key.startsWith("Arrow");
  return target.matches("input[type=range]") && /^(Arrow|Home|End|Page)/.test(event.key);
}

export function listen(shortcuts: Shortcut[]): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
    if (isTaken(event)) return;
    const name = (event.shiftKey && event.key.startsWith("Arrow") ? "Shift+" : "") + event.key;
    const shortcut = shortcuts.find(({ keys }) => keys.includes(name) || keys.includes(name.toLowerCase()));
    if (shortcut === undefined) return;
    event.preventDefault();
    shortcut.action(event);
  });
}

function line(name: (HTMLElement | string)[], what: string): HTMLElement {
  return el("dl", {}, el("dt", {}, ...name), el("dd", {}, what));
}

export function makeHelp(shortcuts: Shortcut[], version: string): HTMLDialogElement {
  const dialog = el("dialog", { class: "help", "aria-label": "Help" });
  const close = el("button", { type: "button", onclick: () => dialog.close() }, "Close");
  const keys = shortcuts.map(({ shown, what }) => line(shown.split(" ").map((key) => el("kbd", {}, key)), what));
  dialog.append(
    el("header", {}, el("h2", {}, "Keys"), close),
    el("div", { class: "columns" }, ...keys),
    el("h2", {}, "Mouse and touch"),
    el(
      "div",
      { class: "columns" },
      line(["drag"], "turn"),
      line(["right drag, two fingers"], "move"),
      line(["wheel, pinch"], "zoom"),
      line(["click"], "inspect a bone or vertex; in a plot: go to that frame"),
    ),
    el("p", { class: "hint" }, `Written by Marrow ${version}. Drawn with three.js and uPlot (MIT licences, in the page’s source).`),
  );
  return dialog;
}
