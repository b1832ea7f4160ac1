import * as z from 'zod';
import { EXAMPLE_PROVIDERS } from '../../domain/provider-names.ts';
import { WRITABLE_RECORDS } from '../../domain/records/catalogue.ts';
import {
  LINK_OPERATIONS,
  type LinkItem,
  type LinkVerb,
  linkCreation,
  linkRemoval,
  linkWriteResult,
} from '../../domain/records/link-changes.ts';
import { LIST_COST, PROVIDER_CALL } from '../../domain/records/record-search.ts';
import { recordType } from '../../domain/records/record-type.ts';
import type {
  WritableKind,
  WriteInput,
  WriteItem,
  WriteVerb,
} from '../../domain/records/writable.ts';
import {
  MAX_IDEMPOTENCY_KEY,
  MAX_WRITES,
  type WriteProblem,
  type WriteResult,
  write,
  writeRecord,
  writeResult,
} from '../../domain/records/write.ts';
import { type Shape, wordsOf } from '../../domain/shape.ts';
import { writableField } from '../../domain/writing.ts';
import type { RequestContext } from '../../request/context.ts';
import { findWrite, listWrites, MAX_LISTED } from '../../usecases/find-writes.ts';
import { listWritableFields } from '../../usecases/writable-fields.ts';
import { writeLinks } from '../../usecases/write-links.ts';
import { toOperationName, writeRecords } from '../../usecases/write-records.ts';
import { defineOperation } from '../operation.ts';
import {
  EXAMPLE_MOMENT,
  enumInput,
  fromWire,
  nextCursor,
  object,
  optional,
  pageQuery,
  text,
  toPageCursors,
  toSchema,
  toSnakeCase,
  toWire,
} from '../schemas.ts';
import { CONNECTION_PATH, connectionPath } from './connections.ts';
import { targetHeaders } from './searches.ts';

/** The same costs as in GraphQL. */
const WRITE_COST = 3 * PROVIDER_CALL;
const PER_RECORD = 10;
const PER_WRITE = 50;
const DEFAULT_LISTED = 20;
const EXAMPLE_WRITE = {
  id: '4b1f8a52-7f6a-4a57-9d7d-1d9a54a3b001',
  is_replayed: false,
  is_complete: true,
  created_at: EXAMPLE_MOMENT,
};
const EXAMPLE_RESULT = {
  index: 0,
  outcome: 'created',
  remote_id: '101',
  changed_fields: ['last_name'],
  problems: [],
  warnings: [],
};

const payloadSchema = object('response', 'WritePayload', 'What became of the records.', {
  write: optional(toSchema(write, 'response'), 'The write. Absent for a dry run.'),
  results: z
    .array(toSchema(writeResult, 'response'))
    .describe('One result for each record of the input, in its order.'),
});

const writeHeaders = targetHeaders.extend({
  'idempotency-key': text(
    `Key of your choice, 1 to ${MAX_IDEMPOTENCY_KEY} printable ASCII characters: a repeated call with the same key and body returns the results of the first for 7 days, and writes nothing again.`,
    '0f4f3a1c-6b0c-4f0a',
  ).optional(),
});

const dryRun = optional(
  z.boolean(),
  'Whether only to check: the outcomes say what would happen, and nothing is written or stored.',
);

const VERBS = {
  upsert: { what: 'Create or change', by: ' that are found by a key' },
  create: { what: 'Create', by: '' },
  update: { what: 'Change', by: ' by their ids' },
} as const;

function operationOf(kind: WritableKind, verb: WriteVerb, item: Shape<WriteItem>) {
  const { nouns, noun } = kind.record;
  const name = `${kind.record.shape.name}${verb.charAt(0).toUpperCase()}${verb.slice(1)}Request`;
  const { what, by } = VERBS[verb];
  return defineOperation({
    id: toOperationName(kind, verb),
    route: `POST /${nouns}/_${verb}`,
    summary: `${what} ${nouns}`,
    description: `${what}s ${nouns}${by}. Each ${noun} has its own result: a problem with one never stops the others, and the status is 200. Requires a connection with the access read_write, and an API key or a customer token that was issued with can_write. Begin with dry_run, which checks everything and writes nothing.`,
    callers: ['apiKey', 'customerToken'],
    input: {
      headers: writeHeaders,
      body: object('request', name, `${what} ${nouns}.`, {
        dry_run: dryRun,
        ...(verb === 'upsert' && {
          update_only: optional(z.boolean(), `Whether ${nouns} that are not found are refused.`),
        }),
        allow_duplicates: optional(
          z.boolean(),
          'Whether duplicate rules of the CRM that only warn are overruled. A rule that blocks never is.',
        ),
        records: z
          .array(toSchema(item, 'request'))
          .max(MAX_WRITES)
          .describe(`The ${nouns}, 1 to ${MAX_WRITES}.`),
      }),
    },
    bodyExample: { dry_run: true, records: [toExample(kind, verb)] },
    response: {
      description: `What became of the ${nouns}.`,
      schema: payloadSchema,
      example: { write: EXAMPLE_WRITE, results: [EXAMPLE_RESULT] },
    },
    errors: [404, 409, 422, 499, 501],
    async handle(context, { headers, body }) {
      const records = body.records.map((one) => fromWire<WriteItem>(item, one));
      await context.charge(WRITE_COST + PER_RECORD * records.length);
      const input: WriteInput = {
        provider: headers['x-provider-name'],
        idempotencyKey: headers['idempotency-key'],
        dryRun: body.dry_run,
        updateOnly: 'update_only' in body ? (body.update_only as boolean | undefined) : undefined,
        allowDuplicates: body.allow_duplicates,
        records,
      };
      return runWrite(context, kind, verb, input);
    },
  });
}

