import { createAdminKey } from '../../domain/admin-key.ts';
import {
  createKey,
  DEFAULT_OVERLAP_HOURS,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../usecases/manage-applications.ts';
import { APPLICATION, type Command, toTable, UsageError, withDatabase } from '../command.ts';

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
