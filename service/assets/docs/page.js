// Renders /openapi.json. No library, nothing from elsewhere: text only ever becomes text nodes.
'use strict';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
let spec;

/** An element with attributes and children; strings become text. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** What a $ref leads to, and its name. */
function resolve(node) {
  let name;
  for (let steps = 0; node && node.$ref && steps < 20; steps += 1) {
    name = node.$ref.split('/').pop();
    node = node.$ref.slice(2).split('/').reduce((at, key) => at?.[key.replace(/~1/g, '/').replace(/~0/g, '~')], spec);
  }
  return { node: node ?? {}, name };
}

/** A schema with its allOf parts laid over each other. */
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

/** The type of a schema in a few words. */
function typeOf(schema, depth = 0) {
  const whole = flat(schema);
  if (whole.type === 'array') return `array of ${typeOf(whole.items ?? {}, depth + 1)}`;
  const variants = whole.oneOf ?? whole.anyOf;
  if (variants && depth < 4) return variants.map((variant) => typeOf(variant, depth + 1)).join(' or ');
  const format = whole.format ? ` (${whole.format})` : '';
  return `${whole.type ?? (whole.properties ? 'object' : 'any')}${format}${whole.nullable ? ' or null' : ''}`;
}

/** The rules of a schema, in words. */
function rules(schema) {
  const whole = flat(schema);
  const inner = whole.type === 'array' ? flat(whole.items ?? {}) : whole;
  const told = [];
  const tell = (text, value) => value !== undefined && told.push(text.replace('%', JSON.stringify(value)));
  if (inner.enum) told.push(`one of ${inner.enum.map((value) => JSON.stringify(value)).join(', ')}`);
  tell(whole.exclusiveMinimum === true ? 'greater than %' : 'at least %', whole.minimum);
  tell('at most %', whole.maximum);
  tell('at least % characters', whole.minLength);
  tell('at most % characters', whole.maxLength);
  tell('at least % items', whole.minItems);
  tell('at most % items', whole.maxItems);
  tell('matches %', whole.pattern);
  tell('default %', whole.default);
  return told.join('; ');
}

function describe(text) {
  return (text ?? '').split(/\n\s*\n/).filter(Boolean).map((part) => element('p', {}, part));
}

/** The fields of an object, those of nested objects below them. */
function fieldRows(schema, prefix = '', depth = 0) {
  const whole = flat(schema);
  const object = whole.type === 'array' ? flat(whole.items ?? {}) : whole;
  const inside = whole.type === 'array' ? `${prefix}[]` : prefix;
  return Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
    const path = inside ? `${inside}.${name}` : name;
    const required = (object.required ?? []).includes(name) ? ' · required' : '';
    const row = element('tr', {},
      element('td', {}, path),
      element('td', {}, typeOf(field) + required, element('div', { class: 'rule' }, rules(field))),
      element('td', {}, flat(field).description ?? ''));
    return [row, ...(depth < 3 ? fieldRows(field, path, depth + 1) : [])];
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
      rows.length ? table(['Field', 'Type', 'Meaning'], rows) : null,
      ...examples.map((example) => element('details', {}, element('summary', {}, 'Example'),
        element('pre', {}, JSON.stringify(example, null, 2)))),
    ];
  });
}

/** A form that calls the operation from this page. */
function tryIt(method, path, parameters, body) {
  const fields = parameters.map((parameter) => ({ parameter, input: element('input', { placeholder: rules(parameter.schema ?? {}) }) }));
  const example = body && Object.values(body.content ?? {})[0]?.example;
  const text = body ? element('textarea', { 'aria-label': 'Body', spellcheck: 'false' }) : null;
  if (text && example !== undefined) text.value = JSON.stringify(example, null, 2);
  const answer = element('pre', { hidden: '' });
  const send = async (event) => {
    event.preventDefault();
    let url = path;
    const query = new URLSearchParams();
    const headers = { 'x-service-api-key': localStorage.getItem('key') ?? '' };
    for (const { parameter, input } of fields) {
      if (input.value === '') continue;
      if (parameter.in === 'path') url = url.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
      else if (parameter.in === 'query' && parameter.name === 'filters') new URLSearchParams(input.value).forEach((value, key) => query.append(key, value));
      else if (parameter.in === 'query') query.append(parameter.name, input.value);
      else if (parameter.in === 'header') headers[parameter.name] = input.value;
    }
    if (text) headers['content-type'] = 'application/json';
    answer.hidden = false;
    answer.textContent = '…';
    try {
      const response = await fetch(url + (query.size ? `?${query}` : ''), { method: method.toUpperCase(), headers, body: text?.value });
      const got = await response.text();
      let shown = got;
      try { shown = JSON.stringify(JSON.parse(got), null, 2); } catch { /* no JSON: as it is */ }
      answer.textContent = `${response.status} ${response.statusText}\n\n${shown}`;
    } catch (error) {
      answer.textContent = String(error);
    }
  };
  return element('details', { class: 'try' }, element('summary', {}, 'Try it'),
    element('form', { onsubmit: send },
      fields.map(({ parameter, input }) => element('label', {}, element('code', {}, parameter.name), input)),
      text, element('button', {}, 'Send')), answer);
}

function operation(method, path, item, operation) {
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) => resolve(parameter).node);
  const body = operation.requestBody && resolve(operation.requestBody).node;
  const rows = parameters.map((parameter) => element('tr', {},
    element('td', {}, parameter.name),
    element('td', {}, `${typeOf(parameter.schema ?? {})} · ${parameter.in}${parameter.required ? ' · required' : ''}`,
      element('div', { class: 'rule' }, rules(parameter.schema ?? {}))),
    element('td', {}, parameter.description ?? '')));
  const answers = Object.entries(operation.responses ?? {}).map(([status, response]) => {
    const { node } = resolve(response);
    return element('details', status.startsWith('2') ? { open: '' } : {},
      element('summary', {}, element('strong', {}, status), ` ${node.description ?? ''}`), content(node));
  });
  return element('section', { class: 'operation', id: operation.operationId },
    element('h3', {}, element('span', { class: `method ${method}` }, method), path),
    element('p', {}, element('strong', {}, operation.summary ?? '')), describe(operation.description),
    operation['x-requires'] ? element('p', {}, `Needs: ${operation['x-requires']}.`) : null,
    rows.length ? [element('h4', {}, 'Parameters'), table(['Name', 'Type', 'Meaning'], rows)] : null,
    body ? [element('h4', {}, 'Body'), content(body)] : null,
    element('h4', {}, 'Answers'), answers, tryIt(method, path, parameters, body));
}

function render() {
  document.title = spec.info.title;
  const main = document.getElementById('main');
  const index = document.getElementById('index');
  const key = element('input', { type: 'password', autocomplete: 'off', placeholder: 'svc_…', 'aria-label': 'API key' });
  key.value = localStorage.getItem('key') ?? '';
  key.addEventListener('input', () => localStorage.setItem('key', key.value));
  main.replaceChildren(element('h1', {}, `${spec.info.title} ${spec.info.version}`), ...describe(spec.info.description),
    element('p', {}, element('a', { href: '/openapi.yaml' }, 'openapi.yaml'), ' · ', element('a', { href: '/openapi.json' }, 'openapi.json')),
    element('p', {}, element('label', {}, 'API key for “Try it”, kept in this browser: ', key)));
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

fetch('/openapi.json').then((response) => response.json()).then((read) => { spec = read; render(); })
  .catch((error) => { document.getElementById('loading').textContent = `The description can't be read: ${error}`; });
