import { EXAMPLE_PROVIDERS } from '../../domain/provider-names.ts';
import { DESIGN, ICON, toSource } from '../../lib/design.ts';
import { html, Markup } from '../../lib/html.ts';

/** Renders the page. With a demo all fields are filled in, ready to send. */
export function renderPage({ demo, hasGraphiQL, basePath }: DocsPage): string {
  const given = demo && {
    'x-api-key': demo.key,
    'x-customer-id': demo.customerId,
    'x-provider-name': EXAMPLE_PROVIDERS.first,
    customer_id: demo.customerId,
    provider_name: EXAMPLE_PROVIDERS.first,
  };
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crossbook REST API</title>
<link rel="icon" href="${ICON}">
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main id="page" data-given="${JSON.stringify(given ?? {})}" data-links="${JSON.stringify(toLinks(basePath, hasGraphiQL))}"><p>Reading the document…</p></main>
<noscript>This page needs JavaScript. The document itself is at <a href="openapi.json">openapi.json</a>.</noscript>
<script>${new Markup(SCRIPT)}</script>
</body>
</html>
`.text;
}

function toLinks(basePath: string, hasGraphiQL: boolean) {
  const links = [
    [`${basePath}/`, 'Home'],
    [`${basePath}/guides`, 'Guides'],
  ];
  return hasGraphiQL ? [...links, [`${basePath}/graphql`, 'GraphiQL']] : links;
}

/** The design of all pages, with a layout for long lists of operations. */
const STYLE = `${DESIGN}
body { font-size: .95rem }
main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; }
@media (min-width: 72rem) {
  main { max-width: 84rem; display: grid; grid-template-columns: 18rem minmax(0, 1fr); gap: 0 2.5rem; }
  nav { position: sticky; top: 0; align-self: start; height: 100vh; padding: 2.5rem .75rem 2.5rem 0; overflow-y: scroll; scrollbar-width: thin; border-right: 1px solid var(--line); margin: -2.5rem 0 -5rem; }
}
h1 { font-size: 1.9rem; margin: 0; }
h2 { margin: 0; }
h3 { margin: 1.4rem 0 .4rem; font-size: .78rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); }
p { margin: .4rem 0; }
.card { margin-top: 1.25rem; padding: 1.25rem 1.4rem; }
@media (max-width: 34rem) { main { padding: 1.5rem .75rem 4rem; } .card { padding: 1rem; } }
nav summary { font-weight: 600; }
nav ul { margin: .4rem 0 1.25rem; padding: 0; border: 0; }
nav input { margin: .6rem 0 .2rem; padding: .4rem .6rem; font: inherit; font-size: .9rem; }
nav h3 { margin: 1.1rem 0 .25rem; }
nav ul { margin: 0; }
nav a { display: flex; gap: .6rem; align-items: baseline; padding: .2rem 0; color: var(--ink); text-decoration: none; line-height: 1.3; }
nav a:hover, nav a:focus-visible { color: var(--link); text-decoration: underline; }
nav .method { flex: none; width: 3.2rem; font-size: .68rem; }
.languages { display: flex; gap: .35rem; margin: 1.4rem 0 .4rem; }
.languages button { margin: 0; padding: .2rem .7rem; font-size: .8rem; }
.languages button[aria-pressed=true] { color: var(--on-accent); background: var(--accent); }
.operation { scroll-margin-top: 1rem; }
.operation > summary { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: baseline; list-style-position: inside; }
.operation > summary code { overflow-wrap: anywhere; }
.operation h2 { font-size: 1rem; }
.method { font-weight: 700; font-size: .8rem; letter-spacing: .04em; }
.get { color: var(--good); } .post { color: var(--link); } .put, .patch { color: var(--warn); } .delete { color: var(--bad); }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2rem; }
@media (max-width: 52rem) { .columns { grid-template-columns: minmax(0, 1fr); } }
.field { margin: .65rem 0; }
.field .soft { display: block; font-size: .85rem; margin-bottom: .2rem; }
.needed::after { content: " required"; color: var(--bad); font: .75rem system-ui, sans-serif; }
input, select, textarea { width: 100%; font: var(--mono); background: var(--code); }
textarea { resize: vertical; }
button { margin: .6rem .6rem 0 0; padding: .5rem 1.3rem; font-size: .9rem; }
.copied > button { margin: 0; }
pre { max-height: 30rem; overflow: auto; white-space: pre-wrap; }
.status { font-weight: 600; } .status.ok { color: var(--good); } .status.failed { color: var(--bad); }
details { margin: .3rem 0; } summary { cursor: pointer; }
ul { margin: .2rem 0 .2rem .4rem; padding-left: .9rem; border-left: 1px solid var(--line); list-style: none; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .9rem; margin: 0; }
dd { margin: 0; color: var(--soft); }
`;

/** The page's script. It inserts all text as text nodes: nothing of the document or of a response is parsed as HTML. */
const SCRIPT = String.raw`
'use strict';
const page = document.getElementById('page');
/** Initial values of the form fields, by parameter name. */
const given = JSON.parse(page.dataset.given);

