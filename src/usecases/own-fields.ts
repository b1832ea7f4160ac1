import type { Connection } from '../domain/connection.ts';
import type { CustomSelection, FieldSelection, ResolvedTarget } from '../domain/contact-search.ts';
import type { Customer } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import { isExpectedVersion } from '../domain/expected-version.ts';
import {
  type ContactFieldMapping,
  type FoundProblem,
  findFieldProblems,
  isOwnFieldName,
  isSource,
  MAX_FIELD_DESCRIPTION,
  MAX_OWN_FIELDS,
  MAX_PROBLEMS,
  MAX_SOURCE,
  type MappingProblem,
  OWN_FIELD_TYPES,
  type OwnField,
  type OwnFieldStore,
  type OwnFields,
  type ProviderField,
  RESERVED_NAMES,
  type ResolvedField,
  type ResolvedFields,
  resolveFields,
} from '../domain/own-fields.ts';
import type { Providers } from '../domain/provider.ts';
import { isProviderName, type ProviderName } from '../domain/provider-names.ts';
import { isStorableJson } from '../lib/text.ts';
import {
  type CallerDeps,
  type ContactClient,
  checkCustomerId,
  customerNotFound,
  type OpenDeps,
  openContactClient,
  resolveCustomerId,
  withApiKey,
} from './open-contact-client.ts';
import type { CacheDeps } from './read-through-cache.ts';

/** Reads the application's own fields. */
export function readOwnFields(deps: FieldDeps) {
  return withApiKey(deps, 'readOwnFields', () => deps.ownFields.read());
}

/** Replaces the application's own fields. Other processes follow within five seconds. */
export function setOwnFields(deps: FieldDeps & ProvidersDeps & ForgetDeps, given: OwnFieldsInput) {
  return withApiKey(deps, 'setOwnFields', async () => {
    const stored = await storeOwnFields(deps, given);
    deps.forgetOwnFields();
    return stored;
  });
}

/** The same for a command, which has no caller. */
export function storeOwnFields(
  { ownFields, providers }: ProvidersDeps & Pick<FieldDeps, 'ownFields'>,
  { fields, expectedVersion }: OwnFieldsInput,
): Promise<OwnFields> {
  const checked = checkOwnFields(fields, providers);
  const version = expectedVersion ?? undefined;
  if (isExpectedVersion(version)) return ownFields.replace(checked, version);
  throw new CrossbookError(
    'UNPROCESSABLE_ENTITY',
    'The expected version is not a whole number from 0 on.',
  );
}

const MAX_BYTES = 256 * 1024;

/** Reports all mistakes at once, each with the field's place and name. */
function checkOwnFields(fields: OwnFieldsInput['fields'], providers: Providers): OwnField[] {
  if (fields.length > MAX_OWN_FIELDS) throw tooMany('own fields', fields.length);
  const names = fields.map(({ name }) => name);
  const mistakes = fields.flatMap((field, index) => {
    const place = `fields[${index}] ${quote(field.name)}`;
    return [
      ...findNameMistakes(field.name, names.indexOf(field.name) < index),
      toType(field.type) === undefined &&
        `the type ${quote(field.type)} is not one of ${OWN_FIELD_TYPES.join(', ')}`,
      (field.description?.length ?? 0) > MAX_FIELD_DESCRIPTION &&
        `the description is longer than ${MAX_FIELD_DESCRIPTION} characters`,
      ...findSourceMistakes(field.sources ?? [], providers),
    ]
      .filter((mistake) => mistake !== false)
      .map((mistake) => `${place}: ${mistake}`);
  });
  refuse(mistakes);
  const checked = fields.map(({ name, type, description, sources, customersMayMap }) => ({
    name,
    type: toType(type) ?? 'TEXT',
    description: description?.trim() || null,
    sources: (sources ?? []).map(({ providerName, field }) => ({
      providerName: providerName as ProviderName,
      field,
    })),
    customersMayMap: customersMayMap ?? true,
  }));
  const json = JSON.stringify(checked);
  if (!isStorableJson(json)) refuse(['A description contains U+0000 or half of a surrogate pair']);
  if (Buffer.byteLength(json) > MAX_BYTES)
    refuse([`The own fields have more than ${MAX_BYTES / 1024} KiB`]);
  return checked;
}

