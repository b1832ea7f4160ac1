import type { HubSpotAccount, Person, Sandbox } from '@crossbook/sandbox';
import { PageSizes } from '../../../src/domain/page-sizes.ts';
import type { Provider } from '../../../src/domain/provider.ts';
import { hubspot } from '../../../src/providers/hubspot/provider.ts';
import type { Subject } from '../../provider-kit/contact-port-subject.ts';
import { createConnection } from '../../support/connection.ts';
import { createFakeFacts } from '../../support/fake-facts.ts';
import { toRedacted } from '../../support/redacted.ts';
import { createSend } from '../../support/send.ts';

/** HubSpot as the contract sees it, over the sandbox's own HTTP. */
export function createHubSpotSubject(sandbox: () => Sandbox): HubSpotSubject {
  return {
    access,
    open(people) {
      const account = sandbox().hubspot.createAccount({ people, limits: null });
      const send = createSend({ origin: sandbox().hubspot.origin, token: account.accessToken });
      return {
        account,
        openPort: (patch) =>
          toRedacted(
            access.open({
              send,
              connection: createConnection('hubspot', patch),
              openFacts: createFakeFacts,
              pageSizes: new PageSizes(),
              remember: (_name, read) => read(),
            }),
          ),
      };
    },
    wholeContact: WHOLE_CONTACT,
    customField: 'favorite_color',
    readRaw: (record, field) => (record['properties'] as Record<string, unknown>)[field],
  };
}

const access = accessOf(hubspot);

function accessOf({ crm }: Provider): NonNullable<Provider['crm']> {
  if (crm === undefined) throw new Error('HubSpot can be searched.');
  return crm;
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
    { emailAddress: 'ada@work.example', emailAddressType: 'work' },
    { emailAddress: 'ada.lovelace@analytical.example', emailAddressType: 'other' },
    { emailAddress: 'countess@whole.example', emailAddressType: 'other' },
  ],
  phoneNumbers: [
    { phoneNumber: '+44 20 7946 0001', phoneNumberType: 'primary' },
    { phoneNumber: '+44 7700 900001', phoneNumberType: 'mobile' },
    { phoneNumber: '+44 20 7946 0099', phoneNumberType: 'fax' },
  ],
  lifecycleStage: 'customer',
  lastActivityAt: '2026-10-14T15:09:26.535Z',
  createdAt: '2024-12-10T08:00:00.123Z',
  updatedAt: '2026-11-02T11:45:30.678Z',
  lastModifiedAt: '2026-11-02T11:45:30.678Z',
  isDeleted: false,
};

export interface HubSpotSubject extends Subject {
  open(
    people: readonly Partial<Person>[],
  ): ReturnType<Subject['open']> & { readonly account: HubSpotAccount };
}
