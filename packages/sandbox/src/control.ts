import type { LinkedRecord, SandboxAccount } from './account.ts';
import type { SandboxCrm } from './crm.ts';
import type { Fault } from './faults.ts';
import { type Answer, jsonAnswer, readJson, type SandboxRequest } from './http.ts';
import type { LinkedKind } from './links.ts';
import {
  type CrmRecord,
  RECORD_KINDS,
  type RecordKind,
  type RecordValues,
  readValues,
} from './records.ts';
import type { CrmTypes } from './simulation.ts';
import { toReason } from './to-reason.ts';

/**
 * The control API: what a test does by method calls, another process does over HTTP (accounts, people, quirks,
 * faults, counters).
 */
export function isControl(request: SandboxRequest): boolean {
  return request.path === ROOT || request.path.startsWith(`${ROOT}/`);
}

export async function answerControl<Crm extends CrmTypes>(
  crm: SandboxCrm<Crm>,
  request: SandboxRequest,
): Promise<Answer> {
  if (!isFromHere(request))
    return jsonAnswer(403, {
      error: 'Only requests from this machine are accepted, and only JSON.',
    });
  const [collection = '', accountId, part = '', recordId] = request.path
    .slice(ROOT.length + 1)
    .split('/');
  if (collection === '') return jsonAnswer(200, overview(crm));
  if (collection !== 'accounts') return notFound();
  try {
    if (accountId === undefined) return answerAccounts(crm, request);
    const account =
      accountId === 'demo'
        ? crm.demo
        : crm.accounts().find((one) => encodeURIComponent(one.id) === accountId);
    const verb = ACCOUNT_VERBS[`${request.method} ${part}`];
    if (account === undefined || verb === undefined) return notFound();
    const body = bodyOf(request);
    return jsonAnswer(
      200,
      (await verb({ account, request, recordId: recordId ?? '', body })) ?? {},
    );
  } catch (error) {
    return jsonAnswer(400, { error: toReason(error) });
  }
}

function answerAccounts<Crm extends CrmTypes>(
  crm: SandboxCrm<Crm>,
  request: SandboxRequest,
): Answer {
  if (request.method === 'GET') return jsonAnswer(200, { accounts: crm.accounts().map(describe) });
  if (request.method === 'POST')
    return jsonAnswer(201, describe(crm.createAccount(bodyOf(request))));
  return notFound();
}

const ACCOUNT_VERBS: Readonly<Record<string, Verb>> = {
  'GET ': ({ account }) => describe(account),
  'GET quirks': ({ account }) => account.quirks,
  'PATCH quirks': ({ account, body }) => {
    account.setQuirks(body);
    return account.quirks;
  },
  'PATCH limits': ({ account, request, body }) => {
    account.setLimits(readJson(request) === null ? null : body);
    return account.limits ?? { none: true };
  },
  'POST faults': ({ account, body: { fault, times, after, operation } }) =>
    account.fail(fault as Fault | string, {
      times: numberOf(times),
      after: numberOf(after),
      operation: typeof operation === 'string' ? operation : undefined,
    }),
  'DELETE faults': ({ account }) => account.clearFaults(),
  'GET calls': ({ account }) => ({ total: account.callCount(), calls: account.calls() }),
  'DELETE calls': ({ account }) => account.resetCalls(),
  'GET people': ({ account }) => ({
    people: account.people
      .all()
      .map((person) => ({ id: account.recordId(person.index), ...person })),
  }),
  'POST people': ({ account, body }) => ({ id: account.addPerson(body) }),
  'PATCH people': ({ account, body, recordId }) => ({ done: account.updatePerson(recordId, body) }),
  'POST merge': ({ account, body: { id, into } }) => ({
    done: account.mergePerson(String(id), String(into)),
  }),
  'POST changes': ({ account, body: { seed, count, isTied } }) => ({
    changes: account.changePeople({
      seed: numberOf(seed) ?? 0,
      count: numberOf(count),
      isTied: isTied === true,
    }),
  }),
  'POST edits': ({ account, body: { count, at, person } }) => ({
    edited: account.editPeople({
      count: numberOf(count),
      at: numberOf(at),
      person: typeof person === 'object' && person !== null ? person : {},
    }),
  }),
  'DELETE people': ({ account, recordId }) => ({ done: account.removePerson(recordId) }),
  'GET records': ({ account, request }) => {
    const kind = kindOf({ kind: request.query.get('kind') });
    const toListed = (record: CrmRecord) => ({
      id: account.idOfRecord(kind, record.index),
      ...record,
      values: readValues(kind, record),
    });
    return { records: account.records.all(kind).map(toListed) };
  },
  'POST records': ({ account, body }) => ({ id: account.addRecord(kindOf(body), valuesOf(body)) }),
  'PATCH records': ({ account, body, recordId }) => ({
    done: account.updateRecord(kindOf(body), recordId, valuesOf(body)),
  }),
  'DELETE records': ({ account, body, recordId }) => ({
    done: account.removeRecord(kindOf(body), recordId),
  }),
  'POST record-merge': ({ account, body }) => ({
    done: account.mergeRecord(kindOf(body), String(body['id']), String(body['into'])),
  }),
  'POST links': ({ account, body: { from, to, isPrimary } }) => ({
    done: account.linkRecords(endOf(from), endOf(to), { isPrimary: isPrimary === true }),
  }),
  'DELETE links': ({ account, body: { from, to } }) => ({
    done: account.unlinkRecords(endOf(from), endOf(to)),
  }),
  'GET links': ({ account, request: { query } }) => ({
    links: listLinks(
      account,
      linkedKindOf({ kind: query.get('from') }),
      linkedKindOf({ kind: query.get('to') }),
    ),
  }),
  'POST link-changes': ({ account, body }) =>
    account.links.changeAtRandom({
      seed: numberOf(body['seed']) ?? 0,
      count: numberOf(body['count']),
    }),
  'POST record-changes': ({ account, body }) =>
    account.changeRecords(kindOf(body), {
      seed: numberOf(body['seed']) ?? 0,
      count: numberOf(body['count']),
      isTied: body['isTied'] === true,
    }),
  'POST expire': ({ account }) => account.expireAccessToken(),
  'POST approve': ({ account }) => ({ refreshToken: account.approve() }),
  'POST revoke': ({ account }) => account.revoke(),
  'POST uninstall': async ({ account }) => ({ statuses: await account.uninstall() }),
};

