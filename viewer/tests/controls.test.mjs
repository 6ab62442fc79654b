// Everything can be done with the keyboard, and with clicks.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { closePage, drawn, openPage, setState, startBrowser, stateOf } from "./browser.mjs";

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

test("keys play, step, choose and select", async () => {
  const page = await openPage(browser, "Quadruped");
  const press = (key) => page.keyboard.press(key);
  const is = async (key, value) => assert.deepEqual((await stateOf(page))[key], value, key);
  await press("ArrowRight");
  await press(".");
  await is("frame", 2);
  await press(",");
  await is("frame", 1);
  await press("End");
  await is("frame", 44);
  await press("ArrowRight");
  await is("frame", 0);
  await press("ArrowLeft");
  await is("frame", 44);
  await press("Home");
  await is("frame", 0);
  await press("[");
  await is("speed", 0.5);
  await press("]");
  await press("]");
  await is("speed", 2);
  for (const [key, layout] of [["2", "overlay"], ["3", "original"], ["4", "result"], ["1", "side"]]) {
    await press(key);
    await is("layout", layout);
  }
  await press("c");
  await is("color", "error_max");
  for (const [key, flag] of [["b", "bones"], ["w", "wire"], ["g", "grid"]]) {
    const before = (await stateOf(page))[flag];
    await press(key);
    await is(flag, !before);
  }
  await press("n");
  await press("n");
  await is("selection", { kind: "bone", bone: 1 });
  await press("p");
  await is("selection", { kind: "bone", bone: 0 });
  await press("Escape");
  await is("selection", { kind: "none" });
  await press("x");
  assert.equal((await stateOf(page)).selection.kind, "vertex");
  await press("Space");
  await is("playing", true);
  const before = (await stateOf(page)).frame;
  await page.waitForFunction((frame) => window.marrow.store.state.frame !== frame, before);
  await press("Space");
  await is("playing", false);
  await press("?");
  assert.ok(await page.getByRole("dialog").isVisible());
  await press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await closePage(page);
});

test("the camera turns and zooms by key, for both views", async () => {
  const page = await openPage(browser, "Quadruped");
  const eye = () => page.evaluate(() => window.marrow.stage.camera.position.toArray());
  const start = await eye();
  await page.keyboard.press("Shift+ArrowLeft");
  const turned = await eye();
  assert.notDeepEqual(turned, start);
  await page.keyboard.press("+");
  assert.notDeepEqual(await eye(), turned);
  await page.keyboard.press("0");
  const back = await eye();
  start.forEach((v, axis) => assert.ok(Math.abs(v - back[axis]) < 1e-9));
  await closePage(page);
});

test("all controls are reached by Tab, show the focus and have names", async () => {
  const page = await openPage(browser, "Quadruped");
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input, canvas[tabindex]")]
      .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")))
      .map((e) => e.outerHTML),
  );
  assert.deepEqual(nameless, []);
  const reached = new Set();
  for (let k = 0; k < 40; ++k) {
    await page.keyboard.press("Tab");
    const focus = await page.evaluate(() => {
      const e = document.activeElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(e);
      const name = e === document.body ? "page" : (e.getAttribute("aria-label") ?? e.textContent.trim());
      return { name, ring: e === document.body || (outlineStyle !== "none" && outlineWidth !== "0px") };
    });
    assert.ok(focus.ring, `${focus.name} has no focus ring`);
    reached.add(focus.name);
  }
  for (const name of ["Dark or light", "Help", "Side by side", "Bones", "Play", "Frame", "Speed", "Clip", "Numbers"]) {
    assert.ok(reached.has(name), `${name} is not reached by Tab; ${[...reached]}`);
  }
  await closePage(page);
});

test("clips play by themselves", async () => {
  const page = await openPage(browser, "Quadruped");
  await page.getByLabel("Clip", { exact: true }).selectOption({ label: "look" });
  const { clips } = await page.evaluate(() => window.marrow.page.header.timeline);
  assert.equal((await stateOf(page)).frame, clips[1].first);
  await page.keyboard.press("ArrowLeft");
  assert.equal((await stateOf(page)).frame, clips[1].first + clips[1].count - 1);
  assert.match(await page.locator(".where").innerText(), /^look/);
  await closePage(page);
});

/** Where a model point is on the screen, in the last pane. */
const onScreen = (page, expression) =>
  page.evaluate((source) => {
    const { stage } = window.marrow;
    const point = new Function("app", `return ${source}`)(window.marrow);
    const pane = stage.panes().at(-1);
    stage.aim(pane);
    const p = stage.camera.position.clone().set(...point).project(stage.camera);
    const box = stage.canvas.getBoundingClientRect();
    return { x: box.x + pane.x + ((p.x + 1) / 2) * pane.width, y: box.y + pane.y + ((1 - p.y) / 2) * pane.height };
  }, expression);

