import {
  bearerOf,
  COMMON_FAULTS,
  isAlive,
  jsonAnswer,
  openCrm,
  type Person,
  readJson,
  type SandboxAccount,
  type SandboxRequest,
  type Simulation,
} from '@crossbook/sandbox';

/** Tidepool, a CRM that exists in the tests only: a list with a cursor, and a look-up. */
export function openTidepool() {
  return openCrm({ simulation: TIDEPOOL, port: 0, enforceLimits: false, now: Date.now });
}

const TIDEPOOL: Simulation<TidepoolTypes> = {
  name: 'tidepool',
  quirks: {},
  demoQuirks: {},
  limits: {},
  faults: COMMON_FAULTS,
  accessTokenTtlMs: 60 * 60_000,
  others: [],
  leastCompanies: 0,
  toLoginOrigin: (_host, origin) => origin,
  identify: (number, origin) => ({
    id: `t${number}`,
    name: `Account ${number}`,
    slug: `account-${number}`,
    instanceUrl: origin,
    clientId: `client-${number}`,
    clientSecret: `secret-${number}`,
    recordId: String,
    indexOf: (id) => (/^[1-9]\d{0,8}$/.test(id) ? Number(id) : undefined),
  }),
  toRecordId: (_kind, index) => String(index),
  toRecordIndex: (_kind, id) => Number(id),
  mintToken: (kind, { id }, serial) => `tidepool-${kind}-${id}-${serial}`,
  openState: () => ({}),
  route: (request) => ({
    operation: request.path,
    inputs: 1,
    token: request.path === '/v1/token' ? refreshTokenOf(request) : bearerOf(request),
    answer({ grant, now, request: { path, query } }) {
      const kind = path === '/v1/token' ? 'refresh' : 'access';
      if (grant?.kind !== kind || !isAlive(grant, now))
        return jsonAnswer(401, { error: 'The token is not valid.' });
      if (kind === 'refresh')
        return jsonAnswer(200, { accessToken: grant.account.issueToken('access', grant.approval) });
      if (path === '/v1/people') return jsonAnswer(200, list(grant.account, query));
      if (path === '/v1/people/lookup')
        return jsonAnswer(200, { items: lookUp(grant.account, readJson(request)) });
      return jsonAnswer(404, { error: 'There is no such path.' });
    },
  }),
};

function refreshTokenOf(request: SandboxRequest): string | undefined {
  const { refreshToken } = readJson(request) as { refreshToken?: string };
  return refreshToken;
}

const PAGE = 500;

/** All people, those of a domain, or those that were modified in a period. */
function list({ people }: Account, query: URLSearchParams): object {
  const after = Number(Buffer.from(query.get('cursor') ?? '', 'base64url').toString()) || 0;
  const domain = query.get('domain')?.toLowerCase();
  const from = Number(query.get('from') ?? 0);
  const to = Number(query.get('to') ?? Number.POSITIVE_INFINITY);
  const matches = people.all().filter(({ isDeleted, email, updatedAt }) => {
    const isOfDomain = domain === undefined || email?.toLowerCase().endsWith(`@${domain}`);
    return !isDeleted && isOfDomain && updatedAt >= from && updatedAt <= to;
  });
  const rest = matches.filter(({ index }) => index > after);
  const page = rest.slice(0, PAGE);
  const cursor = Buffer.from(String(page.at(-1)?.index ?? 0)).toString('base64url');
  return {
    items: page.map(toItem),
    total: matches.length,
    cursor: rest.length > PAGE ? cursor : null,
  };
}

function lookUp({ people }: Account, body: unknown): readonly object[] {
  const { emails = [], ids = [] } = body as { emails?: readonly string[]; ids?: readonly number[] };
  const indexes = new Set([...emails.flatMap((email) => people.byEmail(email)), ...ids]);
  return [...indexes].flatMap((index) => {
    const person = people.get(index);
    return person && !person.isDeleted ? toItem(person) : [];
  });
}

function toItem(person: Person): object {
  return {
    id: person.index,
    given: person.firstName,
    family: person.lastName,
    email: person.email,
    phone: person.phone,
    company: person.companyIndex,
    owner: person.ownerIndex,
    createdAt: person.createdAt,
    updatedAt: person.updatedAt,
    extra: person.custom,
  };
}

type Account = SandboxAccount<TidepoolTypes>;

interface TidepoolTypes {
  readonly quirks: Record<string, never>;
  readonly limits: Record<string, never>;
  readonly state: Record<string, never>;
}
