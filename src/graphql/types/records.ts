import { costs, type UncheckedArguments } from '@crossbook/executor';
import type { InputShapeFromFields } from '@pothos/core';
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { CustomFieldValues } from '../../domain/custom-field.ts';
import type { Direction, PageInput } from '../../domain/page.ts';
import { providerName } from '../../domain/provider-names.ts';
import type { FilterKind } from '../../domain/records/conditions.ts';
import type { CrmRecord, RecordKind } from '../../domain/records/record.ts';
import {
  expectedContacts,
  type FieldSelection,
  type FoundPage,
  type RecordSearch,
  type RecordTarget,
  type SearchSelection,
  searchCost,
} from '../../domain/records/record-search.ts';
import { builder, tagged } from '../define/builder.ts';
import { BYTES_PER_UNIT } from '../define/cost.ts';
import { isSelected, selectFields } from '../define/field-selection.ts';
import { enumOf } from '../define/from-shape.ts';
import { toRecordId } from '../define/global-id.ts';
import { NODE_ID } from './node.ts';
import {
  connectionOf,
  type ObjectFieldBuilder,
  type ObjectRefOf,
  pageArguments,
  pageSizeOf,
  readPageInput,
} from './pagination.ts';

/** The usual number of custom fields. */
const CUSTOM_FIELDS = 10;

/** The usual size of a CRM's raw record, for cost analysis; its true length is charged when it is read. */
const RECORD_BYTES = 1_024;

/** The fields that records of all types have in addition to those of their shape. */
export function recordFields<Item extends CrmRecord>(
  t: ObjectFieldBuilder<Item>,
  { noun }: RecordKind<Item>,
) {
  return {
    id: t.id({ ...NODE_ID, resolve: toRecordId }),
    customerId: t.id({
      description: `Your own id of the customer that the ${noun} belongs to.`,
      resolve: ({ source }) => source.customerId,
    }),
    provider: t.field({
      type: enumOf(providerName),
      description: `CRM of the ${noun}.`,
      resolve: ({ source }) => source.provider,
    }),
    rawData: t.field({
      ...tagged('raw-data'),
      type: 'JSON',
      nullable: true,
      description: `The CRM’s own record, unchanged. It has the fields that a ${noun} is made of, those of the selected custom fields, and those that the customer’s mappings name. It is fetched only if this field is selected.`,
      args: {
        fields: t.arg.stringList({
          description:
            'Names of further fields in the CRM’s API, at most 100. Names that the CRM does not know are ignored.',
        }),
      },
      ...costs({ weight: RECORD_BYTES / BYTES_PER_UNIT }),
      resolve: ({ rawData }) => rawData,
    }),
    customFields: t.field({
      type: 'JSON',
      description:
        'Custom fields of your application by name, as declared with `setCustomFieldDefinitions`: strings, numbers, booleans and lists of strings. A field is null if the CRM has no value, or one that does not fit its type. Empty if none are declared. Only the selected fields are requested from the CRM.',
      args: {
        names: t.arg.stringList({
          description:
            'Names of custom fields. Default: all. An unknown name is `UNPROCESSABLE_ENTITY`.',
        }),
      },
      ...costs({ weight: ({ names }) => (Array.isArray(names) ? names.length : CUSTOM_FIELDS) }),
      resolve: ({ customFields }, { names }) => pickFields(customFields ?? {}, names),
    }),
  };
}

