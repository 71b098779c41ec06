// Charts: values that hold from one sample to the next are drawn as steps; what is not known is a gap, on a ground of its own.

import { el, number, age, svg, HOUR } from '/parts.js';

const isKnown = value => value !== null && value !== undefined;

/** Values as [[from, to, value], ...]. */
const pieces = (samples, index, from, now) => samples
  .map((sample, i) => [Math.max(from, sample[0]), i + 1 < samples.length ? samples[i + 1][0] : now, sample[index]])
  .filter(([begin, end]) => end > from && end >= begin);

/** Those that are known. */
const runs = (samples, index, from, now) => pieces(samples, index, from, now).filter(piece => isKnown(piece[2]));

/** Times in which they are not, as [[from, to], ...]; what was before the first sample included. */
const gaps = (samples, index, from, now) => {
  const found = [];
  for (const [begin, end, value] of pieces([[from], ...samples], index, from, now)) {
    if (isKnown(value) || end === begin) continue;
    const before = found[found.length - 1];
    if (before && before[1] === begin) before[1] = end; else found.push([begin, end]);
  }
  return found;
};

/** For how long within the last day a value was not known that is remembered otherwise, in words; empty when it always was. */
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
/** What is not known of a pool that cannot be read is its target: its nodes are known all the same. */
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

/** In words, for those who do not see the chart. */
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
