import { randomUUID } from 'node:crypto';
import { type Answer, bearerOf, jsonAnswer, readJson, type SandboxRequest } from '../http.ts';
import { RECORD_KINDS, type RecordKind } from '../records.ts';
import {
  batchArchiveAssociations,
  batchArchiveLabels,
  batchCreateAssociations,
} from './association-writes.ts';
import { batchReadAssociations, listAssociations } from './associations.ts';
import { authenticate } from './authenticate.ts';
import { answerAuthorize } from './authorize.ts';
import { CONTACT_WRITES } from './contact-writes.ts';
import { batchReadContacts, listContacts, readContact } from './contacts.ts';
import { COOKIE } from './cookie.ts';
import { HubSpotError, notFound } from './errors.ts';
import { LEADS } from './leads.ts';
import {
  answerIntrospection,
  answerRevocation,
  answerToken,
  answerTokenDetails,
  parametersOf,
} from './oauth.ts';
import { objectTypeOf } from './object-types.ts';
import { listOwners, readOwner } from './owners.ts';
import { listPipelines, listStages, readPipeline } from './pipelines.ts';
import {
  listProperties,
  readDailyUse,
  readDetails,
  readIntegration,
  readProperty,
} from './portal.ts';
import { meter, type Policy } from './rate-limits.ts';
import { createRecordEndpoints, RECORD_OBJECTS } from './record-objects.ts';
import { createRecordWrites } from './record-writes.ts';
import { listSchemas, readSchema } from './schemas.ts';
import {
  CONTACTS_SCOPE,
  checkScopes,
  DEALS_SCOPE,
  OWNERS_SCOPE,
  SCHEMAS_SCOPE,
  scopeOfObject,
  writeScopeOfObject,
} from './scopes.ts';
import { search } from './search/search.ts';
import type { Endpoint, HubSpotCall, HubSpotRoute } from './types.ts';
import type { WriteEndpoints } from './writes.ts';

/** Rejects every path of a retired version. */
export function route(request: SandboxRequest): HubSpotRoute {
  const version = /\/(v\d|\d{4}-\d\d)\//.exec(request.path)?.[1] ?? '';
  const route = findRoute(request);
  return {
    ...route,
    answer: (call) => {
      const status = call.grant?.account.quirks.endedVersions[version];
      return status === undefined
        ? route.answer(call)
        : jsonAnswer(status, { ...notFound().reply.body });
    },
  };
}

function findRoute(request: SandboxRequest): HubSpotRoute {
  const open = OPEN_ROUTES.find(({ pattern }) => pattern.test(request.path));
  if (open)
    return {
      operation: open.operation,
      inputs: 1,
      token: open.tokenOf(request),
      answer: open.answer,
    };
  const token = bearerOf(request);
  const path = withoutVersion(request.path);
  for (const { method, pattern, operation, endpoint, scopesOf, policy = 'burst' } of ROUTES) {
    const found = method === request.method ? pattern.exec(path) : null;
    if (found === null) continue;
    const parts = found.slice(1).map(decodeURIComponent);
    const needsContacts = scopesOf === undefined && /^\/(objects|properties)\//.test(path);
    const checked: Endpoint = (context) => {
      if (needsContacts) requireContactType(parts[0] ?? '');
      checkScopes(context, scopesOf ? scopesOf(parts) : needsContacts ? [CONTACTS_SCOPE] : []);
      return endpoint(context);
    };
    return {
      operation,
      inputs: countInputs(request),
      token,
      answer: (call) => callEndpoint(call, { endpoint: checked, policy, parts }),
    };
  }
  return {
    operation: 'unknown',
    inputs: 1,
    token,
    answer: (call) => callEndpoint(call, { endpoint: refuseAll, policy: 'burst', parts: [] }),
  };
}

