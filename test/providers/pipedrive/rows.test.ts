import { expect, test } from 'vitest';
import { COMPANY } from '../../../src/domain/records/company.ts';
import { DEAL } from '../../../src/domain/records/deal.ts';
import { pipedrive } from '../../../src/providers/pipedrive/provider.ts';
import { after, idsOf, PLAIN } from '../../provider-kit/contact-port-subject.ts';
import { useSandboxPorts } from '../../support/sandbox-ports.ts';
import { keyOf, usePipedrive } from './subject.ts';

const subject = usePipedrive();
const { sandbox, ports } = useSandboxPorts();
const ALL = { direction: 'forward', from: undefined, limit: 4 } as const;

test('an email that several persons have finds all of them, in any case, primary or not', async () => {
  const { account, openPort } = subject.open([
    { email: 'Team@Shared.example' },
    { email: 'other@shared.example', secondaryEmails: ['TEAM@shared.example'] },
    { email: 'x@shared.example', workEmail: 'team@shared.example' },
    { email: 'team@shared.example.org' },
  ]);
  const found = await openPort().findByKey(['team@shared.example'], PLAIN);
  expect(idsOf(found.get('team@shared.example') ?? []).toSorted()).toEqual(
    [1, 2, 3].map((index) => account.recordId(index)),
  );
});

test.each([{ searchLagMs: 60_000 }, { searchMatchesTooMuch: true }])(
  'hits of a search that is late or finds too much (%j) are verified',
  async (quirks) => {
    const { account, openPort } = subject.open([{ email: 'a@b.example' }], quirks);
    account.updatePerson(account.recordId(1), { email: 'xa@b.example.org' });
    const found = await openPort().findByKey(['a@b.example'], PLAIN);
    expect(found.get('a@b.example')).toEqual([]);
  },
);

test.each([{}, { maxPageSize: 3 }, { emptyPages: true, maxPageSize: 3 }])(
  'each person is listed once while others are merged, deleted and added: %j',
  async (quirks) => {
    const { account, openPort } = subject.open(
      Array.from({ length: 30 }, () => ({})),
      quirks,
    );
    const port = openPort();
    const seen: string[] = [];
    let last = (await port.readList({ by: 'all' }, ALL, PLAIN)).at(-1);
    const first = await port.readList({ by: 'all' }, ALL, PLAIN);
    seen.push(...idsOf(first));
    const changed = new Set<string>();
    for (let step = 0; last; step += 1) {
      // The record at the cursor, one behind it, and one ahead of it.
      const [gone, merged] = [account.recordId(28 - step), account.recordId(step + 1)];
      for (const id of [gone, merged]) changed.add(id);
      account.removePerson(gone);
      account.mergePerson(merged, account.recordId(30));
      if (step === 0) account.removePerson(last.remoteId);
      const page = await port.readList({ by: 'all' }, { ...ALL, ...after(last) }, PLAIN);
      seen.push(...idsOf(page));
      last = page.at(-1)?.place?.hasMore ? page.at(-1) : undefined;
    }
    expect(new Set(seen).size).toBe(seen.length);
    const kept = Array.from({ length: 30 }, (_, place) => account.recordId(place + 1));
    expect(seen).toEqual(expect.arrayContaining(kept.filter((id) => !changed.has(id))));
  },
);

test('a page goes on in one call, and a cursor that Pipedrive takes no more costs a search from the start', async () => {
  const { account, openPort } = subject.open(Array.from({ length: 12 }, () => ({})));
  const port = openPort();
  const last = (await port.readList({ by: 'all' }, ALL, PLAIN)).at(-1);
  account.resetCalls();
  const next = await port.readList({ by: 'all' }, { ...ALL, ...after(last) }, PLAIN);
  expect([idsOf(next)[0], account.callCount()]).toEqual([account.recordId(5), 1]);
  const old = { ...ALL, from: last?.remoteId, place: 'old' };
  expect(idsOf(await port.readList({ by: 'all' }, old, PLAIN))).toEqual(idsOf(next));
});

