import type { Contact } from '../domain/contact.ts';
import { readEmail } from '../domain/email.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { FieldSelection } from '../domain/field-selection.ts';
import type { Timing } from '../domain/journal.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { type LookupDeps, lookUpEmails } from './look-up-emails.ts';
import { type OpenDeps, openContacts } from './open-contact-client.ts';
import { readPageSize } from './page-cursor.ts';

/** The first of the contacts that have one email in one CRM, in the order of their ids. */
export function findContactsByEmail(
  deps: FindByEmailDeps,
  { first, ...asked }: EmailQuestion,
  selection: FieldSelection,
): Promise<readonly Contact[]> {
  return deps.timed('findContactsByEmail', async () => {
    deps.requireCaller();
    const email = readEmail(asked.email);
    if (email === undefined) {
      throw new CrossbookError(
        'UNPROCESSABLE_ENTITY',
        'The email of this reference is not an email address.',
      );
    }
    const size = readPageSize(first);
    const client = await openContacts(deps, asked);
    const found = await lookUpEmails(deps, client, { emails: [email], selection });
    return found.length > size ? found.slice(0, size) : found;
  });
}

interface EmailQuestion {
  readonly customerId: string;
  readonly provider: ProviderName;
  readonly email: string;
  readonly first: number | null | undefined;
}

export interface FindByEmailDeps extends OpenDeps, LookupDeps, Timing {}
