import { PIPELINES as SHARED } from '../deal-stages.ts';
import type { Person, PersonAddress } from '../people.ts';
import { type CrmRecord, type RecordValues, readValues } from '../records.ts';
import { valuesOf } from './fields.ts';
import { ownerId, personId, toPipedriveId } from './record-ids.ts';
import type { PipedriveAccount } from './types.ts';

/** A person as the API shows it. Times have no milliseconds. */
export function toPerson(account: PipedriveAccount, person: Person): WireRecord {
  return {
    id: personId(person.index),
    name: nameOfPerson(person),
    first_name: person.firstName,
    last_name: person.lastName,
    owner_id: ownerOf(person.ownerIndex),
    org_id: idOf('company', person.companyIndex),
    add_time: toTime(person.createdAt),
    update_time: toTime(person.updatedAt),
    emails: emailsOf(person),
    phones: phonesOf(person),
    is_deleted: person.isDeleted,
    visible_to: 3,
    label_ids: [],
    picture_id: null,
    ...(!account.quirks.withoutContactSync && {
      postal_address: toAddress(person.mailingAddress),
      notes: null,
      im: [],
      birthday: null,
      job_title: person.jobTitle || null,
    }),
    custom_fields: valuesOf(account, 'person', person.custom),
  };
}

export function nameOfPerson({ firstName, lastName }: Person): string {
  return (
    [firstName, lastName]
      .map((part) => part?.trim())
      .filter(Boolean)
      .join(' ') || 'Unnamed'
  );
}

/** Nothing makes addresses unique, and they are kept as they were written. */
export function emailsOf(person: Person): readonly Labelled[] {
  return withPrimary([
    ['work', person.email],
    ...person.secondaryEmails.map((email) => ['other', email] as const),
    ['work', person.workEmail],
  ]);
}

function phonesOf(person: Person): readonly Labelled[] {
  return withPrimary([
    ['work', person.phone],
    ['mobile', person.mobilePhone],
    ['home', person.homePhone],
    ['other', person.otherPhone],
    ['fax', person.fax],
  ]);
}

/** The first is the primary one. */
function withPrimary(
  all: readonly (readonly [label: string, value: string | null])[],
): readonly Labelled[] {
  return all
    .flatMap(([label, value]) => (value ? [{ label, value }] : []))
    .map(({ label, value }, place) => ({ label, value, primary: place === 0 }));
}

function toAddress(address: PersonAddress | null): WireRecord | null {
  const [line = '', ...rest] = address?.street?.trim().split(/[\r\n]+/) ?? [];
  const [, number, route] = /^(\d+)\s+(.+)$/.exec(line) ?? [];
  const { city, state, postalCode, country } = address ?? {};
  const value = [line, city, state, postalCode, country].filter(Boolean).join(', ');
  if (value === '') return null;
  return {
    value,
    country: country || null,
    admin_area_level_1: state || null,
    admin_area_level_2: null,
    locality: city || null,
    sublocality: null,
    route: (route ?? line) || null,
    street_number: number ?? null,
    subpremise: rest.join(', ') || null,
    postal_code: postalCode || null,
  };
}

export function toOrganization(account: PipedriveAccount, record: CrmRecord): WireRecord {
  const { index } = record;
  const values = readValues('company', record);
  const [street, city, state, postalCode, country] = ADDRESS.map((name) => values[name] ?? null);
  return {
    id: Number(toPipedriveId('company', index)),
    name: values['name'] ?? `Company ${index}`,
    owner_id: ownerOf(values['owner']),
    add_time: toTime(record.createdAt),
    update_time: toTime(record.updatedAt),
    is_deleted: record.isDeleted,
    visible_to: 3,
    label_ids: [],
    address: toAddress({
      street: street ?? null,
      city: city ?? null,
      state: state ?? null,
      postalCode: postalCode ?? null,
      country: country ?? null,
    }),
    website: values['website'] ?? null,
    linkedin: null,
    industry: toIndustry(values['industry']),
    annual_revenue: toNumber(values['annualrevenue']),
    employee_count: toNumber(values['numberofemployees']),
    custom_fields: valuesOf(account, 'organization', values),
  };
}

