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
import {
  APPLICATION,
  type Command,
  type CommandResult,
  toTable,
  UsageError,
  withDatabase,
} from '../command.ts';

const ORIGIN = {
  value: 'URL',
  multiple: true,
  description: 'A web origin whose pages may call, such as https://app.example. Repeatable.',
};

export const appsCreate: Command = {
  name: 'apps create',
  summary: 'Makes an application: the owner of keys, customers and connections.',
  details: ['A name that another application has is refused.'],
  operands: [{ name: 'NAME', description: 'What it is called, also in error messages.' }],
  options: { origin: ORIGIN },
  run: (context, given) => {
    const origins = given.list('origin').map(readOrigin);
    return withDatabase(context, async ({ admin }) => {
      const data = await createApplication(admin, { name: given.operand('NAME'), origins });
      return { data, text: `${data.name} is ${data.id}\nNext: crossbook keys create ${data.id}` };
    });
  },
};

export const appsList: Command = {
  name: 'apps list',
  summary: 'Lists the applications.',
  run: (context) =>
    withDatabase(context, async ({ admin }): Promise<CommandResult> => {
      const data = await listApplications(admin);
      const rows = data.map(({ id, name, origins }) => [id, name, origins.join(' ')]);
      return { data, text: rows.length > 0 ? toTable(rows) : 'There are no applications.' };
    }),
};

export const appsOrigins: Command = {
  name: 'apps origins',
  summary: 'Says which web origins may call for an application, and changes them.',
  details: ['Without options nothing is changed. Running servers follow within seconds.'],
  operands: [APPLICATION],
  options: {
    add: ORIGIN,
    remove: { ...ORIGIN, description: 'An origin that may no longer call. Repeatable.' },
  },
  run: (context, given) => {
    const [added, removed] = [given.list('add').map(readOrigin), given.list('remove').map(readOrigin)];
    return withDatabase(context, async ({ admin }) => {
      const data = await changeOrigins(admin, {
        application: given.operand('APPLICATION'),
        ...{ added, removed },
      });
      return { data, text: data.origins.join('\n') || `No origin may call for ${data.name}.` };
    });
  },
};

export function readOrigin(text: string): string {
  const origin = toWebOrigin(text);
  if (origin !== undefined) return origin;
  throw new UsageError(`Not a web origin: ${text}. It is a scheme and a host, such as https://app.example`);
}

const KEY_ID = { name: 'KEY_ID', description: 'The public id of the key: see crossbook keys list.' };
const ONCE = 'The key is shown this once: only a hash of it is kept.';

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'Makes an API key for an application.',
  details: [ONCE, 'A name that another active key of the application has is refused: see keys rotate.'],
  operands: [APPLICATION],
  options: { name: { value: 'NAME', description: 'What the key is for. Default: default' } },
  run: (context, given) =>
    withDatabase(context, async ({ admin }) => {
      const { id, key, application } = await createKey(admin, {
        application: given.operand('APPLICATION'),
        name: given.text('name'),
      });
      context.note(`A key for ${application.name}. ${ONCE}`);
      return { data: { id, key, applicationId: application.id }, text: key };
    }),
};

export const keysList: Command = {
  name: 'keys list',
  summary: 'Lists the keys of an application, never their secrets.',
  operands: [APPLICATION],
  run: (context, given) =>
    withDatabase(context, async ({ admin }) => {
      const application = given.operand('APPLICATION');
      const data = await listKeys(admin, { application, now: context.now() });
      const rows = data.map((key) => [key.id, key.name, key.state, key.createdAt, key.revokedAt ?? '']);
      return { data, text: rows.length > 0 ? toTable(rows) : 'There are no keys.' };
    }),
};

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'Ends a key. Running servers follow within five seconds.',
  operands: [KEY_ID],
  run: (context, given) =>
    withDatabase(context, async ({ admin }) => {
      const id = given.operand('KEY_ID');
      await revokeKey(admin, id);
      return { data: { id, revoked: true }, text: `${id} is revoked.` };
    }),
};

export const keysRotate: Command = {
  name: 'keys rotate',
  summary: 'Makes a key in the place of another, which goes on for a while.',
  details: [ONCE],
  operands: [KEY_ID],
  options: {
    overlap: {
      value: 'HOURS',
      description: `How long the old key goes on. 0: it ends now. Default: ${DEFAULT_OVERLAP_HOURS}`,
    },
  },
  run: (context, given) => {
    const overlapHours = readHours(given.text('overlap'));
    return withDatabase(context, async ({ admin }) => {
      const data = await rotateKey(admin, { id: given.operand('KEY_ID'), overlapHours });
      context.note(`${data.replaces} ends at ${data.oldEndsAt}. ${ONCE}`);
      return { data, text: data.key };
    });
  },
};

export const keysAdmin: Command = {
  name: 'keys admin',
  summary: 'Makes an admin key, with which applications and keys are managed over HTTP.',
  details: ['Nothing is kept: set its hash as CROSSBOOK_ADMIN_KEY_HASH, and start the servers with it.'],
  run: (context) => {
    const data = createAdminKey();
    context.note(`CROSSBOOK_ADMIN_KEY_HASH=${data.hash}`);
    return Promise.resolve({ data, text: data.key });
  },
};

function readHours(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new UsageError('--overlap takes a whole number of hours');
}
