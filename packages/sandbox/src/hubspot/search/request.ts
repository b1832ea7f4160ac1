import { invalid, unreadable } from '../errors.ts';
import { findProperty, type Property, type PropertyDefinition } from '../property-definitions.ts';
import { isObject, listOf, objectBody, textOf, textsOf } from '../request-body.ts';
import type { EndpointContext } from '../types.ts';

export function readContactSearch(context: EndpointContext): ContactSearch {
  return readSearch(context, (name) => findProperty(context.account, name));
}

/** Parses a search request, and rejects what the live service rejects. */
export function readSearch<Of extends PropertyDefinition>(
  { account, call }: EndpointContext,
  find: FindProperty<Of>,
): Search<Of> {
  const body = objectBody(call);
  if (account.quirks.searchBodyLimit && call.request.body.length > MAX_CHARACTERS)
    throw invalid('The request body is too long: at most 3000 characters.');
  const groups = readGroups(find, body);
  if (account.quirks.searchRefusesTokensOfEnumerations) refuseTokens(groups.flat());
  const query = body['query'] ? textOf(body['query'], 'query') : '';
  if (query.length > MAX_CHARACTERS)
    throw invalid('The query is too long: at most 3000 characters.');
  const limit = readNumber(body['limit'], 'limit') ?? 10;
  if (limit < 1 || limit > MAX_PAGE)
    throw invalid(`Invalid limit ${limit}: it has to be between 1 and 200.`);
  const offset = readNumber(body['after'], 'after') ?? 0;
  if (offset + limit > MAX_RESULTS)
    throw invalid('Paging past 10000 results of a search is not possible. Narrow it by a filter.');
  const sort = readSort(find, listOf(body['sorts'], 'sorts')[0]);
  return {
    groups,
    query,
    limit,
    offset,
    sort,
    properties: textsOf(body['properties'], 'properties'),
  };
}

function readGroups<Of extends PropertyDefinition>(
  find: FindProperty<Of>,
  body: Readonly<Record<string, unknown>>,
): readonly Filter<Of>[][] {
  const nested = listOf(body['filterGroups'], 'filterGroups').map((group) =>
    isObject(group) ? listOf(group['filters'], 'filters') : [],
  );
  const flat = listOf(body['filters'], 'filters');
  const groups = flat.length > 0 ? [...nested, flat] : nested;
  if (groups.length > 5) throw invalid('Too many filter groups: at most 5.');
  if (groups.some((filters) => filters.length > 6))
    throw invalid('Too many filters in a group: at most 6.');
  if (groups.flat().length > 18) throw invalid('Too many filters: at most 18.');
  return groups.map((filters) => filters.map((filter) => readFilter(find, filter)));
}

function refuseTokens(filters: readonly Filter<PropertyDefinition>[]): void {
  const refused = filters.find(
    ({ operator, property }) => operator === 'CONTAINS_TOKEN' && property.type === 'enumeration',
  );
  if (refused)
    throw invalid(`Operator CONTAINS_TOKEN is not supported by ${refused.property.name}.`);
}

function readFilter<Of extends PropertyDefinition>(
  find: FindProperty<Of>,
  filter: unknown,
): Filter<Of> {
  if (!isObject(filter)) throw unreadable('Cannot deserialize value of type `Filter`');
  const name = textOf(filter['propertyName'], 'propertyName');
  const property = find(name);
  if (property === undefined)
    throw invalid('There was a problem with the request.', {
      errors: [
        {
          message: `Property '${name}' does not exist`,
          code: 'PROPERTY_DOESNT_EXIST',
          in: 'filters',
        },
      ],
    });
  if (property.isUnsearchable) throw invalid(`Property ${name} is not searchable.`);
  const operator = OPERATORS.find((candidate) => candidate === filter['operator']);
  if (operator === undefined)
    throw unreadable(
      'Cannot deserialize value of type `FilterOperator`: not one of the values accepted',
    );
  const single = (key: string): string => {
    if (filter[key] === undefined || filter[key] === null)
      throw unreadable(`${operator} needs '${key}'`);
    return textOf(filter[key], key);
  };
  const isList = operator === 'IN' || operator === 'NOT_IN';
  if (isList && !Array.isArray(filter['values'])) throw unreadable(`${operator} needs 'values'`);
  const isBare = operator === 'HAS_PROPERTY' || operator === 'NOT_HAS_PROPERTY';
  return {
    property,
    operator,
    value: isList || isBare ? '' : single('value'),
    values: isList ? (textsOf(filter['values'], 'values') ?? []) : [],
    highValue: operator === 'BETWEEN' ? single('highValue') : '',
  };
}

/** Only the first sort rule counts. It is a string, with a minus for descending, or an object. */
function readSort<Of>(find: FindProperty<Of>, rule: unknown): Sort<Of> {
  const isText = typeof rule === 'string';
  const sortKey = isText
    ? rule
    : isObject(rule)
      ? textOf(rule['propertyName'], 'propertyName')
      : 'createdate';
  const isDescending = isText
    ? sortKey.startsWith('-')
    : isObject(rule) && rule['direction'] === 'DESCENDING';
  const name = isText ? sortKey.replace(/^-/, '') : sortKey;
  const property = find(name);
  if (property === undefined) throw invalid(`Property '${name}' does not exist`);
  return { property, isDescending };
}

function readNumber(value: unknown, what: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (!/^\d{1,9}$/.test(String(value)))
    throw unreadable(`Cannot deserialize value of type \`int\` from "${String(value)}" (${what})`);
  return Number(value);
}

const OPERATORS = [
  ...(['EQ', 'NEQ', 'LT', 'LTE', 'GT', 'GTE', 'BETWEEN', 'IN', 'NOT_IN'] as const),
  ...(['HAS_PROPERTY', 'NOT_HAS_PROPERTY', 'CONTAINS_TOKEN', 'NOT_CONTAINS_TOKEN'] as const),
] as const;
const MAX_PAGE = 200;
const MAX_RESULTS = 10_000;
const MAX_CHARACTERS = 3_000;

export type FindProperty<Of> = (name: string) => Of | undefined;

export type ContactSearch = Search<Property>;
export type ContactFilter = Filter<Property>;

export interface Search<Of> {
  /** A record must pass all filters of at least one group. No groups: all records. */
  readonly groups: readonly (readonly Filter<Of>[])[];
  readonly query: string;
  readonly limit: number;
  readonly offset: number;
  readonly sort: Sort<Of>;
  readonly properties: readonly string[] | undefined;
}

export interface Filter<Of> {
  readonly property: Of;
  readonly operator: (typeof OPERATORS)[number];
  readonly value: string;
  readonly values: readonly string[];
  readonly highValue: string;
}

interface Sort<Of> {
  readonly property: Of;
  readonly isDescending: boolean;
}
