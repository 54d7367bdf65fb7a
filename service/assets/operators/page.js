// Shows and changes a service by the administration API. Texts only ever become text nodes: prompts, names and errors come from clients.
'use strict';

const LIMIT = 50;
const TIMES = ['at', 'created', 'updated', 'last_used', 'expires', 'oldest_waiting', 'oldest_running'];

// The views. `GET v1/<view>` returns the rows of each.
const VIEWS = {
  queues: {
    columns: ['family', 'waiting', 'oldest_waiting', 'running', 'oldest_running', 'paused'],
    button: ({ family, paused }) => {
      const action = paused ? 'resume' : 'pause';
      return button(action, () => change(`v1/queues/${encodeURIComponent(family)}/${action}`));
    },
  },
  tasks: {
    isPaged: true,
    filters: { status: ['', 'CREATED', 'IN_PROGRESS', 'COMPLETED', 'FAILED'], family: null, error: null, key: null, engine: null },
    batches: ['cancel', 'retry', 'delete'],
    columns: ['id', 'family', 'status', 'state', 'error', 'attempts', 'engine', 'key', 'created', 'updated'],
    button: ({ id }) => button('details', async () => detail(element('pre', {}, JSON.stringify(await call('GET', `v1/tasks/${id}`), null, 2)))),
  },
  keys: { columns: ['id', 'name', 'role', 'tier', 'state', 'last_used', 'created', 'expires'] },
  tiers: { columns: ['name', 'burst', 'per_second', 'concurrent_requests', 'open_tasks', 'daily_tasks', 'daily_upload_mib', 'result_mib', 'stored_mib'] },
  engines: {
    columns: ['name', 'kind', 'families', 'concurrency', 'breaker', 'failures', 'open_seconds'],
    button: ({ name }) => button('check', async () => {
      const { data } = await call('POST', `v1/engines/${encodeURIComponent(name)}/check`);
      detail(table(['engine', 'family', 'outcome', 'seconds', 'detail'], data));
    }),
  },
  storage: { columns: ['files', 'free_bytes', 'stored_bytes', 'retained_bytes', 'created', 'in_progress', 'completed', 'failed', 'pending_events'] },
  audit: { isPaged: true, columns: ['at', 'who', 'action', 'target', 'result'] },
};

const part = (id) => document.getElementById(id);
let view;
let page;
// The number of the last request for rows; responses to earlier ones are dropped.
let last = 0;

/** Creates an element with properties and children; strings become text nodes. */
function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Creates a button whose failure is shown. */
function button(text, act) {
  const run = async () => {
    say(`${text} …`);
    try {
      say(await act() ?? '');
    } catch (error) {
      say(error.message);
    }
  };
  return element('button', { type: 'button', onclick: run }, text);
}

function say(text) {
  part('message').textContent = text;
}

function detail(shown) {
  part('details').replaceChildren(shown);
  shown.scrollIntoView();
}

/** Calls an operation; returns its response, or throws the reason why it failed. */
async function call(method, path, body) {
  const headers = { 'x-service-api-key': part('key').value.trim(), ...(body && { 'content-type': 'application/json' }) };
  const request = { method, headers, body: body && JSON.stringify(body), cache: 'no-store', credentials: 'omit', redirect: 'error' };
  const response = await fetch(path, request);
  const value = await response.json().catch(() => undefined);
  if (!response.ok) throw new Error(`${response.status}: ${value?.detail ?? value?.title ?? value?.message ?? response.statusText}`);
  return value;
}

/** Changes something, and shows what follows. */
async function change(path, body) {
  const outcomes = (await call('POST', path, body))?.data ?? [];
  // The rows may fail to load, but the change is made.
  await load().catch(() => {});
  const refused = outcomes.filter(({ done }) => !done).map(({ reason }) => reason);
  return [`done${outcomes.length ? `: ${outcomes.length - refused.length} of ${outcomes.length}` : ''}`, ...refused].join('; ');
}

