import type { LinkEnd, LinkedKind } from '../links.ts';
import { exists, idOf, indexOf, isLinked, type Pair, pairOf, TYPES } from './associations.ts';
import { invalid } from './errors.ts';
import { isObject, listOf, objectBody, textOf } from './request-body.ts';
import type { EndpointContext, HubSpotAccount, Reply } from './types.ts';

/** Associates records. An input without types is accepted, and nothing is associated. */
export function batchCreateAssociations(context: EndpointContext): Reply {
  const { account, call, parts } = context;
  const pair = linkedPairOf(parts);
  const inputs = readInputs(context).map((input) => ({
    from: endOf(pair.from, input['from']),
    to: endOf(pair.to, input['to']),
    types: listOf(input['types'], 'types').map((type) => typeIdOf(pair, type)),
  }));
  const errors: object[] = [];
  const results: object[] = [];
  for (const { from, to, types } of inputs) {
    const missing = findMissing(account, from, to);
    if (missing) {
      errors.push(missing);
      continue;
    }
    const { primary } = typesOf(pair);
    if (types.length > 0)
      account.links.link(from, to, primary !== undefined && types.includes(primary));
    results.push({
      fromObjectTypeId: pair.from.id,
      fromObjectId: String(idOf(from.kind, from.index)),
      toObjectTypeId: pair.to.id,
      toObjectId: String(idOf(to.kind, to.index)),
      labels: [],
    });
  }
  const now = new Date(call.now).toISOString();
  return {
    status: errors.length > 0 ? 207 : 201,
    body: {
      status: 'COMPLETE',
      startedAt: now,
      completedAt: now,
      results,
      ...(errors.length > 0 && { numErrors: errors.length, errors }),
    },
  };
}

/** Removes all associations of records with each other. Those that do not exist are ignored. */
export function batchArchiveAssociations(context: EndpointContext): Reply {
  const { account, parts } = context;
  const pair = linkedPairOf(parts);
  for (const input of readInputs(context)) {
    const from = endOf(pair.from, input['from']);
    for (const one of listOf(input['to'], 'to')) account.links.unlink(from, endOf(pair.to, one));
  }
  return { status: 204, body: {} };
}

/** Removes types of associations. Records whose primary association is removed stay associated. */
export function batchArchiveLabels(context: EndpointContext): Reply {
  const { account, parts } = context;
  const pair = linkedPairOf(parts);
  for (const input of readInputs(context)) {
    const [from, to] = [endOf(pair.from, input['from']), endOf(pair.to, input['to'])];
    const types = listOf(input['types'], 'types').map((type) => typeIdOf(pair, type));
    const { typeId, primary } = typesOf(pair);
    const isPrimary = account.links
      .find(from.kind, from.index, to.kind)
      .some((link) => link.index === to.index && link.isPrimary);
    if (types.includes(typeId)) account.links.unlink(from, to);
    else if (isPrimary && primary !== undefined && types.includes(primary)) {
      account.links.unlink(from, to);
      account.links.link(from, to, false);
    }
  }
  return { status: 204, body: {} };
}

function linkedPairOf(parts: readonly string[]): LinkedPair {
  const pair = pairOf(parts);
  const { name } = pair.to;
  if (!isLinked(name)) throw invalid(`Associations to ${name} are not simulated`);
  return pair as LinkedPair;
}

function readInputs({ call }: EndpointContext) {
  const inputs = listOf(objectBody(call)['inputs'], 'inputs');
  if (inputs.length > MAX_INPUTS) throw invalid(`Too many inputs: ${inputs.length}.`);
  return inputs.map((input) => (isObject(input) ? input : {}));
}

function endOf(type: Pair['from'], end: unknown): LinkEnd {
  const id = textOf(isObject(end) ? end['id'] : undefined, 'id');
  return { kind: type.name, index: indexOf(type, id) };
}

function typesOf({ from, to }: LinkedPair) {
  return TYPES[from.name][to.name] ?? { typeId: 0 };
}

function typeIdOf(pair: LinkedPair, type: unknown): number {
  const id = isObject(type) ? type['associationTypeId'] : undefined;
  const { typeId, primary } = typesOf(pair);
  if (typeof id === 'number' && (id === typeId || id === primary)) return id;
  throw invalid(`Association type ${id} does not exist between ${pair.from.id} and ${pair.to.id}`);
}

function findMissing(account: HubSpotAccount, from: LinkEnd, to: LinkEnd): object | undefined {
  const isThere = ({ kind, index }: LinkEnd) => exists(account, { type: kind, index });
  if (isThere(from) && isThere(to)) return undefined;
  return {
    status: 'error',
    category: 'OBJECT_NOT_FOUND',
    message: 'One of the objects does not exist.',
    context: {
      fromObjectId: [String(idOf(from.kind, from.index))],
      toObjectId: [String(idOf(to.kind, to.index))],
    },
  };
}

const MAX_INPUTS = 2_000;

type LinkedPair = Pair & { readonly to: Pair['from'] & { readonly name: LinkedKind } };
