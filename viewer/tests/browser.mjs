// Opens pages that the C++ tests wrote (MARROW_PAGES/ViewBrowserPages.NAME) in Debian's Chromium, with OpenGL in software.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const flags = [
  "--no-sandbox",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

function findChromium() {
  const places = [process.env.MARROW_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const found = places.find((place) => place && existsSync(place));
  assert.ok(found, "no Chromium here: scripts/test installs it, or set MARROW_CHROMIUM");
  return found;
}

export const startBrowser = () => chromium.launch({ executablePath: findChromium(), args: flags });

export function pagePath(name) {
  assert.ok(process.env.MARROW_PAGES, "MARROW_PAGES is not set: run these tests through ctest");
  const path = join(process.env.MARROW_PAGES, `ViewBrowserPages.${name}`, "page.html");
  assert.ok(existsSync(path), `${path} is missing: build viewer/ first, then the library; ctest writes the pages`);
  return path;
}

export const expectedOf = (name) => JSON.parse(readFileSync(join(pagePath(name), "..", "expected.json"), "utf8"));

/** Opens a page and waits until it has drawn. `page.problems` collects console messages, errors and requests. */
export async function openPage(browser, name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  const url = pathToFileURL(pagePath(name)).href;
  page.problems = [];
  page.on("console", (message) => page.problems.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => page.problems.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:") && !request.url().startsWith("blob:")) {
      page.problems.push(`request: ${request.url()}`);
    }
  });
  await page.goto(url);
  await page.waitForFunction(() => window.marrow !== undefined && window.marrow.scriptTimes.length > 0);
  return page;
}

export async function closePage(page) {
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

/** Waits for a frame drawn after now. */
export const drawn = (page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))),
  );

export const stateOf = (page) => page.evaluate(() => window.marrow.store.state);
export const setState = (page, patch) => page.evaluate((p) => window.marrow.store.set(p), patch);

/** The canvas as a person sees it, without what lies over it. */
export async function picture(page) {
  await drawn(page);
  const bytes = await page.locator("canvas[role=img]").screenshot({ animations: "disabled" });
  return page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    return { width: image.width, height: image.height, pixels: Array.from(new Uint32Array(data.buffer)) };
  }, bytes.toString("base64"));
}

/** How many pixels differ. */
export function difference(a, b) {
  assert.equal(a.pixels.length, b.pixels.length);
  return a.pixels.reduce((sum, pixel, k) => sum + (pixel !== b.pixels[k]), 0);
}
