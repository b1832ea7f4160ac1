import { beforeAll, expect, test } from 'vitest';
import { listSearchFiles } from '../../build/search-files.mjs';
import '../support/process-sources.ts';

/** What somebody has to read to follow one search. These numbers fall, and do not rise. */
const MOST_FILES = { GraphQL: 87, REST: 70 } as const;

let files: Awaited<ReturnType<typeof listSearchFiles>>;
beforeAll(async () => {
  files = await listSearchFiles();
});

test.each(['GraphQL', 'REST'] as const)(
  'a search by email over %s takes no more files than before',
  (face) => {
    expect(files[face].length, files[face].join('\n')).toBeLessThanOrEqual(MOST_FILES[face]);
  },
);

test.each([
  ['GraphQL', 'src/graphql/types/search-contacts.ts'],
  ['REST', 'src/rest/routes/search-contacts.ts'],
] as const)('they lead from %s through the use case to the one provider', (face, entry) => {
  expect(files[face]).toEqual(
    expect.arrayContaining([entry, 'src/usecases/search-contacts.ts', 'src/providers/hubspot/provider.ts']),
  );
  expect(files[face]).not.toContain('src/providers/salesforce/provider.ts');
});