function findNameMistakes(name: string, isRepeated: boolean): Mistakes {
  return [
    !isOwnFieldName(name) &&
      'the name is not in camelCase: a small letter, then letters and digits, at most 64',
    RESERVED_NAMES.has(name) && 'the name is reserved, because contacts have such a field already',
    isRepeated && 'the name is given more than once',
  ];
}

function findSourceMistakes(
  sources: NonNullable<OwnFieldInput['sources']>,
  providers: Providers,
): Mistakes {
  const names = sources.map(({ providerName }) => providerName);
  return sources
    .slice(0, MAX_SOURCES)
    .flatMap(({ providerName, field }, index) => [
      !isProviderName(providerName) && `${quote(providerName)} is not a provider`,
      names.indexOf(providerName) < index && `the provider ${quote(providerName)} is named twice`,
      findSourceMistake(field, isProviderName(providerName) ? providerName : undefined, providers),
    ]);
}

/** More sources than providers have a repeated one among the first. */
const MAX_SOURCES = 50;

function findSourceMistake(
  source: string,
  providerName: ProviderName | undefined,
  providers: Providers,
): string | false {
  if (!isSource(source)) {
    return `the source ${quote(source)} is not the name of a field: letters, digits and underscores, with at most one dot, at most ${MAX_SOURCE} characters`;
  }
  const access = providerName && providers.get(providerName)?.contacts;
  return (
    source.includes('.') &&
    access !== undefined &&
    access.readsRelatedFields !== true &&
    `the source ${quote(source)} has a dot, and ${providerName} has no fields of related records`
  );
}

function toType(given: string): OwnField['type'] | undefined {
  return OWN_FIELD_TYPES.find((type) => type === given || type.toLowerCase() === given);
}

/** Replaces a customer's mappings of own fields to one provider. A field that the CRM lacks is no error. */
export function setFieldMappings(
  deps: MappingDeps,
  { customerId, provider, mappings }: ResolvedTarget & { mappings: readonly ContactFieldMapping[] },
): Promise<Connection> {
  return withApiKey(deps, 'setFieldMappings', async () => {
    checkCustomerId(customerId);
    const target = { customerId, providerName: provider };
    const { fields } = await deps.ownFields.read();
    checkMappings(mappings, { fields, provider, providers: deps.providers });
    const given = mappings.map(({ field, source }) => ({ field, source }));
    const isStored = await deps.ownFields.setMappings(target, given);
    if (!isStored) throw customerNotFound(customerId, provider);
    const connection = await deps.reloadConnection(target);
    if (!connection) throw customerNotFound(customerId, provider);
    deps.invalidateCustomer({ customerId, connections: [connection] });
    return connection;
  });
}

function checkMappings(
  mappings: readonly ContactFieldMapping[],
  { fields, provider, providers }: Checked,
): void {
  if (mappings.length > MAX_OWN_FIELDS) throw tooMany('mappings', mappings.length);
  const known = new Set(fields.map(({ name }) => name));
  const names = mappings.map(({ field }) => field);
  refuse(
    mappings.flatMap(({ field, source }, index) =>
      [
        !known.has(field) && 'no own field has this name',
        names.indexOf(field) < index && 'the field is mapped more than once',
        findSourceMistake(source, provider, providers),
      ]
        .filter((mistake) => mistake !== false)
        .map((mistake) => `mappings[${index}] ${quote(field)}: ${mistake}`),
    ),
  );
}

/** A customer's mappings to one provider, for an API key or the customer's token. */
export async function readFieldMappings(
  deps: OpenDeps,
  target: ResolvedTarget,
): Promise<readonly ContactFieldMapping[]> {
  return (await findMappedConnection(deps, target)).contactFieldMappings ?? [];
}

async function findMappedConnection(deps: OpenDeps, target: ResolvedTarget): Promise<Connection> {
  const customerId = resolveCustomerId(deps, target.customerId);
  const connection = await deps.loadConnection({ customerId, provider: target.provider });
  if (connection) return connection;
  throw customerNotFound(customerId, target.provider);
}

/** The fields that contacts have in the customer's CRM: read once a day, and again on demand. */
export function readProviderFields(
  deps: ProviderFieldDeps,
  target: ResolvedTarget & { readonly refresh?: boolean | null | undefined },
): Promise<readonly ProviderField[]> {
  return deps.withSpan('readProviderFields', async () => {
    const client = await openContactClient(deps, target);
    return findProviderFields(deps, client, target.refresh ?? false);
  });
}

