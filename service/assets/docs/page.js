// Renders /openapi.json without libraries or outside resources. Text only ever becomes text nodes, so no markup can be injected.
'use strict';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
// The header that carries the API key.
const KEY = 'x-service-api-key';
let spec;
// What this instance can do: the operations that create tasks, by id.
let capabilities = {};
// The URL of a catalogue picture, once known.
let picture;

/** Creates an element with attributes and children; strings become text nodes. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

/** Follows $ref links; returns the target and its name. */
function resolve(node) {
  let name;
  for (let steps = 0; node && node.$ref && steps < 20; steps += 1) {
    name = node.$ref.split('/').pop();
    node = node.$ref.slice(2).split('/').reduce((at, key) => at?.[key.replace(/~1/g, '/').replace(/~0/g, '~')], spec);
  }
  return { node: node ?? {}, name };
}

/** Returns a schema with its allOf parts merged. */
function flat(schema, depth = 0) {
  const { node, name } = resolve(schema);
  if (!node.allOf || depth > 8) return { ...node, name: node.name ?? name };
  const whole = { ...node, properties: { ...node.properties }, required: [...(node.required ?? [])] };
  for (const part of node.allOf.map((part) => flat(part, depth + 1))) {
    for (const [key, value] of Object.entries(part)) {
      if (key === 'properties') whole.properties = { ...value, ...whole.properties };
      else if (key === 'required') whole.required.push(...value);
      else whole[key] ??= value;
    }
  }
  return { ...whole, name: name ?? whole.name };
}

/** Returns the variants of a union. Variants that only list `required` are constraints, not types. */
function variantsOf(whole) {
  const variants = whole.oneOf ?? whole.anyOf;
  return variants?.every((variant) => variant.$ref || variant.type || variant.allOf) ? variants : undefined;
}

/** Describes the type of a schema. */
function typeOf(schema, depth = 0) {
  const whole = flat(schema);
  if (whole.type === 'array') return `array of ${typeOf(whole.items ?? {}, depth + 1)}`;
  const variants = variantsOf(whole);
  if (variants && depth < 4) return variants.map((variant) => typeOf(variant, depth + 1)).join(' or ');
  if (typeof whole.additionalProperties === 'object' && !whole.properties) return `map of ${typeOf(whole.additionalProperties, depth + 1)}`;
  const format = whole.format ? ` (${whole.format})` : '';
  return `${whole.type ?? (whole.properties ? 'object' : 'any')}${format}${whole.nullable ? ' or null' : ''}`;
}

/** Describes the constraints of a schema. */
function rules(schema) {
  const whole = flat(schema);
  const inner = whole.type === 'array' ? flat(whole.items ?? {}) : whole;
  const parts = [];
  const addPart = (text, value) => value !== undefined && parts.push(text.replace('%', JSON.stringify(value)));
  if (inner.enum) parts.push(`one of ${inner.enum.map((value) => JSON.stringify(value)).join(', ')}`);
  addPart(whole.exclusiveMinimum === true ? 'greater than %' : 'at least %', whole.minimum);
  addPart('at most %', whole.maximum);
  const counted = (text, count) => addPart(count === 1 ? text : `${text}s`, count);
  counted('at least % character', whole.minLength);
  counted('at most % character', whole.maxLength);
  counted('at least % item', whole.minItems);
  counted('at most % item', whole.maxItems);
  addPart('matches %', whole.pattern);
  addPart('default %', whole.default);
  return parts.join('; ');
}

/** Describes the constraints over several fields. */
function crossRules(schema) {
  const said = (flat(schema)['x-rules'] ?? []).map((rule) => {
    const pairs = (all) => Object.entries(all).map(([name, value]) => `\`${name}\` is ${JSON.stringify(value)}`).join(' and ');
    const names = (all) => all.map((name) => `\`${name}\``).join(', ');
    if (rule.when) return `If ${pairs(rule.when)}, then ${pairs(rule.require)}.`;
    if (rule.not_together) return `Mutually exclusive: ${names(rule.not_together)}.`;
    if (rule.exactly_one) return `Exactly one is required: ${names(rule.exactly_one)}.`;
    if (rule.at_least_one) return `At least one is required${rule.above === undefined ? '' : ` with a value above ${rule.above}`}: ${names(rule.at_least_one)}.`;
    return `${names(rule.total_items)} together: ${rule.minimum ?? 0} to ${rule.maximum ?? 'any number of'} items.`;
  });
  return said.map((text) => element('p', { class: 'rule' }, ...words(text)));
}

