import { createAdminKey } from '../../domain/caller.ts';
import { toWebOrigin } from '../../domain/urls.ts';
import {
  changeOrigins,
  createApplication,
  createKey,
  DEFAULT_OVERLAP_HOURS,
  listApplications,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../usecases/manage-applications.ts';
import { APPLICATION, type Command, toTable, UsageError } from '../command.ts';

const ORIGIN = {
  value: 'URL',
  multiple: true,
  description: 'A web origin whose pages may call, such as https://app.example. Repeatable.',
};
const KEY_ID = { name: 'KEY_ID', description: 'Public id of the key: see crossbook keys list.' };
const ONCE = 'The key is shown only once: only its hash is stored.';

/** Commands for applications and their API keys. */
export const applicationCommands: readonly Command[] = [
  {
    name: 'apps create',
    summary: 'Creates an application, which owns keys, customers and connections.',
    details: ['A name that another application has is refused.'],
    operands: [{ name: 'NAME', description: 'Name of the application, also shown in errors.' }],
    options: { origin: ORIGIN },
    async run({ operand, list, openDatabase }) {
      const origins = list('origin').map(readOrigin);
      const { admin } = await openDatabase();
      const data = await createApplication(admin, { name: operand('NAME'), origins });
      return { data, text: `${data.name} is ${data.id}\nNext: crossbook keys create ${data.id}` };
    },
  },
  {
    name: 'apps list',
    summary: 'Lists the applications.',
    async run({ openDatabase }) {
      const data = await listApplications((await openDatabase()).admin);
      const rows = data.map(({ id, name, origins }) => [id, name, origins.join(' ')]);
      return { data, text: toTable(rows) || 'There are no applications.' };
    },
  },
  {
    name: 'apps origins',
    summary: 'Shows or changes the web origins that may call for an application (CORS).',
    details: ['Without options nothing is changed. Running servers follow within seconds.'],
    operands: [APPLICATION],
    options: {
      add: ORIGIN,
      remove: { ...ORIGIN, description: 'An origin that may no longer call. Repeatable.' },
    },
    async run({ operand, list, openDatabase }) {
      const [added, removed] = [list('add').map(readOrigin), list('remove').map(readOrigin)];
      const { admin } = await openDatabase();
      const data = await changeOrigins(admin, {
        application: operand('APPLICATION'),
        added,
        removed,
      });
      return { data, text: data.origins.join('\n') || `No origin may call for ${data.name}.` };
    },
  },
  {
    name: 'keys create',
    summary: 'Creates an API key for an application.',
    details: [
      ONCE,
      'A name that another active key of the application has is refused: see keys rotate.',
    ],
    operands: [APPLICATION],
    options: { name: { value: 'NAME', description: 'Name of the key. Default: default' } },
    async run({ operand, text, note, openDatabase }) {
      const { admin } = await openDatabase();
      const { id, key, application } = await createKey(admin, {
        application: operand('APPLICATION'),
        name: text('name'),
      });
      note(`A key for ${application.name}. ${ONCE}`);
      return { data: { id, key, applicationId: application.id }, text: key };
    },
  },
  {
    name: 'keys list',
    summary: 'Lists the keys of an application, never their secrets.',
    operands: [APPLICATION],
    async run({ operand, now, openDatabase }) {
      const { admin } = await openDatabase();
      const data = await listKeys(admin, { application: operand('APPLICATION'), now: now() });
      const rows = data.map((key) => [
        key.id,
        key.name,
        key.state,
        key.createdAt,
        key.revokedAt ?? '',
      ]);
      return { data, text: toTable(rows) || 'There are no keys.' };
    },
  },
  {
    name: 'keys rotate',
    summary: 'Creates a key that replaces another, which stays valid for a while.',
    details: [ONCE],
    operands: [KEY_ID],
    options: {
      overlap: {
        value: 'HOURS',
        description: `How long the old key goes on. 0: it ends now. Default: ${DEFAULT_OVERLAP_HOURS}`,
      },
    },
    async run({ operand, text, note, openDatabase }) {
      const overlapHours = readHours(text('overlap'));
      const { admin } = await openDatabase();
      const data = await rotateKey(admin, { id: operand('KEY_ID'), overlapHours });
      note(`${data.replaces} ends at ${data.oldEndsAt}. ${ONCE}`);
      return { data, text: data.key };
    },
  },
  {
    name: 'keys revoke',
    summary: 'Revokes a key. Running servers follow within five seconds.',
    operands: [KEY_ID],
    async run({ operand, openDatabase }) {
      const id = operand('KEY_ID');
      await revokeKey((await openDatabase()).admin, id);
      return { data: { id, revoked: true }, text: `${id} is revoked.` };
    },
  },
  {
    name: 'keys admin',
    summary: 'Creates an admin key, with which applications and keys are managed over HTTP.',
    details: [
      'It is not stored: set its hash as CROSSBOOK_ADMIN_KEY_HASH and restart the servers.',
    ],
    async run({ note }) {
      const data = createAdminKey();
      note(`CROSSBOOK_ADMIN_KEY_HASH=${data.hash}`);
      return { data, text: data.key };
    },
  },
];

export function readOrigin(text: string): string {
  const origin = toWebOrigin(text);
  if (origin !== undefined) return origin;
  throw new UsageError(
    `Not a web origin: ${text}. It is a scheme and a host, such as https://app.example`,
  );
}

function readHours(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new UsageError('--overlap takes a whole number of hours');
}