function make(tag, props, ...children) {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** Renders text between backticks as code. */
function prose(text) {
  return text.split(/\x60([^\x60]*)\x60/).map((part, index) => index % 2 ? make('code', { textContent: part }) : part);
}

function input(name, label, { description, required, schema = {} }, isPrefilled = true) {
  const choices = schema.enum || (schema.type === 'boolean' && ['true', 'false']);
  const field = choices
    ? make('select', { name }, ...['', ...choices].map((value) => make('option', { value, textContent: value })))
    : make('input', { name, autocomplete: 'off', spellcheck: false, placeholder: (schema.examples || [''])[0] });
  const first = required && choices ? choices[0] : undefined;
  field.value = sessionStorage.getItem(name) ?? (isPrefilled ? given[label] ?? first : undefined) ?? '';
  field.required = Boolean(required);
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
  const links = [...JSON.parse(page.dataset.links), ['openapi.json', 'openapi.json']].map(([href, textContent]) => make('a', { href, textContent }));
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));
  const keys = make('section', { className: 'card', id: 'credentials' },
    make('h2', { textContent: 'Credentials' }),
    make('p', { className: 'soft', textContent: 'One of the two. Kept in this tab, and sent to this server only.' }),
    make('div', { className: 'columns' },
      input('x-api-key', 'x-api-key', api.components.securitySchemes.apiKey),
      input('token', 'Authorization: Bearer', api.components.securitySchemes.customerToken)));
  const isWide = matchMedia('(min-width: 72rem)');
  const groups = [...groupBy(operations)];
  const search = make('input', { type: 'search', placeholder: 'Find an operation', ariaLabel: 'Find an operation' });
  const lists = groups.map(([name, members]) => make('section', {}, make('h3', { textContent: name }),
    make('ul', {}, ...members.map(toLink))));
  search.addEventListener('input', () => filter(lists, search.value));
  const listed = make('details', { open: isWide.matches }, make('summary', { textContent: 'Operations' }), search, ...lists);
  // Where it is above the operations, it would push the chosen one out of view.
  listed.addEventListener('click', (event) => { if (event.target.closest('a') && !isWide.matches) listed.open = false; });
  const list = make('nav', { ariaLabel: 'Operations' }, listed);
  page.replaceChildren(list, make('div', {},
    make('h1', { textContent: api.info.title + ' REST API' }),
    make('p', { className: 'soft', textContent: 'Version ' + api.info.version }, ...links.flatMap((one) => [' · ', one])),
    make('p', { textContent: api.info.description }),
    keys,
    ...operations.map((entry) => card(api, entry))));
  addEventListener('hashchange', openLinked);
  if (location.hash) openLinked();
  else page.querySelector('.operation').open = true;
}

