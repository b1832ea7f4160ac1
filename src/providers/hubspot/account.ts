import type { Connection } from '../../domain/connection.ts';
import type { Contact } from '../../domain/contact.ts';
import { toContactSource } from '../../domain/contact-source.ts';
import type { Send } from '../../domain/remote.ts';
import type { Want } from '../../domain/want.ts';
import { createAsk, type HubSpotAsk } from './call.ts';
import { toContact } from './contacts.ts';
import { propertiesFor } from './properties.ts';

/** One customer's HubSpot, as every read sees it. */
export function openAccount(send: Send, connection: Connection): HubSpotAccount {
  const source = toContactSource(connection);
  const account: HubSpotAccount = {
    ask: createAsk(send),
    propertiesFor: (want) => propertiesFor(connection, want),
    toContact: (record, { rawData }) => toContact(record, { source, rawData }),
    toContacts: (records, want) =>
      records.map((record) => account.toContact(record, want)).filter((contact) => contact !== undefined),
  };
  return account;
}

export interface HubSpotAccount {
  readonly ask: HubSpotAsk;
  propertiesFor(want: Want): readonly string[];
  /** Undefined where it is no record. */
  toContact(record: unknown, want: Want): Contact | undefined;
  toContacts(records: readonly unknown[], want: Want): readonly Contact[];
}
