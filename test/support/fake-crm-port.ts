import type { Connection } from '../../src/domain/connection.ts';
import { readCustomFieldValues } from '../../src/domain/custom-field-values.ts';
import type { CrmPort, RecordPort } from '../../src/domain/provider.ts';
import type { ProviderName } from '../../src/domain/provider-names.ts';
import type { ListFilter } from '../../src/domain/records/conditions.ts';
import type { Association, Contact } from '../../src/domain/records/contact.ts';
import { CONTACT_FIELDS } from '../../src/domain/records/contact.ts';
import { contactFilters } from '../../src/domain/records/contact-filter.ts';
import type { CrmRecord } from '../../src/domain/records/record.ts';
import { type FieldSelection, readSelectedFields } from '../../src/domain/records/record-search.ts';
import type { FakePerson } from './fake-people.ts';

/** A CRM in memory. It records every call, and fails with what `fault` throws. */
export function createFakeCrmPort({ people, connection, record, fault }: FakeCrm): CrmPort {
  const source = {
    type: 'CONTACT',
    applicationId: connection.applicationId,
    customerId: connection.customerId,
    provider: connection.providerName,
  } as const;
  const contacts: RecordPort<Contact> = {
    async findByKey(emails, selection) {
      called('findByEmails', emails, selection);
      return new Map(
        emails.map((email) => [email, owners(email).map((person) => read(person, selection))]),
      );
    },
    async readList(filter, { direction, from, limit }, selection) {
      if (filter.by === 'phone') {
        called('findByPhone', [filter.digits], selection);
        return members(filter).map((person) => read(person, selection));
      }
      called('readList', toKeys(filter), selection);
      const all = members(filter);
      const forward = direction === 'forward';
      const index = from === undefined ? -1 : all.findIndex(({ remoteId }) => remoteId === from);
      const start =
        from === undefined
          ? forward
            ? 0
            : all.length - limit
          : forward
            ? index
            : index + 1 - limit;
      const end =
        from === undefined ? (forward ? limit : all.length) : forward ? index + limit : index + 1;
      return all
        .slice(Math.max(0, start), Math.max(0, end))
        .map((person) => read(person, selection));
    },
    async count(filter) {
      called('count', toKeys(filter));
      return members(filter).length;
    },
    async findByIds(ids, selection) {
      called('findByIds', ids, selection);
      const requested = new Set(ids);
      const found = people.filter(({ remoteId }) => requested.has(remoteId));
      return new Map(found.map((person) => [person.remoteId, read(person, selection)]));
    },
    async related(ids, to) {
      called('findAssociations', ids);
      return new Map<string, readonly Association[]>(
        ids.map((id) => [id, [{ object: to, remoteId: `${to}-of-${id}` }]]),
      );
    },
    links: async () => [],
    listFields: async () => [],
  };
  return {
    of: ({ type }) => (type === 'CONTACT' ? contacts : NO_RECORDS) as never,
    pipelines: async () => [],
    owners: async () => [],
    clockBehindMs: () => 0,
    write: notOffered,
    writeLinks: notOffered,
    bulk: {
      describe: notOffered,
      readAll: notOffered,
      readChanges: notOffered,
      find: notOffered,
      readDeleted: notOffered,
      readRelinked: notOffered,
    },
  };

  function called(method: string, keys: readonly string[], selection?: FieldSelection): void {
    record({
      provider: connection.providerName,
      customerId: connection.customerId,
      method,
      keys,
      selection,
    });
    const thrown = fault();
    if (thrown !== undefined) throw thrown;
  }

  function read(person: FakePerson, selection: FieldSelection): Contact {
    const rawData = selection.rawData ? person.rawData : null;
    const fields = readSelectedFields(selection);
    const unwanted = fields ? CONTACT_FIELDS.filter((field) => !fields.has(field)) : [];
    // Fields that are not selected are not returned.
    return {
      ...person,
      ...Object.fromEntries(unwanted.map((field) => [field, EMPTY[field]])),
      source,
      rawData,
      ...(selection.customFields && {
        customFields: readCustomFieldValues(
          selection.customFields,
          person.remoteId,
          (name) => FAKE_OWN_VALUES[name],
        ),
      }),
    };
  }

  function owners(email: string) {
    return people.filter((person) =>
      person.emailAddresses.some((one) => one.emailAddress === email),
    );
  }

  function members(filter: ListFilter) {
    return people.filter((person) => contactFilters.matches(whole(person), filter));
  }

  function whole(person: FakePerson): Contact {
    return { ...person, source };
  }
}

/** It has people only. */
const NO_RECORDS: RecordPort<CrmRecord> = {
  findByKey: async () => new Map(),
  readList: async () => [],
  count: async () => 0,
  findByIds: async () => new Map(),
  listFields: async () => [],
  related: async () => new Map(),
  links: async () => [],
};

function toKeys(filter: ListFilter): readonly string[] {
  return filter.by === 'emailDomain' ? [filter.domain] : [JSON.stringify(filter)];
}

/** What every person has in the fields that custom fields are read from. */
export const FAKE_OWN_VALUES: Readonly<Record<string, string>> = {
  color: 'violet',
  size: '17',
  vip: 'true',
  born: '1815-12-10',
  met: '2026-01-31T10:00:00.000Z',
  tags: 'B;A',
};

const EMPTY: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(CONTACT_FIELDS.map((field) => [field, null])),
  addresses: [],
  emailAddresses: [],
  phoneNumbers: [],
  isDeleted: false,
};

/** One call to a provider. */
export interface FakeCall {
  readonly provider: ProviderName;
  readonly customerId: string;
  readonly method: string;
  /** Emails, ids, the one domain, or another filter as JSON. */
  readonly keys: readonly string[];
  readonly selection: FieldSelection | undefined;
}

interface FakeCrm {
  readonly people: readonly FakePerson[];
  readonly connection: Connection;
  record(call: FakeCall): void;
  /** What the next call rejects with; undefined for a success. */
  fault(): unknown;
}

function notOffered(): Promise<never> {
  return Promise.reject(new Error('The fake offers no records.'));
}