function groupOf({ operation }) {
  const [tag] = operation.tags;
  return tag === 'oauth_clients' ? 'OAuth clients' : (tag[0].toUpperCase() + tag.slice(1)).replaceAll('_', ' ');
}

function groupBy(operations) {
  const groups = new Map();
  for (const one of operations) groups.set(groupOf(one), [...(groups.get(groupOf(one)) ?? []), one]);
  return groups;
}

function toLink({ path, method, operation }) {
  return make('li', {}, make('a', { href: '#' + operation.operationId, title: method.toUpperCase() + ' ' + path },
    make('span', { className: 'method ' + method, textContent: method.toUpperCase(), ariaHidden: 'true' }),
    make('span', { textContent: operation.summary })));
}

/** Shows the operations whose name or path has the text. */
function filter(lists, text) {
  const lowerText = text.trim().toLowerCase();
  for (const list of lists) {
    const items = [...list.querySelectorAll('li')];
    for (const item of items) item.hidden = !(item.textContent + ' ' + item.firstChild.title).toLowerCase().includes(lowerText);
    list.hidden = items.every((item) => item.hidden);
  }
}

/** Opens the operation that the address names. */
function openLinked() {
  const linked = document.getElementById(location.hash.slice(1));
  if (!linked) return;
  linked.open = true;
  linked.scrollIntoView();
}

function card(api, { path, method, operation }) {
  const form = make('form', {});
  const isDestructive = method === 'delete';
  const content = operation.requestBody && operation.requestBody.content['application/json'];
  const example = content && JSON.stringify(content.example, null, 2);
  const body = content && make('textarea', { name: 'body', spellcheck: false, value: example, rows: Math.min(20, example.split('\n').length) });
  const send = make('button', { textContent: 'Send' });
  const answer = make('div', { className: 'answer' });
  answer.setAttribute('aria-live', 'polite');
  const command = make('pre', { tabIndex: 0 });
  const copy = make('button', { type: 'button', className: 'plain', textContent: 'Copy' });
  copy.addEventListener('click', () => navigator.clipboard.writeText(command.textContent).then(() => {
    copy.textContent = 'Copied';
    setTimeout(() => { copy.textContent = 'Copy'; }, 1500);
  }));
  const changes = method === 'put' || method === 'patch';
  const note = changes ? make('p', { className: 'soft', textContent: 'The body is an example: sending it changes what is stored.' }) : undefined;
  const request = () => toRequest(form, path, method, operation);
  const reading = api.paths[path].get;
  const kept = content && reading ? sharedFields(api, content.schema, reading) : [];
  const load = kept.length === 0 ? undefined : make('button', { type: 'button', className: 'plain', textContent: 'Load the stored values' });
  load?.addEventListener('click', async () => {
    const { body: _, ...read } = toRequest(form, path, 'get', operation);
    const response = await fetch(read.url, read);
    if (!response.ok) return answer.replaceChildren(...await ask(read));
    const stored = await response.json();
    body.value = JSON.stringify(Object.fromEntries(kept.filter((name) => name in stored).map((name) => [name, stored[name]])), null, 2);
    body.rows = Math.min(20, body.value.split('\n').length);
    note?.replaceChildren('The body has the stored values.');
    showCommand();
  });
  const showCommand = () => { command.textContent = LANGUAGES[language](request()); };
  addEventListener('language', () => { if (details.open) showCommand(); });
  form.append(
    make('p', {}, ...prose(operation.description)),
    make('div', { className: 'columns' },
      make('div', {},
        ...operation.parameters.map((one) => input(operation.operationId + ' ' + one.in + ' ' + one.name, one.name, one, !isDestructive)),
        body && make('label', { className: 'field' }, make('code', { className: 'needed', textContent: 'body' }), body),
        note, send, load, answer,
        languages(), make('div', { className: 'copied' }, command, copy)),
      make('div', {},
        content && make('h3', { textContent: 'Body' }), content && tree(api, content.schema, true),
        ...responses(api, operation))));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (isDestructive && !confirm(operation.summary + '? This cannot be undone.')) return;
    send.disabled = true;
    ask(request()).then((shown) => answer.replaceChildren(...shown)).finally(() => { send.disabled = false; });
  });
  const details = make('details', { id: operation.operationId, className: 'card operation' },
    make('summary', {},
      make('span', { className: 'method ' + method, textContent: method.toUpperCase() }),
      make('h2', { textContent: operation.summary }),
      make('code', { className: 'soft', textContent: path })),
    form);
  // All samples share the credentials, so a sample is updated when it is opened.
  details.addEventListener('toggle', () => { if (details.open) showCommand(); });
  form.addEventListener('input', showCommand);
  page.addEventListener('input', (event) => { if (details.open && event.target.closest('#credentials')) showCommand(); });
  return details;
}

