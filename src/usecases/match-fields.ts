import type {
  ConnectFlowStore,
  ConnectLink,
  ConnectServices,
  FieldChoice,
  KeptGrant,
  VisitedLink,
} from '../domain/connect-link.ts';
import type { CustomFields, MappedConnection, ProviderField } from '../domain/custom-fields.ts';
import { type FieldMatch, matchCustomFields } from '../domain/field-matching.ts';
import type { CrmPort, Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { CONTACT } from '../domain/records/contact.ts';
import { digest } from '../lib/digest.ts';
import { openCrmClient } from './open-crm-client.ts';
import { isUnavailable, type ProviderFieldDeps, readProviderFields } from './provider-fields.ts';
import { ENDED, type EndedPage } from './start-authorization.ts';

/**
 * Opens the page on which a customer matches custom fields with those of their CRM: after consent, in the browser that
 * gave it, or by a link for that. Only that browser sees values of contacts.
 */
export async function openMatchPage(deps: MatchDeps, request: MatchRequest): Promise<MatchResult> {
  const place = await findPlace(deps, request);
  if ('problem' in place) return place;
  const page = await readPage(deps, place, request);
  if (!('matches' in page) || !place.isConsenting) return page;
  return { ...page, samples: await readSamples(page.matches, page.openPort) };
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
    if (!('matches' in page)) return page;
    const checked = checkChoices(page.matches, request.chosen);
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
  const kept = isWaiting ? await deps.flows.findGrant(link.id) : undefined;
  if (isWaiting ? !kept : stored?.id !== link.connectionId) return { problem: 'CANCELED', visited };
  const openPort = async () =>
    kept
      ? deps.openGrantPort(visited, provider, kept)
      : (await openCrmClient(context, { customerId, provider }, CONTACT)).port;
  try {
    const known = kept
      ? await (await openPort()).of(CONTACT).listFields()
      : await readProviderFields(context, { customerId, provider, refresh });
    const connection = stored ?? NOT_CONNECTED(provider);
    return {
      visited,
      provider,
      openPort,
      matches: matchCustomFields(own, connection, known ?? []),
    };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return { visited, provider, isUnavailable: true };
  }
}

const NOT_CONNECTED = (providerName: ProviderName): MappedConnection => ({
  providerName,
  customFieldMappings: null,
  entityMappings: null,
  schemaMappingsConfig: null,
});

/** Values of three contacts, by field. Best effort: the page is of use without them. */
async function readSamples(
  matches: readonly FieldMatch[],
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
    const port = await openPort();
    const contacts = await port.of(CONTACT).readList({ by: 'all' }, newest, {
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
        const values = contacts.flatMap(({ customFields }) => toSample(customFields?.[name]));
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
  matches: readonly FieldMatch[],
  chosen: Chosen,
): { readonly choices: readonly FieldChoice[] } | { readonly mistaken: string } {
  const choices: FieldChoice[] = [];
  for (const { field, options, selected, fallback } of matches) {
    const given = chosen.get(field.name) ?? selected ?? '';
    const isKnown =
      given === '' || given === selected || options.some(({ name }) => name === given);
    if (!isKnown) return { mistaken: field.name };
    // Without a mapping of its own it follows what the application sets later.
    choices.push({ field: field.name, source: given === '' || given === fallback ? null : given });
  }
  return { choices };
}

/** The chosen field of the CRM by custom field; an empty text: none. */
type Chosen = ReadonlyMap<string, string>;

/** Values of contacts by the name of the CRM's field. */
export type Samples = ReadonlyMap<string, readonly string[]>;

export interface MatchPage {
  readonly visited: VisitedLink;
  readonly provider: ProviderName;
  readonly matches: readonly FieldMatch[];
  /** Absent: this browser may not see values. */
  readonly samples?: Samples | undefined;
  /** The custom field for which something was chosen that does not fit. */
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
  openPort(): Promise<CrmPort>;
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
  loadCustomFields(): Promise<CustomFields> | CustomFields;
}

export interface MatchDeps {
  readonly connecting: Pick<ConnectServices, 'linkTokens'>;
  readonly flows: Pick<ConnectFlowStore, 'findLink' | 'findGrant' | 'matchFields'>;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  /** Limited to the link's customer and this provider. */
  openContext(visited: VisitedLink, provider: ProviderName): MatchContext;
  /** The contacts of an account whose connection is not confirmed yet. */
  openGrantPort(visited: VisitedLink, provider: ProviderName, kept: KeptGrant): CrmPort;
  /** Makes an unguessable one-time code. */
  makeCode(): string;
  /** Clears the process's cache of the connection. */
  forgetConnection(link: ConnectLink): void;
}

/** Whether a customer can match fields there after consent. */
export function canMatchFields(
  { mapFields }: ConnectLink,
  { crm }: Provider,
  { definitions }: CustomFields,
): boolean {
  return (
    mapFields && crm !== undefined && definitions.some(({ customersMayMap }) => customersMayMap)
  );
}
