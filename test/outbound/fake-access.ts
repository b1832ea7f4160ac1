import { BACKGROUND_WORK } from '../../src/admission/work.ts';
import type { Connection } from '../../src/domain/connection.ts';
import { CrossbookError } from '../../src/domain/errors.ts';
import type { CrmAccess, RecordAdapter } from '../../src/domain/provider.ts';
import type { ListFilter } from '../../src/domain/records/conditions.ts';
import { CONTACT, type Contact } from '../../src/domain/records/contact.ts';
import { readRetryAfter } from '../../src/lib/http-message.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import type { OutboundOptions } from '../../src/outbound/outbound-options.ts';
import { createConnection } from '../support/connection.ts';
import { createFakeContactCache } from '../support/fake-contact-cache.ts';
import { createFakeCredentials } from '../support/fake-credentials.ts';

/** A generic fake CRM: one call for each operation; a failed call's error has the answer's body. */
export function createFakeAccess(patch: Partial<CrmAccess> = {}): CrmAccess {
  return {
    origin: (instanceUrl) => instanceUrl ?? undefined,
    budgets: { general: { concurrency: 10 } },
    readRateLimitStatus: () => undefined,
    readPause: ({ headers }) => readRetryAfter(headers),
    needsRefresh: ({ status }) => status === 401,
    isTokenInvalid: ({ body }) => body.includes('refused for good'),
    refresh: {
      origin: (instanceUrl) => instanceUrl ?? undefined,
      toRequest: ({ refreshToken }) => ({
        method: 'POST',
        path: '/token',
        body: refreshToken,
        budget: 'general',
        retry: 'safe',
      }),
      readAnswer({ status, body }) {
        if (status !== 200) throw new CrossbookError('REMOTE_PROVIDER_UNAUTHORIZED', body);
        return { accessToken: body, refreshToken: null, expiresAt: null, instanceUrl: undefined };
      },
    },
    lookupBudget: 'general',
    lookupBatch: 100,
    records: { CONTACT: { filters: {}, associatedObjects: [], linkedTo: [] } },
    searchLagMs: 0,
    compareIds: (a, b) => Number(a) - Number(b),
    open({ send }) {
      const ask = async (path: string) => {
        const answer = await send({
          method: 'GET',
          path,
          budget: 'general',
          retry: 'safe',
          headers: { 'x-adapter': 'yes' },
        });
        if (answer.status !== 200) throw new CrossbookError('REMOTE_PROVIDER_ERROR', answer.body);
        return answer.body;
      };
      const contacts: RecordAdapter<Contact> = {
        async findByKey(emails) {
          await ask(`/emails?${emails.length}`);
          return new Map(emails.map((email) => [email, []]));
        },
        async readList(filter) {
          await ask(`/domain/${domainOf(filter)}`);
          return [];
        },
        count: async (filter) => Number(await ask(`/count/${domainOf(filter)}`)),
        findByIds: async () => new Map(),
      };
      return { records: { CONTACT: () => contacts } };
    },
    ...patch,
  };
}

function domainOf(filter: ListFilter): string {
  return filter.by === 'emailDomain' ? filter.domain : filter.by;
}

/** The outbound client for one stubbed host, with one connection. */
export function openStub(origin: string, options: StubOptions = {}) {
  const {
    access = createFakeAccess(),
    connection: patch,
    settings,
    sandboxOrigins = [],
    ...rest
  } = options;
  const outbound = createOutbound({
    sandboxOrigins: [origin, ...sandboxOrigins],
    findOAuthClient: async () => ({ clientId: 'client', clientSecret: 'client-secret' }),
    providers: new Map(),
    // Only the tests of deadlines set one; all others may take as long as the machine needs.
    settings: { deadlineMs: 600_000, ...settings },
    ...rest,
  });
  const connection = createConnection('hubspot', { instanceUrl: origin, ...patch });
  const credentials = createFakeCredentials(
    { type: 'oauth2', accessToken: 'access-0', refreshToken: 'refresh-0', expiresAt: null },
    connection.instanceUrl,
  );
  const cache = createFakeContactCache();
  const openPort = (other: Partial<Connection> = {}, work = BACKGROUND_WORK) =>
    outbound
      .openCrmPort({
        connection: { ...connection, ...other },
        access,
        work,
        credentials: credentials.store,
        cache,
      })
      .of(CONTACT);
  return { outbound, credentials, openPort };
}

interface StubOptions extends Partial<OutboundOptions> {
  readonly access?: CrmAccess;
  readonly connection?: Partial<Connection>;
}
