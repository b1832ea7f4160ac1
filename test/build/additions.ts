import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** In a copy of the sources, one of each is added by editing only these files, and must appear everywhere. */
export const ADDITIONS = {
  'a contact field': [
    edited('src/domain/records/contact.ts', [
      '  addresses: field(',
      "  jobTitle: nullable(string, 'The job title.'),\n",
    ]),
    edited(
      'src/providers/hubspot/contacts.ts',
      ["  lastName: ['lastname'],", "  jobTitle: ['jobtitle'],\n"],
      ['    lastName: toText(', "    jobTitle: toText(properties['jobtitle']),\n"],
    ),
    edited(
      'src/providers/salesforce/contacts.ts',
      ["  lastName: ['LastName'],", "  jobTitle: ['Title'],\n"],
      ['    lastName: toText(', "    jobTitle: toText(row['Title']),\n"],
    ),
    // One place has what is requested and how it is read.
    edited('src/providers/pipedrive/contacts.ts', [
      '    lastName: toText(',
      "    jobTitle: toText(person['job_title']),\n",
    ]),
  ],
  'an error code': [
    edited('src/domain/errors.ts', [
      '  CONFLICT: code(',
      "  GONE: code(410, 'Gone', 'It was there.', { example: 'It is gone.' }),\n",
    ]),
  ],
  'a setting': [
    edited('src/settings.ts', [
      '  shutdownMs: setting(',
      "  naps: setting('CROSSBOOK_NAPS', wholeNumber(0, 9), '3', 'How many naps.'),\n",
    ]),
    edited('src/app.ts', [
      "import type { Config } from './config.ts';",
      'export const toNaps = ({ naps }: Config): number => naps;\n',
    ]),
  ],
  'a limit of documents': [
    edited('packages/executor/src/cost/operation-limits.ts', [
      '  depth: { most: 15',
      "  leaves: { most: 9_000, counts: 'leaves', says: 'its number of leaves is' },\n",
    ]),
    edited(
      'packages/executor/src/cost/cost-analysis.ts',
      ['    directives: inner.directives,', '    leaves: inner.leaves + 1,\n'],
      ['    directives: a.directives', '    leaves: a.leaves + b.leaves,\n'],
      ['  /** The additional cost per item', '  leaves: 0,\n'],
    ),
  ],
  'a route': [
    added('src/usecases/wave.ts', 'export const wave = (name: string): string => name;\n'),
    added(
      'src/rest/routes/wave.ts',
      `import * as z from 'zod';
import { wave } from '../../usecases/wave.ts';
import { defineOperation } from '../operation.ts';
import { text } from '../schemas.ts';

export const waveOperation = defineOperation({
  id: 'wave',
  route: 'POST /waves',
  summary: 'Wave',
  description: 'Waves.',
  input: { body: z.strictObject({ name: text('Whom to wave to.') }) },
  response: { description: 'Done.' },
  handle: async (_context, { body }) => ({ said: wave(body.name) }),
});
`,
    ),
    edited(
      'src/rest/routes/all.ts',
      ['const GROUPS', "import { waveOperation } from './wave.ts';\n"],
      ['    ...customerOperations,\n', '    waveOperation,\n'],
    ),
  ],
  'a mutation': [
    added('src/usecases/wave.ts', 'export const wave = (name: string): string => name;\n'),
    added(
      'src/graphql/types/wave.ts',
      `import { field, string } from '../../domain/shape.ts';
import { wave } from '../../usecases/wave.ts';
import { defineMutation } from '../define/mutation.ts';

defineMutation('wave', {
  description: 'Waves.',
  input: {
    argument: 'Whom.',
    description: 'Whom to wave to.',
    fields: { name: field(string, 'The name.') },
  },
  resolve: ({ name }) => ({ said: wave(name) }),
  payload: {
    description: 'What was said.',
    fields: { said: field(string, 'It.') },
  },
});
`,
    ),
    edited('src/graphql/schema.ts', ["import './types/node.ts';", "import './types/wave.ts';\n"]),
  ],
  'a provider': [
    added(
      'src/providers/acme/provider.ts',
      `import type { Provider } from '../../domain/provider.ts';

export const acme: Provider = { name: 'acme', category: 'crm', instanceHosts: [] };
`,
    ),
    edited('src/domain/provider-names.ts', [
      "  capsule: ['crm'",
      "  acme: ['crm', 'Acme', 'Acme, a CRM.'],\n",
    ]),
    edited(
      'src/providers/registry.ts',
      ['  hubspot,\n', '  acme,\n'],
      ['import { hubspot } from', "import { acme } from './acme/provider.ts';\n"],
    ),
  ],
} as const;

function added(path: string, text: string): Edit {
  return { path, apply: (root) => write(join(root, path), text) };
}

/** Inserts each text before its mark, which must occur exactly once. */
function edited(path: string, ...edits: readonly (readonly [mark: string, text: string])[]): Edit {
  return {
    path,
    apply(root) {
      for (const [mark, text] of edits) {
        const source = readFileSync(join(root, path), 'utf8');
        if (source.split(mark).length !== 2) throw new Error(`${path} does not have one "${mark}"`);
        write(
          join(root, path),
          source.replace(mark, () => text + mark),
        );
      }
    },
  };
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

interface Edit {
  readonly path: string;
  apply(root: string): void;
}
