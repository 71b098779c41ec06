// The status page.

import { age, clock, el, money, number, plural, seconds, HOUR } from '/parts.js';
import { bar, chart, told, unknown } from '/charts.js';

const EVERY = 5000;
const STUCK = new Set(['no-such-tier', 'fits-no-pool', 'at-maximum', 'backed-off', 'unreadable', 'asking', 'other-pods', 'blocked', 'below-cutoff', 'ahead-of-deadline', 'gang', 'unplanned']);
const OUTCOMES = {
  'on-node': 'a node has room', upcoming: 'machine provisioning', growing: 'machine requested', asking: 'waiting for the cloud', 'no-such-tier': 'no such tier',
  'fits-no-pool': 'fits no pool', 'at-maximum': 'pools at their maximum', 'backed-off': 'pools in back-off', unreadable: 'cloud does not answer',
  'other-pods': 'blocked by inter-pod constraints', blocked: 'blocked by another cause', 'below-cutoff': 'priority too low', gang: 'gang not complete', unplanned: 'not planned yet'
};
const $ = id => document.getElementById(id);
// --- The values that the page shows. A part of the page is drawn again only if its value has changed.

const drawn = new Map();
const changed = (key, value) => {
  const text = JSON.stringify(value);
  if (drawn.get(key) === text) return false;
  drawn.set(key, text);
  return true;
};
const text = (id, value) => { const target = $(id); if (target.textContent !== value) target.textContent = value; };

const cell = (className, label, ...content) => {
  const made = el('td', className, ...content);
  if (label) made.dataset.label = label;
  return made;
};
const count = (value, label) => value === null || value === undefined
  ? cell('num', label, '?')
  : cell(value ? 'num' : 'num zero', label, number.format(value));

const state = (pool, now) => {
  if (pool.problem) return el('span', 'state bad', el('span', 'mark', '✕'), `cannot be read: ${pool.problem}`);
  if (pool.backOff) {
    const left = seconds(pool.backOff.until) - now;
    const until = left > 0 ? `back-off, ${age(left)} left` : 'back-off has ended';
    return el('span', 'state warn', el('span', 'mark', '▲'), `${until}: ${pool.backOff.kind}: ${pool.backOff.reason}`);
  }
  if (pool.target > pool.ready && pool.upcoming) return el('span', 'state fine', 'growing');
  if (pool.target >= pool.max && pool.max > 0) return el('span', 'state fine', 'at its maximum');
  if (!pool.target && !pool.ready) return el('span', 'state fine', 'empty');
  return el('span', 'state fine', 'steady');
};

const open = new Map();
const rows = new Map();

const machines = (pool, host) => drawMachines(pool, host).catch(problem => host.replaceChildren(el('td', '', `The machines cannot be drawn: ${problem.message}`)));

