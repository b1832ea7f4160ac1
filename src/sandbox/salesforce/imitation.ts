import { bearerOf, jsonAnswer } from '../http.ts';
import type { Imitation } from '../imitation.ts';
import type { SalesforceTypes } from './types.ts';

/** The room of the imitated Salesforce, so that the shared machinery can be started before it moves in. */
export const salesforceImitation: Imitation<SalesforceTypes> = {
  name: 'salesforce',
  quirks: {},
  limits: {},
  faults: {},
  accessTokenTtlMs: 2 * 3_600_000,
  identify: (number, origin) => ({
    id: `00D0000000${String(number).padStart(5, '0')}EAA`,
    instanceUrl: origin,
    clientId: `client-${number}`,
    clientSecret: `secret-${number}`,
    recordId: (index) => `003${String(index).padStart(12, '0')}AAA`,
    indexOf: (recordId) => Number(recordId.slice(3, 15)),
  }),
  mintToken: (kind, { id }, serial) => (kind === 'static' ? undefined : `${id}!${kind}.${serial}`),
  openState: () => undefined,
  route: (request) => ({
    operation: 'unknown',
    inputs: 1,
    token: bearerOf(request),
    answer: () =>
      jsonAnswer(404, [{ errorCode: 'NOT_FOUND', message: 'The requested resource does not exist' }]),
  }),
};