async function findProviderFields(
  deps: ProviderFieldDeps,
  { connection, port }: ContactClient,
  refresh: boolean,
): Promise<readonly ProviderField[]> {
  const kept = refresh
    ? undefined
    : await deps.shareCachedRead(connection.id, CACHE_KEY, () =>
        deps.cache.read(connection.id, CACHE_KEY),
      );
  if (kept && Math.abs(deps.wall() - kept.fetchedAt.getTime()) <= MAX_AGE_MS)
    return JSON.parse(kept.payload) as readonly ProviderField[];
  const fetchedAt = new Date(deps.wall());
  const fields = (await port.listFields?.()) ?? [];
  const written = deps.cache.write({
    connectionId: connection.id,
    weight: 0,
    fetchedAt,
    isUrgent: true,
    filterKey: () => CACHE_KEY,
    payload(maxLength) {
      const text = JSON.stringify(fields);
      return text.length > maxLength ? undefined : text;
    },
  });
  deps.runInBackground(written);
  return fields;
}

const MAX_AGE_MS = 24 * 60 * 60_000;
/** No search has this cache key. */
const CACHE_KEY = 'fields of the CRM';

/**
 * The mappings of a connection that cannot be used: by what they say, by the CRM's fields, and by what searches have
 * seen of it.
 */
export function readMappingProblems(
  deps: ProblemDeps,
  target: ResolvedTarget,
): Promise<readonly MappingProblem[]> {
  return deps.withSpan('readMappingProblems', async () => {
    const connection = await findMappedConnection(deps, target);
    const own = await deps.loadOwnFields();
    if (own.fields.length === 0) return [];
    const { fields, problems } = resolve(own, connection);
    const known = await attemptProviderFields(deps, target);
    const builtIn = deps.providers.get(connection.providerName)?.contacts?.isBuiltInField;
    const listed = known && findFieldProblems(fields, known, (name) => builtIn?.(name) ?? false);
    const found = unique([...problems, ...(listed ?? [])]);
    const stored = await deps.ownFields.listProblems(connection.id);
    const seen = stored.filter((one) => isObserved(one, fields, listed !== undefined));
    const sinceByName = new Map(stored.map((one) => [nameOf(one), one]));
    const fresh = found.filter((one) => !sinceByName.has(nameOf(one)));
    const noted = await deps.ownFields.noteProblems(connection, fresh);
    for (const one of noted) sinceByName.set(nameOf(one), one);
    const shown = found.flatMap((one) => sinceByName.get(nameOf(one)) ?? []);
    const others = seen.filter((one) => !shown.some((other) => nameOf(other) === nameOf(one)));
    return [...shown, ...others].slice(0, MAX_PROBLEMS);
  });
}

/** Without them, and without an error, where the CRM cannot be asked. */
async function attemptProviderFields(deps: ProblemDeps, target: ResolvedTarget) {
  try {
    return await findProviderFields(deps, await openContactClient(deps, target), false);
  } catch (error) {
    if (error instanceof CrossbookError && SILENT.has(error.code)) return undefined;
    throw error;
  }
}

const SILENT: ReadonlySet<string> = new Set([
  'NOT_IMPLEMENTED',
  'REMOTE_PROVIDER_ERROR',
  'REMOTE_PROVIDER_UNAUTHORIZED',
  'REMOTE_PROVIDER_FORBIDDEN',
  'REMOTE_PROVIDER_RATE_LIMITED',
  'REMOTE_PROVIDER_TIMEOUT',
  'REMOTE_PROVIDER_UNAVAILABLE',
  'REMOTE_PROVIDER_BAD_RESPONSE',
]);

/**
 * Whether a stored problem still counts. Whether the contact has a field is known by the list of fields; fields of
 * related records and values are known only by searches.
 */
function isObserved(
  { field, source, problem }: FoundProblem,
  resolved: readonly ResolvedField[],
  isListed: boolean,
): boolean {
  const isCurrent = resolved.some((one) => one.name === field && one.source === source);
  const isListable = problem !== 'TYPE_MISMATCH' && !source.includes('.');
  return isCurrent && !(isListable && isListed);
}

function unique(problems: readonly FoundProblem[]): readonly FoundProblem[] {
  const byName = new Map(problems.map((one) => [nameOf(one), one]));
  return [...byName.values()].slice(0, MAX_PROBLEMS);
}