export function toDeal(account: PipedriveAccount, record: CrmRecord): WireRecord {
  const { index } = record;
  const values = readValues('deal', record);
  const stage = stageOf(values['dealstage']);
  const status = statusOf(values);
  const closed = status === 'open' ? null : toTime(record.updatedAt);
  const [person] = account.links.find('deal', index, 'contact');
  return {
    id: Number(toPipedriveId('deal', index)),
    title: values['name'] ?? `Deal ${index}`,
    owner_id: ownerOf(values['owner']),
    person_id: person ? personId(person.index) : null,
    org_id: idOf('company', account.links.primaryCompanyOf('deal', index)),
    pipeline_id: stage.pipeline_id,
    stage_id: stage.id,
    value: toNumber(values['amount']),
    currency: values['currency'] ?? 'EUR',
    add_time: toTime(record.createdAt),
    update_time: toTime(record.updatedAt),
    stage_change_time: null,
    is_deleted: record.isDeleted,
    is_archived: false,
    status,
    probability: null,
    lost_reason: status === 'lost' ? (values['lostreason'] ?? null) : null,
    visible_to: 3,
    close_time: closed,
    won_time: status === 'won' ? closed : null,
    lost_time: status === 'lost' ? closed : null,
    expected_close_date: values['closedate']?.slice(0, 10) ?? null,
    label_ids: [],
    custom_fields: valuesOf(account, 'deal', values),
  };
}

/** A deal that is won or lost stays in the stage that it was in. */
function stageOf(name: string | null | undefined) {
  const place = SHARED_STAGES.findIndex((stage) => stage.id === name);
  const shared = SHARED_STAGES[place];
  const pipeline = shared ? PIPELINE_IDS.get(shared.pipeline) : 1;
  const known = STAGES.find((stage) => stage.key === name);
  const last = STAGES.findLast((stage) => stage.pipeline_id === pipeline && !stage.is_deleted);
  return known ?? (shared ? last : undefined) ?? FIRST_STAGE;
}

/** The one that it was given, or else that of the stage which it has in other CRMs. */
export function statusOf({ status, dealstage }: RecordValues): 'open' | 'won' | 'lost' {
  if (status === 'open' || status === 'won' || status === 'lost') return status;
  const shared = SHARED_STAGES.find(({ id }) => id === dealstage);
  if (!shared?.isClosed) return 'open';
  return shared.probability === 1 ? 'won' : 'lost';
}

const SHARED_STAGES = SHARED.flatMap(({ id: pipeline, stages }) =>
  stages.map((stage) => ({ ...stage, pipeline })),
);
const PIPELINE_IDS = new Map(SHARED.map(({ id }, place) => [id, place + 1]));
const MADE_AT = '2022-01-03T08:00:00Z';

/** Pipelines without the stages of closed deals, which Pipedrive has as the status of the deal. */
export const PIPELINES = SHARED.map(({ label }, place) => ({
  id: place + 1,
  name: label,
  order_nr: place,
  is_deleted: false,
  is_deal_probability_enabled: place === 0,
  add_time: MADE_AT,
  update_time: null,
}));

const STAGES = SHARED_STAGES.filter(({ isClosed }) => !isClosed).map((stage, place) => ({
  key: stage.id,
  id: place + 11,
  order_nr: place,
  name: stage.label,
  is_deleted: stage.isArchived === true,
  deal_probability: Math.round(stage.probability * 100),
  pipeline_id: PIPELINE_IDS.get(stage.pipeline) ?? 1,
  is_deal_rot_enabled: false,
  days_to_rotten: null,
  add_time: MADE_AT,
  update_time: null,
}));
const [FIRST_STAGE = { id: 11, pipeline_id: 1 }] = STAGES;

export function findStage(id: number) {
  return STAGES.find((stage) => stage.id === id && !stage.is_deleted);
}

export function firstStageOf(pipelineId: number) {
  return STAGES.find((stage) => stage.pipeline_id === pipelineId && !stage.is_deleted);
}

/** As the API lists them: without those that were deleted. */
export const SHOWN_STAGES: readonly WireRecord[] = STAGES.filter((one) => !one.is_deleted).map(
  ({ key: _, ...stage }) => stage,
);

/** Industries are options, of which each has a number. */
function toIndustry(name: string | null | undefined): number | null {
  return name
    ? 1 + ([...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 1_000)
    : null;
}

const ADDRESS = ['address', 'city', 'state', 'zip', 'country'] as const;

/** The company as the current user's record names it. */
export function toCompany({ id, name, slug }: PipedriveAccount): WireRecord {
  return { company_id: Number(id), company_name: name, company_domain: slug };
}

function idOf(kind: 'company' | 'deal', index: number | null): number | null {
  return index === null ? null : Number(toPipedriveId(kind, index));
}

/** Every record has an owner: the first user, by default. */
function ownerOf(index: number | string | null | undefined): number {
  return ownerId(Number(index ?? 1));
}

function toNumber(text: string | null | undefined): number | null {
  return text ? Number(text) : null;
}

export function toTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

export type WireRecord = Readonly<Record<string, unknown>>;

interface Labelled {
  readonly label: string;
  readonly value: string;
  readonly primary: boolean;
}
