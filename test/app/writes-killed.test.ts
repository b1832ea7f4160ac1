import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { openSandbox, type Sandbox } from '@crossbook/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { type Compiled, compile } from '../support/compile.ts';
import { linesOf } from '../support/compiled-storage.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { createDice } from '../support/dice.ts';
import { SEED } from '../support/fast-check.ts';

/** `CROSSBOOK_WRITE_KILLS=200` kills as often: it takes some minutes. */
const KILLS = Number(process.env['CROSSBOOK_WRITE_KILLS'] ?? 10);
const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const CUSTOMER = 'killed';
/** A process that has not extended its lease so long has been killed. */
const TIMES = { leaseMs: 400, settledMs: 400 };
const RECORDS = 5;

let fresh: TestDatabase;
let sandbox: Sandbox;
let compiled: Compiled;
const children: ChildProcess[] = [];
beforeAll(async () => {
  fresh = await createTestDatabase();
  sandbox = await openSandbox();
  compiled = compile('test/support/writing-process.ts');
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await sandbox.close();
  compiled.remove();
  await fresh.drop();
});

/**
 * Upserts and updates with an idempotency key, whose process is killed at a random moment. The client repeats each until it
 * has results that are final.
 */
describe.each(['hubspot', 'salesforce'] as const)('Writes to %s', (provider) => {
  test(`are carried out once, and none is lost, after ${KILLS} kills`, async () => {
    const account = sandbox[provider].createAccount({ limits: null });
    const database = await openDatabase({ url: fresh.url }, { keyRing: parseKeyRing(KEYS) });
    const application = await database.admin.createApplication(`killed ${provider}`);
    await database.forApplication(application.id).customers.upsert({
      customerId: CUSTOMER,
      name: 'C',
      email: 'c@example.com',
      connections: [
        {
          providerName: provider,
          instanceUrl: provider === 'hubspot' ? sandbox.hubspot.origin : account.instanceUrl,
          credentials: { type: 'token', value: account.accessToken },
          records: ['CONTACT'],
          access: 'READ_WRITE',
        },
      ],
    });
    await database.close();
    const sandboxes = [sandbox.hubspot.origin, sandbox.salesforce.origin];
    const setup = { database: fresh.url, keys: KEYS, application, sandboxes };
    const start = () =>
      startWriter(compiled.file, { ...setup, customerId: CUSTOMER, writeTimes: TIMES });
    const dice = createDice(SEED + provider.length);
    /** What the results claim: the last name by email. */
    const claimed = new Map<string, string>();
    let writer = await start();
    let killed = 0;
    for (let round = 0; killed < KILLS; round += 1) {
      const isUpdate = claimed.size > 0 && dice.chance(40);
      const emails = isUpdate
        ? [...claimed.keys()].slice(-RECORDS)
        : Array.from({ length: RECORDS }, (_, index) => `p${round}.${index}@killed.example`);
      const input = {
        idempotencyKey: `round ${round}`,
        updateOnly: isUpdate,
        records: emails.map((email) => ({ email, changes: { lastName: `L${round}` } })),
      };
      const order = { provider, verb: 'upsert', input };
      let done = false;
      for (let attempt = 0; !done; attempt += 1) {
        const answered = writer.write(order);
        const dies = attempt === 0 && killed < KILLS;
        if (dies) {
          await Promise.race([answered, wait(dice.next(60))]);
          writer.kill();
          killed += 1;
          writer = await start();
          continue;
        }
        const outcome = await answered;
        if (outcome.code === 'CONFLICT') {
          await wait(50);
          continue;
        }
        expect(outcome.detail).toBeUndefined();
        const results = outcome.results ?? [];
        done = results.every(({ outcome: one }) => one !== 'UNKNOWN' && one !== 'REFUSED');
        if (!done) await wait(50);
      }
      for (const email of emails) claimed.set(email, `L${round}`);
    }
    const people = account.people.all().map(({ email, lastName }) => [email, lastName]);
    expect(people.sort()).toEqual([...claimed].sort());
  });
});

async function startWriter(file: string, setup: object) {
  const child = spawn(process.execPath, [file, JSON.stringify(setup)]);
  children.push(child);
  const lines = linesOf(child);
  expect((await lines.next()).value).toBe('ready');
  const exited = once(child, 'exit');
  return {
    async write(order: object): Promise<Outcome> {
      child.stdin?.write(`${JSON.stringify(order)}\n`);
      const line = await Promise.race([lines.next(), exited.then(() => undefined)]);
      return line?.value ? (JSON.parse(line.value) as Outcome) : { code: 'KILLED' };
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

interface Outcome {
  readonly code?: string;
  readonly detail?: string;
  readonly results?: readonly { readonly outcome: string }[];
}