/** Splits text into text and code: parts in backticks become code elements. */
function words(text) {
  return (text ?? '').split('`').map((part, index) => (index % 2 ? element('code', {}, part) : part));
}

function describe(text) {
  return (text ?? '').split(/\n\s*\n/).filter(Boolean).map((part) => element('p', {}, ...words(part)));
}

/** Returns the schema of an array's items, or else the schema itself. */
function innermost(schema) {
  const whole = flat(schema);
  return whole.type === 'array' ? whole.items ?? {} : whole;
}

/** Creates table rows for the fields of an object, with nested fields below their parents. */
function fieldRows(schema, prefix = '', depth = 0, write = (path) => path) {
  const whole = flat(schema);
  const object = flat(innermost(whole));
  const inside = whole.type === 'array' ? `${prefix}[]` : prefix;
  return Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
    const path = inside ? `${inside}.${name}` : name;
    const required = (object.required ?? []).includes(name) ? ' · required' : '';
    const row = element('tr', {},
      element('td', {}, write(path)),
      element('td', {}, typeOf(field) + required, element('div', { class: 'rule' }, rules(field))),
      element('td', {}, ...words(flat(field).description), ...crossRules(innermost(field))));
    return [row, ...(depth < 3 ? fieldRows(field, path, depth + 1, write) : [])];
  });
}

function table(heads, rows) {
  return element('table', {}, element('thead', {}, element('tr', {}, heads.map((head) => element('th', {}, head)))),
    element('tbody', {}, rows));
}

function content(owner) {
  return Object.entries(owner.content ?? {}).flatMap(([mediaType, media]) => {
    const rows = fieldRows(media.schema ?? {});
    const examples = media.example !== undefined ? [media.example]
      : Object.values(media.examples ?? {}).map((example) => resolve(example).node.value);
    return [
      element('p', {}, element('code', {}, mediaType), ` ${typeOf(media.schema ?? {})}`),
      ...crossRules(media.schema ?? {}),
      rows.length ? table(['Field', 'Type', 'Meaning'], rows) : null,
      ...examples.map((example) => element('details', {}, element('summary', {}, 'Example'),
        element('pre', { tabindex: '0' }, JSON.stringify(example, null, 2)))),
    ];
  });
}

/** Returns the name-value pairs of a query parameter. Users separate list items by commas and write filters as `filters[color]=blue&…`. */
function queryValues(parameter, text) {
  if (parameter.style === 'deepObject') return [...new URLSearchParams(text)];
  const texts = flat(parameter.schema ?? {}).type === 'array' ? text.split(',').map((one) => one.trim()) : [text];
  return texts.map((one) => [parameter.name, one]);
}

/** Returns the placeholder of a parameter's input field. */
function hint(parameter) {
  if (parameter.style === 'deepObject') return `${parameter.name}[…]=…&${parameter.name}[…]=…`;
  const { example } = parameter;
  if (example === undefined) return rules(parameter.schema ?? {});
  return Array.isArray(example) ? example.join(', ') : String(example);
}

