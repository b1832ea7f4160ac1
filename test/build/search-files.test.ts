import { beforeAll, expect, test } from 'vitest';
import { listSearchFiles } from '../../build/search-files.mjs';
import '../support/process-sources.ts';

/** The files that a reader has to follow for one search. These numbers may only decrease. */
const MOST_FILES = { GraphQL: 63, REST: 54 } as const;

let files: Awaited<ReturnType<typeof listSearchFiles>>;
beforeAll(async () => {
  files = await listSearchFiles();
});

test.each(['GraphQL', 'REST'] as const)(
  'a search by email over %s executes no more files than the maximum',
  (face) => {
    expect(files[face].length, files[face].join('\n')).toBeLessThanOrEqual(MOST_FILES[face]);
  },
);

test.each([
  ['GraphQL', 'src/graphql/types/contact.ts'],
  ['REST', 'src/rest/routes/search-contacts.ts'],
] as const)(
  'a search over %s goes from its entry point through the use case to one provider',
  (face, entry) => {
    expect(files[face]).toEqual(
      expect.arrayContaining([
        entry,
        'src/usecases/search-contacts.ts',
        'src/providers/hubspot/provider.ts',
      ]),
    );
    expect(files[face]).not.toContain('src/providers/salesforce/provider.ts');
  },
);
