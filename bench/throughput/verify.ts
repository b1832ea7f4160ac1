import { isDeepStrictEqual } from 'node:util';
import { type Case, emailSetsOf } from '../workload/cases.ts';
import { toRequests } from '../workload/requests.ts';
import type { Player } from './stage.ts';

/** Fails if a contender's response is incomplete. */
export async function verify(player: Player, workload: Case): Promise<void> {
  const [request] = toRequests(player.kind, workload, player.headers);
  if (!request) return;
  const response = await fetch(`${player.url}${request.path}`, { method: 'POST', ...request });
  const text = await response.text();
  const emails = emailSetsOf(workload)[0] ?? [];
  const toError = (what: string) =>
    new Error(`${player.name}, ${workload.title}: ${what}\n${text.slice(0, 600)}`);
  if (response.status !== 200) throw toError(`status ${response.status}`);
  if (player.kind === 'graphql' || player.kind === 'graphqlAtRoot') {
    const found = (JSON.parse(text) as GraphQLAnswer).data?.searchContacts;
    if (!found) throw toError('no contacts');
    const { nodes, totalCount } = found;
    if (nodes.length !== emails.length || totalCount !== emails.length)
      throw toError('contacts are missing');
    if (workload.fields === 'all' && !isDeepStrictEqual(firstOf(nodes), EXPECTED))
      throw toError('not as expected');
    return;
  }
  // A contact's first name occurs once in each of the other shapes.
  const found = text.match(/"(firstName|first_name|firstname)":/g)?.length;
  if (found !== emails.length) throw toError(`${found} contacts`);
}

function firstOf([first]: readonly Record<string, unknown>[]) {
  const { id, ...rest } = first ?? {};
  return typeof id === 'string' ? rest : undefined;
}

/** The first person, as every contender has to map it. */
const EXPECTED = {
  remoteId: '501',
  provider: 'HUBSPOT',
  accountId: '5790939001',
  ownerId: '41629701',
  firstName: 'Ada',
  lastName: 'Lovelace-0',
  addresses: [
    {
      addressType: 'PRIMARY',
      street1: '0 St James’s Square',
      street2: null,
      city: 'London',
      state: 'England',
      postalCode: 'SW1Y 4JH',
      country: 'United Kingdom',
    },
  ],
  emailAddresses: [
    { emailAddress: 'person.0@bench.example', emailAddressType: 'PRIMARY' },
    { emailAddress: 'desk.0@work.example', emailAddressType: 'WORK' },
  ],
  phoneNumbers: [
    { phoneNumber: '+44 20 7946 0000', phoneNumberType: 'PRIMARY' },
    { phoneNumber: '+44 7700 900000', phoneNumberType: 'MOBILE' },
  ],
  lifecycleStage: 'LEAD',
  lastActivityAt: '2026-01-01T00:00:00.000Z',
  createdAt: '2025-01-01T00:00:00.000Z',
  updatedAt: '2026-02-01T00:00:00.000Z',
  lastModifiedAt: '2026-02-01T00:00:00.000Z',
  isDeleted: false,
};

interface GraphQLAnswer {
  readonly data?: {
    readonly searchContacts?: {
      readonly nodes: readonly Record<string, unknown>[];
      readonly totalCount: number;
    };
  };
}