/** `POST /links/_create` and `POST /links/_remove`. */
function linkOperationOf(verb: LinkVerb) {
  const isNew = verb === 'link';
  const what = isNew ? 'Link' : 'Unlink';
  const item = isNew ? linkCreation : linkRemoval;
  return defineOperation({
    id: LINK_OPERATIONS[verb],
    route: `POST /links/_${isNew ? 'create' : 'remove'}`,
    summary: `${what} records`,
    description: `${isNew ? 'Links contacts, companies and deals with each other. A link that exists stays' : 'Removes links between contacts, companies and deals, which stay. A link that does not exist is unchanged'}. Each link has its own result: a problem with one never stops the others, and the status is 200. Requires a connection with the access read_write for both records, and an API key or a customer token that was issued with can_write. Begin with dry_run, which checks everything and writes nothing.`,
    callers: ['apiKey', 'customerToken'],
    input: {
      headers: writeHeaders,
      body: object('request', `${what}RecordsRequest`, `${what} records.`, {
        dry_run: dryRun,
        links: z
          .array(toSchema(item as Shape<unknown>, 'request'))
          .max(MAX_WRITES)
          .describe(`The links, 1 to ${MAX_WRITES}.`),
      }),
    },
    bodyExample: {
      dry_run: true,
      links: [
        {
          from: { record: 'contact', remote_id: '101' },
          to: { record: 'company', remote_id: '202' },
          ...(isNew && { is_primary: true }),
        },
      ],
    },
    response: {
      description: 'What became of the links.',
      schema: object('response', 'LinkWritePayload', 'What became of the links.', {
        write: optional(toSchema(write, 'response'), 'The write. Absent for a dry run.'),
        results: z
          .array(toSchema(linkWriteResult, 'response'))
          .describe('One result for each link of the input, in its order.'),
      }),
      example: {
        write: EXAMPLE_WRITE,
        results: [{ index: 0, outcome: 'created', problems: [], warnings: [] }],
      },
    },
    errors: [404, 409, 422, 499, 501],
    async handle(context, { headers, body }) {
      await context.charge(WRITE_COST + PER_RECORD * body.links.length);
      const done = await writeLinks(context, verb, {
        provider: headers['x-provider-name'],
        idempotencyKey: headers['idempotency-key'],
        dryRun: body.dry_run,
        links: body.links.map((one) => fromWire<LinkItem>(item, one)),
      });
      return {
        write: done.write ? toWire(write, done.write) : undefined,
        results: done.results.map((one) => toWire(linkWriteResult, toRestNames(one))),
      };
    },
  });
}

export const linkOperations = [linkOperationOf('link'), linkOperationOf('unlink')];

async function runWrite(
  context: RequestContext,
  kind: WritableKind,
  verb: WriteVerb,
  input: WriteInput,
) {
  const done = await writeRecords(context, { kind, verb }, input);
  return {
    write: done.write ? toWire(write, done.write) : undefined,
    results: done.results.map((one) => toWire(writeResult, toRestNames(one))),
  };
}

/** The names of fields are those of the REST input. */
function toRestNames<Result extends WriteResult>(result: Result): Result {
  const named = (problem: WriteProblem): WriteProblem => ({
    ...problem,
    field: problem.field && toRestPath(problem.field),
  });
  return {
    ...result,
    changedFields: result.changedFields.map(toRestName),
    problems: result.problems.map(named),
    warnings: result.warnings.map(named),
  };
}

/** `customFields.favoriteColor`: the name of a custom field stays as it is. */
function toRestName(name: string): string {
  return toRestPath(['changes', ...name.split('.')])
    .slice(1)
    .join('.');
}

function toRestPath(path: readonly string[]): readonly string[] {
  const isOwn = path[1] === 'customFields' || path[1] === 'rawFields';
  return path.map((step, place) => (isOwn && place > 1 ? step : toSnakeCase(step)));
}

