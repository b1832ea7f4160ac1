import type {
  ConnectFlowStore,
  ConnectLink,
  ConnectServices,
  FieldChoice,
  StoredGrant,
  VisitedLink,
} from '../domain/connect-link.ts';
import {
  type CustomFieldsByRecord,
  listMappable,
  type MappedConnection,
  type ProviderField,
} from '../domain/custom-fields.ts';
import { type FieldMatch, matchCustomFields } from '../domain/field-matching.ts';
import type { CrmPort, Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { RECORDS } from '../domain/records/catalogue.ts';
import type { CrmRecord } from '../domain/records/record.ts';
import type { RecordType } from '../domain/records/record-type.ts';
import { digest } from '../lib/digest.ts';
import { openCrmClient } from './open-crm-client.ts';
import { isUnavailable, type ProviderFieldDeps, readProviderFields } from './provider-fields.ts';
import { listReadable } from './record-access.ts';
import { ENDED, type EndedPage, toRequestedRecords } from './start-authorization.ts';

/**
 * Opens the page on which a customer matches custom fields with those of their CRM: after consent, in the browser that
 * gave it, or by a link for that. Only that browser sees values of records.
 */
export async function openMatchPage(deps: MatchDeps, request: MatchRequest): Promise<MatchResult> {
  const place = await findPlace(deps, request);
  if ('problem' in place) return place;
  const page = await readPage(deps, place, request);
  if (!('groups' in page) || !place.isConsenting) return page;
  const groups = page.groups.map(async (group) => ({
    ...group,
    samples: await readSamples(group, page.openPort),
  }));
  return { ...page, groups: await Promise.all(groups) };
}

/** Stores what the customer has chosen, or nothing where the step is skipped. The link then goes on. */
export async function matchFields(
  deps: MatchDeps,
  request: MatchRequest & { readonly chosen: Chosen | undefined },
): Promise<MatchResult | MatchedLink> {
  const place = await findPlace(deps, request);
  if ('problem' in place) return place;
  const { visited } = place;
  let choices: readonly FieldChoice[] | undefined;
  if (request.chosen) {
    const page = await readPage(deps, place, request);
    if (!('groups' in page)) return page;
    const checked = checkChoices(page.groups, request.chosen);
    if ('mistaken' in checked) return { ...page, mistaken: checked.mistaken };
    choices = checked.choices;
  }
  const confirmation =
    visited.link.status === 'AWAITING_CONFIRMATION' ? deps.makeCode() : undefined;
  const { link, isOurs } = await deps.flows.matchFields(visited.link.id, {
    sessionHash: place.isConsenting ? (visited.sessionHash ?? undefined) : undefined,
    choices,
    codeHash: confirmation === undefined ? undefined : digest(confirmation),
  });
  if (!link) return { problem: 'CANCELED', visited };
  if (!isOurs) return { problem: ENDED[link.status] ?? 'ENDED', visited: { ...visited, link } };
  if (link.status === 'COMPLETED') deps.forgetConnection(link);
  return { visited: { ...visited, link }, link, confirmation };
}

/** The link, if its customer may match fields now. */
async function findPlace(
  { connecting, flows }: Pick<MatchDeps, 'connecting' | 'flows'>,
  { token, cookies }: MatchRequest,
): Promise<EndedPage | Place> {
  const linkId = connecting.linkTokens.verify(token);
  if (linkId === undefined) return { problem: 'FORGED' };
  const visited = await flows.findLink(linkId);
  if (!visited) return { problem: 'CANCELED' };
  const { link, sessionHash } = visited;
  const provider = link.providerName;
  const isConsenting = link.purpose === 'CONNECT';
  const isAfterConsent = link.status === 'AWAITING_CONFIRMATION' || link.status === 'COMPLETED';
  const problem =
    isConsenting && isAfterConsent && sessionHash !== null ? undefined : ENDED[link.status];
  if (problem) return { problem, visited };
  if (provider === null) return { problem: 'WRONG_BROWSER', visited };
  const isBrowser = [...cookies.values()].some((cookie) => digest(cookie) === sessionHash);
  if (isConsenting && !isBrowser) return { problem: 'WRONG_BROWSER', visited };
  return { visited, provider, isConsenting };
}

/** Before the confirmation there is no connection yet: its fields are read with the grant that waits. */
async function readPage(
  deps: MatchDeps,
  { visited, provider }: Place,
  { refresh }: MatchRequest,
): Promise<EndedPage | ReadPage | UnavailablePage> {
  const { link } = visited;
  const { customerId } = link;
  const context = deps.openContext(visited, provider);
  const [own, stored] = await Promise.all([
    context.loadCustomFields(),
    context.loadConnection({ customerId, providerName: provider }),
  ]);
  const isWaiting = link.status === 'AWAITING_CONFIRMATION';
  const storedGrant = isWaiting ? await deps.flows.findGrant(link.id) : undefined;
  if (isWaiting ? !storedGrant : stored?.id !== link.connectionId)
    return { problem: 'CANCELED', visited };
  const openPort = async (record: RecordType) =>
    storedGrant
      ? deps.openGrantPort(visited, provider, storedGrant)
      : (await openCrmClient(context, { customerId, provider }, RECORDS[record])).port;
  const listFields = async (record: RecordType) =>
    storedGrant
      ? (await openPort(record)).of<CrmRecord>(RECORDS[record]).listFields()
      : readProviderFields(context, { customerId, provider, record, refresh });
  const connection = stored ?? NOT_CONNECTED(provider);
  const known = deps.providers.get(provider);
  if (!known) throw new Error(`There is no provider ${provider}.`);
  const isUnconfirmed = storedGrant !== undefined || !stored;
  const readable = isUnconfirmed
    ? listRequestedRecords(visited, known)
    : listReadable(known, stored);
  const groups = await Promise.all(
    listMappable(own, readable).map(async (record): Promise<FieldGroup> => {
      const objectName = known.crm?.records[record]?.objectName;
      try {
        const fields = await listFields(record);
        return {
          record,
          matches: matchCustomFields(own[record], { connection, objectName }, fields),
        };
      } catch (error) {
        if (isUnavailable(error)) return { record, matches: undefined };
        throw error;
      }
    }),
  );
  if (groups.length > 0 && groups.every(({ matches }) => !matches))
    return { visited, provider, isUnavailable: true };
  return { visited, provider, openPort, groups };
}

const NOT_CONNECTED = (providerName: ProviderName): MappedConnection => ({
  providerName,
  customFieldMappings: null,
  entityMappings: null,
  schemaMappingsConfig: null,
});

/** Values of three records, by field. Best effort: the page is of use without them. */
async function readSamples(
  { record, matches = [] }: FieldGroup,
  openPort: ReadPage['openPort'],
): Promise<Samples> {
  // Custom fields of one type have the same list.
  const fields = [...new Set(matches.map(({ options }) => options))].flat();
  const custom = fields.filter(({ isCustom }) => isCustom);
  const chosen = matches.flatMap(({ selected }) => selected ?? []);
  const names = [...new Set([...chosen, ...toNames(custom), ...toNames(fields)])]
    .filter((name) => !name.includes('.'))
    .slice(0, MAX_SAMPLED);
  if (names.length === 0) return new Map();
  try {
    const newest = { direction: 'backward', from: undefined, limit: SAMPLES } as const;
    const port = await openPort(record);
    const records = await port.of<CrmRecord>(RECORDS[record]).readList({ by: 'all' }, newest, {
      rawData: false,
      fields: new Set(),
      customFields: {
        key: 'samples',
        names,
        fields: names.map((name) => ({ name, type: 'TEXT', source: name })),
        onProblem: () => undefined,
      },
    });
    return new Map(
      names.map((name) => {
        const values = records.flatMap(({ customFields }) => toSample(customFields?.[name]));
        return [name, [...new Set(values)]];
      }),
    );
  } catch (error) {
    if (isUnavailable(error)) return new Map();
    throw error;
  }
}

const toNames = (fields: readonly ProviderField[]) => fields.map(({ name }) => name);

const SAMPLES = 3;
/** Fields whose values are read: those that are selected, those that the account has added, and others. */
const MAX_SAMPLED = 100;
const MAX_SAMPLE_LENGTH = 40;

function toSample(value: unknown): readonly string[] {
  if (typeof value !== 'string') return [];
  const text = value.trim().replace(/\s+/g, ' ');
  if (text === '') return [];
  const cut = [...text].slice(0, MAX_SAMPLE_LENGTH).join('');
  return [cut === text ? text : `${cut}…`];
}

/** A field that was not sent stays as it was preselected. */
function checkChoices(
  groups: readonly FieldGroup[],
  chosen: Chosen,
): { readonly choices: readonly FieldChoice[] } | { readonly mistaken: string } {
  const choices: FieldChoice[] = [];
  for (const { record, matches = [] } of groups) {
    for (const { field, options, selected, fallback } of matches) {
      const formName = toFormName(record, field.name);
      const value = chosen.get(formName) ?? selected ?? '';
      const isKnown =
        value === '' || value === selected || options.some(({ name }) => name === value);
      if (!isKnown) return { mistaken: formName };
      // Without a mapping of its own it follows what the application sets later.
      const source = value === '' || value === fallback ? null : value;
      choices.push({ record, field: field.name, source });
    }
  }
  return { choices };
}

/** A custom field in the form of the page. */
export function toFormName(record: RecordType, field: string): string {
  return `${record.toLowerCase()}-${field}`;
}

/** The chosen field of the CRM by custom field, as the form names it; an empty text: none. */
type Chosen = ReadonlyMap<string, string>;

/** Values of records by the name of the CRM's field. */
export type Samples = ReadonlyMap<string, readonly string[]>;

/** The custom fields of one type of record. */
export interface FieldGroup {
  readonly record: RecordType;
  /** Undefined: the CRM did not return the fields of these records. */
  readonly matches: readonly FieldMatch[] | undefined;
  /** Absent: this browser may not see values. */
  readonly samples?: Samples | undefined;
}

export interface MatchPage {
  readonly visited: VisitedLink;
  readonly provider: ProviderName;
  readonly groups: readonly FieldGroup[];
  /** The custom field for which something was chosen that does not fit, as the form names it. */
  readonly mistaken?: string;
  readonly problem?: undefined;
}

interface UnavailablePage {
  readonly visited: VisitedLink;
  readonly provider: ProviderName;
  /** The CRM did not return its fields. */
  readonly isUnavailable: true;
  readonly problem?: undefined;
}

/** The step has ended. */
export interface MatchedLink {
  readonly visited: VisitedLink;
  readonly link: ConnectLink;
  readonly confirmation: string | undefined;
  readonly problem?: undefined;
}

export type MatchResult = EndedPage | MatchPage | UnavailablePage;

interface ReadPage extends MatchPage {
  openPort(record: RecordType): Promise<CrmPort>;
}

interface Place {
  readonly visited: VisitedLink;
  readonly provider: ProviderName;
  /** Whether it is the browser that has just given consent. */
  readonly isConsenting: boolean;
}

interface MatchRequest {
  readonly token: string;
  /** Cookie values by flow name. */
  readonly cookies: ReadonlyMap<string, string>;
  /** Whether the CRM's fields are read again. */
  readonly refresh?: boolean;
}

/** What the pages may do for the customer of a link. */
interface MatchContext extends ProviderFieldDeps {
  loadCustomFields(): Promise<CustomFieldsByRecord> | CustomFieldsByRecord;
}

export interface MatchDeps {
  readonly connecting: Pick<ConnectServices, 'linkTokens'>;
  readonly flows: Pick<ConnectFlowStore, 'findLink' | 'findGrant' | 'matchFields'>;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  /** Limited to the link's customer and this provider. */
  openContext(visited: VisitedLink, provider: ProviderName): MatchContext;
  /** The records of an account whose connection is not confirmed yet. */
  openGrantPort(visited: VisitedLink, provider: ProviderName, storedGrant: StoredGrant): CrmPort;
  /** Makes an unguessable one-time code. */
  makeCode(): string;
  /** Clears the process's cache of the connection. */
  forgetConnection(link: ConnectLink): void;
}

/** Whether a customer can match fields there after consent. */
export function canMatchFields(
  visited: VisitedLink,
  provider: Provider,
  customFields: CustomFieldsByRecord,
): boolean {
  const readable = listRequestedRecords(visited, provider);
  return visited.link.mapFields && listMappable(customFields, readable).length > 0;
}

/** The types of records that the link, or an earlier one, has asked for, as far as the provider has them. */
function listRequestedRecords(
  visited: VisitedLink,
  { name, crm }: Provider,
): readonly RecordType[] {
  return toRequestedRecords(visited, name).readableRecords.filter(
    (record) => crm?.records[record] !== undefined,
  );
}
