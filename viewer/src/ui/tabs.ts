import { el } from "./dom";

export interface Tabs {
  element: HTMLElement;
  show(name: string): void;
}

/** Panels of which one is visible. */
export function makeTabs(panels: [string, HTMLElement][]): Tabs {
  const list = el("div", { class: "tabs", role: "tablist" });
  const tabs = panels.map(([name, panel]) => {
    const id = name.toLowerCase();
    panel.id = `panel-${id}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-label", name);
    const tab = el("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": panel.id }, name);
    tab.addEventListener("click", () => show(name));
    list.append(tab);
    return tab;
  });
  function show(name: string): void {
    panels.forEach(([other, panel], k) => {
      panel.hidden = other !== name;
      tabs[k].setAttribute("aria-selected", String(other === name));
      tabs[k].tabIndex = other === name ? 0 : -1;
    });
  }
  list.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = tabs.indexOf(document.activeElement as HTMLButtonElement);
    if (by === undefined || at < 0) return;
    const next = (at + by + tabs.length) % tabs.length;
    show(panels[next][0]);
    tabs[next].focus();
  });
  show(panels[0][0]);
  return { element: el("aside", { class: "side", "aria-label": "Figures" }, list, ...panels.map(([, panel]) => panel)), show };
}
