import { expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { useInstallation } from '../support/run-cli.ts';

const { run, findRoot } = useInstallation();

test('customers and connections are listed a page at a time, with the filters of the API', async () => {
  await addCustomers();
  const first = await run('customers list Acme --first 2');
  expect(first.stdout).toMatch(
    /^ada +Ada +ada@example\.com +hubspot:connected zendesk_sell:connected$/m,
  );
  expect(first.stdout.trim().split('\n')).toHaveLength(2);
  const [, cursor] = /--after (\S+)/.exec(first.stderr) ?? [];
  const second = (await run(`customers list Acme --first 2 --after ${cursor} --json`)).json();
  expect(second).toMatchObject({ customers: [{ customerId: 'lise' }], next: null });

  const found = async (options: string) =>
    (await run(`customers list Acme ${options} --json`))
      .json()
      .customers.map(({ customerId }: { customerId: string }) => customerId);
  expect(await found('--status unauthorized')).toEqual(['grace']);
  expect(await found('--provider hubspot --status connected')).toEqual(['ada']);
  expect(await found('--email ADA@example.com')).toEqual(['ada']);
  expect(await found('--id lise --id nobody')).toEqual(['lise']);

  const connections = await run('connections list Acme --status connected');
  expect(connections.stdout).toMatch(/^ada +hubspot +connected +not_tried +\S+Z/m);
  expect(connections.stdout).toMatch(/^ada +zendesk_sell +connected +not_searchable/m);
  expect(connections.stdout).not.toContain('grace');
  expect(JSON.stringify([first, connections])).not.toContain('a-secret');
});

test('wrong options are refused', async () => {
  for (const option of ['--first 0', '--first 1001', '--first x', '--provider x', '--status x'])
    expect((await run(`customers list Acme ${option}`)).code, option).toBe(2);
  const altered = await run('customers list Acme --after x');
  expect([altered.code, altered.stdout]).toEqual([1, '']);
  const elsewhere = await run('customers list Nobody');
  expect(elsewhere.stderr).toContain('There is no application "Nobody"');
});

test('an application is renamed, and deleted with its name as the confirmation', async () => {
  const { id } = (await run('apps create Old --json')).json();
  expect((await run('apps rename Old New --json')).json()).toEqual({ id, name: 'New' });
  expect((await run('apps rename New Acme')).stderr).toContain('called "Acme" already');
  const asked = await run('apps delete New');
  expect([asked.code, asked.stdout]).toEqual([1, '']);
  expect(asked.stderr).toContain('This deletes "New" with all of its data: 0 customers');
  expect((await run('apps delete New --confirm new')).code).toBe(1);
  const deleted = await run('apps delete New --confirm New --json');
  expect(deleted.json()).toMatchObject({ id, name: 'New', customers: 0 });
  expect((await run('apps list')).stdout).toMatch(/New +is being deleted since \d{4}-/);
  expect((await run('apps create New')).stderr).toContain('"New" is being deleted');
  expect((await run('keys create New')).stderr).toContain('There is no application "New"');
});

async function addCustomers() {
  const key = Buffer.alloc(32, 'k1').toString('base64');
  const database = await openDatabase(
    { directory: `${findRoot()}/data`, join: true },
    { keyRing: parseKeyRing(`k1:${key}`) },
  );
  const [acme] = await database.admin.listApplications();
  const { customers } = database.forApplication(acme?.id ?? '');
  const credentials = { type: 'token', value: 'a-secret' } as const;
  const put = (name: string, connections: Parameters<typeof customers.upsert>[0]['connections']) =>
    customers.upsert({
      customerId: name.toLowerCase(),
      name,
      email: `${name.toLowerCase()}@example.com`,
      connections,
    });
  await put('Ada', [
    { providerName: 'hubspot', credentials },
    { providerName: 'zendesk_sell', credentials },
  ]);
  await put('Grace', [{ providerName: 'hubspot' }]);
  await put('Lise', undefined);
  await database.close();
}
