import type { CrmInfo } from './crms.ts';
import type { ConnectionsQuery } from './operations.generated.ts';

export type Connection = NonNullable<ConnectionsQuery['customer']>['connections'][number];

/** Why contacts cannot be changed over this connection, as a sentence. Undefined: they can be. */
export function whyReadOnly({ title }: CrmInfo, { grantedAccess }: Connection): string | undefined {
  const contacts = grantedAccess.find(({ record }) => record === 'CONTACT');
  if (contacts?.canWrite) return undefined;
  return contacts && contacts.missingScopes.length > 0
    ? `${title} has not granted us all that is needed to change contacts.`
    : `${title} is connected for reading only.`;
}