test('a period is asked for in whole seconds, and loses no change', async () => {
  const at = Date.UTC(2026, 5, 1);
  const { account, openPort } = subject.open([{ updatedAt: at + 700 }, { updatedAt: at + 1_000 }]);
  const filter = { by: 'modifiedSince', since: at + 500, until: at + 500 } as const;
  expect(idsOf(await openPort().readList(filter, ALL, PLAIN))).toEqual([account.recordId(1)]);
});

test('a custom field that vanished is null, and the other fields are read', async () => {
  const { account, openCrm } = subject.open([{ custom: { kept: 'yes', gone: 'no' } }], {
    deletedFields: ['gone'],
    refusesUnknownKeys: true,
  });
  const fields = ['kept', 'gone'].map((name) => ({
    name,
    type: 'TEXT' as const,
    source: keyOf('person', name),
  }));
  const names = ['kept', 'gone'];
  const customFields = { key: '', names, fields, onProblem: () => undefined };
  const contacts = openCrm().records.CONTACT();
  const selection = { rawData: false, customFields };
  const found = await contacts.findByIds([account.recordId(1)], selection);
  expect(found.get(account.recordId(1))?.customFields).toEqual({ kept: 'yes', gone: null });
  const [listed] = await contacts.readList({ by: 'all' }, ALL, selection);
  expect(listed?.customFields).toEqual({ kept: 'yes', gone: null });
  const described = await contacts.listFields?.();
  expect(described?.filter(({ isCustom }) => isCustom)).toMatchObject([
    { name: keyOf('person', 'kept'), label: 'Kept' },
  ]);
});

test('a spent daily budget refuses until its end, without further calls', async () => {
  const account = sandbox().pipedrive.createAccount({
    people: [{ email: 'a@b.example' }],
    limits: { tokensPerDay: 35 },
  });
  const { port } = ports.open(pipedrive, account, { settings: { deadlineMs: 10_000 } });
  await port.findByKey(['a@b.example'], PLAIN);
  const refused = await port.findByKey(['a@b.example'], PLAIN).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'REMOTE_PROVIDER_RATE_LIMITED' });
});

test('a burst of searches waits for the limit, and none is refused', async () => {
  const emails = Array.from({ length: 25 }, (_, index) => `p${index}@burst.example`);
  const account = sandbox().pipedrive.createAccount({ people: emails.map((email) => ({ email })) });
  const { port } = ports.open(pipedrive, account);
  const found = await port.findByKey(emails, PLAIN);
  expect([...found.values()].every((contacts) => contacts.length === 1)).toBe(true);
  expect(account.calls().filter(({ status }) => status === 429)).toEqual([]);
});

test('links lead from each type of record to the others', async () => {
  const { account, openCrm } = subject.open([{ companyIndex: 1, dealIndexes: [1, 2] }]);
  const { CONTACT, COMPANY: companies, DEAL: deals } = openCrm().records;
  const [person, company] = [account.recordId(1), account.idOfRecord('company', 1)];
  const [deal, other] = [1, 2].map((index) => account.idOfRecord('deal', index));
  const of = async (read: ReturnType<typeof CONTACT>['links'], to: never, id: string) =>
    (await read?.([{ to, ids: [id] }]))?.map((one) =>
      one instanceof Error ? one : (one.get(id) ?? []).map(({ remoteId }) => remoteId),
    );
  expect(await of(CONTACT().links, COMPANY.type as never, person)).toEqual([[company]]);
  expect(await of(CONTACT().links, DEAL.type as never, person)).toEqual([[deal, other]]);
  expect(await of(companies?.().links, 'CONTACT' as never, company)).toEqual([[person]]);
  expect(await of(deals?.().links, 'CONTACT' as never, deal ?? '')).toEqual([[person]]);
});

test('deals have the labels of their pipelines and stages, and are found by their status', async () => {
  const { openCrm } = subject.open([{ dealIndexes: [1, 2, 3] }]);
  const { records, pipelines } = openCrm();
  const filter = { by: 'where', where: { status: 'won' } } as const;
  const found = (await records.DEAL?.().readList(filter, ALL, PLAIN)) ?? [];
  expect(found).toMatchObject([{ status: 'won', pipeline: { label: 'Sales Pipeline' } }]);
  expect(found[0]?.stage?.label).toBeTruthy();
  expect((await pipelines?.())?.map(({ label }) => label)).toEqual(['Sales Pipeline', 'Renewals']);
});
