import type { Connection } from '../connection.ts';
import type { CustomFieldSelection } from '../custom-field.ts';
import { DEFAULT_PAGE_SIZE, type ListPage, type PageInput } from '../page.ts';
import type { ProviderName } from '../provider-names.ts';
import type { CrmRecord, RecordKind, RecordOrigin } from './record.ts';
import type { RecordType } from './record-type.ts';

/** A search as passed by an API: the filter is unchecked. */
export interface RecordSearch<Input> extends RecordTarget {
  readonly filter: Input;
  readonly page: PageInput;
  readonly readFromCache: boolean;
  readonly selection: SearchSelection;
}

/** Omitted arguments default to the request's headers. */
export interface RecordTarget {
  readonly customerId?: string | null | undefined;
  readonly provider?: ProviderName | null | undefined;
}

export interface SearchSelection extends FieldSelection {
  /** `first page`: cursors keep the count, and the other pages of a list return it without counting. */
  readonly totalCount: boolean | 'first page';
  /** Whether both `hasNextPage` and `hasPreviousPage` are selected. The second may cost a call. */
  readonly needsPreviousPage: boolean;
}

/** A page of the records that a search has found. */
export interface FoundPage<Item extends CrmRecord> extends ListPage<Item> {
  readonly source: RecordOrigin;
  readonly totalCount: number | null;
  /** The error where counting was requested and failed; the page is valid nevertheless. */
  readonly countFailure: unknown;
  /** The end of the period of `modifiedSince`; null with another filter. */
  readonly modifiedUntil: string | null;
  /** Time of the request to the provider. */
  readonly fetchedAt: string;
  /** Whether the search allowed a cached result. */
  readonly readFromCache: boolean;
}

/**
 * The origin of a connection's records of a type. Returns the same object each time, so that results can be memoized by
 * it.
 */
export function toRecordOrigin(
  connection: Connection,
  { type }: Pick<RecordKind<CrmRecord>, 'type'>,
): RecordOrigin {
  const known = remembered.get(connection) ?? {};
  const { applicationId, customerId, providerName } = connection;
  known[type] ??= { type, applicationId, customerId, provider: providerName };
  remembered.set(connection, known);
  return known[type];
}

const remembered = new WeakMap<Connection, Partial<Record<RecordType, RecordOrigin>>>();

/** The parts of a record to fetch. */
export interface FieldSelection {
  /** Raw data is the whole record, so it selects every field. */
  readonly rawData: boolean;
  /** Further fields of the CRM, by its own names, that the raw data are to have. */
  readonly rawFields?: readonly string[] | undefined;
  /** The fields that will be read: others may be empty although the provider has them. Absent: all. */
  readonly fields?: SelectedFields | undefined;
  /** The custom fields that the caller has selected, by name. Absent: none. */
  readonly customFieldNames?: 'all' | readonly string[] | undefined;
  /** The same for the connection that is read. A use case sets it; adapters read only this. */
  readonly customFields?: CustomFieldSelection | undefined;
}

/** Names of fields of the record's type. */
export type SelectedFields = ReadonlySet<string>;

/** Undefined means all fields. */
export function readSelectedFields({
  rawData,
  fields,
}: FieldSelection): SelectedFields | undefined {
  return rawData ? undefined : fields;
}

/** Equal for selections whose raw data have the same fields: only these can share a call. Empty without raw data. */
export function rawKey({ rawData, rawFields = [] }: FieldSelection): string {
  return rawData ? `raw ${[...new Set(rawFields)].sort().join()}` : '';
}

/** The union of several selections of one connection, whose raw data have the same fields. */
export function mergeSelections(selections: readonly FieldSelection[]): FieldSelection {
  const [first] = selections;
  if (first && selections.every((one) => isEqual(one, first))) return first;
  const merged = mergeFields(selections);
  const customFields = mergeCustomFields(selections.flatMap((one) => one.customFields ?? []));
  return customFields ? { ...merged, customFields } : merged;
}

/** Selections of one document share their sets and lists. */
function isEqual(one: FieldSelection, other: FieldSelection): boolean {
  return (
    one.fields === other.fields &&
    one.rawData === other.rawData &&
    one.customFields?.names === other.customFields?.names
  );
}

function mergeCustomFields(
  selections: readonly CustomFieldSelection[],
): CustomFieldSelection | undefined {
  const [first] = selections;
  if (!first || selections.every(({ names }) => names === first.names)) return first;
  const byName = new Map(selections.flatMap(({ fields }) => fields.map((one) => [one.name, one])));
  return {
    ...first,
    names: [...new Set(selections.flatMap(({ names }) => names))],
    fields: [...byName.values()],
  };
}

function mergeFields(selections: readonly FieldSelection[]): FieldSelection {
  const [first] = selections;
  const rawFields = first?.rawFields;
  const rawData = selections.some((one) => one.rawData);
  const raw = rawFields ? { rawData, rawFields } : { rawData };
  if (selections.some(({ fields }) => fields === undefined)) return raw;
  return { ...raw, fields: new Set(selections.flatMap(({ fields }) => [...(fields ?? [])])) };
}

/** Whether a result with these fields covers the selection. */
export function includesFields(
  had: readonly string[] | undefined,
  selection: FieldSelection,
): boolean {
  if (had === undefined) return true;
  const wanted = readSelectedFields(selection);
  return wanted !== undefined && [...wanted].every((field) => had.includes(field));
}

/**
 * The query cost of a search without its contacts: one provider call per hundred look-ups, plus one per look-up. A
 * filter that lists contacts looks up none.
 */
export function searchCost(lookUps: number): number {
  return PROVIDER_CALL * Math.max(1, Math.ceil(lookUps / EMAILS_PER_CALL)) + lookUps;
}

/** The estimated number of contacts where `first` is absent. Further ones are charged when they are found. */
export function expectedContacts(lookUps: number): number {
  return lookUps > 0
    ? Math.min(DEFAULT_PAGE_SIZE, lookUps * CONTACTS_PER_LOOK_UP)
    : DEFAULT_PAGE_SIZE;
}

/** The same with the values of its contacts, where each has all fields: in REST, and for agents. */
export function wholeSearchCost(lookUps: number, pageSize = DEFAULT_PAGE_SIZE): number {
  const contacts = lookUps === 0 ? pageSize : Math.min(pageSize, expectedContacts(lookUps));
  return searchCost(lookUps) + contacts * VALUES_PER_CONTACT;
}

/** The cost of a provider call relative to one value of the response. */
export const PROVIDER_CALL = 150;
/** Emails per provider call. */
export const EMAILS_PER_CALL = 100;
export const CONTACTS_PER_LOOK_UP = 5;
/** The cost of a list without its items: a few database statements and no provider call. */
export const LIST_COST = 20;
/** The values of a record with all its fields. */
export const VALUES_PER_CONTACT = 25;
export const VALUES_PER_CUSTOMER = 20;
