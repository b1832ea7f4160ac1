import type { Connection } from '../../domain/connection.ts';
import type { Contact, ContactSource } from '../../domain/contact.ts';
import type { Send } from '../../domain/remote.ts';
import type { Want } from '../../domain/want.ts';
import { createCall, type HubSpotCall } from './call.ts';
import { toContact } from './contacts.ts';
import { propertiesFor } from './properties.ts';

/** One customer's HubSpot, as every read sees it. */
export function openAccount(send: Send, connection: Connection): HubSpotAccount {
  const { applicationId, customerId } = connection;
  const source: ContactSource = { applicationId, customerId, provider: 'hubspot' };
  return {
    call: createCall(send),
    propertiesFor: (want) => propertiesFor(connection, want),
    toContacts(records, { rawData }) {
      const contacts: Contact[] = [];
      for (const record of records) {
        const contact = toContact(record, { source, rawData });
        if (contact) contacts.push(contact);
      }
      return contacts;
    },
  };
}

export interface HubSpotAccount {
  readonly call: HubSpotCall;
  propertiesFor(want: Want): readonly string[];
  toContacts(records: readonly unknown[], want: Want): readonly Contact[];
}
