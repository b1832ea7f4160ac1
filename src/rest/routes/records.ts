import * as z from 'zod';
import { CrossbookError } from '../../domain/errors.ts';
import type { CrmRecord, RecordKind } from '../../domain/records/record.ts';
import { PROVIDER_CALL } from '../../domain/records/record-search.ts';
import { findRecord } from '../../usecases/search-records.ts';
import { defineOperation } from '../operation.ts';
import { object, text, toSchema } from '../schemas.ts';
import {
  customFieldsField,
  FETCHED_AT,
  paginationSchema,
  rawDataField,
  runSearch,
  type SearchedRecords,
  searchBody,
  searchQuery,
  targetHeaders,
  toPagination,
  toRecord,
} from './searches.ts';

/** The search of a type of records, and the read of one by its id. */
export function recordOperations<Item extends CrmRecord, Input extends object>(
  options: RecordOperations<Item, Input>,
) {
  const { kind, filters, names, path, example } = options;
  const { shape } = kind;
  const schema = object('response', shape.name, shape.description, {
    ...toSchema(shape, 'response').shape,
    raw_data: rawDataField,
    custom_fields: customFieldsField,
  });
  return [
    defineOperation({
      id: names.search,
      route: `POST /${path}/_search`,
      summary: `Search ${kind.nouns}`,
      description: options.description,
      callers: ['apiKey', 'customerToken'],
      input: {
        query: z.strictObject(searchQuery),
        headers: targetHeaders,
        body: searchBody(names.filter, filters.input, filters.isCombinable),
      },
      bodyExample: options.bodyExample,
      response: {
        description: `A page of ${kind.nouns}.`,
        schema: object('response', names.page, `A page of ${kind.nouns}.`, {
          pagination: paginationSchema,
          records: z.array(schema).describe('Records of this page, sorted by id.'),
        }),
        example: { pagination: { next: null, previous: null, total_count: 1 }, records: [example] },
        headers: FETCHED_AT,
      },
      errors: [404, 409, 422, 499, 501],
      async handle(context, { query, headers: named, body: { filter } }, { headers }) {
        const provider = named['x-provider-name'];
        const request = { context, query, provider, filter, headers };
        const { page, rawData } = await runSearch(request, options);
        const records = page.items.map((one) => toRecord(shape, one, rawData));
        return { pagination: toPagination(page), records };
      },
    }),
    readRecordOperation({ kind, schema, example, id: names.read, path }),
  ];
}

/** The read of a record by its id at the provider. */
export function readRecordOperation<Item extends CrmRecord>({
  kind,
  schema,
  example,
  id,
  path,
}: ReadOperation<Item>) {
  const { noun, shape } = kind;
  return defineOperation({
    id,
    route: `GET /${path}/{remote_id}`,
    summary: `Read a ${noun}`,
    description: `A ${noun} of one customer by its id at the provider.`,
    callers: ['apiKey', 'customerToken'],
    input: {
      path: z.strictObject({ remote_id: text(`Id of the ${noun} at the provider.`, example.id) }),
      headers: targetHeaders,
    },
    response: { description: `The ${noun}.`, schema, example },
    errors: [404, 409, 499, 501],
    async handle(context, { path: { remote_id: remoteId }, headers: named }) {
      await context.charge(PROVIDER_CALL);
      const key = { provider: named['x-provider-name'], remoteId };
      const record = await findRecord(context, kind, key, {
        rawData: false,
        customFieldNames: 'all',
      });
      if (record) return toRecord(shape, record, false);
      throw new CrossbookError('NOT_FOUND', `The provider has no ${noun} with this id.`);
    },
  });
}

interface ReadOperation<Item extends CrmRecord> {
  readonly kind: RecordKind<Item>;
  readonly schema: z.ZodObject;
  readonly example: { readonly id: string; readonly [name: string]: unknown };
  readonly id: string;
  readonly path: string;
}

interface RecordOperations<Item extends CrmRecord, Input extends object>
  extends Omit<ReadOperation<Item>, 'schema' | 'id'>,
    SearchedRecords<Item, Input> {
  readonly names: {
    readonly search: string;
    readonly read: string;
    readonly filter: string;
    readonly page: string;
  };
  readonly description: string;
  readonly bodyExample: object;
}
