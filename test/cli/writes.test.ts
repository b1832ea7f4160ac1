import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { StoredItem } from '../../src/domain/writing.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { useInstallation } from '../support/run-cli.ts';

const { run, findRoot } = useInstallation();

beforeAll(addWrites);

test('writes are listed a page at a time, a line for each record, without values', async () => {
  const first = await run('writes list Acme ada --first 1');
  expect(first.stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(
      /^\S+Z {2}token-1 {2}updateContacts {2}hubspot {2}102 {2}updated {2}lastName$/,
    ),
    expect.stringMatching(/^\S+Z .* - {4}refused {2}firstName NOT_FOUND$/),
  ]);
  const [, cursor] = /--after (\S+)/.exec(first.stderr) ?? [];
  const second = (await run(`writes list Acme ada --first 1 --after ${cursor} --json`)).json();
  expect(second).toMatchObject({
    next: null,
    writes: [
      {
        customerId: 'ada',
        credentialId: 'key-1',
        isComplete: true,
        results: [{ outcome: 'CREATED', remoteId: '101', fields: ['lastName'] }],
      },
    ],
  });
  expect(Object.keys(second.writes[0])).not.toContain('connectionId');
  expect((await run('writes list Acme nobody')).stdout).toBe('There are no writes.\n');
});

test('wrong options are refused', async () => {
  for (const option of ['--first 0', '--first 51'])
    expect((await run(`writes list Acme ada ${option}`)).code, option).toBe(2);
  expect((await run('writes list Acme ada --after x')).code).toBe(1);
  expect((await run('writes list Acme')).code).toBe(2);
});

async function addWrites() {
  const key = Buffer.alloc(32, 'k1').toString('base64');
  const database = await openDatabase(
    { directory: `${findRoot()}/data`, join: true },
    { keyRing: parseKeyRing(`k1:${key}`) },
  );
  const [acme] = await database.admin.listApplications();
  const { customers, writes } = database.forApplication(acme?.id ?? '');
  await customers.upsert({
    customerId: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    connections: [{ providerName: 'hubspot', credentials: { type: 'token', value: 'a-secret' } }],
  });
  const [found] = await customers.findMany(['ada'], { withConfigurations: false });
  const write = async (credentialId: string, operation: string, items: readonly StoredItem[]) => {
    const lease = {
      id: randomUUID(),
      lease: randomUUID(),
      leaseMs: 30_000,
      customerId: 'ada',
      connectionId: found?.connections[0]?.id ?? '',
    };
    const stored = { version: 1, items } as const;
    const rest = { provider: 'hubspot', idempotencyKey: null, input: '[]' } as const;
    await writes.begin({ ...lease, ...rest, operation, credentialId, items: stored });
    await writes.finish(lease, stored, {
      isComplete: true,
      isOpen: false,
      lookAgainAt: null,
      hasSent: true,
      isSettled: false,
    });
  };
  const done = (fields: string[], result: Partial<StoredItem['result']>): StoredItem => ({
    state: 'done',
    fields,
    sent: null,
    result: {
      outcome: 'CREATED',
      remoteId: null,
      changedFields: [],
      problems: [],
      warnings: [],
      ...result,
    },
  });
  await write('key-1', 'createContacts', [done(['lastName'], { remoteId: '101' })]);
  await write('token-1', 'updateContacts', [
    done(['lastName'], { outcome: 'UPDATED', remoteId: '102' }),
    done(['firstName'], {
      outcome: 'REFUSED',
      problems: [
        {
          code: 'NOT_FOUND',
          message: 'There is no such contact.',
          field: null,
          remoteCode: null,
          remoteMessage: null,
          existingRemoteIds: [],
          isRetryable: false,
        },
      ],
    }),
  ]);
  await database.close();
}
