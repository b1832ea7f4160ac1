import type { ListFilter } from '../../src/domain/records/conditions.ts';

/** The filter by an email domain, as adapters get it. */
export function byDomain(domain: string): ListFilter {
  return { by: 'emailDomain', domain };
}