/** Changes the tasks whose boxes are checked. */
async function changeChecked(action) {
  const ids = [...part('rows').querySelectorAll('input:checked')].map(({ value }) => value);
  if (ids.length === 0) return 'no task is checked';
  if (action === 'delete' && !confirm(`Delete ${ids.length} tasks with their files?`)) return '';
  return change(`v1/tasks/${action}`, { ids });
}

/** Describes a value of a column. */
function cell(column, value) {
  if (value === undefined) return '';
  // Of tasks in the storage, `created` is a number.
  if (TIMES.includes(column) && typeof value === 'string') {
    const seconds = Math.round((Date.now() - Date.parse(value)) / 1000);
    const [unit, size] = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]].find(([, size]) => Math.abs(seconds) >= size) ?? ['s', 1];
    const age = `${Math.abs(Math.trunc(seconds / size))} ${unit}`;
    return element('time', { title: value, dateTime: value }, seconds < 0 ? `in ${age}` : `${age} ago`);
  }
  if (column === 'error') return `${value.code}: ${value.message}`;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function table(columns, rows, before) {
  const head = element('tr', {}, ...columns.map((column) => element('th', {}, column.replaceAll('_', ' '))));
  const lines = rows.map((row) => {
    const cells = columns.map((column) => element('td', {}, cell(column, row[column])));
    if (before) cells.push(element('td', {}, ...before(row)));
    return element('tr', {}, ...cells);
  });
  return element('table', {}, element('thead', {}, head), element('tbody', {}, ...lines));
}

/** Shows the rows of the view. */
async function load() {
  const number = ++last;
  const { columns, isPaged, batches, button: buttonOf } = VIEWS[view];
  const inputs = [...part('filters').querySelectorAll('[name]')].filter(({ value }) => value);
  const query = new URLSearchParams(inputs.map(({ name, value }) => [name, value.trim()]));
  if (isPaged) query.set('page', page), query.set('limit', LIMIT);
  const body = await call('GET', `v1/${view}?${query}`);
  if (number !== last) return;
  const rows = body.data ?? [body];
  const box = ({ id }) => element('input', { type: 'checkbox', value: id, ariaLabel: `Task ${id}` });
  const controls = (row) => [...(batches ? [box(row)] : []), ...(buttonOf ? [buttonOf(row)] : [])];
  const turn = (text, by) => button(text, () => { page += by; return load(); });
  const pages = [...(page > 1 ? [turn('newer', -1)] : []), ...(isPaged && rows.length === LIMIT ? [turn('older', 1)] : [])];
  part('rows').replaceChildren(table(columns, rows, (batches || buttonOf) && controls), ...pages);
}

/** Shows the first page of the view in the address. */
function open() {
  const name = location.hash.slice(1);
  view = Object.hasOwn(VIEWS, name) ? name : 'queues';
  part('title').textContent = view;
  const { filters = {}, batches = [] } = VIEWS[view];
  const field = ([filter, options]) => element('label', {}, `${filter} `, options
    ? element('select', { name: filter, onchange: refresh }, ...options.map((option) => element('option', {}, option)))
    : element('input', { name: filter, onchange: refresh }));
  part('filters').replaceChildren(...Object.entries(filters).map(field), ...batches.map((action) => button(action, () => changeChecked(action))));
  part('rows').replaceChildren();
  refresh();
}

function refresh() {
  page = 1;
  part('details').replaceChildren();
  say('');
  if (part('key').value) load().catch((error) => say(error.message));
}

part('views').append(...Object.keys(VIEWS).map((name) => element('a', { href: `#${name}` }, name)));
part('refresh').onclick = refresh;
part('key').onchange = refresh;
addEventListener('hashchange', open);
// Browsers may keep the page for the way back.
addEventListener('pagehide', () => {
  part('key').value = '';
  part('rows').replaceChildren();
  part('details').replaceChildren();
});
open();
