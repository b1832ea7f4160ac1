import { type CrmRecord, type RecordValues, readValues } from '../records.ts';
import { gone, invalid, notFound, PipedriveError } from './errors.ts';
import { indexOfPerson, toPipedriveIndex } from './record-ids.ts';
import type { Endpoint, EndpointContext, PipedriveAccount } from './types.ts';
import { findStage, firstStageOf, statusOf, toDeal, toOrganization } from './views.ts';
import {
  type Body,
  customOf,
  isObject,
  numberOf,
  organizationOf,
  ownerOf,
  readBody,
  textOf,
} from './written-values.ts';

export const createOrganization: Endpoint = (context) => {
  const { account } = context;
  const body = readBody(context);
  requireText(body, 'name');
  const index = account.records.add('company', readAll(ORGANIZATION, body, account));
  return show(toOrganization(account, account.records.get('company', index) as CrmRecord), 201);
};

export const updateOrganization: Endpoint = (context) => {
  const { account } = context;
  const record = findRecord(context, 'company', 'Organization');
  const { index } = record;
  account.records.change('company', index, readAll(ORGANIZATION, readBody(context), account));
  return show(toOrganization(account, account.records.get('company', index) as CrmRecord), 200);
};

export const createDeal: Endpoint = (context) => {
  const { account } = context;
  const body = readBody(context);
  requireText(body, 'title');
  const values = { ...readAll(DEAL, body, account), ...readPlace(body, {}) };
  const links = readLinks(account, body);
  const index = account.records.add('deal', values, {
    companies: { primary: links.company ?? null, others: [] },
  });
  linkPerson(account, index, links.person);
  return show(toDeal(account, account.records.get('deal', index) as CrmRecord), 201);
};

export const updateDeal: Endpoint = (context) => {
  const { account } = context;
  const record = findRecord(context, 'deal', 'Deal');
  const { index } = record;
  const body = readBody(context);
  const values = {
    ...readAll(DEAL, body, account),
    ...readPlace(body, readValues('deal', record)),
  };
  const { person, company } = readLinks(account, body);
  account.records.change('deal', index, values);
  linkPerson(account, index, person);
  linkCompany(account, index, company);
  return show(toDeal(account, account.records.get('deal', index) as CrmRecord), 200);
};

function show(data: object, status: number) {
  return { status, body: { success: true, data } };
}

function findRecord(
  { account, parts: [id = ''] }: EndpointContext,
  kind: 'company' | 'deal',
  what: string,
): CrmRecord {
  const { records, quirks } = account;
  const index = toPipedriveIndex(kind, id);
  // Another user is faster.
  if (quirks.goneOnWrite.includes(id)) records.change(kind, index, {}, { isDeleted: true });
  const record = records.get(kind, index);
  if (!record) throw notFound(what);
  if (record.isDeleted) throw gone(what);
  return record;
}

function requireText(body: Body, name: string): void {
  if (textOf(body[name], name) === null) throw invalid(`${name}: is required`);
}

/** The inverse of the views. */
function readAll(readers: Readers, body: Body, account: PipedriveAccount): RecordValues {
  const values: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(body)) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (!read) throw invalid(`Unrecognized key in object: ${name}`);
    Object.assign(values, read(value, account));
  }
  return values;
}

const OWNER: Reader = (value) => ({ owner: String(ownerOf(value)) });

/** Whatever else an organization shows is no part of a write. */
const ORGANIZATION: Readers = {
  name: (value) => ({ name: notEmpty(value, 'name') }),
  owner_id: OWNER,
  address(value) {
    if (value !== null && !isObject(value)) throw invalid('address: must be an object');
    const text = textOf(value?.['value'], 'address.value');
    return { address: text, city: null, state: null, zip: null, country: null };
  },
  custom_fields: (value, account) => customOf(account, 'organization', value),
};

const ELSEWHERE: Reader = () => ({});

