import { CrossbookError, type ErrorCode } from '../../../src/domain/errors.ts';
import {
  type CrmAccess,
  type CustomerAccount,
  EXACT,
  type Provider,
  type RecordAdapter,
} from '../../../src/domain/provider.ts';
import type { ListFilter } from '../../../src/domain/records/conditions.ts';
import { CONTACT, type Contact, type ContactField } from '../../../src/domain/records/contact.ts';
import { contactFilters } from '../../../src/domain/records/contact-filter.ts';
import { type RecordOrigin, toRawData } from '../../../src/domain/records/record.ts';
import { type FieldSelection, toRecordOrigin } from '../../../src/domain/records/record-search.ts';
import {
  type ProviderResponse,
  RemoteFailure,
  type RemoteRequest,
} from '../../../src/domain/remote.ts';
import { readRetryAfter } from '../../../src/lib/http-message.ts';
import { isRecord, parseJson } from '../../../src/lib/json.ts';
import { toText, toTimestamp } from '../../../src/lib/text.ts';

const BATCH = 100;

const access: CrmAccess = {
  origin: (instanceUrl) => instanceUrl ?? 'https://api.tidepool.example',
  budgets: { calls: { calls: 50, intervalMs: 1_000, concurrency: 4 } },
  readRateLimitStatus: ({ headers }) => {
    const [max, remaining] = [headers['x-tidepool-limit'], headers['x-tidepool-remaining']];
    if (max === undefined || remaining === undefined) return undefined;
    return { max: Number(max), remaining: Number(remaining), intervalMs: 1_000 };
  },
  readPause: (answer) => (answer.status === 429 ? readRetryAfter(answer.headers) : undefined),
  needsRefresh: ({ status }) => status === 401,
  isTokenInvalid: ({ status }) => status === 401,
  refresh: {
    origin: () => 'https://api.tidepool.example',
    toRequest: ({ refreshToken }) => ({
      method: 'POST',
      path: '/v1/token',
      body: JSON.stringify({ refreshToken }),
      budget: 'calls',
      retry: 'never',
    }),
    readAnswer(answer) {
      const json = parseJson(answer.body);
      const accessToken = isRecord(json) ? toText(json['accessToken']) : null;
      if (answer.status !== 200) throw toFailure(answer);
      if (!accessToken) throw toBadResponse(answer);
      // The refresh token stays as it is.
      return { accessToken, refreshToken: null, expiresAt: null, instanceUrl: undefined };
    },
  },
  lookupBudget: 'calls',
  lookupBatch: BATCH,
  records: {
    CONTACT: {
      filters: {
        email: EXACT,
        emails: EXACT,
        emailDomain: EXACT,
        modifiedSince: EXACT,
        all: EXACT,
      },
      associatedObjects: [],
      linkedTo: [],
    },
  },
  searchLagMs: 0,
  compareIds: (a, b) => Number(a) - Number(b),
  open: (account) => ({ records: { CONTACT: () => openContacts(account) } }),
};

/** It has the place of a provider that cannot be searched. */
export const tidepool: Provider & { readonly crm: CrmAccess } = {
  name: 'capsule',
  category: 'crm',
  instanceHosts: [/^tidepool\.example$/],
  crm: access,
};

