import type { Row } from '../row.ts';
import { CONTACT_ROWS } from './contact.ts';
import { CUSTOMER_ROWS } from './customer.ts';
import { ERROR_ROWS } from './errors.ts';
import { SEARCH_ROWS } from './search.ts';

/** What the specification of the REST API promises, by its sections. */
export const SPECIFICATION: readonly Row[] = [
  ...CONTACT_ROWS,
  ...CUSTOMER_ROWS,
  ...SEARCH_ROWS,
  ...ERROR_ROWS,
];