/** Another field with other names, or another search of the request, may have selected more. */
function pickFields(
  values: CustomFieldValues,
  names: readonly string[] | null | undefined,
): CustomFieldValues {
  if (!names) return values;
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

/** The keys by which gateways refer to a record. */
export const RECORD_KEYS: { name: 'key'; args: { fields: string } }[] = [
  { name: 'key', args: { fields: 'id' } },
  { name: 'key', args: { fields: 'customerId provider remoteId' } },
];

/** The Relay connection of the records that a search has found. */
export function foundConnectionOf<Item extends CrmRecord>(
  node: ObjectRefOf<Item>,
  { noun, nouns }: RecordKind<CrmRecord>,
) {
  return connectionOf<Item, FoundPage<Item>>(node, {
    one: `A ${noun}`,
    noun,
    nouns,
    description: `A page of the ${nouns} found, sorted by their id in the CRM.`,
    fields: (t) => ({
      totalCount: t.int({
        nullable: true,
        description: `Number of ${nouns} found by the whole search, not only on this page. It is counted only if it is selected. Null if the CRM cannot count them, and, with an error at its path, if only the count fails.`,
        resolve: readTotalCount,
      }),
      modifiedUntil: t.field({
        type: 'DateTime',
        nullable: true,
        description:
          'End of the period that a search by `modifiedSince` covers, the same on all of its pages; null with another filter. One minute before the first page was read, because changes become visible in the CRM’s search that late. Pass it as the next `modifiedSince`.',
        resolve: ({ modifiedUntil }) => modifiedUntil,
      }),
      fetchedAt: t.field({
        type: 'DateTime',
        description:
          'Time of the request to the CRM: in the past if the result came from the cache.',
        resolve: ({ fetchedAt }) => fetchedAt,
      }),
    }),
  });
}

function readTotalCount({ totalCount, countFailure }: FoundPage<CrmRecord>): number | null {
  if (countFailure !== undefined) throw countFailure;
  return totalCount;
}

/** The arguments of a search in addition to its filter. */
export function searchOptions(nouns: string) {
  return {
    ...builder.args((t) => ({
      readFromCache: t.boolean({
        defaultValue: false,
        description: 'Whether a cached result may be returned. `fetchedAt` gives its age.',
      }),
    })),
    ...pageArguments(nouns),
  };
}

/** The arguments that name the connection. */
export const targetArguments = builder.args((t) => ({
  customerId: t.id({
    description:
      'Your own id of the customer. Default: the header `x-customer-id`, or the token’s customer.',
  }),
  provider: t.field({
    type: enumOf(providerName),
    description: 'CRM to search. Default: the header `x-provider-name`.',
  }),
}));

/** Reads only the selected fields. Memoized, because a selection gives the same result each time. */
function readSearchSelection(
  kind: RecordKind<CrmRecord>,
  info: GraphQLResolveInfo,
  { direction = 'forward' }: PageInput,
): SearchSelection {
  const fields = selectFields(kind, info, ['nodes'], ['edges', 'node']);
  const known = remembered[direction].get(info.fieldNodes);
  // Names of custom fields may be in variables, which differ by request.
  if (known) return known.fields === fields ? known.selection : { ...known.selection, ...fields };
  const farSide = direction === 'backward' ? 'hasNextPage' : 'hasPreviousPage';
  const selection = {
    ...fields,
    totalCount: isSelected(info, 'totalCount'),
    needsPreviousPage: isSelected(info, 'pageInfo', farSide),
  };
  remembered[direction].set(info.fieldNodes, { fields, selection });
  return selection;
}

interface KnownSelection {
  readonly fields: FieldSelection;
  readonly selection: SearchSelection;
}

const remembered: Readonly<Record<Direction, WeakMap<readonly FieldNode[], KnownSelection>>> = {
  forward: new WeakMap(),
  backward: new WeakMap(),
};

/** The query cost of a search by its filter. */
export function searchCostsOf({ countLookUps }: Pick<FilterKind<never, never>, 'countLookUps'>) {
  const lookUpsOf = ({ filter }: UncheckedArguments) =>
    typeof filter === 'object' && filter !== null ? countLookUps(filter) : 0;
  return costs({
    weight: (args) => searchCost(lookUpsOf(args)),
    pageSize: (args) => pageSizeOf(args, expectedContacts(lookUpsOf(args))),
  });
}

/** The search that the arguments and the selection of a field describe. */
export function readSearch<Input>(
  kind: RecordKind<CrmRecord>,
  { target, args, info }: SearchField<Input>,
): RecordSearch<Input> {
  const page = readPageInput(args);
  return {
    customerId: target.customerId,
    provider: target.provider,
    filter: args.filter,
    page,
    readFromCache: args.readFromCache ?? false,
    selection: readSearchSelection(kind, info, page),
  };
}

interface SearchField<Input> {
  readonly target: RecordTarget;
  readonly args: InputShapeFromFields<ReturnType<typeof searchOptions>> & {
    readonly filter: Input;
  };
  readonly info: GraphQLResolveInfo;
}
