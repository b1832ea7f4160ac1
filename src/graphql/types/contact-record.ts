import type { Contact } from '../../domain/records/contact.ts';

/** A contact and whether it was read with a cache. */
export interface ContactRecord extends Contact {
  readonly readWithCache?: true;
}
