import {
  openSandbox,
  type Person,
  type SalesforceAccount,
  type SalesforceQuirks,
  type Sandbox,
} from '@crossbook/sandbox';
import { afterAll, beforeAll } from 'vitest';
import type { Connection } from '../../../src/domain/connection.ts';
import { PageSizes } from '../../../src/domain/page-sizes.ts';
import type { Send } from '../../../src/domain/remote.ts';
import { openCrm } from '../../../src/providers/salesforce/provider.ts';
import { createConnection } from '../../support/connection.ts';
import { createFakeFacts } from '../../support/fake-facts.ts';
import { type TestContacts, toRedacted } from '../../support/redacted.ts';
import { createSend } from '../../support/send.ts';

/** Simulated organisations for the tests of one file, over real HTTP. */
export function useOrgs(): OpenOrg {
  let sandbox: Sandbox | undefined;
  beforeAll(async () => {
    sandbox = await openSandbox();
  });
  afterAll(() => sandbox?.close());
  return (people, quirks = {}) => {
    if (sandbox === undefined) throw new Error('The sandbox is not open yet.');
    const account = sandbox.salesforce.createAccount({ people, quirks });
    const send: Send = (request) =>
      createSend({ origin: account.instanceUrl, token: account.accessToken })(request);
    const facts = createFakeFacts();
    return {
      account,
      send,
      openPort: (patch) =>
        toRedacted(
          openCrm({
            send,
            openFacts: () => facts,
            pageSizes: new PageSizes(),
            remember: (_name, read) => read(),
            connection: createConnection('salesforce', patch),
          }),
        ),
    };
  };
}

type OpenOrg = (people: readonly Partial<Person>[], quirks?: Partial<SalesforceQuirks>) => Org;

export interface Org {
  readonly account: SalesforceAccount;
  /** Sends with the newest access token; the rest of the outbound client is left out. */
  readonly send: Send;
  openPort(connection?: Partial<Connection>): TestContacts;
}