/** Checks authentication, scopes and limits before the request is processed. */
function callEndpoint(call: HubSpotCall, { endpoint, policy, parts }: EndpointCall): Answer {
  const correlationId = randomUUID();
  const headers: Record<string, string> = {
    'x-hubspot-correlation-id': correlationId,
    'cf-ray': '8f0-SANDBOX',
    'set-cookie': COOKIE,
  };
  try {
    const account = authenticate(call);
    Object.assign(headers, meter(account, call, policy));
    const reply = endpoint({ account, call, parts });
    return jsonAnswer(reply.status, reply.status === 204 ? undefined : reply.body, headers);
  } catch (error) {
    if (!(error instanceof HubSpotError)) throw error;
    return jsonAnswer(error.reply.status, { ...error.reply.body, correlationId }, headers);
  }
}

/** `/crm/v3/objects/…` and `/crm/objects/2026-03/…` both become `/objects/…`. */
function withoutVersion(path: string): string {
  return path
    .replace(/^\/crm\/(?:v3|v4)\/(objects|associations|properties|pipelines)\//, '/$1/')
    .replace(
      /^\/crm\/(objects|associations|properties|pipelines)\/(?:2025-09|2026-03|2026-09)\//,
      '/$1/',
    )
    .replace(/^\/crm\/(?:v3\/owners|owners\/(?:2025-09|2026-03|2026-09))(?=\/|$)/, '/owners')
    .replace(/^\/crm-object-schemas\/(?:v3|2025-09|2026-03|2026-09)\/schemas/, '/schemas')
    .replace(/^\/account-info\/(?:v3|2025-09|2026-03|2026-09)\//, '/account-info/');
}

function requireContactType(name: string): void {
  const type = objectTypeOf(name);
  if (type === undefined)
    throw new HubSpotError(400, { message: `Unable to infer object type from: ${name}` });
  if (type.name !== 'contact') throw notFound();
}

/** The scopes of both sides of an association. */
function toScopes(...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const type = objectTypeOf(name);
    return type ? scopeOfObject(type.name) : [];
  });
}

function toWriteScopes(...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const type = objectTypeOf(name);
    return type ? writeScopeOfObject(type.name) : [];
  });
}

function refuseAll(): never {
  throw notFound();
}

function countInputs(request: SandboxRequest): number {
  if (request.method !== 'POST') return 1;
  const body = readJson(request) as { readonly inputs?: unknown } | null | undefined;
  return Array.isArray(body?.inputs) ? body.inputs.length : 1;
}

function formToken(request: SandboxRequest): string | undefined {
  const form = parametersOf(request);
  return form.get('refresh_token') ?? form.get('token') ?? form.get('code') ?? undefined;
}

function lastPart(request: SandboxRequest): string {
  return decodeURIComponent(request.path.split('/').at(-1) ?? '');
}

function listWriteRoutes(
  name: string,
  { plural, path, endpoints }: WriteRoutes,
): readonly KnownRoute[] {
  const toRoute = (
    method: KnownRoute['method'],
    tail: string,
    verb: keyof WriteEndpoints,
  ): KnownRoute => ({
    method,
    pattern: new RegExp(`^/objects/${path}${tail}$`),
    operation: `${plural}.${verb}`,
    endpoint: endpoints[verb],
    scopesOf: () => [writeScopeOfObject(name)],
  });
  return [
    toRoute('POST', '', 'create'),
    toRoute('PATCH', '/([^/]+)', 'update'),
    toRoute('POST', '/batch/create', 'batchCreate'),
    toRoute('POST', '/batch/update', 'batchUpdate'),
    toRoute('POST', '/batch/upsert', 'batchUpsert'),
  ];
}

