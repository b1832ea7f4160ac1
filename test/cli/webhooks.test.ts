import { expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { useInstallation } from '../support/run-cli.ts';

const { run, findRoot } = useInstallation();

test('a test event is queued for an endpoint of the application', async () => {
  await run('apps create Other');
  const { id: applicationId } = (await run('apps list --json'))
    .json()
    .find(({ name }: { name: string }) => name === 'Acme');
  const endpointId = await inStores(applicationId, async ({ webhooks }) => {
    const made = await webhooks.create({ url: 'https://app.example/hooks', eventTypes: [] });
    return made?.endpoint.id ?? '';
  });
  const sent = await run(`webhooks test Acme ${endpointId}`);
  expect([sent.code, sent.stderr]).toEqual([0, '']);
  const [, eventId] =
    /^The event (\S+) is queued\. A running server sends it\.\n$/.exec(sent.stdout) ?? [];
  const asJson = (await run(`webhooks test Acme ${endpointId} --json`)).json();
  expect(asJson).toMatchObject({ applicationId, endpointId, event: { type: 'webhook.test' } });

  const elsewhere = await run(`webhooks test Other ${endpointId}`);
  expect([elsewhere.code, elsewhere.stdout]).toEqual([1, '']);
  expect(elsewhere.stderr).toContain(`There is no webhook endpoint "${endpointId}".`);
  expect((await run('webhooks test Acme')).stderr).toContain('Missing: ENDPOINT');

  const events = await inStores(applicationId, async ({ events, webhooks }) => {
    await webhooks.update(endpointId, { enabled: false });
    return events.list({ customerId: undefined, after: undefined, limit: 10 });
  });
  expect(events.map(({ id }) => id)).toEqual([asJson.event.id, eventId]);
  const disabled = await run(`webhooks test Acme ${endpointId}`);
  expect([disabled.code, disabled.stderr]).toEqual([
    1,
    'The endpoint is disabled: enable it first.\n',
  ]);
});

async function inStores<T>(
  applicationId: string,
  work: (stores: ReturnType<Database['forApplication']>) => Promise<T>,
): Promise<T> {
  const key = Buffer.alloc(32, 'k1').toString('base64');
  const database = await openDatabase(
    { directory: `${findRoot()}/data`, join: true },
    { keyRing: parseKeyRing(`k1:${key}`) },
  );
  try {
    return await work(database.forApplication(applicationId));
  } finally {
    await database.close();
  }
}

type Database = Awaited<ReturnType<typeof openDatabase>>;
