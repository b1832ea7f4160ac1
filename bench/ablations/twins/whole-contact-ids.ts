import type { Contact } from '../../../src/domain/contact.ts';
import { toGlobalId } from '../../../src/graphql/global-id.ts';

export function toContactId({ source, remoteId }: Pick<Contact, 'source' | 'remoteId'>): string {
  return toGlobalId({ type: 'Contact', ...source, remoteId });
}
