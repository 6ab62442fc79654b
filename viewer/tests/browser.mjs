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

/** Draws now and keeps the canvas's pixels in the page; gives a number to name them by. */
export const picture = (page) =>
  page.evaluate(() => {
    const { stage } = window.marrow;
    stage.invalidate();
    stage.draw();
    const gl = stage.renderer.getContext();
    const pixels = new Uint32Array(gl.drawingBufferWidth * gl.drawingBufferHeight);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(pixels.buffer));
    window.pictures ??= [];
    return window.pictures.push(pixels) - 1;
  });

/** How many pixels of two pictures differ. */
export const difference = (page, a, b) =>
  page.evaluate(
    ([x, y]) => window.pictures[x].reduce((sum, pixel, k) => sum + (pixel !== window.pictures[y][k]), 0),
    [a, b],
  );
