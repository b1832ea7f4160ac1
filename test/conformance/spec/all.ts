import type { Row } from '../row.ts';
import { CONTACT_ROWS } from './contact.ts';
import { CUSTOMER_ROWS } from './customer.ts';
import { ERROR_ROWS } from './errors.ts';
import { SEARCH_ROWS } from './search.ts';

/** The specification of the REST API, by section. */
export const SPECIFICATION: readonly Row[] = [
  ...CONTACT_ROWS,
  ...CUSTOMER_ROWS,
  ...SEARCH_ROWS,
  ...ERROR_ROWS,
];
