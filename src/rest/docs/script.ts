/** What runs in the page. Plain text only ever becomes text: nothing of the document or of an answer is read as HTML. */
export const SCRIPT = String.raw`
'use strict';
const page = document.getElementById('page');
/** What the fields hold before anybody has typed, by their labels. */
const given = JSON.parse(page.dataset.given);

function make(tag, props, ...children) {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** What stands between backticks is code. */
function prose(text) {
  return text.split(/\x60([^\x60]*)\x60/).map((part, index) => index % 2 ? make('code', { textContent: part }) : part);
}

function input(name, label, { description, required, schema = {} }) {
  const choices = schema.enum || (schema.type === 'boolean' && ['true', 'false']);
  const field = choices
    ? make('select', { name }, ...['', ...choices].map((value) => make('option', { value, textContent: value })))
    : make('input', { name, autocomplete: 'off', spellcheck: false, placeholder: (schema.examples || [''])[0] });
  field.value = sessionStorage.getItem(name) ?? given[label] ?? '';
  field.addEventListener('input', () => sessionStorage.setItem(name, field.value));
  const title = make('code', { className: required ? 'needed' : '', textContent: label });
  const list = schema.items && schema.items.enum ? ' One of: ' + schema.items.enum.join(', ') + '.' : '';
  return make('label', { className: 'field' }, title, make('span', { className: 'soft' }, ...prose(description + list)), field);
}

fetch('openapi.json')
  .then((response) => response.json())
  .then(show)
  .catch((error) => page.replaceChildren(make('p', { textContent: 'The document could not be read: ' + error.message })));

function show(api) {
  const link = make('a', { href: 'openapi.json', textContent: 'openapi.json' });
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));
  const keys = make('section', { className: 'card', id: 'credentials' },
    make('h2', { textContent: 'Who calls' }),
    make('p', { className: 'soft', textContent: 'One of the two. Kept in this tab, and sent to this server only.' }),
    make('div', { className: 'columns' },
      input('x-api-key', 'x-api-key', api.components.securitySchemes.apiKey),
      input('token', 'Authorization: Bearer', api.components.securitySchemes.customerToken)));
  page.replaceChildren(
    make('h1', { textContent: api.info.title + ' REST API' }),
    make('p', { className: 'soft', textContent: 'Version ' + api.info.version + ' · ' }, link),
    make('p', { textContent: api.info.description }),
    make('nav', {}, ...operations.map(({ path, method, operation }) =>
      make('a', { href: '#' + operation.operationId, title: method.toUpperCase() + ' ' + path, textContent: operation.summary }))),
    keys,
    ...operations.map((entry) => card(api, entry)));
}

function card(api, { path, method, operation }) {
  const form = make('form', { id: operation.operationId, className: 'card' });
  const content = operation.requestBody && operation.requestBody.content['application/json'];
  const example = content && JSON.stringify(content.example, null, 2);
  const body = content && make('textarea', { name: 'body', spellcheck: false, value: example, rows: Math.min(20, example.split('\n').length) });
  const send = make('button', { textContent: 'Send' });
  const answer = make('div', { className: 'answer' });
  answer.setAttribute('aria-live', 'polite');
  form.append(
    make('div', { className: 'head' },
      make('span', { className: 'method ' + method, textContent: method.toUpperCase() }),
      make('code', { textContent: path }),
      make('h2', { textContent: operation.summary })),
    make('p', {}, ...prose(operation.description)),
    make('div', { className: 'columns' },
      make('div', {},
        ...operation.parameters.map((one) => input(operation.operationId + ' ' + one.in + ' ' + one.name, one.name, one)),
        body && make('label', { className: 'field' }, make('code', { className: 'needed', textContent: 'body' }), body),
        send, answer),
      make('div', {},
        content && make('h3', { textContent: 'Body' }), content && tree(api, content.schema, true),
        ...responses(api, operation))));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send.disabled = true;
    ask(form, path, method, operation).then((shown) => answer.replaceChildren(...shown)).finally(() => { send.disabled = false; });
  });
  return form;
}

async function ask(form, path, method, operation) {
  const headers = {};
  const query = new URLSearchParams();
  let target = path;
  for (const one of operation.parameters) {
    const value = form.elements[operation.operationId + ' ' + one.in + ' ' + one.name].value.trim();
    if (one.in === 'path') target = target.replace('{' + one.name + '}', encodeURIComponent(value));
    else if (value !== '' && one.in === 'query') query.append(one.name, value);
    else if (value !== '') headers[one.name] = value;
  }
  const key = document.getElementsByName('x-api-key')[0].value.trim();
  const token = document.getElementsByName('token')[0].value.trim();
  if (key) headers['x-api-key'] = key;
  if (token) headers.authorization = 'Bearer ' + token;
  const body = form.elements.body && form.elements.body.value;
  if (body !== undefined) headers['content-type'] = 'application/json';
  try {
    const response = await fetch(target + (query.size ? '?' + query : ''), { method: method.toUpperCase(), headers, body });
    const text = await response.text();
    const shown = [...response.headers].map(([name, value]) => name + ': ' + value).join('\n');
    return [
      make('h3', { textContent: 'Answer' }),
      make('p', { className: 'status ' + (response.ok ? 'ok' : 'failed'), textContent: String(response.status) }),
      // They scroll: by keyboard as well.
      make('pre', { tabIndex: 0, textContent: pretty(text) }),
      make('details', {}, make('summary', { textContent: 'Headers' }), make('pre', { tabIndex: 0, textContent: shown })),
    ];
  } catch (error) {
    return [make('p', { className: 'status failed', textContent: 'No answer: ' + error.message })];
  }
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

function responses(api, operation) {
  const list = Object.entries(operation.responses).map(([status, response]) => [status, resolve(api, response)]);
  const [, success] = list.find(([status, { content }]) => status < '300' && content) || [];
  return [
    ...(success ? [make('h3', { textContent: 'Answer' }), tree(api, success.content['application/json'].schema, false)] : []),
    make('h3', { textContent: 'Statuses' }),
    make('dl', {}, ...list.flatMap(([status, { description }]) =>
      [make('dt', {}, make('code', { textContent: status })), make('dd', {}, ...prose(description))])),
  ];
}

function resolve(api, node) {
  return node.$ref ? node.$ref.slice(2).split('/').reduce((at, step) => at[step], api) : node;
}

/** What is asked with says which fields it needs; what is answered with has them anyway. */
function tree(api, schema, asked) {
  return make('ul', {}, ...fieldsOf(api, schema).map(([name, field, needed]) => {
    const words = [typeOf(api, field), field.description || resolve(api, field).description, choicesOf(field)];
    const label = make('span', {},
      make('code', { className: asked && needed ? 'needed' : '', textContent: name }), ' ',
      make('span', { className: 'soft' }, ...prose(words.filter(Boolean).join(' · '))));
    if (fieldsOf(api, field).length === 0) return make('li', {}, label);
    const details = make('details', {}, make('summary', {}, label));
    details.addEventListener('toggle', () => { if (details.children.length === 1) details.append(tree(api, field, asked)); });
    return make('li', {}, details);
  }));
}

function choicesOf(schema) {
  const values = [schema, ...(schema.anyOf || [])].flatMap((one) => one.enum || []);
  return values.join(', ');
}

function fieldsOf(api, node) {
  const schema = resolve(api, node);
  if (schema.items) return fieldsOf(api, schema.items);
  const variants = schema.anyOf || schema.oneOf;
  if (variants) return variants.flatMap((variant) => fieldsOf(api, variant));
  const required = schema.required || [];
  return Object.entries(schema.properties || {}).map(([name, field]) => [name, field, required.includes(name)]);
}

function typeOf(api, node) {
  const schema = resolve(api, node);
  if (schema.items) return 'list of ' + typeOf(api, schema.items);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const variants = schema.anyOf || schema.oneOf;
  if (variants) return [...new Set(variants.map((variant) => typeOf(api, variant)))].join(' or ');
  return [schema.type || 'anything'].flat().join(' or ');
}
`;