const DEAL: Readers = {
  title: (value) => ({ name: notEmpty(value, 'title') }),
  owner_id: OWNER,
  value(value) {
    if (value !== null && typeof value !== 'number') throw invalid('value: must be a number');
    return { amount: value === null ? null : String(value) };
  },
  currency(value) {
    const code = textOf(value, 'currency');
    if (code === null || !/^[A-Z]{3}$/.test(code)) throw invalid('currency: must be a currency');
    return { currency: code };
  },
  expected_close_date(value) {
    const day = textOf(value, 'expected_close_date');
    if (day !== null && !/^\d{4}-\d\d-\d\d$/.test(day))
      throw invalid('expected_close_date: must be a date');
    return { closedate: day };
  },
  lost_reason: (value) => ({ lostreason: textOf(value, 'lost_reason') }),
  custom_fields: (value, account) => customOf(account, 'deal', value),
  // Read together.
  stage_id: ELSEWHERE,
  pipeline_id: ELSEWHERE,
  status: ELSEWHERE,
  person_id: ELSEWHERE,
  org_id: ELSEWHERE,
};

/** A stage has its pipeline, and a pipeline alone means the first of its stages. Only the status closes a deal. */
function readPlace(body: Body, before: RecordValues): RecordValues {
  const [stageId, pipelineId] = ['stage_id', 'pipeline_id'].map((name) =>
    name in body ? numberOf(body[name], name) : undefined,
  );
  const status = textOf(body['status'], 'status');
  if (status !== null && !STATUSES.includes(status)) throw invalid('status: must be a status');
  if (stageId === null || pipelineId === null)
    throw invalid(`${stageId === null ? 'stage_id' : 'pipeline_id'}: must be a number`);
  const isNew = Object.keys(before).length === 0;
  if (stageId === undefined && pipelineId === undefined && status === null && !isNew) return {};
  const stage = stageId === undefined ? firstStageOf(pipelineId ?? 1) : findStage(stageId);
  if (!stage) throw new PipedriveError(400, 'stage_id: stage not found');
  if (pipelineId !== undefined && stage.pipeline_id !== pipelineId)
    throw new PipedriveError(400, 'stage_id: the stage is not part of the pipeline');
  const isPlaced = stageId !== undefined || pipelineId !== undefined || isNew;
  return {
    ...(isPlaced && { dealstage: stage.key }),
    status: status ?? statusOf(before),
  };
}

const STATUSES: readonly string[] = ['open', 'won', 'lost'];

/** Undefined: the link stays as it is. */
function readLinks(account: PipedriveAccount, body: Body): DealLinks {
  return {
    ...('org_id' in body && { company: organizationOf(account, body['org_id']) }),
    ...('person_id' in body && { person: personOf(account, body['person_id']) }),
  };
}

function personOf({ people }: PipedriveAccount, value: unknown): number | null {
  const id = numberOf(value, 'person_id');
  if (id === null) return null;
  const index = indexOfPerson(String(id)) ?? 0;
  const person = people.get(index);
  if (!person || person.isDeleted) throw new PipedriveError(400, 'person_id: person not found');
  return index;
}

function linkPerson({ links }: PipedriveAccount, index: number, person: DealLinks['person']): void {
  if (person === undefined) return;
  const deal = { kind: 'deal', index } as const;
  for (const one of links.find('deal', index, 'contact'))
    links.unlink(deal, { kind: 'contact', index: one.index });
  if (person !== null) links.link(deal, { kind: 'contact', index: person }, false);
}

function linkCompany(
  { links }: PipedriveAccount,
  index: number,
  company: DealLinks['company'],
): void {
  if (company === undefined) return;
  const deal = { kind: 'deal', index } as const;
  const before = links.primaryCompanyOf('deal', index);
  if (before !== null) links.unlink(deal, { kind: 'company', index: before });
  if (company !== null) links.link(deal, { kind: 'company', index: company }, true);
}

function notEmpty(value: unknown, name: string): string {
  const text = textOf(value, name);
  if (text === null) throw invalid(`${name}: must not be empty`);
  return text;
}

interface DealLinks {
  readonly company?: number | null;
  readonly person?: number | null;
}

type Readers = Readonly<Record<string, Reader>>;
type Reader = (value: unknown, account: PipedriveAccount) => RecordValues;
