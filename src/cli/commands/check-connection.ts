import { SEARCHABLE_PROVIDERS } from '../../domain/provider-names.ts';
import { toEnumName } from '../../domain/shape.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import { readVersion } from '../../version.ts';
import { type Command, CUSTOMER, type Invocation, readProvider, UsageError } from '../command.ts';

/**
 * Reads from a connected account what Crossbook reads for its APIs, over the API of a running server, and prints a
 * report without any value of a record.
 */
export const checkConnection: Command = {
  name: 'connections check',
  summary: 'Reads a little of everything from a connected CRM, and prints a report to share.',
  details: [
    'It calls a running server with an API key, which is read from standard input: … < key.txt',
    'Nothing is changed. The report has counts and the names of empty fields, and no value of a record.',
  ],
  operands: [
    CUSTOMER,
    { name: 'PROVIDER', description: `The connected CRM: ${SEARCHABLE_PROVIDERS.join(', ')}.` },
  ],
  options: {
    url: { value: 'URL', description: 'The server. Default: http://localhost, at PORT' },
  },
  async run(invocation) {
    const { operand, now, readInput } = invocation;
    const provider = readProvider(operand('PROVIDER'));
    const ask = await openApi(invocation, (await readInput()).trim(), toEnumName(provider));
    const report = {
      version: readVersion(),
      provider,
      startedAt: new Date(now()).toISOString(),
      checks: await runChecks(ask, toEnumName(provider), now),
    };
    const { checks } = report;
    return {
      data: report,
      text: toText(report),
      failed: checks.some(({ state }) => state === 'failed'),
    };
  },
};

/** A function that executes one query for the customer and the CRM, and returns its data or the first error. */
async function openApi(
  { operand, text, fetch, readConfig }: Invocation,
  key: string,
  provider: string,
): Promise<Ask> {
  const origin = text('url') ?? `http://localhost:${readConfig().port}`;
  const url = `${origin.replace(/\/+$/, '')}/graphql`;
  if (key === '') throw new UsageError('Give an API key on standard input: … < key.txt');
  const headers = {
    'content-type': 'application/json',
    'x-api-key': key,
    'x-customer-id': operand('CUSTOMER'),
    'x-provider-name': provider,
  };
  return async (query, variables = {}) => {
    const body = JSON.stringify({ query, variables });
    const response = await fetch(url, { method: 'POST', headers, body });
    const answer = parseJson(await response.text());
    if (!isRecord(answer)) throw new Error(`${url} does not respond with GraphQL.`);
    const [error] = (answer['errors'] ?? []) as readonly GraphQLError[];
    if (error) throw new ApiError(error);
    return answer['data'] as Data;
  };
}

async function runChecks(ask: Ask, provider: string, now: () => number): Promise<readonly Check[]> {
  const checks: Check[] = [];
  /** The data of the first list of contacts, for the checks after it. */
  let first: Data | undefined;

  const check = async (name: string, work: () => Promise<string>) => {
    const startedAt = now();
    const result = await work().then(
      (detail): Omit<Check, 'name' | 'ms'> => ({ state: 'ok', detail }),
      (error: unknown) => toFailure(error),
    );
    checks.push({ name, ms: now() - startedAt, ...result });
  };

  await check('the connection', async () => {
    const { customer } = await ask(CONNECTIONS);
    const connection = customer?.connections.find((one: Data) => one.providerName === provider);
    if (!connection) throw new Error('The customer has no such connection.');
    return connection.grantedAccess
      .map(({ record, canRead, canWrite, missingScopes }: Data) => {
        const access = canWrite ? 'read and write' : canRead ? 'read' : 'none';
        const missing = missingScopes.length > 0 ? ` (missing: ${missingScopes.join(' ')})` : '';
        return `${record.toLowerCase()}: ${access}${missing}`;
      })
      .join(', ');
  });
  if (checks[0]?.state === 'failed') return checks;
  await check('contacts: the first page', async () => {
    first = (await ask(CONTACTS)).searchContacts as Data;
    return `${toCount(first)}; ${toFilled(first.nodes)}`;
  });
  await check('contacts: the next page', async () => {
    if (!first) throw new Error('The first page was not read.');
    if (!first.pageInfo.hasNextPage) return 'no further page';
    const { searchContacts } = await ask(CONTACTS, { after: first.pageInfo.endCursor });
    const seen = new Set(first.nodes.map(({ id }: Data) => id));
    if (searchContacts.nodes.some(({ id }: Data) => seen.has(id)))
      throw new Error('It repeats contacts of the first page.');
    return `${searchContacts.nodes.length} others`;
  });
  await check('contacts: by email address', async () => {
    if (!first) throw new Error('The first page was not read.');
    const withEmail = first.nodes.find(({ emailAddresses }: Data) => emailAddresses.length > 0);
    if (!withEmail) return 'no contact of the first page has an address';
    const [{ emailAddress: email }] = withEmail.emailAddresses;
    const { searchContacts } = await ask(BY_EMAIL, { email });
    const isFound = searchContacts.nodes.some(({ id }: Data) => id === withEmail.id);
    if (!isFound) throw new Error('The contact that has the address is not found by it.');
    return `${searchContacts.nodes.length} found`;
  });
  await check('contacts: changed in the last 30 days', async () => {
    const since = new Date(now() - 30 * 24 * 60 * 60_000).toISOString();
    return toCount((await ask(CHANGED, { since })).searchContacts);
  });
  await check('contacts: their companies and deals', async () => {
    const { nodes } = (await ask(LINKED)).searchContacts;
    const count = (name: string) =>
      nodes.reduce((sum: number, node: Data) => sum + (node[name]?.nodes.length ?? 0), 0);
    return `${count('companies')} companies and ${count('deals')} deals of ${nodes.length} contacts`;
  });
  await check('companies', async () => toCount((await ask(COMPANIES)).searchCompanies));
  await check('deals', async () => toCount((await ask(DEALS)).searchDeals));
  await check('pipelines of deals', async () => {
    const { pipelines } = await ask('{ pipelines { stages { id } } }');
    const stages = pipelines.reduce((sum: number, one: Data) => sum + one.stages.length, 0);
    return `${pipelines.length}, with ${stages} stages`;
  });
  await check('owners', async () => `${(await ask('{ owners { id } }')).owners.length}`);
  return checks;
}

