import type { Connection } from '../../domain/connection.ts';
import type { Contact } from '../../domain/contact.ts';
import { toContactOrigin } from '../../domain/contact-origin.ts';
import type { FieldSelection } from '../../domain/field-selection.ts';
import type { Send } from '../../domain/remote.ts';
import { createAsk, type HubSpotAsk } from './call.ts';
import { toContact } from './contacts.ts';
import { propertiesFor } from './properties.ts';

/** One customer's HubSpot, as every read sees it. */
export function openAccount(send: Send, connection: Connection): HubSpotAccount {
  const source = toContactOrigin(connection);
  const account: HubSpotAccount = {
    ask: createAsk(send),
    propertiesFor: (selection) => propertiesFor(connection, selection),
    toContact: (record, { rawData }) => toContact(record, { source, rawData }),
    toContacts: (records, selection) =>
      records
        .map((record) => account.toContact(record, selection))
        .filter((contact) => contact !== undefined),
  };
  return account;
}

export interface HubSpotAccount {
  readonly ask: HubSpotAsk;
  propertiesFor(selection: FieldSelection): readonly string[];
  /** Undefined where it is no record. */
  toContact(record: unknown, selection: FieldSelection): Contact | undefined;
  toContacts(records: readonly unknown[], selection: FieldSelection): readonly Contact[];
}