const drawMachines = async (pool, host) => {
  const chosen = open.get(pool.name);
  const query = `pool=${encodeURIComponent(pool.name)}&state=${encodeURIComponent(chosen || '')}`;
  const states = Object.entries(pool.states);
  const list = el('ul', 'states', ...[['', Object.values(pool.states).reduce((a, b) => a + b, 0)], ...states].map(([word, amount]) => {
    const button = el('button', '', el('b', '', number.format(amount)), ` ${word || 'all'}`);
    button.type = 'button';
    button.setAttribute('aria-pressed', String(word === chosen));
    button.addEventListener('click', () => { open.set(pool.name, word); machines(pool, host); });
    return el('li', '', button);
  }));
  const facts = el('p', '', `At least ${pool.min}, at most ${pool.max} machines. `, pool.problem ? `The pool cannot be read: ${pool.problem}` : '', pool.backOff ? `${pool.backOff.kind}: ${pool.backOff.reason}. Next request at ${clock(pool.backOff.until)} UTC.` : '');
  let shown;
  try {
    const answer = await fetch(`/machines.json?${query}`);
    if (!answer.ok) throw new Error(await answer.text());
    const found = await answer.json();
    const body = el('tbody', '', ...found.machines.map(machine => el('tr', '',
      cell('', '', machine.node), cell('', '', machine.state), cell('num', 'old', age(machine.ageSeconds)),
      cell(machine.idleSeconds === undefined ? 'num absent' : 'num', 'idle', machine.idleSeconds === undefined ? '–' : age(machine.idleSeconds)),
      cell('', '', machine.reason))));
    const head = el('thead', '', el('tr', '', ...['Machine', 'State', 'Age', 'Idle', 'Reason'].map((word, i) => {
      const th = el('th', i === 2 || i === 3 ? 'num' : '', word);
      th.scope = 'col';
      return th;
    })));
    shown = found.total === 0
      ? el('p', '', 'No machine of this pool has a node.')
      : el('div', 'inner', el('table', '', head, body));
    if (found.total > found.machines.length) facts.append(` The first ${found.machines.length} of ${found.total} are shown; all of them: trainyard status.`);
  } catch (problem) {
    shown = el('p', '', `The machines cannot be shown: ${problem.message}`);
  }
  if (open.get(pool.name) !== chosen || !host.isConnected) return;
  const kept = document.activeElement && host.contains(document.activeElement) ? [...host.querySelectorAll('button, .inner')].indexOf(document.activeElement) : -1;
  const top = host.querySelector('.inner')?.scrollTop || 0;
  const inside = el('td', '', list, facts, shown);
  inside.colSpan = 8;
  if (shown.className === 'inner') { shown.tabIndex = 0; shown.setAttribute('role', 'region'); shown.setAttribute('aria-label', `Machines of ${pool.name}`); }
  host.replaceChildren(inside);
  shown.scrollTop = top;
  if (kept >= 0) host.querySelectorAll('button, .inner')[kept]?.focus();
};

const poolRow = (pool, status, now) => {
  let group = rows.get(pool.name);
  if (!group) {
    const button = el('button', '', el('span', '', pool.name));
    button.type = 'button';
    button.setAttribute('aria-expanded', 'false');
    const row = el('tr', 'row');
    const more = el('tr', 'more');
    more.hidden = true;
    group = { body: el('tbody', 'pool', row, more), row, more, button };
    button.addEventListener('click', () => {
      more.hidden = !more.hidden;
      button.setAttribute('aria-expanded', String(!more.hidden));
      if (more.hidden) open.delete(pool.name); else { open.set(pool.name, ''); machines(group.pool, more); }
    });
    rows.set(pool.name, group);
  }
  group.pool = pool;
  const left = pool.backOff && Math.max(0, Math.ceil((seconds(pool.backOff.until) - now) / 5));
  if (changed(`pool ${pool.name}`, [pool, left, Math.floor(now / 60)])) {
    const kept = document.activeElement === group.button;
    const bounds = `${pool.target === undefined ? '?' : number.format(pool.target)} of ${number.format(pool.max)}`;
    group.row.replaceChildren(
      cell('', '', el('div', 'name', group.button, el('span', `type ${pool.capacityType === 'spot' ? 'spot' : 'on-demand'}`, pool.capacityType))),
      cell('', '', bar(pool), el('div', 'bounds', bounds)),
      count(pool.ready, 'usable'), count(pool.upcoming, 'coming'), count(pool.idle, 'idle'),
      cell(pool.costPerHour === undefined ? 'num zero' : 'num', '/h', pool.costPerHour === undefined ? '–' : money.format(pool.costPerHour)),
      cell('', '', el('div', 'spark', chart(pool.history, now, 24, `${told(pool.history, 2, now, 'Usable machines')}; ${told(pool.history, 1, now, 'requested')}`, { value: 2, target: 1, coming: 3 }))),
      cell('', '', state(pool, now)));
    group.row.lastChild.title = group.row.lastChild.textContent;
    if (kept) group.button.focus();
  }
  if (open.has(pool.name) && changed(`machines ${pool.name}`, [status.asOf])) machines(pool, group.more);
  return group.body;
};

