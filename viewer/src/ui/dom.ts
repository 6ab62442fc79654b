type Child = Node | string | null;
type Properties = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

/** Makes an element. Functions become listeners, booleans toggle attributes, other properties are attributes. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null));
  return element;
}

const icons = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z",
  back: "M15.5 5.5 8.5 12l7 6.5",
  forward: "M8.5 5.5l7 6.5-7 6.5",
  first: "M17 5.5 10 12l7 6.5M7 5.5v13",
  last: "M7 5.5l7 6.5-7 6.5M17 5.5v13",
  theme: "M12 4a8 8 0 1 0 0 16z M12 4a8 8 0 0 1 0 16",
  fit: "M5 9V5h4M15 5h4v4M19 15v4h-4M9 19H5v-4",
};

export function icon(name: keyof typeof icons): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon", `icon-${name}`);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", icons[name]);
  svg.append(path);
  return svg;
}

export function button(label: string, action: () => void, content: Child = label, keys = ""): HTMLButtonElement {
  const title = keys === "" ? label : `${label} (${keys})`;
  const element = el("button", { type: "button", title, onclick: action }, content);
  if (content !== label) element.setAttribute("aria-label", label);
  return element;
}

export function select<T extends string>(
  label: string,
  options: [T, string][],
  value: T,
  change: (value: T) => void,
): HTMLSelectElement {
  const element = el("select", { "aria-label": label, title: label });
  for (const [key, text] of options) element.append(el("option", { value: key }, text));
  element.value = value;
  element.addEventListener("change", () => change(element.value as T));
  return element;
}

/** A number with `digits` significant digits; exponents only for very small and large numbers. */
export function short(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e7) return value.toExponential(digits - 1).replace("e+", "e");
  return size >= 10 ** (digits - 1) ? String(Math.round(value)) : String(Number(value.toPrecision(digits)));
}

export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

export function bytes(value: number): string {
  if (value < 1e3) return `${value} B`;
  if (value < 1e6) return `${(value / 1e3).toFixed(1)} kB`;
  return value < 1e9 ? `${(value / 1e6).toFixed(1)} MB` : `${(value / 1e9).toFixed(2)} GB`;
}