const ROUTES: readonly KnownRoute[] = [
  ...RECORD_KINDS.flatMap(listRecordRoutes),
  ...listObjectRoutes({
    plural: 'leads',
    path: '(?:leads|lead|0-136)',
    scope: scopeOfObject('lead'),
    endpoints: LEADS,
  }),
  {
    method: 'POST',
    pattern: /^\/objects\/([^/]+)\/search$/,
    operation: 'contacts.search',
    endpoint: search,
    policy: 'search',
  },
  {
    method: 'POST',
    pattern: /^\/objects\/([^/]+)\/batch\/read$/,
    operation: 'contacts.batchRead',
    endpoint: batchReadContacts,
  },
  ...listWriteRoutes('contact', {
    plural: 'contacts',
    path: '(?:contacts|contact|0-1)',
    endpoints: CONTACT_WRITES,
  }),
  {
    method: 'POST',
    pattern: /^\/associations\/([^/]+)\/([^/]+)\/batch\/read$/,
    operation: 'associations.batchRead',
    endpoint: batchReadAssociations,
    scopesOf: ([from = '', to = '']) => toScopes(from, to),
    policy: 'associations',
  },
  ...(
    [
      ['create', 'associations.batchCreate', batchCreateAssociations],
      ['archive', 'associations.batchArchive', batchArchiveAssociations],
      ['labels/archive', 'associations.labelsArchive', batchArchiveLabels],
    ] as const
  ).map(
    ([verb, operation, endpoint]): KnownRoute => ({
      method: 'POST',
      pattern: new RegExp(`^/associations/([^/]+)/([^/]+)/batch/${verb}$`),
      operation,
      endpoint,
      scopesOf: ([from = '', to = '']) => toWriteScopes(from, to),
      policy: 'associations',
    }),
  ),
  {
    method: 'GET',
    pattern: /^\/objects\/([^/]+)\/([^/]+)\/associations\/([^/]+)$/,
    operation: 'associations.list',
    endpoint: listAssociations,
    scopesOf: ([from = '', , to = '']) => toScopes(from, to),
    policy: 'associations',
  },
  {
    method: 'GET',
    pattern: /^\/objects\/([^/]+)$/,
    operation: 'contacts.list',
    endpoint: listContacts,
  },
  {
    method: 'GET',
    pattern: /^\/objects\/([^/]+)\/([^/]+)$/,
    operation: 'contacts.read',
    endpoint: readContact,
  },
  {
    method: 'GET',
    pattern: /^\/properties\/([^/]+)$/,
    operation: 'properties.list',
    endpoint: listProperties,
  },
  {
    method: 'GET',
    pattern: /^\/properties\/([^/]+)\/([^/]+)$/,
    operation: 'properties.read',
    endpoint: readProperty,
  },
  ...listPipelineRoutes(),
  {
    method: 'GET',
    pattern: /^\/owners\/?$/,
    operation: 'owners.list',
    endpoint: listOwners,
    scopesOf: () => [OWNERS_SCOPE],
  },
  {
    method: 'GET',
    pattern: /^\/owners\/([^/]+)$/,
    operation: 'owners.read',
    endpoint: readOwner,
    scopesOf: () => [OWNERS_SCOPE],
  },
  {
    method: 'GET',
    pattern: /^\/schemas$/,
    operation: 'schemas.list',
    endpoint: listSchemas,
    scopesOf: () => [SCHEMAS_SCOPE],
  },
  {
    method: 'GET',
    pattern: /^\/schemas\/([^/]+)$/,
    operation: 'schemas.read',
    endpoint: readSchema,
    scopesOf: () => [SCHEMAS_SCOPE],
  },
  {
    method: 'GET',
    pattern: /^\/account-info\/details$/,
    operation: 'account.details',
    endpoint: readDetails,
  },
  {
    method: 'GET',
    pattern: /^\/account-info\/api-usage\/daily(?:\/private-apps)?$/,
    operation: 'account.usage',
    endpoint: readDailyUse,
  },
  {
    method: 'GET',
    pattern: /^\/integrations\/v1\/me$/,
    operation: 'account.integration',
    endpoint: readIntegration,
  },
];

function listRecordRoutes(kind: RecordKind): readonly KnownRoute[] {
  const { plural, path, scope } = RECORD_OBJECTS[kind];
  const endpoints = createRecordEndpoints(kind);
  const scopesOf = () => [scope];
  return [
    {
      method: 'GET',
      pattern: new RegExp(`^/properties/${path}$`),
      operation: 'properties.list',
      endpoint: endpoints.properties,
      scopesOf,
    },
    {
      method: 'GET',
      pattern: new RegExp(`^/properties/${path}/([^/]+)$`),
      operation: 'properties.read',
      endpoint: endpoints.property,
      scopesOf,
    },
    {
      method: 'POST',
      pattern: new RegExp(`^/objects/${path}/search$`),
      operation: `${plural}.search`,
      endpoint: endpoints.search,
      scopesOf,
      policy: 'search',
    },
    ...listObjectRoutes({ plural, path, scope, endpoints }),
    ...(kind === 'company' || kind === 'deal'
      ? listWriteRoutes(kind, { plural, path, endpoints: createRecordWrites(kind) })
      : []),
  ];
}