function toExample({ exampleKey, exampleChanges }: WritableKind, verb: WriteVerb): object {
  const upsert = Object.entries(exampleKey).map(([name, value]) => [toSnakeCase(name), value]);
  const keys = { upsert: Object.fromEntries(upsert), create: {}, update: { remote_id: '101' } };
  return { ...keys[verb], changes: exampleChanges };
}

/** The operations of each type of record, for its group. */
export const writeOperations = Object.fromEntries(
  WRITABLE_RECORDS.map((kind) => [
    kind.record.nouns,
    Array.from(kind.items, ([verb, item]) => operationOf(kind, verb, item)),
  ]),
);

const writeRecordSchema = toSchema(writeRecord, 'response');
const EXAMPLE_RECORD = {
  id: EXAMPLE_WRITE.id,
  customer_id: 'customer-1',
  provider_name: EXAMPLE_PROVIDERS.first,
  operation: 'upsertContacts',
  credential_id: 'k3Jd92',
  is_complete: true,
  created_at: EXAMPLE_MOMENT,
  completed_at: EXAMPLE_MOMENT,
  results: [{ ...EXAMPLE_RESULT, fields: ['last_name'] }],
};

function toRestRecord(found: Awaited<ReturnType<typeof findWrite>>) {
  const results = found.results.map((one) => ({
    ...toRestNames(one),
    fields: one.fields.map(toRestName),
  }));
  return toWire(writeRecord, { ...found, results });
}

export const writeAuditOperations = [
  defineOperation({
    id: 'listWrites',
    route: 'GET /writes',
    summary: 'List writes',
    description:
      'Writes to a customer’s CRMs in the last 90 days, newest first: who has written which records, without values of fields.',
    input: {
      query: z.strictObject({
        customer_id: text('Your own id of the customer.', 'customer-1'),
        ...pageQuery({
          of: 'Writes',
          most: MAX_LISTED,
          cursor: 'A page’s `next`, unchanged, with the same query.',
        }),
      }),
    },
    response: {
      description: 'A page of writes.',
      schema: object('response', 'WritePage', 'A page of writes.', {
        pagination: object('response', 'WritePagination', 'Cursors of the adjacent pages.', {
          next: nextCursor,
        }),
        records: z.array(writeRecordSchema).describe('The newest first.'),
      }),
      example: { pagination: { next: null }, records: [EXAMPLE_RECORD] },
    },
    async handle(context, { query }) {
      const { customer_id: customerId, page_size: size = DEFAULT_LISTED, cursor } = query;
      await context.charge(LIST_COST + size * PER_WRITE);
      const page = await listWrites(context, { customerId, size, cursor });
      const { next } = toPageCursors(page);
      return { pagination: { next }, records: page.items.map(toRestRecord) };
    },
  }),
  defineOperation({
    id: 'getWrite',
    route: 'GET /writes/{id}',
    summary: 'Read a write',
    description:
      'A write of the last 90 days. Use it to find out what became of records whose outcome was unknown. A customer token sees the writes of its customer.',
    callers: ['apiKey', 'customerToken'],
    input: { path: z.strictObject({ id: text('Id of the write.', EXAMPLE_WRITE.id) }) },
    response: { description: 'The write.', schema: writeRecordSchema, example: EXAMPLE_RECORD },
    errors: [404],
    async handle(context, { path }) {
      await context.charge(LIST_COST + PER_WRITE);
      return toRestRecord(await findWrite(context, path.id));
    },
  }),
];

export const writableFieldsOperation = defineOperation({
  id: 'listWritableFields',
  route: `GET ${CONNECTION_PATH}/writable_fields/{record}`,
  summary: 'List writable fields',
  description:
    'The fields of the customer’s CRM that raw_fields of a write can name, and what they take. They are read from the CRM once a day.',
  callers: ['apiKey', 'customerToken'],
  input: {
    path: connectionPath.extend({
      record: enumInput(wordsOf(recordType), 'The type of the records.', 'CONTACT'),
    }),
  },
  response: {
    description: 'The fields.',
    schema: object('response', 'WritableFields', 'Fields of the CRM that can be written.', {
      records: z.array(toSchema(writableField, 'response')).describe('The fields.'),
    }),
    example: {
      records: [
        {
          name: 'jobtitle',
          label: 'Job title',
          type: 'text',
          is_custom: false,
          is_filterable: true,
          choices: [],
          can_create: true,
          can_update: true,
          is_required: false,
          max_length: 65536,
          is_unique: false,
        },
      ],
    },
  },
  errors: [404, 409, 499, 501],
  async handle(context, { path }) {
    await context.charge(PROVIDER_CALL);
    const { customer_id: customerId, provider_name: provider, record } = path;
    const fields = await listWritableFields(context, { customerId, provider }, record);
    return { records: fields.map((one) => toWire(writableField, one)) };
  },
});
