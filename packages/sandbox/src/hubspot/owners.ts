import { isInactiveOwner } from '../people.ts';
import { ownerId } from './contact-view.ts';
import { invalid, notFound } from './errors.ts';
import type { EndpointContext, HubSpotAccount, Reply } from './types.ts';

/** The users whom contacts belong to, by email or page by page. One in ten is archived. */
export function listOwners({ account, call }: EndpointContext): Reply {
  const { query } = call.request;
  const limit = Number(query.get('limit') ?? 100);
  if (!(limit >= 1 && limit <= 500))
    throw invalid(`Invalid limit ${limit}: it has to be between 1 and 500.`);
  const email = query.get('email')?.toLowerCase();
  const after = Number(query.get('after') ?? 0);
  const isArchived = query.get('archived') === 'true';
  const owners = listAll(account).filter(({ archived }) => archived === isArchived);
  const rest = owners
    .filter((owner) => email === undefined || owner.email === email)
    .filter(({ id }) => Number(id) > after);
  const page = rest.slice(0, limit);
  return {
    status: 200,
    body: {
      results: page,
      ...(rest.length > limit && { paging: { next: { after: page.at(-1)?.id } } }),
    },
  };
}

/** By the owner's id, or with `idProperty=userId` by the user's. */
export function readOwner({ account, call, parts }: EndpointContext): Reply {
  const isByUser = call.request.query.get('idProperty') === 'userId';
  const owner = listAll(account).find(
    ({ id, userId }) => (isByUser ? String(userId) : id) === parts[0],
  );
  if (owner === undefined) throw notFound();
  return { status: 200, body: owner };
}

function listAll({ people }: HubSpotAccount): readonly Owner[] {
  const most = people.all().reduce((max, { ownerIndex }) => Math.max(max, ownerIndex ?? 0), 20);
  return Array.from({ length: most }, (_, place) => toOwner(place + 1));
}

function toOwner(index: number): Owner {
  const userId = FIRST_USER + index;
  return {
    id: ownerId(index),
    email: `user-${index}@sandbox.example`,
    type: 'PERSON',
    firstName: 'Sam',
    lastName: `Seller ${index}`,
    userId: isInactiveOwner(index) ? null : userId,
    userIdIncludingInactive: userId,
    createdAt: MADE_AT,
    updatedAt: MADE_AT,
    archived: isInactiveOwner(index),
  };
}

const FIRST_USER = 9_586_500;
const MADE_AT = '2022-01-03T08:00:00.000Z';

interface Owner {
  readonly id: string;
  readonly email: string;
  readonly type: 'PERSON';
  readonly firstName: string;
  readonly lastName: string;
  /** Null of an archived owner. */
  readonly userId: number | null;
  readonly userIdIncludingInactive: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archived: boolean;
}