/** Returns the call as a curl command, without the API key. */
function curl(method, url, headers, body) {
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const all = { ...headers, [KEY]: '…' };
  return [`curl -g -X ${method.toUpperCase()} ${quote(location.origin + url)}`,
    ...Object.entries(all).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`])].join(' \\\n  ');
}

/** Splits text into text and links: URLs become link elements. */
function linked(text) {
  return text.split(/(https?:\/\/[^\s"]+)/).map((part, index) => (index % 2 ? element('a', { href: part, rel: 'noreferrer' }, part) : part));
}

/** Returns the path of the family whose tasks this path creates. */
function familyOf(path) {
  const families = Object.values(capabilities).map((one) => one.tasks);
  const matching = families.filter((family) => path === family || path.startsWith(`${family}/`));
  return matching.sort((one, other) => other.length - one.length)[0];
}

/** Describes a limit of an engine. */
function limitText(limit) {
  if (limit.supported === false) return 'must be absent';
  const texts = [
    limit.required && 'required',
    limit['one-of'] && `one of ${limit['one-of'].map((value) => JSON.stringify(value)).join(', ')}`,
    limit.minimum !== undefined && `at least ${limit.minimum}`,
    limit.maximum !== undefined && `at most ${limit.maximum}`,
    limit['max-length'] !== undefined && `at most ${limit['max-length']} characters`,
    limit['max-items'] !== undefined && `at most ${limit['max-items']} items`,
  ];
  return texts.filter(Boolean).join('; ');
}

/** Returns the engine of an operation that creates tasks, and the limits of the engine that the API does not have. */
function served(able) {
  if (!able) return null;
  const { instead } = able;
  const what = instead ? `requests without ${instead.with.join(' or ')}` : 'this operation';
  const none = element('p', { class: 'rule' }, `This service has no engine for ${what}: it validates a request, and responds 503 to a valid one.`);
  return [able.engine ? servedBy(able, 'Engine: ') : none,
    instead ? servedBy(instead, `Engine of requests with ${instead.with.join(' or ')}: `) : null];
}

/** Describes an engine, and its limits that the API does not have. */
function servedBy(able, title) {
  const row = (name, text) => element('tr', {}, element('td', {}, name), element('td', {}, text));
  const lists = { models: able.models, voices: able.voices, LoRAs: able.loras?.map((lora) => lora.name), 'no effect': able.ignored };
  const all = (limits) => Object.entries(limits).map(([field, limit]) => `${field} ${limitText(limit)}`).join(', ');
  const rows = [...Object.entries(able.limits).map(([field, limit]) => row(field, limitText(limit))),
    ...(able.rules ?? []).map((rule) => row(`if ${all(rule.when)}`, all(rule.limits))),
    ...Object.entries(lists).filter(([, all]) => all?.length).map(([name, all]) => row(name, all.join(', ')))];
  return element('details', { class: 'engine' }, element('summary', {}, title, element('code', {}, able.engine.name), ` (${able.engine.kind})`),
    rows.length ? table(['Here', 'Limit'], rows) : element('p', {}, 'It has no limits besides those of the API.'));
}

/** Returns the URL of a task, with the path parameters of the operation that has created it; undefined if nothing shows it. */
function taskUrl(path, id, values) {
  const family = familyOf(path);
  const isTask = (one) => spec.paths[one].get && one.startsWith(`${family}/{`) && !one.slice(family.length + 1).includes('/');
  const shows = family && Object.keys(spec.paths).find(isTask);
  return shows?.replace(/\{([^}]*)\}/g, (_, name) => encodeURIComponent(values[name] ?? id));
}

/** Creates the element that shows or plays a result: a URL of a file, or a text. */
function result(text) {
  if (!/^https?:\/\/\S+$/.test(text)) return element('p', {}, text);
  const link = element('a', { href: text, rel: 'noreferrer' }, text);
  // The page may show files of the service only.
  if (!text.startsWith(`${location.origin}/`)) return element('p', {}, link);
  const type = { png: 'img', jpg: 'img', webp: 'img', svg: 'img', wav: 'audio', mp3: 'audio', ogg: 'audio', flac: 'audio', m4a: 'audio', mp4: 'video', webm: 'video', mov: 'video' }[text.split('.').pop()];
  const media = type && element(type, type === 'img' ? { src: text, alt: 'Result of the task' } : { src: text, controls: '' });
  return element('p', {}, media, link);
}

/** Polls a task until it ends, and shows its status, its progress and its results. */
async function follow(url, headers, place) {
  for (;;) {
    const response = await fetch(url, { headers });
    if (!response.ok) return place.replaceChildren(element('p', {}, `The task can't be read: ${response.status}.`));
    const task = (await response.json()).data;
    const { percent, stage } = task.progress ?? {};
    place.replaceChildren(
      element('p', {}, element('strong', {}, task.status), stage ? ` ${stage}` : '', task.error ? ` ${task.error.code}: ${task.error.message}` : ''),
      ...(percent === undefined ? [] : [element('progress', { max: 100, value: percent })]),
      ...(task.generated ?? []).map(result));
    if (task.status === 'COMPLETED' || task.status === 'FAILED') return undefined;
    await new Promise((done) => { setTimeout(done, 1000); });
  }
}

/** Returns the URL of a catalogue picture, because a service can always read its own files. */
async function ownPicture() {
  const key = sessionStorage.getItem('key');
  if (!picture && key) {
    const answer = await fetch('/v1/resources?limit=1&filters[content_type][photo]=1', { headers: { [KEY]: key } });
    picture = (await answer.json()).data?.[0]?.image?.source?.url;
  }
  return picture;
}

/** Returns the fields that a request needs: the required ones, and one of each group that a constraint requires. */
function needed(schema, example) {
  const whole = flat(schema);
  const given = (rule) => (name) => example[name] !== undefined && !(rule.above !== undefined && example[name] <= rule.above);
  const groups = (whole['x-rules'] ?? []).map((rule) => (rule.at_least_one ?? rule.exactly_one ?? rule.total_items ?? []).find(given(rule)));
  const names = [...(whole.required ?? []), ...groups].filter((name) => example[name] !== undefined);
  if (names.length) return names;
  // Nothing is required: take the most useful field.
  return 'prompt' in example ? ['prompt'] : Object.keys(example).slice(0, 1);
}

/** Returns the initial request body: the needed fields of the example, because engines may refuse optional ones. Empty without an example. */
async function beginning(body, able) {
  const media = Object.values(body.content ?? {})[0];
  if (!media?.example) return '';
  const fields = flat(media.schema ?? {}).properties ?? {};
  const own = await ownPicture().catch(() => undefined);
  const value = (name) => (own && flat(fields[name] ?? {})['x-media']?.kind === 'image' ? own : media.example[name]);
  const pairs = needed(media.schema ?? {}, media.example).map((name) => [name, value(name)]);
  // Values that the engine of this instance needs.
  const [voice] = able?.voices ?? [];
  if (voice) pairs.push(['voice_id', voice]);
  const only = Object.entries(able?.limits ?? {}).filter(([, limit]) => limit['one-of']?.length === 1);
  pairs.push(...only.map(([name, limit]) => [name, limit['one-of'][0]]));
  return JSON.stringify(Object.fromEntries(pairs), null, 2);
}

/** Creates a form that calls the operation from this page. */
function tryIt(method, path, parameters, body, able) {
  const fields = parameters.map((parameter) => {
    const input = element('input', { placeholder: hint(parameter), autocomplete: 'off' });
    input.required = Boolean(parameter.required);
    return { parameter, input };
  });
  const text = body ? element('textarea', { 'aria-label': 'Request body', spellcheck: 'false' }) : null;
  const fill = async () => {
    if (!text || text.value) return;
    const begun = await beginning(body, able);
    // The user may have typed meanwhile.
    if (!text.value) text.value = begun;
  };
  const answer = element('pre', { hidden: '', tabindex: '0', 'aria-live': 'polite' });
  const progress = element('div', { class: 'task', 'aria-live': 'polite' });
  const send = async (event) => {
    event.preventDefault();
    progress.replaceChildren();
    const values = {};
    let url = path;
    const query = new URLSearchParams();
    const headers = { [KEY]: sessionStorage.getItem('key') ?? '' };
    for (const { parameter, input } of fields) {
      if (input.value === '') continue;
      if (parameter.in === 'path') values[parameter.name] = input.value;
      if (parameter.in === 'path') url = url.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
      else if (parameter.in === 'query') queryValues(parameter, input.value).forEach(([name, value]) => query.append(name, value));
      else if (parameter.in === 'header') headers[parameter.name] = input.value;
    }
    if (text) headers['content-type'] = 'application/json';
    url += query.size ? `?${query}` : '';
    answer.hidden = false;
    answer.textContent = '…';
    const called = `${curl(method, url, headers, text?.value)}\n\n`;
    try {
      const response = await fetch(url, { method: method.toUpperCase(), headers, body: text?.value });
      const got = await response.text();
      let [shown, created] = [got];
      try {
        const json = JSON.parse(got);
        shown = JSON.stringify(json, null, 2);
        created = method === 'post' && response.ok ? json.data?.task_id : undefined;
      } catch { /* not JSON: show it as is */ }
      const help = response.status === 401 ? ' – enter the API key in the field above the list of operations' : '';
      answer.replaceChildren(called, element('strong', {}, `${response.status} ${response.statusText}`), `${help}\n\n`, ...linked(shown));
      const task = created && taskUrl(path, created, values);
      if (task) await follow(task, { [KEY]: headers[KEY] }, progress);
    } catch (error) {
      answer.textContent = called + String(error);
    }
  };
  return element('details', { class: 'try', ontoggle: fill }, element('summary', {}, 'Try it'),
    element('form', { onsubmit: send },
      fields.map(({ parameter, input }) => element('label', {}, element('code', {}, parameter.name + (parameter.required ? ' *' : '')), input)),
      text, element('button', {}, 'Send')), answer, progress);
}

function operation(method, path, item, operation) {
  const able = capabilities[operation.operationId];
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) => resolve(parameter).node);
  const body = operation.requestBody && resolve(operation.requestBody).node;
  const bracketed = (path) => path.split('.').map((step, index) => (index ? `[${step}]` : step)).join('');
  const rows = parameters.flatMap((parameter) => [element('tr', {},
    element('td', {}, parameter.name),
    element('td', {}, `${typeOf(parameter.schema ?? {})} · ${parameter.in}${parameter.required ? ' · required' : ''}`,
      element('div', { class: 'rule' }, rules(parameter.schema ?? {}))),
    element('td', {}, ...words(parameter.description))),
  ...(parameter.style === 'deepObject' ? fieldRows(parameter.schema ?? {}, parameter.name, 0, bracketed) : [])]);
  const answers = Object.entries(operation.responses ?? {}).map(([status, response]) => {
    const { node } = resolve(response);
    const summary = element('summary', {}, element('strong', {}, status), ' ', ...words(node.description));
    if (status.startsWith('2')) return element('details', { open: '' }, summary, content(node));
    // Error responses are many and similar: render them when the user opens them.
    const fill = ({ target }) => target.children.length === 1 && target.append(...content(node).filter(Boolean));
    return element('details', { ontoggle: fill }, summary);
  });
  return element('section', { class: 'operation', id: operation.operationId },
    element('h3', {}, element('a', { href: `#${operation.operationId}` }, element('span', { class: `method ${method}` }, method), path)),
    element('p', {}, element('strong', {}, operation.summary ?? '')), describe(operation.description),
    served(able),
    operation['x-requires'] ? element('p', {}, `Requires: ${operation['x-requires']}.`) : null,
    rows.length ? [element('h4', {}, 'Parameters'), table(['Name', 'Type', 'Meaning'], rows)] : null,
    body ? [element('h4', {}, 'Request body'), content(body)] : null,
    element('h4', {}, 'Responses'), answers, tryIt(method, path, parameters, body, able));
}

