// A page opens from disk, needs nothing else, and shows something.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { closePage, difference, drawn, openPage, pagePath, picture, setState, startBrowser } from "./browser.mjs";

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

const everyPage = [
  "Quadruped",
  "Cape",
  "EightInfluences",
  "TwelveFlexibleInfluences",
  "RigAlone",
  "SequenceAlone",
  "PointCloud",
  "Sampled",
];

for (const name of everyPage) {
  test(`${name} opens without network, without messages, and is not blank`, async () => {
    const page = await openPage(browser, name);
    await setState(page, { grid: false, bones: false });
    const shown = await picture(page);
    await page.evaluate(() => {
      window.marrow.stage.moved.visible = false;
      window.marrow.stage.invalidate();
    });
    const pixels = await difference(page, shown, await picture(page));
    assert.ok(pixels > 1000, `only ${pixels} pixels show the model`);
    await closePage(page);
  });
}

for (const layout of ["original", "result"]) {
  test(`scrubbing changes the ${layout}`, async () => {
    const page = await openPage(browser, "Quadruped");
    await setState(page, { layout, bones: false });
    const first = await picture(page);
    assert.equal(await difference(page, first, await picture(page)), 0, "the picture changes by itself");
    await page.locator("input.scrub").fill("12");
    assert.ok((await difference(page, first, await picture(page))) > 500);
    await page.locator("input.scrub").fill("0");
    assert.equal(await difference(page, first, await picture(page)), 0);
    await closePage(page);
  });
}

test("what is drawn reaches the screen", async () => {
  const page = await openPage(browser, "Quadruped");
  const canvas = page.locator("canvas[role=img]");
  await drawn(page);
  const first = await canvas.screenshot();
  await page.locator("input.scrub").fill("12");
  await drawn(page);
  assert.ok(!first.equals(await canvas.screenshot()));
  await closePage(page);
});

test("every colour mode and layout looks different", async () => {
  const page = await openPage(browser, "Cape");
  await setState(page, { frame: 15 });
  const modes = await page.locator(".toolbar select option").evaluateAll((list) => list.map((option) => option.value));
  assert.deepEqual(modes, ["plain", "error", "error_max", "bones", "weights", "influences"]);
  const seen = [];
  for (const mode of modes) {
    await page.locator(".toolbar select").selectOption(mode);
    seen.push([mode, await picture(page)]);
  }
  for (const layout of ["Overlaid", "Original", "Result"]) {
    await page.getByRole("button", { name: layout, exact: true }).click();
    seen.push([layout, await picture(page)]);
  }
  for (let a = 0; a < seen.length; ++a) {
    for (let b = 0; b < a; ++b) {
      assert.ok((await difference(page, seen[a][1], seen[b][1])) > 200, `${seen[a][0]} looks like ${seen[b][0]}`);
    }
  }
  await closePage(page);
});

test("dark and light, and a phone", async () => {
  const dark = await openPage(browser, "Quadruped", { colorScheme: "dark" });
  const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await background(dark);
  await dark.getByRole("button", { name: "Dark or light" }).click();
  assert.notEqual(await background(dark), before);
  await closePage(dark);
  const phone = await openPage(browser, "Quadruped", { viewport: { width: 390, height: 844 }, hasTouch: true });
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${wide} pixels wide`);
  const play = await phone.getByRole("button", { name: "Play" }).boundingBox();
  assert.ok(play.y + play.height <= 844, "the play button is below the fold");
  await closePage(phone);
});

test("a page that shows only some frames says so", async () => {
  const page = await openPage(browser, "Sampled");
  const text = await page.locator(".warnings").innerText();
  assert.match(text, /shows \d+ of 60 frames/);
  await page.getByRole("button", { name: "Worst vertex" }).first().click();
  const { source, worst } = await page.evaluate(() => {
    const { header } = window.marrow.page;
    return { source: header.timeline.source[window.marrow.store.state.frame], worst: header.metrics.worst_frame };
  });
  assert.equal(source, worst);
  await closePage(page);
});

test("the page carries the licences of what it contains", () => {
  const html = readFileSync(pagePath("RigAlone"), "utf8");
  assert.match(html, /Copyright © 2010-\d+ three\.js authors/);
  assert.match(html, /Copyright \(c\) \d+ Leon Sorokin/);
});

test("damaged data is reported, not drawn", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const html = readFileSync(pagePath("RigAlone"), "utf8");
  await page.setContent(html.replace(/(id="marrow-data">)[^<]{4000}/, "$1"));
  await page.getByRole("alert").waitFor();
  await drawn(page);
  assert.equal(await page.evaluate(() => window.marrow), undefined);
  await context.close();
});