const drawPools = (status, now) => {
  const wanted = $('filter').value.trim().toLowerCase();
  const trouble = pool => pool.problem ? 0 : pool.backOff ? 1 : 2;
  const shown = status.pools.filter(pool => pool.name.toLowerCase().includes(wanted));
  const names = new Set(status.pools.map(pool => pool.name));
  for (const name of [...rows.keys()]) if (!names.has(name)) { rows.get(name).body.remove(); rows.delete(name); open.delete(name); drawn.delete(`pool ${name}`); }
  const bodies = [...shown].sort((a, b) => trouble(a) - trouble(b)).map(pool => poolRow(pool, status, now));
  const table = document.querySelector('table.pools');
  const current = [...table.tBodies];
  if (bodies.length !== current.length || bodies.some((body, i) => body !== current[i])) {
    const focus = document.activeElement;
    current.forEach(body => body.remove());
    table.append(...bodies);
    if (focus && focus.isConnected && focus !== document.activeElement) focus.focus();
  }
  table.hidden = !shown.length;
  $('legend').hidden = !shown.length;
  text('pools-count', status.pools.length ? (shown.length === status.pools.length ? String(shown.length) : `${shown.length} of ${status.pools.length}`) : '');
  const since = Math.min(now, ...status.totals.slice(0, 1).map(sample => sample[0]));
  const lost = unknown(status.totals, 2, now);
  text('span', status.totals.length ? `· history of the last ${age(Math.max(HOUR, Math.min(24 * HOUR, now - since)))}${lost && `, ${lost}`}` : '');
  $('pools-empty').hidden = shown.length > 0;
  text('pools-empty', !status.asOf ? 'No pools have been read yet.'
    : status.pools.length ? 'No pool name matches the filter.'
      : 'There is no valid TrainingPool. Pods that fit on no node stay pending until there is one.');
};

const drawTiles = (status, now) => {
  if (!changed('tiles', [status.cost, status.totals, status.pools.map(pool => [pool.target, pool.ready, pool.upcoming, !!pool.backOff, !!pool.problem]), status.waiting.byOutcome, Math.floor(now / 60), !status.asOf])) return;
  const known = !!status.asOf;
  const sum = member => status.pools.reduce((total, pool) => total + (pool[member] || 0), 0);
  const spark = (id, index, what) => $(id).replaceChildren(...(status.totals.length ? [chart(status.totals, now, 30, told(status.totals, index, now, what), { value: index })] : []));
  $('cost').replaceChildren(...(known ? [!status.pools.length || status.pools.some(pool => pool.costPerHour !== undefined) ? money.format(status.cost.perHour) : '?', ' ', el('small', '', 'an hour')] : ['–']));
  const left = [];
  if (status.cost.unknown.length) left.push(`${plural(status.cost.unknown.length, 'pool')} not known`);
  if (status.cost.withoutPrice.length) left.push(`${plural(status.cost.machinesWithoutPrice, 'machine')} of ${plural(status.cost.withoutPrice.length, 'pool')} that ${status.cost.withoutPrice.length === 1 ? 'has' : 'have'} no price`);
  $('cost-note').title = [...status.cost.unknown, ...status.cost.withoutPrice].join(', ');
  text('cost-note', !known ? '' : left.length ? `without ${left.join(', ')}` : 'in the currency of the pools’ prices');
  spark('cost-spark', 3, 'Cost per hour');
  $('machines').replaceChildren(...(known ? [number.format(sum('ready')), ...(status.pools.some(pool => pool.target === undefined) ? [] : [' ', el('small', '', `of ${number.format(sum('target'))} requested`)])] : ['–']));
  text('machines-note', known ? `${plural(sum('upcoming'), 'machine')} provisioning, ${number.format(sum('idle'))} idle` : '');
  spark('machines-spark', 2, 'Usable machines');
  text('pods', known ? number.format(status.waiting.total) : '–');
  const stuck = status.waiting.byOutcome.filter(group => STUCK.has(group.outcome)).reduce((total, group) => total + group.pods, 0);
  const oldest = Math.max(0, ...status.waiting.byOutcome.map(group => group.oldestSeconds));
  text('pods-note', !known ? '' : !status.waiting.total ? 'none' : `${stuck ? `${number.format(stuck)} without a node or machine` : 'all have a node or machine'}, the oldest for ${age(oldest)}`);
  spark('pods-spark', 1, 'Pending pods');
  const backing = status.pools.filter(pool => pool.backOff).length;
  const silent = status.pools.filter(pool => pool.problem).length;
  $('trouble').replaceChildren(...(known ? [number.format(new Set(status.pools.filter(pool => pool.backOff || pool.problem)).size), ' ', el('small', '', `of ${number.format(status.pools.length)}`)] : ['–']));
  text('trouble-note', !known ? '' : [silent ? `${plural(silent, 'pool')} cannot be read` : '', backing ? `${plural(backing, 'pool')} in back-off` : ''].filter(Boolean).join(', ') || 'every cloud answers and delivers');
};

