import { createHmac } from 'node:crypto';
import { BACKGROUND_WORK } from '../../src/admission/work.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { CustomerUpsert } from '../../src/domain/customer.ts';
import type { Signer } from '../../src/domain/page.ts';
import type { CrmAccess, Provider } from '../../src/domain/provider.ts';
import {
  PROVIDER_CATEGORIES,
  PROVIDER_NAMES,
  type ProviderName,
} from '../../src/domain/provider-names.ts';
import { WRITE_TIMES } from '../../src/domain/writing.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { HttpHeaders } from '../../src/lib/http-message.ts';
import { authorization as hubspotAuthorization } from '../../src/providers/hubspot/oauth.ts';
import { hubspot } from '../../src/providers/hubspot/provider.ts';
import { RESPONSE_BOUNDS } from '../../src/request/allowance.ts';
import { createFindCaller } from '../../src/request/caller.ts';
import { createConnectionCache } from '../../src/request/connection-cache.ts';
import { createOpenContext, type RequestContext } from '../../src/request/context.ts';
import { createCustomFieldsCache } from '../../src/request/custom-fields-cache.ts';
import { createFieldRefreshes } from '../../src/request/field-refreshes.ts';
import type { Services } from '../../src/request/services.ts';
import { createFakeCrmPort, type FakeCall } from './fake-crm-port.ts';
import { createFakePeople, type FakePerson } from './fake-people.ts';
import {
  createFakeRequestLog,
  createFakeRequestState,
  type FakeRequestLog,
} from './fake-request-log.ts';
import { createFakeTenant, type FakeTenant } from './fake-tenant.ts';

export const DEMO_APPLICATION = {
  id: '11111111-1111-4111-8111-111111111111',
  name: 'Demo',
} as const;
export const OTHER_APPLICATION = {
  id: '22222222-2222-4222-8222-222222222222',
  name: 'Other',
} as const;

/** The callers of `x-api-key` values. */
export const API_KEYS: Readonly<Record<string, Caller>> = {
  'demo-key': { application: DEMO_APPLICATION, credentialId: 'demo-key-id' },
  'other-key': { application: OTHER_APPLICATION, credentialId: 'other-key-id' },
};

/** The callers of `Authorization: Bearer …` values. Both are tokens of the customer `demo`. */
export const TOKENS: Readonly<Record<string, Caller>> = {
  'demo-token': toTokenCaller(undefined),
  'hubspot-token': toTokenCaller(['hubspot']),
};

const DEMO_CUSTOMER: CustomerUpsert = {
  customerId: 'demo',
  name: 'Demo customer',
  email: 'demo@example.com',
  connections: [
    { providerName: 'hubspot', credentials: { type: 'token', value: 'secret-hubspot' } },
    { providerName: 'salesforce', instanceUrl: 'https://demo.salesforce.example' },
    { providerName: 'zendesk_sell' },
  ],
};

const SEARCHABLE: readonly ProviderName[] = ['hubspot', 'salesforce'];

/**
 * Everything behind GraphQL and REST, in memory: 18 providers of which HubSpot and Salesforce can be searched, two
 * applications, and the demo's customer `demo`, connected to HubSpot, Salesforce and Zendesk Sell.
 */
export async function createFakeServices(options: FakeOptions = {}): Promise<FakeServices> {
  const calls: FakeCall[] = [];
  const requestLog = createFakeRequestLog();
  const people = options.people ?? createFakePeople(30);
  const faults = new Map<ProviderName, unknown>();
  const demo = createFakeTenant(DEMO_APPLICATION.id);
  const tenants = new Map([
    [DEMO_APPLICATION.id as string, demo],
    [OTHER_APPLICATION.id as string, createFakeTenant(OTHER_APPLICATION.id)],
  ]);
  const services: Services = {
    providers: new Map(PROVIDER_NAMES.map((name) => [name, toProvider(name)])),
    writeTimes: WRITE_TIMES,
    cursors: createFakeCursors(),
    connections: createConnectionCache(systemClock),
    customFields: createCustomFieldsCache(systemClock),
    fieldRefreshes: createFieldRefreshes(systemClock),
    connecting: {
      linkTokens: createFakeCursors().bind(() => 'connect link'),
      publicUrl: () => 'https://crossbook.example',
      findReturnOrigins: async () => ['https://app.example', 'http://localhost:5173'],
      findOAuthClient: async () => ({ clientId: 'client', clientSecret: 'client-secret' }),
      toSandboxLogin: () => undefined,
    },
    cacheMaxAgeMs: 15 * 60 * 1000,
    responseBounds: options.responseBounds ?? RESPONSE_BOUNDS,
    runInBackground: (work) => void work,
    forgetConnection: () => {},
    now: systemClock.now,
    untilForgotten: async () => {},
    revokeRemoved: async ({ grant }) => (grant ? 'REVOKED' : 'NOT_SUPPORTED'),
    charge: async () => {},
    wall: options.wall ?? (() => Date.parse('2025-01-01T00:00:00.000Z')),
    openTenant: (id) => tenants.get(id) ?? createFakeTenant(id),
    signToken: async (id, { customerId, providers }) =>
      tenants.get(id)?.table.has(customerId)
        ? ['signed', customerId, ...(providers ?? [])].join('.')
        : undefined,
    openCrmPort: ({ connection }) =>
      createFakeCrmPort({
        people,
        connection,
        record: (call) => void calls.push(call),
        fault: () => faults.get(connection.providerName),
      }),
    checkDestination: async () => {},
    checkWebhookUrl: async (url) => ({ url }),
    cleanLogo: async (png) => png,
    checkInstanceUrl: (url, hosts) =>
      hosts.some((host) => URL.canParse(url) && host.test(new URL(url).hostname))
        ? { url: new URL(url).origin }
        : { problem: 'not one of its hosts' },
  };
  const restoreDemo = async () => {
    await demo.customers.upsert(DEMO_CUSTOMER);
    await demo.oauthClients.set('hubspot', { clientId: 'id', clientSecret: 'secret' });
  };
  await restoreDemo();
  return { services, calls, requestLog, people, faults, tenant: demo, restoreDemo, openContext };

  function openContext(
    headers: HttpHeaders,
    _state?: unknown,
    work = BACKGROUND_WORK,
  ): RequestContext {
    const findCaller = createFindCaller({
      findCallerByKey: (key) => API_KEYS[key],
      findCallerByToken: (token) => TOKENS[token],
    });
    // No promise, because the fake look-ups return none.
    const caller = findCaller({ headers }) as Caller | undefined;
    return createOpenContext(services)(headers, createFakeRequestState(requestLog, caller), work);
  }
}

