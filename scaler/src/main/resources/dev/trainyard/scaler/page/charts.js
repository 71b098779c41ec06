// Charts. A value applies from its sample to the next sample, so a chart consists of steps. An unknown value is a gap in the chart, with a coloured background.

import { el, number, age, svg, HOUR } from '/parts.js';

const isKnown = value => value !== null && value !== undefined;

/** Values as [[from, to, value], ...]. */
const pieces = (samples, index, from, now) => samples
  .map((sample, i) => [Math.max(from, sample[0]), i + 1 < samples.length ? samples[i + 1][0] : now, sample[index]])
  .filter(([begin, end]) => end > from && end >= begin);

/** The known values, in the same form as pieces. */
const runs = (samples, index, from, now) => pieces(samples, index, from, now).filter(piece => isKnown(piece[2]));

/** The times in which the value is unknown, as [[from, to], ...]. The time before the first sample counts as unknown. */
const gaps = (samples, index, from, now) => {
  const found = [];
  for (const [begin, end, value] of pieces([[from], ...samples], index, from, now)) {
    if (isKnown(value) || end === begin) continue;
    const before = found[found.length - 1];
    if (before && before[1] === begin) before[1] = end; else found.push([begin, end]);
  }
  return found;
};

/** How long the value was unknown in the last day, in words; empty if it was always known. The time before the first sample is left out. */
export const unknown = (samples, index, now) => {
  const lost = pieces(samples, index, now - 24 * HOUR, now).filter(piece => !isKnown(piece[2]))
    .reduce((sum, [begin, end]) => sum + end - begin, 0);
  return lost ? `not known for ${age(lost)} of it` : '';
};

const steps = (runs, x, y, floor) => {
  let path = '';
  let last = null;
  for (const [begin, end, value] of runs) {
    const joined = last !== null && last === begin;
    if (!joined && floor !== null && path) path += `V${floor}`;
    path += joined ? `V${y(value)}` : floor === null ? `M${x(begin)} ${y(value)}` : `M${x(begin)} ${floor}V${y(value)}`;
    path += `H${x(end)}`;
    last = end;
  }
  return path && floor !== null ? `${path}V${floor}Z` : path;
};

const WIDTH = 240;
/** Draws a chart. If it shows a target, its gaps are those of the target: the nodes of a pool that cannot be read are known, but the target is not. */
export const chart = (samples, now, height, label, { value, target, coming }) => {
  const from = Math.min(now - HOUR, Math.max(now - 24 * HOUR, samples.length ? samples[0][0] : now));
  const values = runs(samples, value, from, now);
  const targets = target === undefined ? [] : runs(samples, target, from, now);
  const stacked = coming === undefined ? [] : samples
    .map(sample => [sample[0], !isKnown(sample[coming]) ? null : sample[value] + sample[coming]]);
  const above = coming === undefined ? [] : runs(stacked, 1, from, now);
  const top = Math.max(1, ...[...values, ...targets, ...above].map(run => run[2]));
  const x = time => +((time - from) / (now - from) * WIDTH).toFixed(1);
  const y = amount => +(height - 1 - amount / top * (height - 3)).toFixed(1);
  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label });
  picture.append(svg('title', {}, label), ...gaps(samples, target === undefined ? value : target, from, now)
    .map(([begin, end]) => svg('rect', { x: x(begin), y: 0, width: Math.max(2, x(end) - x(begin)), height, class: 's-unknown' })));
  picture.append(svg('line', { x1: 0, x2: WIDTH, y1: height - 1, y2: height - 1, class: 's-base' }));
  const add = (runs, className, floor) => {
    const d = steps(runs, x, y, floor);
    if (d) picture.append(svg('path', { d, class: className }));
  };
  add(above, 's-coming', height - 1);
  add(values, 's-area', height - 1);
  add(targets, 's-target', null);
  add(values, 's-line', null);
  return picture;
};

/** Describes a chart in words, for users who cannot see the chart. */
export const told = (samples, index, now, what) => {
  const values = samples.map(sample => sample[index]).filter(isKnown);
  if (!values.length) return `${what}: not known`;
  const last = samples[samples.length - 1][index];
  return `${what} since ${new Date(samples[0][0] * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC: ${number.format(Math.min(...values))} to ${number.format(Math.max(...values))}, ${[isKnown(last) ? `now ${number.format(last)}` : 'now not known', unknown(samples, index, now)].filter(Boolean).join(', ')}`;
};

export const bar = pool => {
  const most = Math.max(1, pool.max, pool.ready + (pool.upcoming || 0), pool.target || 0);
  const share = amount => +(amount / most * 100).toFixed(2);
  const label = `${pool.ready} usable${pool.upcoming ? `, ${pool.upcoming} provisioning` : ''}, ${pool.target === undefined ? 'target not known' : pool.target + ' requested'}, at most ${pool.max}`;
  const picture = svg('svg', { viewBox: '0 0 100 8', preserveAspectRatio: 'none', role: 'img', 'aria-label': label });
  const rect = (x, width, fill) => width > 0 && picture.append(svg('rect', { x, y: 0, width, height: 8, class: fill }));
  rect(share(pool.ready), share(pool.upcoming || 0), 'b-coming');
  rect(0, share(pool.ready), 'b-ready');
  return el('div', 'bar', picture);
};