test("a click on a bone inspects the bone", async () => {
  const page = await openPage(browser, "Quadruped");
  const { x, y } = await onScreen(page, "app.stage.skeleton.joints.subarray(3 * 4, 3 * 4 + 3)");
  await page.mouse.click(x, y);
  assert.deepEqual((await stateOf(page)).selection, { kind: "bone", bone: 4 });
  const text = await page.locator("#panel-inspect").innerText();
  assert.match(text, /head/);
  assert.match(text, /neck/);
  await page.getByRole("button", { name: "Show weights" }).click();
  assert.equal((await stateOf(page)).color, "weights");
  assert.match(await page.locator(".legend").innerText(), /Weight of head/);
  await closePage(page);
});

test("a click on the surface inspects the vertex, its weights and its worst frame", async () => {
  const page = await openPage(browser, "Quadruped");
  await setState(page, { bones: false, layout: "result", frame: 7 });
  await drawn(page);
  const { x, y, vertex } = await page.evaluate(() => {
    // The vertex nearest to the camera is surely not hidden.
    const { stage } = window.marrow;
    const positions = stage.readPositions("result");
    let [best, nearest] = [0, Infinity];
    for (let i = 0; i < positions.length / 4; ++i) {
      const away = stage.camera.position.clone().set(...positions.subarray(4 * i, 4 * i + 3)).distanceTo(stage.camera.position);
      if (away < nearest) [best, nearest] = [i, away];
    }
    const pane = stage.panes()[0];
    stage.aim(pane);
    const p = stage.camera.position.clone().set(...positions.subarray(4 * best, 4 * best + 3)).project(stage.camera);
    const box = stage.canvas.getBoundingClientRect();
    return { vertex: best, x: box.x + ((p.x + 1) / 2) * pane.width, y: box.y + ((1 - p.y) / 2) * pane.height };
  });
  await page.mouse.click(x, y);
  const { selection } = await stateOf(page);
  assert.equal(selection.kind, "vertex");
  const apart = await page.evaluate(
    ([a, b]) => {
      const rest = window.marrow.page.arrays.get("rest");
      return Math.hypot(...[0, 1, 2].map((axis) => rest[3 * a + axis] - rest[3 * b + axis])) / window.marrow.page.header.size;
    },
    [selection.vertex, vertex],
  );
  assert.ok(apart < 0.05, `clicked at vertex ${vertex}, got ${selection.vertex}, ${apart} of the size away`);
  const panel = page.locator("#panel-inspect");
  assert.match(await panel.innerText(), /Follows \d bones?/);
  const sum = (await panel.locator(".weight").allInnerTexts()).reduce((total, w) => total + Number(w), 0);
  assert.ok(Math.abs(sum - 1) < 0.005, `the weights add up to ${sum}`);
  const link = panel.getByRole("button", { name: /^frame \d+/ });
  const frame = Number((await link.innerText()).slice(6));
  await link.click();
  assert.equal((await stateOf(page)).frame, frame);
  await closePage(page);
});

test("a click beside the model selects nothing; a drag only turns", async () => {
  const page = await openPage(browser, "Quadruped");
  await page.keyboard.press("n");
  const box = await page.locator("canvas[role=img]").boundingBox();
  await page.mouse.move(box.x + 40, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 140, box.y + 220, { steps: 4 });
  await page.mouse.up();
  assert.equal((await stateOf(page)).selection.kind, "bone");
  await page.keyboard.press("0");
  await page.mouse.click(box.x + 8, box.y + box.height - 8);
  assert.equal((await stateOf(page)).selection.kind, "none");
  await closePage(page);
});

test("a click on the error plot goes to that frame, one on the histogram to a vertex", async () => {
  const page = await openPage(browser, "Cape");
  const over = page.locator(".dock .u-over");
  await over.waitFor();
  const box = await over.boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const { frame } = await stateOf(page);
  assert.ok(Math.abs(frame - 14.5) <= 1, `frame ${frame}`);
  await page.getByRole("tab", { name: "Plots" }).click();
  assert.equal(await page.locator("#panel-plots figure").count(), 3);
  const bars = page.locator("#panel-plots figure").first().locator(".u-over");
  await bars.waitFor();
  const { width, height } = await bars.boundingBox();
  await bars.click({ position: { x: width - 2, y: height / 2 } });
  const after = await page.evaluate(() => {
    const { store, page: data } = window.marrow;
    return { selection: store.state.selection, frame: store.state.frame, metrics: data.header.metrics };
  });
  assert.deepEqual(after.selection, { kind: "vertex", vertex: after.metrics.worst_vertex });
  assert.equal(after.frame, after.metrics.worst_frame);
  await closePage(page);
});

test("the figures are those of the header", async () => {
  const page = await openPage(browser, "Cape");
  const text = await page.locator("#panel-numbers").innerText();
  for (const word of ["E_RMS", "Settings", "Results", "Time", "Storage", "raw frames", "morph targets", "16 bits"]) {
    assert.ok(text.includes(word), `${word} is missing`);
  }
  const eRms = await page.evaluate(() => window.marrow.page.header.metrics.e_rms);
  assert.ok(text.includes(String(Number(eRms.toPrecision(4)))), `${eRms} is missing`);
  await closePage(page);
});