/** Names of the body that a GET of the same path returns too. */
function sharedFields(api, schema, reading) {
  const [, success] = Object.entries(reading.responses).find(([status]) => status < '300');
  const returned = fieldsOf(api, success.content['application/json'].schema).map(([name]) => name);
  return fieldsOf(api, schema).map(([name]) => name).filter((name) => returned.includes(name));
}

function toRequest(form, path, method, operation) {
  const headers = {};
  const query = new URLSearchParams();
  let target = path;
  for (const one of operation.parameters) {
    const value = form.elements[operation.operationId + ' ' + one.in + ' ' + one.name].value.trim();
    if (one.in === 'path' && value !== '') target = target.replace('{' + one.name + '}', encodeURIComponent(value));
    else if (value !== '' && one.in === 'query') query.append(one.name, value);
    else if (value !== '') headers[one.name] = value;
  }
  const key = document.getElementsByName('x-api-key')[0].value.trim();
  const token = document.getElementsByName('token')[0].value.trim();
  if (key) headers['x-api-key'] = key;
  if (token) headers.authorization = 'Bearer ' + token;
  const body = form.elements.body && form.elements.body.value;
  if (body !== undefined) headers['content-type'] = 'application/json';
  // Relative to the page, which may be below a prefix.
  return { url: '.' + target + (query.size ? '?' + query : ''), method: method.toUpperCase(), headers, body };
}

/** A sample in the language that was chosen last, for all operations. */
let language = sessionStorage.getItem('language') ?? 'curl';

function languages() {
  const buttons = Object.keys(LANGUAGES).map((name) => {
    const button = make('button', { type: 'button', className: 'plain', textContent: name });
    const mark = () => button.setAttribute('aria-pressed', String(name === language));
    button.addEventListener('click', () => {
      language = name;
      sessionStorage.setItem('language', name);
      dispatchEvent(new Event('language'));
    });
    addEventListener('language', mark);
    mark();
    return button;
  });
  return make('div', { className: 'languages', role: 'group', ariaLabel: 'Language of the sample' }, ...buttons);
}

function toAddress(url) {
  return new URL(url, location.href).href.replaceAll('%7B', '{').replaceAll('%7D', '}');
}

function toJavaScript({ url, method, headers, body }) {
  const parts = ['  method: ' + JSON.stringify(method) + ',', '  headers: ' + JSON.stringify(headers, null, 2).replaceAll('\n', '\n  ') + ',']
    .concat(body === undefined ? [] : ['  body: JSON.stringify(' + indent(body) + '),']);
  return ['const response = await fetch(' + JSON.stringify(toAddress(url)) + ', {', ...parts, '});', 'console.log(response.status, await response.json());'].join('\n');
}

function toPython({ url, method, headers, body }) {
  const parts = ['    ' + JSON.stringify(method) + ',', '    ' + JSON.stringify(toAddress(url)) + ',', '    headers=' + JSON.stringify(headers, null, 4).replaceAll('\n', '\n    ') + ',']
    .concat(body === undefined ? [] : ['    data=' + JSON.stringify(body) + '.encode(),']);
  return ['import requests', '', 'response = requests.request(', ...parts, ')', 'print(response.status_code, response.json())'].join('\n');
}

