// Draws columns of a CSV as lines over each other, one per value of a third column:
//   node bench/plots/plot.mjs IN.csv OUT.svg X Y SERIES [--title TEXT] [--log xy] [--where COLUMN=VALUE]...
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const colours = ['#1b6ca8', '#d1495b', '#2e933c', '#8d6a9f', '#edae49', '#4f4f4f'];
const width = 640, height = 400, left = 70, right = 170, top = 44, bottom = 56;

function parse(arguments_) {
  const options = { log: '', title: '', where: [] }, names = [];
  for (let k = 0; k < arguments_.length; ++k) {
    const option = arguments_[k].startsWith('--') ? arguments_[k].slice(2) : '';
    if (option === 'where') options.where.push(arguments_[++k].split('='));
    else if (option in options) options[option] = arguments_[++k];
    else if (option) throw new Error(`no such option: --${option}`);
    else names.push(arguments_[k]);
  }
  if (names.length !== 5) throw new Error('give IN.csv OUT.svg X Y SERIES');
  return { ...options, input: names[0], output: names[1], x: names[2], y: names[3], series: names[4] };
}

function readRows(file) {
  const [head, ...lines] = readFileSync(file, 'utf8').trim().split('\n').map((line) => line.split(','));
  return lines.map((cells) => Object.fromEntries(head.map((name, k) => [name, cells[k]])));
}

/// Where values are drawn, and round numbers to write beside the axis.
function makeAxis(values, logarithmic, from, to) {
  let low = Math.min(...values), high = Math.max(...values);
  const ticks = [];
  if (logarithmic) {
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
      for (const digit of [1, 2, 5]) ticks.push(digit * 10 ** power);
    }
    low = Math.max(...ticks.filter((t) => t <= low * 1.0001));
    high = Math.min(...ticks.filter((t) => t >= high * 0.9999));
  } else {
    const rough = (high - Math.min(low, 0)) / 6, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((digit) => digit * power >= rough);
    low = Math.floor(low / step) * step;
    high = Math.ceil(high / step - 1e-9) * step;
    for (let t = low; t <= high * 1.0001; t += step) ticks.push(t);
  }
  const unit = logarithmic ? Math.log : (v) => v;
  const place = (v) => from + ((to - from) * (unit(v) - unit(low))) / (unit(high) - unit(low));
  return { place, ticks: ticks.filter((t) => t >= low * 0.9999 && t <= high * 1.0001) };
}

const short = (t) => String(Number(t.toPrecision(6)));
const label = (t) => (t >= 1e6 ? `${short(t / 1e6)} M` : t >= 1e4 ? `${short(t / 1e3)} k` : short(t));
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function draw(rows, plot) {
  const kept = rows
    .filter((row) => plot.where.every(([column, value]) => row[column] === value))
    .map((row) => ({ series: row[plot.series], x: Number(row[plot.x]), y: Number(row[plot.y]) }))
    .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y) && !(plot.log.includes('y') && y <= 0));
  if (kept.length === 0) throw new Error('no rows to draw');
  const x = makeAxis(kept.map((p) => p.x), plot.log.includes('x'), left, width - right);
  const y = makeAxis(kept.map((p) => p.y), plot.log.includes('y'), height - bottom, top);
  const parts = [];
  for (const t of x.ticks) {
    const at = x.place(t).toFixed(1);
    parts.push(`<path d="M${at} ${top}V${height - bottom}" stroke="#ddd"/>`,
      `<text x="${at}" y="${height - bottom + 18}" text-anchor="middle">${label(t)}</text>`);
  }
  for (const t of y.ticks) {
    const at = y.place(t).toFixed(1);
    parts.push(`<path d="M${left} ${at}H${width - right}" stroke="#ddd"/>`,
      `<text x="${left - 8}" y="${Number(at) + 4}" text-anchor="end">${label(t)}</text>`);
  }
  [...new Set(kept.map((p) => p.series))].forEach((name, k) => {
    const colour = colours[k % colours.length];
    const points = kept.filter((p) => p.series === name).sort((a, b) => a.x - b.x);
    const places = points.map((p) => `${x.place(p.x).toFixed(1)},${y.place(p.y).toFixed(1)}`);
    parts.push(`<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      // Dots say where it was measured, as long as they can be told apart.
      ...(places.length > 60 ? [] : places).map((place) => place.split(',')).map(([a, b]) => `<circle cx="${a}" cy="${b}" r="3" fill="${colour}"/>`),
      `<circle cx="${width - right + 18}" cy="${top + 12 + 20 * k}" r="5" fill="${colour}"/>`,
      `<text x="${width - right + 30}" y="${top + 16 + 20 * k}">${escape(name)}</text>`);
  });
  const middle = (left + width - right) / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<rect width="${width}" height="${height}" fill="white"/>
<text x="${middle}" y="24" text-anchor="middle" font-size="14">${escape(plot.title)}</text>
${parts.join('\n')}
<text x="${middle}" y="${height - 14}" text-anchor="middle">${escape(plot.x.replaceAll('_', ' '))}</text>
<text transform="translate(16 ${(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">${escape(plot.y.replaceAll('_', ' '))}</text>
</svg>
`;
}

try {
  const plot = parse(process.argv.slice(2));
  writeFileSync(`${plot.output}.part`, draw(readRows(plot.input), plot));
  renameSync(`${plot.output}.part`, plot.output);
} catch (error) {
  console.error(`plot: ${error.message}`);
  process.exit(2);
}
