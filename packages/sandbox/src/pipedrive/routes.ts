import { type Answer, bearerOf, jsonAnswer, type SandboxRequest, textAnswer } from '../http.ts';
import { isAlive } from '../tokens.ts';
import { missingScope, PipedriveError, unauthorized } from './errors.ts';
import { answerAuthorize, answerRevocation, answerToken, formToken } from './oauth.ts';
import {
  listDeals,
  listFieldsOf,
  listOrganizations,
  listPersons,
  listPipelines,
  listStages,
  listUsers,
  readDeal,
  readMe,
  readOrganization,
  readPerson,
  searchPersons,
} from './objects.ts';
import { Blocked, CLOUDFLARE_PAGE, type Cost, Limited, meter } from './rate-limits.ts';
import { createDeal, createOrganization, updateDeal, updateOrganization } from './record-writes.ts';
import type { Endpoint, PipedriveAccount, PipedriveCall, PipedriveRoute } from './types.ts';
import { createPerson, mergePersons, updatePerson } from './writes.ts';

export function route(request: SandboxRequest): PipedriveRoute {
  const open = OPEN_ROUTES[request.path];
  if (open) return { ...open, inputs: 1, token: formToken(request) };
  const token = request.headers['x-api-token'];
  const known = typeof token === 'string' ? token : bearerOf(request);
  for (const { method = 'GET', pattern, operation, endpoint, scopes, cost } of ROUTES) {
    const found = request.method === method ? pattern.exec(request.path) : null;
    if (!found) continue;
    const parts = found.slice(1).map(decodeURIComponent);
    const answer = (call: PipedriveCall) => callEndpoint(call, { endpoint, scopes, cost, parts });
    return { operation, inputs: 1, token: known, answer };
  }
  return {
    operation: 'unknown',
    inputs: 1,
    token: known,
    answer: (call) =>
      callEndpoint(call, { endpoint: refuseAll, scopes: [], cost: 'one', parts: [] }),
  };
}

/** Authentication, limits and scopes come before the request is processed. */
function callEndpoint(call: PipedriveCall, { endpoint, scopes, cost, parts }: Called): Answer {
  let headers: Record<string, string> = { 'set-cookie': 'pipe-session=cookie-of-the-sandbox' };
  try {
    const account = authenticate(call);
    headers = { ...headers, ...meter(account, call.now, cost) };
    const granted = call.grant?.approval.scopes ?? account.quirks.grantedScopes;
    const isAllowed = (scope: string) =>
      granted.includes(scope) && account.quirks.grantedScopes.includes(scope);
    if (scopes.length > 0 && !scopes.some(isAllowed)) throw missingScope();
    const reply = endpoint({ account, call, parts });
    return jsonAnswer(reply.status, reply.body, headers);
  } catch (error) {
    if (error instanceof Blocked) return textAnswer(403, CLOUDFLARE_PAGE);
    const limited = error instanceof Limited ? error : undefined;
    const { reply } = toPipedriveError(limited?.error ?? error);
    return jsonAnswer(reply.status, reply.body, { ...headers, ...limited?.headers });
  }
}

function toPipedriveError(error: unknown): PipedriveError {
  if (error instanceof PipedriveError) return error;
  throw error;
}

function authenticate({ grant, now }: PipedriveCall): PipedriveAccount {
  const isToken = grant?.kind === 'access' || grant?.kind === 'static';
  if (!grant || !isToken || !isAlive(grant, now)) throw unauthorized();
  return grant.account;
}

function refuseAll(): never {
  throw new PipedriveError(404, 'Unknown method');
}

const CONTACTS = ['contacts:read', 'contacts:full'];
const WRITE_CONTACTS = ['contacts:full'];
const DEALS = ['deals:read', 'deals:full'];
const WRITE_DEALS = ['deals:full'];

const ROUTES: readonly KnownRoute[] = [
  of('persons/search', 'persons.search', searchPersons, [...CONTACTS, 'search:read'], 'search'),
  of('persons', 'persons.list', listPersons, CONTACTS, 'list'),
  of('persons/(\\d+)', 'persons.read', readPerson, CONTACTS, 'one'),
  ...writesOf('persons', { create: createPerson, update: updatePerson }, WRITE_CONTACTS),
  ...writesOf(
    'organizations',
    { create: createOrganization, update: updateOrganization },
    WRITE_CONTACTS,
  ),
  ...writesOf('deals', { create: createDeal, update: updateDeal }, WRITE_DEALS),
  {
    method: 'PUT',
    pattern: /^\/(?:api\/)?v1\/persons\/(\d+)\/merge$/,
    operation: 'persons.merge',
    endpoint: mergePersons,
    scopes: WRITE_CONTACTS,
    cost: 'write',
  },
  of('organizations', 'organizations.list', listOrganizations, CONTACTS, 'list'),
  of('organizations/(\\d+)', 'organizations.read', readOrganization, CONTACTS, 'one'),
  of('deals', 'deals.list', listDeals, DEALS, 'list'),
  of('deals/(\\d+)', 'deals.read', readDeal, DEALS, 'one'),
  of('pipelines', 'pipelines.list', listPipelines, DEALS, 'list'),
  of('stages', 'stages.list', listStages, DEALS, 'list'),
  of('personFields', 'fields.list', listFieldsOf('person'), CONTACTS, 'list'),
  of('organizationFields', 'fields.list', listFieldsOf('organization'), CONTACTS, 'list'),
  of('dealFields', 'fields.list', listFieldsOf('deal'), DEALS, 'list'),
  {
    pattern: /^\/(?:api\/)?v1\/users$/,
    operation: 'users.list',
    endpoint: listUsers,
    scopes: ['users:read'],
    cost: 'list',
  },
  {
    pattern: /^\/(?:api\/)?v1\/users\/me$/,
    operation: 'users.me',
    endpoint: readMe,
    scopes: [],
    cost: 'one',
  },
];

function of(
  path: string,
  operation: string,
  endpoint: Endpoint,
  scopes: readonly string[],
  cost: Cost,
): KnownRoute {
  return { pattern: new RegExp(`^/api/v2/${path}$`), operation, endpoint, scopes, cost };
}

function writesOf(
  path: string,
  { create, update }: Readonly<Record<'create' | 'update', Endpoint>>,
  scopes: readonly string[],
): readonly KnownRoute[] {
  return [
    { ...of(path, `${path}.create`, create, scopes, 'write'), method: 'POST' },
    { ...of(`${path}/(\\d+)`, `${path}.update`, update, scopes, 'write'), method: 'PATCH' },
  ];
}

/** Routes without a bearer token. */
const OPEN_ROUTES: Readonly<Record<string, OpenRoute>> = {
  '/oauth/authorize': { operation: 'oauth.authorize', answer: answerAuthorize },
  '/oauth/token': { operation: 'oauth.token', answer: answerToken },
  '/oauth/revoke': { operation: 'oauth.revoke', answer: answerRevocation },
};

type OpenRoute = Pick<PipedriveRoute, 'operation' | 'answer'>;

interface KnownRoute {
  /** GET if absent. */
  readonly method?: 'POST' | 'PATCH' | 'PUT';
  readonly pattern: RegExp;
  readonly operation: string;
  readonly endpoint: Endpoint;
  /** Any of them suffices. None: any token. */
  readonly scopes: readonly string[];
  readonly cost: Cost;
}

interface Called extends Pick<KnownRoute, 'endpoint' | 'scopes' | 'cost'> {
  readonly parts: readonly string[];
}
