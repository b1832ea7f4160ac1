import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_APPLICATION } from '../../src/domain/caller.ts';
import { toGlobalId } from '../../src/graphql/define/global-id.ts';
import { connectAccount } from '../support/connect-account.ts';
import { openApp, type TestApp } from '../support/open-app.ts';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

const PEOPLE = ['Lost', 'Kept'].map((firstName) => ({
  firstName,
  email: `${firstName}@b.example`,
}));
const READ = `query ($id: ID!, $representations: [_Any!]!) {
  node(id: $id) { ... on Contact { remoteId firstName } }
  nodes(ids: [$id]) { ... on Contact { remoteId firstName } }
  _entities(representations: $representations) { ... on Contact { remoteId firstName } }
}`;

describe.each(['hubspot', 'salesforce'] as const)(
  'A contact of %s that was merged into another',
  (provider) => {
    test('is resolved to the surviving contact, by its old id and by both entity keys', async () => {
      const customerId = `merged-${provider}`;
      const { account, headers } = await connectAccount(crossbook, {
        provider,
        people: PEOPLE,
        customerId,
      });
      const [lost = '', kept = ''] = [1, 2].map((index) => account.recordId(index));
      account.mergePerson(lost, kept);
      const contact = { applicationId: DEMO_APPLICATION.id, provider, customerId, remoteId: lost };
      const id = toGlobalId({ type: 'Contact', ...contact });
      const key = { customerId, provider: provider.toUpperCase(), remoteId: lost };
      const representations = [{ id }, key].map((one) => ({ __typename: 'Contact', ...one }));
      const survivor = { remoteId: kept, firstName: 'Kept' };
      for (const hiddenProperties of [
        [],
        ['hs_merged_object_ids'],
        ['hs_calculated_merged_vids'],
      ]) {
        if (provider === 'hubspot') account.setQuirks({ hiddenProperties } as never);
        const { data, errors } = await crossbook.execute(READ, { id, representations }, headers);
        expect(errors).toBeUndefined();
        expect(data).toEqual({
          node: survivor,
          nodes: [survivor],
          _entities: [survivor, survivor],
        });
      }
    });
  },
);
