import { createHash } from 'node:crypto';
import type { Person, PipedriveAccount, Sandbox } from '@crossbook/sandbox';
import { openSandbox } from '@crossbook/sandbox';
import { afterAll, beforeAll } from 'vitest';
import { PageSizes } from '../../../src/domain/page-sizes.ts';
import type { CrmAccess } from '../../../src/domain/provider.ts';
import { pipedrive } from '../../../src/providers/pipedrive/provider.ts';
import type { Subject } from '../../provider-kit/contact-port-subject.ts';
import { createConnection } from '../../support/connection.ts';
import { createFakeFacts } from '../../support/fake-facts.ts';
import { toRedacted } from '../../support/redacted.ts';
import { createSend } from '../../support/send.ts';

export const access = pipedrive.crm as CrmAccess;

/** Pipedrive as the contract sees it, with one sandbox for the tests of a file. */
export function usePipedrive(): PipedriveSubject {
  let sandbox: Sandbox | undefined;
  beforeAll(async () => {
    sandbox = await openSandbox();
  });
  afterAll(() => sandbox?.close());
  const crm = () => {
    if (sandbox === undefined) throw new Error('The sandbox opens before the first test.');
    return sandbox.pipedrive;
  };
  return {
    access,
    open(people, quirks = {}) {
      const account = crm().createAccount({ people, quirks, limits: null });
      const send = createSend({ origin: crm().origin, token: account.accessToken });
      const openCrm = (patch = {}) =>
        access.open({
          send,
          connection: createConnection('pipedrive', patch),
          openFacts: createFakeFacts,
          pageSizes: new PageSizes(),
          remember: (_name, read) => read(),
        });
      return { account, openCrm, openPort: (patch) => toRedacted(openCrm(patch)) };
    },
    wholeContact: WHOLE_CONTACT,
    customField: keyOf('person', 'favorite_color'),
    callsPerBatch: 51,
    callsPerAssociations: 10,
    recordsOperation: 'persons.list',
    forgetsMergedIds: true,
    sendsAllFields: true,
    readRaw: (record, field) => (record['custom_fields'] as Record<string, unknown>)[field],
  };
}

/** The key of a custom field in the sandbox. */
export function keyOf(object: string, name: string): string {
  return createHash('sha1').update(`sandbox pipedrive ${object} ${name}`).digest('hex');
}

const WHOLE_CONTACT: Subject['wholeContact'] = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  addresses: [
    {
      addressType: 'primary',
      street1: '12 St James’s Square',
      street2: null,
      city: 'London',
      state: 'England',
      postalCode: 'SW1Y 4JH',
      country: 'United Kingdom',
    },
  ],
  emailAddresses: [
    { emailAddress: 'ada@whole.example', emailAddressType: 'primary' },
    { emailAddress: 'ada.lovelace@analytical.example', emailAddressType: 'other' },
    { emailAddress: 'countess@whole.example', emailAddressType: 'other' },
    { emailAddress: 'ada@work.example', emailAddressType: 'work' },
  ],
  phoneNumbers: [
    { phoneNumber: '+44 20 7946 0001', phoneNumberType: 'primary' },
    { phoneNumber: '+44 7700 900001', phoneNumberType: 'mobile' },
    { phoneNumber: '+44 20 7946 0011', phoneNumberType: 'other' },
    { phoneNumber: '+44 20 7946 0012', phoneNumberType: 'other' },
    { phoneNumber: '+44 20 7946 0099', phoneNumberType: 'fax' },
  ],
  lifecycleStage: null,
  lastActivityAt: null,
  createdAt: '2024-12-10T08:00:00.000Z',
  updatedAt: '2026-11-02T11:45:30.000Z',
  lastModifiedAt: '2026-11-02T11:45:30.000Z',
  isDeleted: false,
};

export interface PipedriveSubject extends Subject {
  open(
    people: readonly Partial<Person>[],
    quirks?: Partial<PipedriveAccount['quirks']>,
  ): ReturnType<Subject['open']> & {
    readonly account: PipedriveAccount;
    openCrm(): ReturnType<CrmAccess['open']>;
  };
}