/** Grants of these cannot be revoked. */
const { revocation: _revocation, ...authorization } = hubspotAuthorization;

function toProvider(name: ProviderName): Provider {
  const provider = {
    name,
    category: PROVIDER_CATEGORIES[name],
    instanceHosts: [new RegExp(`\\.${name.replaceAll('_', '-')}\\.example$`)],
  };
  return SEARCHABLE.includes(name) ? { ...provider, crm: toAccess(name), authorization } : provider;
}

function toAccess(name: ProviderName): CrmAccess {
  return {
    origin: () => undefined,
    budgets: {},
    readRateLimitStatus: () => undefined,
    readPause: () => undefined,
    needsRefresh: () => false,
    isTokenInvalid: () => false,
    refresh: { origin: () => undefined, toRequest: unreachable, readAnswer: unreachable },
    lookupBudget: 'all',
    searchLagMs: 60_000,
    lookupBatch: 100,
    records: {
      CONTACT: {
        filters: hubspot.crm?.records.CONTACT.filters ?? {},
        associatedObjects: name === 'hubspot' ? ['company', 'deal', 'ticket'] : [],
        linkedTo: [],
      },
      COMPANY: {
        filters: hubspot.crm?.records.COMPANY?.filters ?? {},
        associatedObjects: [],
        linkedTo: [],
      },
      DEAL: {
        filters: hubspot.crm?.records.DEAL?.filters ?? {},
        associatedObjects: [],
        linkedTo: [],
      },
    },
    compareIds: (a, b) => Number(a) - Number(b),
    open: unreachable,
  };
}

/** Binds a cursor to its search, and detects modification. */
function createFakeCursors(): Signer {
  const toMac = (text: string, binding: string) =>
    createHmac('sha256', binding).update(text).digest('base64url').slice(0, 16);
  return {
    bind: (readBinding) => ({
      sign: (text) => `${Buffer.from(text).toString('base64url')}.${toMac(text, readBinding())}`,
      verify(cursor) {
        const [body = '', mac] = cursor.split('.');
        const text = Buffer.from(body, 'base64url').toString();
        return mac === toMac(text, readBinding()) ? text : undefined;
      },
    }),
  };
}

function toTokenCaller(providers: readonly ProviderName[] | undefined): Caller {
  return {
    application: DEMO_APPLICATION,
    credentialId: 'demo-token-id',
    customer: { customerId: 'demo', providers },
  };
}

function unreachable(): never {
  throw new Error('The fake services open their own ports.');
}

interface FakeOptions {
  readonly people?: readonly FakePerson[];
  readonly wall?: () => number;
  readonly responseBounds?: Services['responseBounds'];
}

export interface FakeServices {
  readonly services: Services;
  /** Every call to a provider, in order. */
  readonly calls: FakeCall[];
  /** Of all requests. */
  readonly requestLog: FakeRequestLog;
  readonly people: readonly FakePerson[];
  /** The error of a provider's calls while it is set. */
  readonly faults: Map<ProviderName, unknown>;
  /** The demo application's storage. */
  readonly tenant: FakeTenant;
  /** Restores the initial state of the demo's customer. */
  restoreDemo(): Promise<void>;
  /** Authenticates like the product, from `x-api-key` or `Authorization`. */
  openContext(headers: HttpHeaders): RequestContext;
}
