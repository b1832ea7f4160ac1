import type { CustomerAccount } from '../../domain/provider.ts';
import type { LinkRequest, LinksById, RecordLink } from '../../domain/records/link.ts';
import type { RecordType } from '../../domain/records/record-type.ts';
import { createCall, failureOf } from './call.ts';
import { isRecordId, toKey } from './object.ts';
import { joinStages } from './pipelines.ts';
import { isInList, type Pages, type Row, readEach, toPath } from './query.ts';
import {
  ACCOUNT_CONTACT_RELATION,
  allOf,
  booleanLiteral,
  CONTACT,
  type Condition,
  compare,
  type FieldName,
  fieldName,
  isSet,
  type ObjectName,
  OPPORTUNITY,
  OPPORTUNITY_CONTACT_ROLE,
  select,
} from './soql.ts';

/** The links of all requests, in one call where they fit into it. */
export async function readLinks(
  account: CustomerAccount,
  from: RecordType,
  requests: readonly LinkRequest[],
): Promise<readonly (LinksById | Error)[]> {
  const reads = requests.map(({ to, ids }) => {
    const possible = new Map(ids.filter(isRecordId).map((id) => [toKey(id), id]));
    return (SOURCES[`${from} ${to}`] ?? []).map((source) => ({
      source,
      queries: toQueries(source, possible.keys()),
    }));
  });
  const queries = reads.flat().flatMap((read) => read.queries);
  const stages = requests.some(({ to }) => to === 'DEAL') ? joinStages(account) : undefined;
  const results = await readJoined(account, queries, stages);
  const found = new Map(queries.map((query, index) => [query, results[index] ?? []]));
  return requests.map(({ ids }, index) => toLinks(ids, reads[index] ?? [], found));
}

async function readJoined(
  { send }: CustomerAccount,
  queries: readonly string[],
  joined: ReturnType<typeof joinStages>,
): Promise<readonly (Pages | Error)[]> {
  try {
    const results = await readEach(createCall(send), joined ? [...queries, joined.query] : queries);
    joined?.settle(results[queries.length] ?? []);
    return results;
  } catch (error) {
    joined?.settle(error as Error);
    throw error;
  }
}

/** The links from all sources. One that the org lacks, or hides, has none, if there is another. */
function toLinks(
  ids: readonly string[],
  reads: readonly SourceRead[],
  found: ReadonlyMap<string, Pages | Error>,
): LinksById | Error {
  const byKey = new Map(ids.map((id) => [toKey(id), new Map<string, RecordLink>()]));
  const failures: Error[] = [];
  for (const { source, queries } of reads) {
    const results = queries.map((query) => found.get(query) ?? []);
    const failure = results.find((result) => result instanceof Error);
    if (failure) failures.push(failure);
    for (const row of results.flatMap((result) => (result instanceof Error ? [] : result)).flat()) {
      const [id, remoteId] = [row[source.from], row[source.to]];
      if (typeof id !== 'string' || typeof remoteId !== 'string') continue;
      const linked = byKey.get(toKey(id));
      const isPrimary = isPrimaryIn(source, row) || linked?.get(remoteId)?.isPrimary === true;
      linked?.set(remoteId, { remoteId, isPrimary });
    }
  }
  const failure = failures.length < reads.length ? failures.find(isTemporary) : failures[0];
  if (failure) return failure;
  return new Map(ids.map((id) => [id, [...(byKey.get(toKey(id))?.values() ?? [])]]));
}

/** Whether it says something else than that the object or the field is unknown to the connected user. */
function isTemporary(error: Error): boolean {
  const { errorCode } = failureOf(error);
  return errorCode !== 'INVALID_TYPE' && errorCode !== 'INVALID_FIELD';
}

function isPrimaryIn({ primary }: LinkSource, row: Row): boolean {
  return primary === 'always' || row[primary] === true;
}

function toQueries(
  { object, from, to, primary, where }: LinkSource,
  keys: Iterable<string>,
): readonly string[] {
  const fields = primary === 'always' ? [from, to] : [from, to, primary];
  return isInList(from, keys).map((isOne) =>
    toPath(select({ fields, from: object, where: allOf([isOne, isSet(to), where]) }), 'query'),
  );
}

const [ID, ACCOUNT_ID, CONTACT_ID, OPPORTUNITY_ID] = [
  fieldName('Id'),
  fieldName('AccountId'),
  fieldName('ContactId'),
  fieldName('OpportunityId'),
];

/** An account of a contact. Orgs whose contacts can have several accounts also list it among the relations. */
const DIRECT = { object: CONTACT, primary: 'always' } as const;
/** Those that have not ended. */
const RELATION = {
  object: ACCOUNT_CONTACT_RELATION,
  primary: fieldName('IsDirect'),
  where: compare(fieldName('IsActive'), '=', booleanLiteral(true)),
} as const;
const ROLE = { object: OPPORTUNITY_CONTACT_ROLE, primary: fieldName('IsPrimary') } as const;
const OF_ACCOUNT = { object: OPPORTUNITY, primary: 'always' } as const;

/** The queries that list the links of each pair of types. */
const SOURCES: Readonly<Partial<Record<`${RecordType} ${RecordType}`, readonly LinkSource[]>>> = {
  'CONTACT COMPANY': [
    { ...DIRECT, from: ID, to: ACCOUNT_ID },
    { ...RELATION, from: CONTACT_ID, to: ACCOUNT_ID },
  ],
  'COMPANY CONTACT': [
    { ...DIRECT, from: ACCOUNT_ID, to: ID },
    { ...RELATION, from: ACCOUNT_ID, to: CONTACT_ID },
  ],
  'CONTACT DEAL': [{ ...ROLE, from: CONTACT_ID, to: OPPORTUNITY_ID }],
  'DEAL CONTACT': [{ ...ROLE, from: OPPORTUNITY_ID, to: CONTACT_ID }],
  'COMPANY DEAL': [{ ...OF_ACCOUNT, from: ACCOUNT_ID, to: ID }],
  'DEAL COMPANY': [{ ...OF_ACCOUNT, from: ID, to: ACCOUNT_ID }],
};

/** Rows with the ids of two linked records. */
interface LinkSource {
  readonly object: ObjectName;
  readonly from: FieldName;
  readonly to: FieldName;
  /** The field that says whether the link is the primary one. */
  readonly primary: FieldName | 'always';
  readonly where?: Condition;
}

interface SourceRead {
  readonly source: LinkSource;
  readonly queries: readonly string[];
}
