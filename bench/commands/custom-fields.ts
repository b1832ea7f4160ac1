import { createHash } from 'node:crypto';
import { toTable } from '../report/throughput-table.ts';
import { type Crossbook, startCrossbook } from '../support/crossbook.ts';
import type { Options } from '../support/options.ts';
import { say, showProgress } from '../support/progress.ts';
import { median } from '../support/statistics.ts';
import { measure } from '../throughput/measure.ts';
import { openStage, type Player, type Stage } from '../throughput/stage.ts';
import { emailSetsOf } from '../workload/cases.ts';
import { CONNECTIONS } from './throughput.ts';

/** What custom fields cost compared with standard ones, and what the schemas of many applications take. */
export async function measureCustomFields(options: Options): Promise<void> {
  await measureSelections(options);
  await measureSchemas(options);
}

/** The same properties of HubSpot as standard fields, and as custom fields of both kinds. */
async function measureSelections(options: Options): Promise<void> {
  const stage = await openStage({ ...options, only: ['crossbook'] });
  try {
    const [player] = stage.players;
    if (!player) throw new Error('Crossbook did not start.');
    const times = new Map<string, number[]>(SELECTIONS.map(({ title }) => [title, []]));
    for (let round = -1; round < options.rounds; round += 1) {
      // In another order each time, because what was measured before has an effect.
      const from = (round + 1) % SELECTIONS.length;
      for (const selection of [...SELECTIONS.slice(from), ...SELECTIONS.slice(0, from)]) {
        showProgress(`custom fields: round ${round + 1} of ${options.rounds}, ${selection.title}`);
        const cpuMs = await measureOne(stage, player, selection, options.seconds);
        // The first round warms up.
        if (round >= 0) times.get(selection.title)?.push(cpuMs);
      }
    }
    const [reference = Number.NaN] = [...times.values()].map(median);
    say(
      toTable(
        ['100 contacts', 'CPU, ms', 'of the first'],
        [...times].map(([title, all]) => [
          title,
          median(all).toFixed(3),
          (median(all) / reference).toFixed(2),
        ]),
      ),
    );
  } finally {
    await stage.close();
  }
}

const STANDARD = 'firstName lastName lifecycleStage';
const SELECTIONS: readonly Selection[] = [
  { title: 'three standard fields, nothing declared', declared: 'nothing', fields: STANDARD },
  { title: 'the same once more', declared: 'nothing', fields: STANDARD },
  { title: 'three standard fields, custom fields declared', declared: 'untyped', fields: STANDARD },
  { title: 'three standard fields, schema typed', declared: 'typed', fields: STANDARD },
  {
    title: 'three custom fields, typed',
    declared: 'typed',
    fields: 'custom { ownFirst ownLast ownStage }',
  },
  {
    title: 'three custom fields, as JSON',
    declared: 'untyped',
    fields: 'customFields(names: ["ownFirst", "ownLast", "ownStage"])',
  },
];

const CUSTOM_FIELDS = [
  toField('ownFirst', 'firstname'),
  toField('ownLast', 'lastname'),
  toField('ownStage', 'lifecyclestage'),
];

async function measureOne(
  stage: Stage,
  player: Player,
  { declared, fields }: Selection,
  seconds: number,
): Promise<number> {
  await declare(player, {
    fields: declared === 'nothing' ? [] : CUSTOM_FIELDS,
    typed_schema: declared === 'typed',
  });
  const query = `query Search($emails: [String!]!) {
    searchContacts(filter: { emails: $emails }, first: 100) { nodes { id ${fields} } }
  }`;
  const sets = emailSetsOf({ name: '100', title: '', contacts: 100, fields: 'three' });
  const requests = sets.map((emails) => ({
    path: '/graphql',
    headers: player.headers,
    body: JSON.stringify({ query, variables: { emails } }),
  }));
  const run = { player, requests, connections: CONNECTIONS };
  await measure(stage, { ...run, seconds: seconds / 4 });
  const { cpuMs } = await measure(stage, { ...run, seconds });
  return cpuMs;
}

/** The heap of a process before and after each of its applications has its own schema, which are kept within a limit. */
async function measureSchemas({ node }: Options): Promise<void> {
  const rows: string[][] = [];
  for (const count of [3, 200]) {
    showProgress(`custom fields: the schemas of ${APPLICATIONS} applications with ${count} fields`);
    const bytes = await measureHeap(node, count);
    rows.push([
      String(count),
      (bytes / 1_048_576).toFixed(1),
      (bytes / APPLICATIONS / 1_024).toFixed(0),
    ]);
  }
  const head = `custom fields of each of ${APPLICATIONS} applications`;
  say(toTable([head, 'MB of all', 'KB for each'], rows));
}

async function measureHeap(node: string, count: number): Promise<number> {
  const crossbook = await startCrossbook({
    node,
    flags: ['--expose-gc'],
    env: { CROSSBOOK_ADMIN_KEY_HASH: createHash('sha256').update(ADMIN_KEY).digest('hex') },
  });
  try {
    const callers: Caller[] = [];
    for (let index = 0; index < APPLICATIONS; index += 1)
      callers.push(await createCaller(crossbook, `application ${index}`));
    const fields = Array.from({ length: count }, (_, index) => toField(`own${index}`, 'city'));
    const untyped = await readHeap(crossbook, callers, {
      definitions: fields,
      typed_schema: false,
    });
    return (
      (await readHeap(crossbook, callers, { definitions: fields, typed_schema: true })) - untyped
    );
  } finally {
    await crossbook.stop();
  }
}

const APPLICATIONS = 200;
const ADMIN_KEY = `cba_${'a'.repeat(43)}`;

/** After each has asked once for its schema. */
async function readHeap(
  crossbook: Crossbook,
  callers: readonly Caller[],
  declaration: object,
): Promise<number> {
  const body = JSON.stringify({ query: '{ providers { name } }' });
  for (const caller of callers) {
    await declare(caller, declaration);
    await send(`${caller.url}/graphql`, { method: 'POST', headers: caller.headers, body });
  }
  return crossbook.call<number>('heap');
}

async function createCaller({ url }: Crossbook, name: string): Promise<Caller> {
  const json = { 'content-type': 'application/json' };
  const headers = { 'x-admin-key': ADMIN_KEY, ...json };
  const create = (path: string, body: object) =>
    send(`${url}/admin${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { application } = await create('/applications', { name });
  const { key } = await create(`/applications/${application.id}/keys`, {});
  return { url, headers: { 'x-api-key': key, ...json } };
}

function declare({ url, headers }: Caller, declaration: object): Promise<unknown> {
  const { 'x-customer-id': _, 'x-provider-name': __, ...own } = headers;
  const body = JSON.stringify(declaration);
  return send(`${url}/custom_fields/contact`, { method: 'PUT', headers: own, body });
}

// biome-ignore lint/suspicious/noExplicitAny: the caller knows the response.
async function send(url: string, request: RequestInit): Promise<any> {
  const response = await fetch(url, request);
  const text = await response.text();
  if (response.status > 201 || text.startsWith('{"errors"'))
    throw new Error(`${url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

function toField(name: string, source: string) {
  const description = `The value of ${source} in the CRM, in the words of the application.`;
  return {
    name,
    type: 'text',
    description,
    sources: [{ provider_name: 'hubspot', field: source }],
  };
}

interface Selection {
  readonly title: string;
  /** What the application has declared when it is measured. */
  readonly declared: 'nothing' | 'untyped' | 'typed';
  readonly fields: string;
}

interface Caller {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