function render() {
  document.title = spec.info.title;
  const main = document.getElementById('main');
  const index = document.getElementById('index');
  const key = document.getElementById('key');
  key.value = sessionStorage.getItem('key') ?? '';
  key.addEventListener('input', () => sessionStorage.setItem('key', key.value));
  main.replaceChildren(element('h1', {}, `${spec.info.title} ${spec.info.version}`), ...describe(spec.info.description),
    element('p', {}, element('a', { href: '/openapi.yaml' }, 'openapi.yaml'), ' · ', element('a', { href: '/openapi.json' }, 'openapi.json'), ' · ',
      element('a', { href: '/docs/capabilities.json' }, 'capabilities.json'), ' · ', element('a', { href: '/docs/overlay.json' }, 'overlay.json')));
  const groups = new Map((spec.tags ?? []).map((tag) => [tag.name, { tag, operations: [] }]));
  for (const [path, item] of Object.entries(spec.paths)) {
    for (const method of METHODS.filter((method) => item[method])) {
      const name = item[method].tags?.[0] ?? 'other';
      if (!groups.has(name)) groups.set(name, { tag: { name }, operations: [] });
      groups.get(name).operations.push([method, path, item, item[method]]);
    }
  }
  for (const { tag, operations } of groups.values()) {
    if (!operations.length) continue;
    main.append(element('h2', { id: `tag-${tag.name}` }, tag.name), ...describe(tag.description), ...operations.map((found) => operation(...found)));
    index.append(element('div', {}, element('h3', {}, tag.name), operations.map(([method, path, , found]) =>
      element('a', { href: `#${found.operationId}`, title: `${method.toUpperCase()} ${path}` },
        element('span', { class: `method ${method}` }, method), found.summary ?? path))));
  }
  document.getElementById('filter').addEventListener('input', ({ target }) => {
    const wanted = target.value.toLowerCase();
    for (const link of index.querySelectorAll('a')) link.hidden = !`${link.textContent} ${link.title}`.toLowerCase().includes(wanted);
    for (const group of index.children) group.hidden = !group.querySelector('a:not([hidden])');
  });
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

const read = (path) => fetch(path).then((response) => (response.ok ? response.json() : Promise.reject(response.status)));
// The page works without the capabilities; it only lacks their hints.
Promise.all([read('/openapi.json'), read('/docs/capabilities.json').catch(() => ({ operations: {} }))])
  .then(([document, loaded]) => { [spec, capabilities] = [document, loaded.operations]; render(); })
  .catch((error) => { document.getElementById('loading').textContent = `Can't load the OpenAPI document: ${error}`; });
