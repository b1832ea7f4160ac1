import type {
  HubSpotAccount,
  PipedriveAccount,
  SalesforceAccount,
  Sandbox,
} from '@crossbook/sandbox';
import { describe, expect, test } from 'vitest';
import type { KeysetRange, Provider } from '../../src/domain/provider.ts';
import { COMPANY, type Company } from '../../src/domain/records/company.ts';
import { useSandboxPorts } from '../support/sandbox-ports.ts';

const WHOLE = { rawData: false };
const FORWARD: KeysetRange = { direction: 'forward', from: undefined, limit: 50 };

/** What every CRM with companies promises. */
export function testCompanies(
  provider: Provider,
  createAccount: (sandbox: Sandbox) => HubSpotAccount | SalesforceAccount | PipedriveAccount,
  { forgetsMergedIds = false } = {},
): void {
  const { sandbox, ports } = useSandboxPorts();
  const open = (count: number) => {
    const account = createAccount(sandbox());
    const ids = Array.from({ length: count }, (_, index) =>
      account.addRecord('company', { name: `Company of the test ${index}` }),
    );
    const companies = ports.open(provider, account).crm.of(COMPANY);
    const read = async (range: Partial<KeysetRange> = {}) =>
      (
        await companies.readList({ by: 'all' }, { ...FORWARD, limit: 1_000, ...range }, WHOLE)
      ).filter(({ remoteId }) => ids.includes(remoteId));
    return { account, ids, companies, read };
  };
  const { isForwardOnly, isUncounted } = provider.crm?.records.COMPANY ?? {};
  const idsOf = (found: readonly Company[]) => found.map(({ remoteId }) => remoteId);

  describe('companies', () => {
    test('are found by id, and unknown ids are omitted', async () => {
      const { ids, companies } = open(3);
      const [first = '', , third = ''] = ids;
      const found = await companies.findByIds([first, third, `${first}9`, 'x'], WHOLE);
      expect([...found.keys()].sort()).toEqual([first, third].sort());
      expect(found.get(first)).toMatchObject({
        remoteId: first,
        name: 'Company of the test 0',
        isDeleted: false,
        phoneNumbers: [],
        annualRevenue: null,
      });
    });

    test('of which one was merged are found by the old id, unless the CRM forgets it', async () => {
      const { account, ids, companies } = open(2);
      const [loser = '', survivor = ''] = ids;
      expect(account.mergeRecord('company', loser, survivor)).toBe(true);
      const found = await companies.findByIds([loser, survivor], WHOLE);
      expect(found.get(loser)?.remoteId).toBe(forgetsMergedIds ? undefined : survivor);
      expect(found.get(survivor)?.remoteId).toBe(survivor);
    });

    test('are listed in the order of their ids, in pages of each direction that the CRM has, without deleted ones', async () => {
      const { account, ids, read } = open(7);
      account.removeRecord('company', ids[3] ?? '');
      const left = ids.filter((_, index) => index !== 3);
      expect(idsOf(await read())).toEqual(left);
      expect(idsOf(await read({ from: left[2], limit: 3 }))).toEqual(left.slice(2, 5));
      if (!isForwardOnly)
        expect(idsOf(await read({ direction: 'backward', limit: 2 }))).toEqual(left.slice(-2));
    });

    test('that were modified in a period are found, and counted', async () => {
      const { account, ids, companies } = open(4);
      const all = await companies.readList({ by: 'all' }, { ...FORWARD, limit: 1_000 }, WHOLE);
      const latest = Math.max(...all.map((one) => Date.parse(one.lastModifiedAt ?? '')));
      account.updateRecord('company', ids[1] ?? '', { name: 'Renamed' });
      const filter = {
        by: 'modifiedSince',
        since: latest,
        until: Date.now() + 60_000,
      } as const;
      const found = await companies.readList(filter, FORWARD, WHOLE);
      expect(found.map(({ name }) => name)).toContain('Renamed');
      expect(await companies.count({ by: 'all' })).toBe(isUncounted ? null : all.length);
    });

    test('have only the fields that were selected, and raw data where it was', async () => {
      const { ids, companies } = open(1);
      const [id = ''] = ids;
      const some = await companies.findByIds([id], {
        rawData: false,
        fields: new Set(['industry']),
      });
      expect(some.get(id)?.name).toBeNull();
      const whole = await companies.findByIds([id], { rawData: true });
      expect(JSON.stringify(whole.get(id)?.rawData)).toContain('Company of the test 0');
    });
  });
}