/**
 * Rejects requests from a page in a browser (CSRF, DNS rebinding): their Host header is foreign, or their content
 * type is not JSON.
 */
function isFromHere({ headers, method, body }: SandboxRequest): boolean {
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  const isJson = /^application\/json\b/.test(headers['content-type'] ?? '');
  const isSafe = method === 'GET' || headers.origin === undefined;
  return LOOPBACK.includes(host) && isSafe && (body === '' || isJson);
}

function overview<Crm extends CrmTypes>(crm: SandboxCrm<Crm>): object {
  return {
    crm: crm.name,
    origin: crm.origin,
    faults: crm.faultNames,
    demo: describe(crm.demo),
    accounts: crm.accounts().length,
    verbs: Object.keys(ACCOUNT_VERBS).map((verb) => verb.replace(' ', ` ${ROOT}/accounts/{id}/`)),
  };
}

function describe<Crm extends CrmTypes>(account: SandboxAccount<Crm>): object {
  const { id, name, instanceUrl, accessToken, refreshToken, staticToken, clientId, clientSecret } =
    account;
  return {
    id,
    name,
    instanceUrl,
    accessToken,
    refreshToken,
    staticToken,
    clientId,
    clientSecret,
    quirks: account.quirks,
    limits: account.limits,
  };
}

function bodyOf(request: SandboxRequest): Record<string, unknown> {
  const value = readJson(request);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function kindOf({ kind }: Record<string, unknown>): RecordKind {
  const known = RECORD_KINDS.find((one) => one === kind);
  if (known === undefined) throw new Error(`kind must be one of: ${RECORD_KINDS.join(', ')}.`);
  return known;
}

function endOf(value: unknown): LinkedRecord {
  const { kind, id } =
    typeof value === 'object' && value !== null ? { kind: '', id: '', ...value } : {};
  return { kind: linkedKindOf({ kind }), id: String(id) };
}

function linkedKindOf({ kind }: Record<string, unknown>): LinkedKind {
  const known = LINKED_KINDS.find((one) => one === kind);
  if (known === undefined) throw new Error(`kind must be one of: ${LINKED_KINDS.join(', ')}.`);
  return known;
}

/** Of all records of a kind, those that are linked to them. */
function listLinks(
  account: SandboxAccount<CrmTypes>,
  from: LinkedKind,
  to: LinkedKind,
): readonly object[] {
  const idOf = (kind: LinkedKind, index: number) =>
    kind === 'contact' ? account.recordId(index) : account.idOfRecord(kind, index);
  const all = from === 'contact' ? account.people.all() : account.records.all(from);
  return all.flatMap(({ index }) =>
    account.links
      .find(from, index, to)
      .map((link) => ({ ...link, from: idOf(from, index), to: idOf(to, link.index) })),
  );
}

function valuesOf({ values }: Record<string, unknown>): RecordValues {
  const entries = typeof values === 'object' && values !== null ? Object.entries(values) : [];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value === null ? null : String(value)]),
  );
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function notFound(): Answer {
  return jsonAnswer(404, { error: `Not found. GET ${ROOT} lists the endpoints.` });
}

const ROOT = '/__sandbox';
const LINKED_KINDS = ['contact', 'company', 'deal'] as const;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

type Verb = (context: {
  readonly account: SandboxAccount<CrmTypes>;
  readonly request: SandboxRequest;
  readonly recordId: string;
  readonly body: Record<string, unknown>;
}) => unknown;