function nameOf({ field, source, problem }: FoundProblem): string {
  return JSON.stringify([field, source, problem]);
}

/** The selection with the connection's sources of the selected own fields. Without any, it is returned as it is. */
export async function resolveSelection<Selection extends FieldSelection>(
  deps: SelectionDeps,
  connection: Connection,
  selection: Selection,
): Promise<Selection> {
  const wanted = selection.customFields;
  if (wanted === undefined) return selection;
  if (wanted !== 'all' && wanted.length > MAX_NAMES) throw tooMany('names', wanted.length);
  const own = await deps.loadOwnFields();
  const declared = own.fields.map(({ name }) => name);
  const names = wanted === 'all' ? declared : [...new Set(wanted)];
  const unknown = names.filter((name) => !declared.includes(name));
  if (unknown.length > 0) {
    const listed = unknown.slice(0, 10).map(quote).join(', ');
    refuse([`No own field is called ${listed}`]);
  }
  if (names.length === 0) return selection;
  const { fields, key } = resolve(own, connection);
  const custom: CustomSelection = {
    key,
    names,
    fields: fields.filter(({ name }) => names.includes(name)),
    onProblem: ({ name, source }, problem) =>
      deps.noteProblem(connection, { field: name, source, problem }),
  };
  return { ...selection, custom };
}

/** The same field may be selected in several places. */
const MAX_NAMES = 10 * MAX_OWN_FIELDS;

/** Memoized, because both are cached. */
function resolve(own: OwnFields, connection: Connection): ResolvedFields {
  const known = remembered.get(own) ?? new WeakMap<Connection, ResolvedFields>();
  remembered.set(own, known);
  const resolved = known.get(connection) ?? resolveFields(own, connection);
  known.set(connection, resolved);
  return resolved;
}

const remembered = new WeakMap<OwnFields, WeakMap<Connection, ResolvedFields>>();

function tooMany(what: string, count: number): CrossbookError {
  return new CrossbookError(
    'UNPROCESSABLE_ENTITY',
    `These are ${count} ${what}: there can be at most ${what === 'names' ? MAX_NAMES : MAX_OWN_FIELDS}.`,
  );
}

function refuse(mistakes: readonly string[]): void {
  if (mistakes.length > 0)
    throw new CrossbookError('UNPROCESSABLE_ENTITY', `${mistakes.join('; ')}.`);
}

/** A given text, cut where it is long. */
function quote(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}

/** False: not this mistake. */
type Mistakes = readonly (string | false)[];

export interface OwnFieldsInput {
  readonly fields: readonly OwnFieldInput[];
  /** Absent: any version. 0: none were ever set. */
  readonly expectedVersion?: number | null | undefined;
}

/** Unchecked. */
export interface OwnFieldInput {
  readonly name: string;
  readonly type: string;
  readonly description?: string | null | undefined;
  readonly sources?:
    | readonly { readonly providerName: string; readonly field: string }[]
    | null
    | undefined;
  readonly customersMayMap?: boolean | null | undefined;
}

interface Checked extends ProvidersDeps {
  readonly fields: readonly OwnField[];
  readonly provider: ProviderName;
}

interface FieldDeps extends CallerDeps {
  readonly ownFields: OwnFieldStore;
}

interface ProvidersDeps {
  readonly providers: Providers;
}

interface ForgetDeps {
  /** Clears what this process has cached of the application's own fields. */
  forgetOwnFields(): void;
}

interface MappingDeps extends FieldDeps, ProvidersDeps {
  /** Reads the connection from the database, past all caches. */
  reloadConnection(
    target: Pick<Connection, 'customerId' | 'providerName'>,
  ): Promise<Connection | undefined>;
  invalidateCustomer(customer: Pick<Customer, 'customerId' | 'connections'>): void;
}

export interface SelectionDeps {
  /** The application's own fields, at most five seconds old. */
  loadOwnFields(): Promise<OwnFields>;
  /** Stores a problem in the background, unless this process has done so within the hour. */
  noteProblem(connection: Connection, problem: FoundProblem): void;
}

type ProviderFieldDeps = OpenDeps &
  Pick<CacheDeps, 'cache' | 'wall' | 'shareCachedRead' | 'runInBackground'>;

type ProblemDeps = ProviderFieldDeps & SelectionDeps & Pick<FieldDeps, 'ownFields'>;
