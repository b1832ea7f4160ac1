import type { ContactAccess, ContactPort } from '../../domain/provider.ts';
import { compareIds, findByIds } from './by-id.ts';
import { createCall } from './call.ts';
import { countByDomain, readByDomain } from './domain.ts';
import { findByEmails } from './emails.ts';
import { createReader } from './reader.ts';

/** One customer's contacts in one Salesforce org. */
export function openContacts({ send, connection, facts }: Options): ContactPort {
  const reader = createReader({ call: createCall(send), connection, facts });
  return {
    findByEmails: (emails, selection) => findByEmails(reader, emails, selection),
    readByDomain: (domain, run, selection) => readByDomain(reader, { domain, run, selection }),
    countByDomain: (domain) => countByDomain(reader, domain),
    findByIds: (ids, selection) => findByIds(reader, ids, selection),
    compareIds,
  };
}

type Options = Parameters<ContactAccess['open']>[0];
