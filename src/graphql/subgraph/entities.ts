import type { GraphQLFieldResolver } from 'graphql';
import { MAX_CUSTOMER_ID_LENGTH } from '../../domain/customer.ts';
import { CrossbookError } from '../../domain/errors.ts';
import { findProviderName, type ProviderName } from '../../domain/provider-names.ts';
import { isRecord } from '../../lib/json.ts';
import type { RequestContext } from '../../request/context.ts';
import { findCustomer } from '../../usecases/find-customer.ts';
import { recordCosts } from '../define/cost.ts';
import type { EmailReference } from '../types/contact.ts';
import {
  type NodeRecord,
  nullIfNotFound,
  type RecordSelection,
  readCrmRecord,
  readRecord,
  selectRecord,
  typeNameOf,
} from '../types/node.ts';

const MAX_REPRESENTATIONS = 1_000;

/** Resolves entity references in order. Authorization happens where each entity's data is read. */
export function resolveEntities(typePrefix: string): GraphQLFieldResolver<unknown, RequestContext> {
  return (_root, args, context, info) => {
    const representations = args['representations'] as readonly unknown[];
    if (representations.length > MAX_REPRESENTATIONS) {
      throw new CrossbookError(
        'BAD_REQUEST',
        `\`_entities\` takes at most ${MAX_REPRESENTATIONS} references, but got ${representations.length}.`,
      );
    }
    const selection = selectRecord(info);
    return representations.map(async (representation) => {
      const reference: Reference = isRecord(representation) ? representation : {};
      return readReference(reference, {
        context,
        selection,
        type: readType(reference, typePrefix),
      });
    });
  };
}

export function entityTypeOf(record: Entity): EntityName | ReturnType<typeof typeNameOf> {
  return 'isByEmail' in record ? 'ContactsByEmail' : typeNameOf(record);
}

export const referenceCosts = recordCosts(
  ({ representations }) => representations,
  ({ representations }) => countConnections(representations),
);

/**
 * The number of distinct connections in the references, each of which is called separately. References that cannot be
 * to a connection are left out before their texts are hashed: one long text may stand in all of them.
 */
function countConnections(representations: unknown): number {
  if (!Array.isArray(representations) || representations.length > MAX_REPRESENTATIONS) return 0;
  const named = new Map<ProviderName, Set<string>>();
  for (const one of representations as readonly (Reference | null)[]) {
    const [provider, customerId] = [findProvider(one?.['provider']), one?.['customerId']];
    if (!provider || typeof customerId !== 'string' || customerId.length > MAX_CUSTOMER_ID_LENGTH)
      continue;
    named.set(provider, (named.get(provider) ?? new Set()).add(customerId));
  }
  return [...named.values()].reduce((sum, { size }) => sum + size, 0);
}

function readType({ __typename }: Reference, typePrefix: string): EntityName {
  const type = ENTITY_NAMES.find((name) => __typename === typePrefix + name);
  if (type) return type;
  const names = ENTITY_NAMES.map((name) => typePrefix + name).join(', ');
  throw new CrossbookError('BAD_REQUEST', `The __typename of a reference must be one of ${names}.`);
}

/**
 * Reads a reference: a Customer by the application's id or the global id, a record of a CRM by its three ids or the
 * global id.
 */
async function readReference(
  reference: Reference,
  { context, selection, type }: Requested,
): Promise<Entity | null> {
  const { id, customerId, provider, remoteId } = reference;
  if (type === 'ContactsByEmail') return readEmailReference(reference);
  if (typeof customerId === 'string' && type === 'Customer') {
    return nullIfNotFound(findCustomer(context, customerId, selection.withConfigurations));
  }
  if (typeof customerId === 'string' && typeof remoteId === 'string') {
    const key = {
      type: type === 'Customer' ? 'Contact' : type,
      customerId,
      provider: readProvider(provider),
      remoteId,
    } as const;
    return readCrmRecord(context, key, selection);
  }
  if (typeof id !== 'string')
    throw new CrossbookError('BAD_REQUEST', 'A reference must have a key.');
  return readRecord(context, id, selection).then((record) =>
    record && typeNameOf(record) === type ? record : null,
  );
}

/** The entity is its key: data is read only when its contacts are selected. */
function readEmailReference({ customerId, provider, email }: Reference): EmailReference {
  if (typeof customerId !== 'string' || typeof email !== 'string') {
    throw new CrossbookError(
      'BAD_REQUEST',
      'A reference by email must have customerId, provider and email.',
    );
  }
  return { isByEmail: true, customerId, provider: readProvider(provider), email };
}

function readProvider(name: unknown): ProviderName {
  const provider = findProvider(name);
  if (provider) return provider;
  throw new CrossbookError('BAD_REQUEST', 'The provider of a reference must be a ProviderName.');
}

function findProvider(name: unknown): ProviderName | undefined {
  return typeof name === 'string' ? findProviderName(name) : undefined;
}

const ENTITY_NAMES = ['Contact', 'Company', 'Deal', 'ContactsByEmail', 'Customer'] as const;

type EntityName = (typeof ENTITY_NAMES)[number];
type Entity = NodeRecord | EmailReference;
type Reference = Readonly<Record<string, unknown>>;

interface Requested {
  readonly context: RequestContext;
  readonly selection: RecordSelection;
  readonly type: EntityName;
}
