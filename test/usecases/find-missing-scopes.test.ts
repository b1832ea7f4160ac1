import { expect, test } from 'vitest';
import type { Authorization } from '../../src/domain/authorization.ts';
import { findMissingScopes } from '../../src/usecases/find-missing-scopes.ts';

const REQUIRED = { requiredScopes: ['oauth', 'contacts'] } as unknown as Authorization;
const PROVIDERS = new Map([['hubspot' as const, { authorization: REQUIRED }]]);

test.each([
  ['what is needed and was not granted', ['oauth', 'other'], ['contacts']],
  ['nothing where all was granted', ['contacts', 'oauth'], []],
  ['nothing where no link has granted anything', [], []],
])('names %s', (_title, grantedScopes, missing) => {
  expect(findMissingScopes(PROVIDERS, { providerName: 'hubspot', grantedScopes })).toEqual(missing);
  expect(findMissingScopes(PROVIDERS, { providerName: 'gong', grantedScopes })).toEqual([]);
});
