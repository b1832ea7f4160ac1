import { expect, test } from 'vitest';
import type { ProviderName } from '../../src/domain/provider-names.ts';
import { createRegistry } from '../../src/providers/registry.ts';
import { findMissingScopes } from '../../src/usecases/list-providers.ts';

const CONTACTS = 'crm.objects.contacts.read';

test.each<[string, ProviderName, string[], string[]]>([
  ['what is needed and was not granted', 'hubspot', ['oauth', 'other'], [CONTACTS]],
  ['nothing where all was granted', 'hubspot', [CONTACTS, 'oauth'], []],
  [
    'nothing where all was granted under another name',
    'salesforce',
    ['full', 'offline_access'],
    [],
  ],
  ['nothing where no link has granted anything', 'hubspot', [], []],
  ['nothing of a provider that no link connects', 'gong', ['other'], []],
])('names %s', (_title, providerName, grantedScopes, missing) => {
  expect(findMissingScopes(createRegistry(), { providerName, grantedScopes })).toEqual(missing);
});