const drawWaiting = status => {
  if (!changed('waiting', [status.waiting, !status.asOf])) return;
  const waiting = status.waiting;
  text('waiting-count', waiting.total ? number.format(waiting.total) + (waiting.total > waiting.pods.length ? `, the ${waiting.pods.length} oldest are shown` : '') : '');
  $('outcomes').hidden = !waiting.total;
  $('outcomes').replaceChildren(...waiting.byOutcome.map(group => el('li', STUCK.has(group.outcome) ? 'stuck' : '',
    el('b', '', number.format(group.pods)), (STUCK.has(group.outcome) ? '▲ ' : '') + (OUTCOMES[group.outcome] || group.outcome))));
  $('waiting-table').hidden = !waiting.total;
  $('waiting-rows').replaceChildren(...waiting.pods.map(pod => {
    const row = el('tr', '', cell('', '', pod.pod), cell('num', '', age(pod.waitingSeconds)),
      cell('', '', el('span', STUCK.has(pod.outcome) ? 'stuck' : '', (STUCK.has(pod.outcome) ? '▲ ' : '') + (OUTCOMES[pod.outcome] || pod.outcome))),
      cell('', '', pod.reason));
    row.title = `uid ${pod.uid}`;
    return row;
  }));
  $('waiting-empty').hidden = waiting.total > 0;
  text('waiting-empty', status.asOf ? 'No pod is pending.' : 'No pods have been read yet.');
};

const sentence = decision => {
  const about = `${decision.kind.replace('Training', '').toLowerCase()} ${decision.name}`;
  return decision.message.startsWith(about) ? decision.message : `${about}: ${decision.message}`;
};

const drawDecisions = status => {
  if (!changed('decisions', [status.decisions, status.scaler.role])) return;
  text('decisions-count', status.decisions.length ? `the latest ${status.decisions.length}, UTC` : '');
  $('decisions-rows').replaceChildren(...status.decisions.map(decision => {
    const time = el('time', '', clock(decision.at));
    time.dateTime = decision.at;
    time.title = decision.at;
    return el('li', decision.warning ? 'warn' : '', time,
      el('span', 'what', (decision.warning ? '▲ ' : '') + decision.reason),
      el('span', 'words', sentence(decision),
        ...(decision.times > 1 ? [el('span', 'again', ` · ${decision.times} times, last at ${clock(decision.lastAt)}`)] : [])));
  }));
  $('decisions-empty').hidden = status.decisions.length > 0;
  text('decisions-empty', status.scaler.role === 'stands-by'
    ? 'This scaler stands by and makes no decisions.'
    : `No decisions since this scaler started at ${clock(status.scaler.startedAt)} UTC.`);
};

const notice = (kind, strong, words) => el('p', `notice ${kind}`, el('strong', '', strong), ' ', words);

const notDrawn = broken => ['bad', 'This page cannot show all data of the scaler.', `The page tries again; until then, use trainyard status. Cause: ${broken.join('; ')}`];