/** The body as an expression, if it is JSON. */
function indent(body) {
  try { return JSON.stringify(JSON.parse(body), null, 2).replaceAll('\n', '\n  '); } catch { return JSON.stringify(body); }
}

function toCurl({ url, method, headers, body }) {
  const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'";
  return ['curl -s -X ' + method + ' ' + quote(toAddress(url))]
    .concat(Object.entries(headers).map(([name, value]) => '-H ' + quote(name + ': ' + value)))
    .concat(body === undefined ? [] : ['-d ' + quote(body)])
    .join(' \\\n  ');
}

const LANGUAGES = { curl: toCurl, JavaScript: toJavaScript, Python: toPython };

async function ask({ url, ...request }) {
  try {
    const response = await fetch(url, request);
    const text = await response.text();
    const shown = [...response.headers].map(([name, value]) => name + ': ' + value).join('\n');
    return [
      make('h3', { textContent: 'Response' }),
      make('p', { className: 'status ' + (response.ok ? 'ok' : 'failed'), textContent: String(response.status) }),
      // Focusable, so that long texts can be scrolled by keyboard.
      make('pre', { tabIndex: 0, textContent: pretty(text) }),
      make('details', {}, make('summary', { textContent: 'Headers' }), make('pre', { tabIndex: 0, textContent: shown })),
    ];
  } catch (error) {
    return [make('p', { className: 'status failed', textContent: 'No response: ' + error.message })];
  }
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

function responses(api, operation) {
  const list = Object.entries(operation.responses).map(([status, response]) => [status, resolve(api, response)]);
  const [, success] = list.find(([status, { content }]) => status < '300' && content) || [];
  return [
    ...(success ? [make('h3', { textContent: 'Response' }), tree(api, success.content['application/json'].schema, false), ...sample(api, success.content['application/json'].schema)] : []),
    make('h3', { textContent: 'Statuses' }),
    make('dl', {}, ...list.flatMap(([status, { description }]) =>
      [make('dt', {}, make('code', { textContent: status })), make('dd', {}, ...prose(description))])),
  ];
}

/** What a response looks like, by its schema. Made when it is opened. */
function sample(api, schema) {
  const shown = make('pre', { tabIndex: 0 });
  const details = make('details', { className: 'sample' }, make('summary', { textContent: 'Sample' }), shown);
  details.addEventListener('toggle', () => { shown.textContent ||= JSON.stringify(toSample(api, schema, 0), null, 2); });
  details.open = true;
  return [details];
}

function toSample(api, node, depth) {
  const schema = resolve(api, node);
  if (schema.example !== undefined) return schema.example;
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.find((value) => value !== null);
  const variants = schema.anyOf || schema.oneOf || schema.allOf;
  if (variants) return toSample(api, variants[0], depth);
  const [type] = [schema.type].flat();
  if (type === 'array') return depth > 8 ? [] : [toSample(api, schema.items, depth + 1)];
  if (type === 'object') return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, depth > 8 ? null : toSample(api, one, depth + 1)]));
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  return schema.format === 'date-time' ? '2026-01-31T12:00:00.000Z' : schema.format === 'uuid' ? '8ed7813b-38a1-421e-8e9c-722c9c511189' : '…';
}

function resolve(api, node) {
  return node.$ref ? node.$ref.slice(2).split('/').reduce((at, step) => at[step], api) : node;
}

/** Lists a schema's fields; marks required ones in requests only (in responses all are present). */
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

/** The CSP: only the page's own style and script, and requests to this server only. */
export const POLICY = [
  "default-src 'none'",
  `script-src ${toSource(SCRIPT)}`,
  `style-src ${toSource(STYLE)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface DocsPage {
  readonly demo: DocsDemo | undefined;
  readonly hasGraphiQL: boolean;
  /** The path of the public URL. */
  readonly basePath: string;
}

export interface DocsDemo {
  readonly key: string;
  readonly customerId: string;
}
