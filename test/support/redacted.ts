import type { CrmAdapter, RecordAdapter } from '../../src/domain/provider.ts';
import type { Contact } from '../../src/domain/records/contact.ts';
import { createRedactor } from '../../src/outbound/redaction/redactor.ts';

/** As errors leave `outbound`, for a connection without secrets. */
export const toError = createRedactor(() => []);

/** The contacts of an adapter, with errors as they leave `outbound`. */
export function toRedacted({ records }: CrmAdapter): TestContacts {
  const contacts = records.CONTACT();
  const { findByKey, related } = contacts;
  if (!findByKey) throw new Error('Contacts are looked up by email.');
  return {
    findByKey: (...args) => redacted(() => findByKey(...args)),
    readList: (...args) => redacted(() => contacts.readList(...args)),
    count: (filter) => redacted(() => contacts.count(filter)),
    findByIds: (...args) => redacted(() => contacts.findByIds(...args)),
    ...(related && {
      related: (...args: Parameters<typeof related>) => redacted(() => related(...args)),
    }),
  };
}

export type TestContacts = Omit<RecordAdapter<Contact>, 'findByKey'> &
  Required<Pick<RecordAdapter<Contact>, 'findByKey'>>;

async function redacted<Found>(read: () => Promise<Found>): Promise<Found> {
  try {
    return await read();
  } catch (error) {
    throw toError(error);
  }
}