function listPipelineRoutes(): readonly KnownRoute[] {
  const toRoute = (tail: string, operation: string, endpoint: Endpoint): KnownRoute => ({
    method: 'GET',
    pattern: new RegExp(`^/pipelines/${RECORD_OBJECTS.deal.path}${tail}$`),
    operation,
    endpoint,
    scopesOf: () => [DEALS_SCOPE],
  });
  return [
    toRoute('', 'pipelines.list', listPipelines),
    toRoute('/([^/]+)', 'pipelines.read', readPipeline),
    toRoute('/([^/]+)/stages', 'pipelines.stages', listStages),
  ];
}

function listObjectRoutes({ plural, path, scope, endpoints }: ObjectRoutes): readonly KnownRoute[] {
  const toRoute = (
    method: KnownRoute['method'],
    tail: string,
    verb: keyof typeof LEADS,
  ): KnownRoute => ({
    method,
    pattern: new RegExp(`^/objects/${path}${tail}$`),
    operation: `${plural}.${verb}`,
    endpoint: endpoints[verb],
    scopesOf: () => [scope],
  });
  return [
    toRoute('GET', '', 'list'),
    toRoute('GET', '/([^/]+)', 'read'),
    toRoute('POST', '/batch/read', 'batchRead'),
  ];
}

/** Routes without a bearer token: the token is in the form or in the path. */
const OPEN_ROUTES: readonly OpenRoute[] = [
  {
    pattern: /^\/oauth\/(?:\d+\/)?authorize$/,
    operation: 'oauth.authorize',
    tokenOf: () => undefined,
    answer: answerAuthorize,
  },
  {
    pattern: /^\/oauth\/(?:v1|v3|2026-03|2026-09)\/token$/,
    operation: 'oauth.token',
    tokenOf: formToken,
    answer: answerToken,
  },
  {
    pattern: /^\/oauth\/(?:v3|2026-03|2026-09)\/token\/introspect$/,
    operation: 'oauth.introspect',
    tokenOf: formToken,
    answer: answerIntrospection,
  },
  {
    pattern: /^\/oauth\/(?:v3|2026-03|2026-09)\/token\/revoke$/,
    operation: 'oauth.revoke',
    tokenOf: formToken,
    answer: answerRevocation,
  },
  {
    pattern: /^\/oauth\/v1\/(?:access|refresh)-tokens\/[^/]+$/,
    operation: 'oauth.tokenDetails',
    tokenOf: lastPart,
    answer: answerTokenDetails,
  },
];

interface KnownRoute {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly pattern: RegExp;
  readonly operation: string;
  readonly endpoint: Endpoint;
  readonly policy?: Policy;
  /** The required scopes, from the parts of the path; default: the contacts scope. */
  readonly scopesOf?: (parts: readonly string[]) => readonly string[];
}

interface ObjectRoutes {
  readonly plural: string;
  /** The pattern of the object's names in paths. */
  readonly path: string;
  readonly scope: string;
  readonly endpoints: typeof LEADS;
}

interface WriteRoutes extends Pick<ObjectRoutes, 'plural' | 'path'> {
  readonly endpoints: WriteEndpoints;
}

interface OpenRoute {
  readonly pattern: RegExp;
  readonly operation: string;
  readonly tokenOf: (request: SandboxRequest) => string | undefined;
  readonly answer: (call: HubSpotCall) => Answer;
}

interface EndpointCall {
  readonly endpoint: Endpoint;
  readonly policy: Policy;
  readonly parts: readonly string[];
}