/** What was not granted is no failure. */
function toFailure(error: unknown): Omit<Check, 'name' | 'ms'> {
  if (error instanceof ApiError && NOT_GRANTED.includes(error.code))
    return { state: 'skipped', detail: error.message };
  return { state: 'failed', detail: error instanceof Error ? error.message : String(error) };
}

/** By us: what a CRM refuses although it was granted is a failure. */
const NOT_GRANTED: readonly string[] = ['FORBIDDEN', 'NOT_IMPLEMENTED'];

function toCount({ nodes, totalCount }: Data): string {
  return totalCount == null ? `${nodes.length} on the page` : `${nodes.length} of ${totalCount}`;
}

/** Which fields no contact of the page has: an account may have none, or a mapping may be wrong. */
function toFilled(nodes: readonly Data[]): string {
  const names = Object.keys(nodes[0] ?? {}).filter((name) => name !== 'id');
  const empty = names.filter((name) => nodes.every((node) => isEmpty(node[name])));
  return empty.length === 0 ? 'no field is empty in all of them' : `empty: ${empty.join(', ')}`;
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function toText({ version, provider, startedAt, checks }: Report): string {
  const rows = checks.map(
    ({ name, state, ms, detail }) => `| ${name} | ${state} | ${ms} ms | ${detail} |`,
  );
  return [
    `Crossbook ${version}, ${provider}, ${startedAt}`,
    '',
    '| check | result | time | detail |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

class ApiError extends Error {
  readonly code: string;
  constructor({ message, extensions }: GraphQLError) {
    const code = extensions?.code ?? 'UNKNOWN';
    super(`${code}: ${message}`);
    this.code = code;
  }
}

const CONNECTIONS = `{ customer { connections { providerName grantedAccess { record canRead canWrite missingScopes } } } }`;
const CONTACTS = `query ($after: String) { searchContacts(filter: { all: true }, first: 20, after: $after) {
  totalCount pageInfo { hasNextPage endCursor }
  nodes { id firstName lastName emailAddresses { emailAddress } phoneNumbers { phoneNumber } addresses { city }
    lifecycleStage ownerId accountId lastActivityAt createdAt lastModifiedAt } } }`;
const BY_EMAIL =
  'query ($email: String!) { searchContacts(filter: { email: $email }) { nodes { id } } }';
const CHANGED =
  'query ($since: DateTime!) { searchContacts(filter: { modifiedSince: $since }, first: 20) { totalCount nodes { id } } }';
const LINKED =
  '{ searchContacts(filter: { all: true }, first: 20) { nodes { companies { nodes { id } } deals { nodes { id } } } } }';
const COMPANIES =
  '{ searchCompanies(filter: { all: true }, first: 20) { totalCount nodes { id name domain } } }';
const DEALS =
  '{ searchDeals(filter: { all: true }, first: 20) { totalCount nodes { id name status amount { value } } } }';

interface Check {
  readonly name: string;
  readonly state: 'ok' | 'skipped' | 'failed';
  readonly ms: number;
  readonly detail: string;
}

interface Report {
  readonly version: string;
  readonly provider: string;
  readonly startedAt: string;
  readonly checks: readonly Check[];
}

type Ask = (query: string, variables?: object) => Promise<Data>;

interface GraphQLError {
  readonly message: string;
  readonly extensions?: { readonly code?: string };
}

// biome-ignore lint/suspicious/noExplicitAny: data of the queries above
type Data = any;
