import type { KeyRecord } from '../../storage/admin-keys.ts';
import { type Command, UsageError } from '../command.ts';
import { APPLICATION, findApplication } from '../find-application.ts';
import { toTable } from '../table.ts';
import { withDatabase } from '../with-database.ts';

const KEY_ID = { name: 'KEY_ID', description: 'The public id of the key: see crossbook keys list.' };
const ONCE = 'The key is shown this once: only a hash of it is kept.';
const DEFAULT_OVERLAP_HOURS = 24;

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'Makes an API key for an application.',
  details: [ONCE],
  operands: [APPLICATION],
  options: { name: { value: 'NAME', description: 'What the key is for. Default: default' } },
  run: (context, given) =>
    withDatabase(context, async ({ admin }) => {
      const { id, name } = await findApplication(admin, given.operand('APPLICATION'));
      const created = await admin.createKey({ applicationId: id, name: given.text('name') ?? 'default' });
      context.note(`A key for ${name}. ${ONCE}`);
      return { data: { id: created.publicId, key: created.key, applicationId: id }, text: created.key };
    }),
};

export const keysList: Command = {
  name: 'keys list',
  summary: 'Lists the keys of an application, never their secrets.',
  operands: [APPLICATION],
  run: (context, given) =>
    withDatabase(context, async ({ admin }) => {
      const { id } = await findApplication(admin, given.operand('APPLICATION'));
      const data = (await admin.listKeys(id)).map((key) => toShown(key, context.now()));
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
      if (!(await admin.revokeKey(id))) throw new Error(`There is no key ${id}, or it has ended already.`);
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
    const overlapMs = readHours(given.text('overlap')) * 3_600_000;
    return withDatabase(context, async ({ admin }) => {
      const old = given.operand('KEY_ID');
      const fresh = await admin.rotateKey(old, overlapMs);
      if (!fresh) throw new Error(`There is no key ${old}, or it has ended already.`);
      const oldEndsAt = fresh.oldEndsAt.toISOString();
      context.note(`${old} ends at ${oldEndsAt}. ${ONCE}`);
      const data = { id: fresh.publicId, key: fresh.key, replaces: old, oldEndsAt };
      return { data, text: fresh.key };
    });
  },
};

function readHours(text: string | undefined): number {
  if (text === undefined) return DEFAULT_OVERLAP_HOURS;
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new UsageError('--overlap takes a whole number of hours');
}

function toShown({ publicId, name, createdAt, revokedAt }: KeyRecord, now: number) {
  const state = revokedAt === null ? 'active' : revokedAt.getTime() > now ? 'ending' : 'revoked';
  return {
    id: publicId,
    name,
    state,
    createdAt: createdAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}
