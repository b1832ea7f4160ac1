import { PageSizes } from '../../../src/domain/page-sizes.ts';
import { testAdapter } from '../../provider-kit/adapter.ts';
import type { Subject } from '../../provider-kit/contact-port-subject.ts';
import { createConnection } from '../../support/connection.ts';
import { createFakeFacts } from '../../support/fake-facts.ts';
import { toRedacted } from '../../support/redacted.ts';
import { createSend } from '../../support/send.ts';
import { tidepool } from './adapter.ts';
import { useTidepool } from './open-simulation.ts';

const crm = useTidepool();

const subject: Subject = {
  access: tidepool.crm,
  open(people) {
    const account = crm().createAccount({ people, limits: null });
    const send = createSend({ origin: crm().origin, token: account.accessToken });
    return {
      account,
      openPort: (patch) =>
        toRedacted(
          tidepool.crm.open({
            send,
            connection: createConnection(tidepool.name, patch),
            openFacts: createFakeFacts,
            pageSizes: new PageSizes(),
            remember: (_name, read) => read(),
          }),
        ),
    };
  },
  wholeContact: {
    firstName: 'Ada',
    lastName: 'Lovelace',
    addresses: [],
    emailAddresses: [{ emailAddress: 'ada@whole.example', emailAddressType: 'primary' }],
    phoneNumbers: [{ phoneNumber: '+44 20 7946 0001', phoneNumberType: 'primary' }],
    lifecycleStage: null,
    lastActivityAt: null,
    createdAt: '2024-12-10T08:00:00.123Z',
    updatedAt: '2026-11-02T11:45:30.678Z',
    lastModifiedAt: '2026-11-02T11:45:30.678Z',
    isDeleted: false,
  },
  customField: 'favorite_color',
  forgetsMergedIds: true,
  sendsAllFields: true,
  readRaw: (record, field) => (record['extra'] as Record<string, unknown>)[field],
};

testAdapter('Tidepool', subject);