function openContacts(account: CustomerAccount): RecordAdapter<Contact> {
  const origin = toRecordOrigin(account.connection, CONTACT);
  const { send } = account;

  async function call(request: Pick<RemoteRequest, 'method' | 'path' | 'body'>) {
    const answer = await send({ ...request, budget: 'calls', retry: 'safe' });
    if (answer.status !== 200) throw toFailure(answer);
    const json = answer.readJson();
    const items = isRecord(json) ? json['items'] : undefined;
    if (!isRecord(json) || !Array.isArray(items)) throw toBadResponse(answer);
    answer.discardBody?.();
    return { json, items };
  }

  async function lookUp(
    name: 'emails' | 'ids',
    values: readonly unknown[],
    selection: FieldSelection,
  ) {
    const found: Contact[] = [];
    for (let at = 0; at < values.length; at += BATCH) {
      const body = JSON.stringify({ [name]: values.slice(at, at + BATCH) });
      const { items } = await call({ method: 'POST', path: '/v1/people/lookup', body });
      found.push(...items.flatMap((item) => toContact(item, origin, selection) ?? []));
    }
    return found;
  }

  return {
    async findByKey(emails, selection) {
      const found = await lookUp('emails', emails, selection);
      const byEmail = new Map(emails.map((email) => [email, [] as Contact[]]));
      for (const contact of found)
        for (const { emailAddress } of contact.emailAddresses)
          byEmail.get(emailAddress.trim().toLowerCase())?.push(contact);
      return byEmail;
    },

    /** A page begins only at a cursor of the CRM: the list is read from its start, in either direction. */
    async readList(filter, { direction, from, limit }, selection) {
      const isBefore = (id: string) => from !== undefined && access.compareIds(id, from) < 0;
      const isAfter = (id: string) => from !== undefined && access.compareIds(id, from) > 0;
      let run: Contact[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const { json, items } = await call({ method: 'GET', path: toPath(filter, cursor) });
        const page = items.flatMap((item) => toContact(item, origin, selection) ?? []);
        run.push(
          ...page.filter(
            (contact) =>
              contactFilters.matches(contact, filter) &&
              !(direction === 'forward' ? isBefore : isAfter)(contact.remoteId),
          ),
        );
        if (direction === 'backward') run = run.slice(-limit);
        cursor = run.length >= limit && direction === 'forward' ? null : toText(json['cursor']);
      }
      return direction === 'forward' ? run.slice(0, limit) : run;
    },

    async count(filter) {
      const { json } = await call({ method: 'GET', path: toPath(filter, '') });
      return typeof json['total'] === 'number' ? json['total'] : null;
    },

    async findByIds(ids, selection) {
      const numbers = [...new Set(ids)].filter((id) => /^[1-9]\d{0,8}$/.test(id)).map(Number);
      const found = await lookUp('ids', numbers, selection);
      return new Map(found.map((contact) => [contact.remoteId, contact]));
    },
  };
}

function toPath(filter: ListFilter, cursor: string): string {
  return `/v1/people?${new URLSearchParams({ ...toQuery(filter), cursor })}`;
}

function toQuery(filter: ListFilter): Readonly<Record<string, string>> {
  switch (filter.by) {
    case 'all':
      return {};
    case 'emailDomain':
      return { domain: filter.domain };
    case 'modifiedSince':
      return { from: String(filter.since), to: String(filter.until) };
    default:
      throw new CrossbookError('NOT_IMPLEMENTED', 'Not this filter.');
  }
}

function toContact(
  item: unknown,
  source: RecordOrigin,
  { rawData, fields }: FieldSelection,
): Contact | undefined {
  if (!isRecord(item) || typeof item['id'] !== 'number') return undefined;
  // It sends whole records: what was not selected is left out here.
  const selected = (name: ContactField, value: unknown) =>
    !fields || fields.has(name) ? value : undefined;
  // Look-ups and lists verify their hits by these two.
  const email = toText(item['email']);
  const updatedAt = toTime(item['updatedAt']);
  const phone = toText(selected('phoneNumbers', item['phone']));
  return {
    source,
    remoteId: String(item['id']),
    accountId: toText(selected('accountId', item['company'])),
    ownerId: toText(selected('ownerId', item['owner'])),
    firstName: toText(selected('firstName', item['given'])),
    lastName: toText(selected('lastName', item['family'])),
    addresses: [],
    emailAddresses: email ? [{ emailAddress: email, emailAddressType: 'primary' }] : [],
    phoneNumbers: phone ? [{ phoneNumber: phone, phoneNumberType: 'primary' }] : [],
    lifecycleStage: null,
    lastActivityAt: null,
    createdAt: toTime(selected('createdAt', item['createdAt'])),
    updatedAt,
    lastModifiedAt: updatedAt,
    isDeleted: false,
    rawData: rawData ? toRawData(item) : null,
  };
}

function toTime(value: unknown): string | null {
  return typeof value === 'number' ? toTimestamp(new Date(value).toISOString()) : null;
}

function toFailure(answer: ProviderResponse): RemoteFailure {
  const { status, headers, body } = answer;
  const json = parseJson(body);
  const text = isRecord(json) ? toText(json['error']) : null;
  return new RemoteFailure(
    CODES[status] ?? (status >= 500 ? 'REMOTE_PROVIDER_UNAVAILABLE' : 'REMOTE_PROVIDER_ERROR'),
    `Tidepool responded with ${status}${text ? `: ${text.slice(0, 200)}` : '.'}`,
    answer,
    { retryAfterMs: readRetryAfter(headers) },
  );
}

function toBadResponse(answer: ProviderResponse): RemoteFailure {
  const detail = 'Tidepool responded with a body that does not match its documentation.';
  return new RemoteFailure('REMOTE_PROVIDER_BAD_RESPONSE', detail, answer);
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'REMOTE_PROVIDER_UNAUTHORIZED',
  403: 'REMOTE_PROVIDER_FORBIDDEN',
  423: 'REMOTE_PROVIDER_UNAVAILABLE',
  429: 'REMOTE_PROVIDER_RATE_LIMITED',
};
