import { salesforce } from '../../../src/providers/salesforce/provider.ts';
import { testAdapter } from '../../provider-kit/adapter.ts';
import { useOrgs } from './open-org.ts';

const open = useOrgs();
const access = salesforce.crm;
if (access === undefined) throw new Error('Salesforce can be searched.');

testAdapter('salesforce', {
  access,
  open: (people) => open(people),
  customField: 'Favorite_Color__c',
  readRaw: (record, field) => record[field],
  wholeContact: {
    firstName: 'Ada',
    lastName: 'Lovelace',
    addresses: [
      {
        addressType: 'mailing',
        street1: '12 St James’s Square',
        street2: null,
        city: 'London',
        state: 'England',
        postalCode: 'SW1Y 4JH',
        country: 'United Kingdom',
      },
      {
        addressType: 'other',
        street1: 'Ockham Park',
        street2: null,
        city: 'Ockham',
        state: 'Surrey',
        postalCode: 'GU23',
        country: 'UK',
      },
    ],
    emailAddresses: [{ emailAddress: 'ada@whole.example', emailAddressType: 'primary' }],
    phoneNumbers: [
      { phoneNumber: '+44 20 7946 0001', phoneNumberType: 'primary' },
      { phoneNumber: '+44 7700 900001', phoneNumberType: 'mobile' },
      { phoneNumber: '+44 20 7946 0099', phoneNumberType: 'fax' },
      { phoneNumber: '+44 20 7946 0011', phoneNumberType: 'other' },
      { phoneNumber: '+44 20 7946 0012', phoneNumberType: 'other' },
    ],
    lifecycleStage: null,
    lastActivityAt: '2026-10-14T00:00:00.000Z',
    createdAt: '2024-12-10T08:00:00.000Z',
    updatedAt: '2026-11-02T11:45:30.000Z',
    lastModifiedAt: '2026-11-02T11:45:30.000Z',
    isDeleted: false,
  },
});
