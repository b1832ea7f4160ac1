import type { Connection } from '../../domain/connection.ts';
import type { ContactPort } from '../../domain/provider.ts';
import type { Send } from '../../domain/remote.ts';
import { compareIds, findByIds } from './by-id.ts';
import { createCall } from './call.ts';
import { countByDomain, readByDomain } from './domain.ts';
import { findByEmails } from './emails.ts';
import { createReader } from './reader.ts';

/** One customer's contacts in one Salesforce org. */
export function openContacts({ send, connection }: Options): ContactPort {
  const reader = createReader(createCall(send), connection);
  return {
    findByEmails: (emails, want) => findByEmails(reader, emails, want),
    readByDomain: (domain, run, want) => readByDomain(reader, { domain, run, want }),
    countByDomain: (domain) => countByDomain(reader, domain),
    findByIds: (ids, want) => findByIds(reader, ids, want),
    compareIds,
  };
}

interface Options {
  readonly send: Send;
  readonly connection: Connection;
}