const drawNotices = (status, now, failure, broken) => {
  const found = [];
  const say = (kind, strong, words) => found.push([kind, strong, words]);
  if (broken.length) say(...notDrawn(broken));
  if (failure) say('bad', 'The scaler does not answer.', `${failure} The data below is from the last answer.`);
  if (status) {
    const scaler = status.scaler;
    if (scaler.role === 'stands-by') {
      say('warn', 'This scaler stands by.', scaler.leader
        ? `${scaler.leader} leads and has the data: forward a port of that pod instead.`
        : 'The leader is unknown. This scaler leads as soon as it holds the Lease.');
    } else if (scaler.role === 'only-looks') {
      say('warn', 'Dry run.', 'The scaler shows its decisions, but changes nothing.');
    }
    if (scaler.failedRounds) say('bad', `${plural(scaler.failedRounds, 'round')} failed${scaler.failedRounds > 1 ? ' in a row' : ''}.`, `${scaler.problem || ''} The data below is older.`);
    else if (scaler.problem && scaler.role !== 'stands-by') say('warn', 'No rounds:', scaler.problem);
    else if (!status.asOf && scaler.role !== 'stands-by') say('warn', 'The first round has not ended yet.', 'This page updates automatically.');
    if (scaler.notShown) say('bad', 'The results of rounds cannot be shown.', `${scaler.notShown}. Rounds continue. The data below may be older; see the log of the scaler.`);
    const silent = status.pools.filter(pool => pool.problem);
    if (silent.length) say('bad', silent.length === status.pools.length ? 'No cloud answers.' : `${plural(silent.length, 'pool')} cannot be read.`, 'Their state is unknown, so the scaler makes no decisions about them.');
    if (status.problems.length) say('warn', 'Ignored:', status.problems);
  }
  if (!changed('notices', found)) return;
  $('notices').replaceChildren(...found.map(([kind, strong, words]) => Array.isArray(words)
    ? el('div', `notice ${kind}`, el('strong', '', strong), el('ul', 'problems', ...words.map(word => el('li', '', word))))
    : notice(kind, strong, words)));
};

// --- Requests to the scaler.

let last = null;
let lastAt = 0;
let failure = '';
let paused = false;
let timer = 0;
const ROLES = { leads: 'leads', 'stands-by': 'stands by', 'only-looks': 'dry run' };

/** Draws one part of the page. After an error, the other parts are drawn nevertheless, and the next answer draws this part again. Returns the error; empty if there is none. */
const attempt = (what, how) => {
  try {
    how();
    return '';
  } catch (problem) {
    for (const key of [...drawn.keys()]) if (key.startsWith(what)) drawn.delete(key);
    console.error(problem);
    return `${what}: ${problem.message}`;
  }
};
const drawWho = () => {
  $('role').className = `role ${last.scaler.role}`;
  text('role', ROLES[last.scaler.role] || last.scaler.role);
  text('identity', `Data of ${last.scaler.identity}, recorded since ${last.scaler.startedAt.slice(0, 16).replace('T', ' ')} UTC.`);
};
const draw = () => {
  const now = last ? seconds(last.served) : 0;
  const broken = !last ? [] : [
    attempt('scaler', drawWho), attempt('tiles', () => drawTiles(last, now)), attempt('pool', () => drawPools(last, now)),
    attempt('waiting', () => drawWaiting(last)), attempt('decisions', () => drawDecisions(last)), attempt('time', tick)
  ].filter(Boolean);
  if (!last) text('as-of', 'no answer yet');
  const silent = attempt('notices', () => drawNotices(last, now, failure, broken));
  if (silent) $('notices').replaceChildren(notice(...notDrawn([...broken, silent])));
};
const tick = () => {
  if (!last) return;
  const since = seconds(last.served) - seconds(last.asOf || last.served) + (performance.now() - lastAt) / 1000;
  text('as-of', last.asOf ? `as of ${clock(last.asOf)} UTC, ${age(since)} ago` : 'no data yet');
};

const look = async () => {
  clearTimeout(timer);
  try {
    const answer = await fetch('/status.json', { signal: AbortSignal.timeout(10000) });
    if (!answer.ok) throw new Error((await answer.text()).trim());
    last = await answer.json();
    lastAt = performance.now();
    failure = '';
  } catch (problem) {
    failure = problem.name === 'TimeoutError' ? 'The answer took longer than 10 s.' : problem instanceof TypeError ? 'The connection failed; is the port still forwarded?' : problem.message;
  }
  draw();
  document.documentElement.dataset.drawn = last ? 'true' : 'false';
  if (!performance.getEntriesByName('trainyard-drawn').length && last) performance.mark('trainyard-drawn');
  clearTimeout(timer); // set by another call of look() in the meantime
  if (!paused) timer = setTimeout(look, EVERY);
};

$('filter').addEventListener('input', () => last && draw());
$('pause').addEventListener('click', () => {
  paused = !paused;
  $('pause').setAttribute('aria-pressed', String(paused));
  text('pause', paused ? 'Resume' : 'Pause');
  if (paused) clearTimeout(timer); else look();
});
document.addEventListener('visibilitychange', () => { if (!document.hidden && !paused) look(); else clearTimeout(timer); });
setInterval(tick, 1000);
look();
