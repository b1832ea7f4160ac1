import { costs, type UncheckedArguments } from '@crossbook/executor';
import { providerName } from '../../domain/provider-names.ts';
import { COMPANY } from '../../domain/records/company.ts';
import { WRITABLE_COMPANIES } from '../../domain/records/company-changes.ts';
import { CONTACT } from '../../domain/records/contact.ts';
import { WRITABLE_CONTACTS } from '../../domain/records/contact-changes.ts';
import { DEAL } from '../../domain/records/deal.ts';
import { WRITABLE_DEALS } from '../../domain/records/deal-changes.ts';
import {
  LINK_OPERATIONS,
  type LinkInput,
  type LinkVerb,
  linkCreation,
  linkRemoval,
  linkWriteResult,
} from '../../domain/records/link-changes.ts';
import type { CrmRecord, RecordKind, RecordOrigin } from '../../domain/records/record.ts';
import { LIST_COST, PROVIDER_CALL } from '../../domain/records/record-search.ts';
import type {
  WritableKind,
  WriteInput,
  WriteItem,
  WriteVerb,
} from '../../domain/records/writable.ts';
import {
  MAX_IDEMPOTENCY_KEY,
  MAX_WRITES,
  type WriteResult,
  write,
  writeRecord,
} from '../../domain/records/write.ts';
import {
  boolean,
  type Fields,
  field,
  id,
  listOf,
  nullable,
  type Shape,
  string,
} from '../../domain/shape.ts';
import { isRecord } from '../../lib/json.ts';
import { findWrite, listWrites, MAX_LISTED } from '../../usecases/find-writes.ts';
import { findRecord } from '../../usecases/search-records.ts';
import { writeLinks } from '../../usecases/write-links.ts';
import { toOperationName, writeRecords } from '../../usecases/write-records.ts';
import { builder, tagged } from '../define/builder.ts';
import { countOf } from '../define/cost.ts';
import { selectFields } from '../define/field-selection.ts';
import { defineObject, objectOf } from '../define/from-shape.ts';
import { defineMutation } from '../define/mutation.ts';
import { CompanyType } from './company.ts';
import { ContactType } from './contact.ts';
import { DealType } from './deal.ts';
import { connectionOf, type ObjectRefOf, pageSizeOf } from './pagination.ts';

/** A call reads, then writes. Each record costs as much as a few values. */
const WRITE_COST = 3 * PROVIDER_CALL;
const PER_RECORD = 10;
const DEFAULT_LISTED = 20;
const ALLOWED =
  'Requires a connection with the access `READ_WRITE`, and an API key or a customer token that was issued with `canWrite`. Begin with `dryRun: true`, which checks everything and writes nothing.';
const TARGET = {
  customerId: nullable(
    id,
    'Your own id of the customer. Default: the header `x-customer-id`, or the token’s customer.',
  ),
  provider: nullable(providerName, 'CRM to write to. Default: the header `x-provider-name`.'),
  idempotencyKey: nullable(
    string,
    `Key of your choice, 1 to ${MAX_IDEMPOTENCY_KEY} printable ASCII characters: a repeated call with the same key and input returns the results of the first for 7 days, and writes nothing again.`,
  ),
  dryRun: field(
    boolean,
    'Whether only to check: the outcomes say what would happen, and nothing is written or stored.',
    { defaultValue: false },
  ),
};

defineWrites(WRITABLE_CONTACTS, CONTACT, ContactType);
defineWrites(WRITABLE_COMPANIES, COMPANY, CompanyType);
defineWrites(WRITABLE_DEALS, DEAL, DealType);
defineLinks('link', linkCreation, 'Links records with each other. A link that exists stays.');
defineLinks(
  'unlink',
  linkRemoval,
  'Removes links between records, which stay. A link that does not exist is `UNCHANGED`.',
);

/** The mutations of one type of record. */
function defineWrites<Item extends CrmRecord>(
  kind: WritableKind,
  record: RecordKind<Item>,
  type: ObjectRefOf<Item>,
): void {
  const { noun, nouns } = record;
  defineObject<ResultSource>(kind.result, {
    fields: (t) => ({
      [noun]: t.field({
        type: type as ObjectRefOf<CrmRecord>,
        nullable: true,
        description: `The ${noun} as it is in the CRM after the write, read only if this field is selected. Null in a dry run, and if nothing was written.`,
        ...costs({ weight: PER_RECORD }),
        resolve: async ({ source, remoteId, isWritten }, _args, context, info) => {
          if (!isWritten || remoteId === null) return null;
          const { customerId, provider } = source;
          const key = { customerId, provider, remoteId };
          return (await findRecord(context, record, key, selectFields(record, info, []))) ?? null;
        },
      }),
    }),
  });
  const creates: Fields = {
    allowDuplicates: field(
      boolean,
      'Whether duplicate rules of the CRM that only warn are overruled. A rule that blocks never is.',
      { defaultValue: false },
    ),
  };
  const upserts: Fields = {
    updateOnly: field(boolean, `Whether ${nouns} that are not found are refused.`, {
      defaultValue: false,
    }),
    ...creates,
  };
  const define = (verb: WriteVerb, item: Shape<WriteItem>) =>
    defineMutation(toOperationName(kind, verb), {
      description: `${toSummary(verb, nouns)} Each ${noun} has its own result: a problem with one never stops the others. ${ALLOWED}`,
      allowsTokens: true,
      cost: { weight: (args) => WRITE_COST + PER_RECORD * countItems(args, 'records') },
      input: {
        argument: `The ${nouns}, and how to write them.`,
        description: `${capitalized(nouns)} to write.`,
        fields: {
          ...TARGET,
          ...(verb === 'upsert' ? upserts : creates),
          records: field(listOf(item), `The ${nouns}, 1 to ${MAX_WRITES}.`),
        },
      },
      async resolve(input, context) {
        const writeInput = input as unknown as WriteInput;
        const done = await writeRecords(context, { kind, verb }, writeInput);
        const results = done.results.map(
          (one): ResultSource => ({
            ...one,
            source: done.source,
            isWritten:
              done.write !== null && one.outcome !== 'REFUSED' && one.outcome !== 'UNKNOWN',
          }),
        );
        return { write: done.write, results };
      },
      payload: {
        description: `What became of the ${nouns}.`,
        fields: {
          write: nullable(write, 'The write. Null for a dry run.'),
          results: field<readonly WriteResult[]>(
            listOf(kind.result) as never,
            `One result for each ${noun} of the input, in its order.`,
            { items: 10 },
          ),
        },
      },
    });
  for (const [verb, item] of kind.items) define(verb, item);
}

/** A mutation of the links between records. */
function defineLinks(verb: LinkVerb, item: Shape<unknown>, summary: string): void {
  defineMutation(LINK_OPERATIONS[verb], {
    description: `${summary} Links of contacts, companies and deals; each has its own result: a problem with one never stops the others. Both records must be writable. ${ALLOWED}`,
    allowsTokens: true,
    cost: { weight: (args) => WRITE_COST + PER_RECORD * countItems(args, 'links') },
    input: {
      argument: 'The links, and how to write them.',
      description: verb === 'link' ? 'Links to make.' : 'Links to remove.',
      fields: {
        ...TARGET,
        links: field(listOf(item), `The links, 1 to ${MAX_WRITES}.`),
      },
    },
    async resolve(input, context) {
      const done = await writeLinks(context, verb, input as unknown as LinkInput);
      return { write: done.write, results: done.results };
    },
    payload: {
      description: 'What became of the links.',
      fields: {
        write: nullable(write, 'The write. Null for a dry run.'),
        results: field(
          listOf(linkWriteResult),
          'One result for each link of the input, in its order.',
          { items: 10 },
        ),
      },
    },
  });
}

function toSummary(verb: WriteVerb, nouns: string): string {
  if (verb === 'upsert') return `Creates ${nouns}, or changes those that are found.`;
  return verb === 'create' ? `Creates ${nouns}.` : `Changes ${nouns} by their ids in the CRM.`;
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function countItems({ input }: UncheckedArguments, name: 'records' | 'links'): number {
  const items = isRecord(input) ? input[name] : [];
  return Math.min(countOf(items ?? []), MAX_WRITES);
}

interface ResultSource extends WriteResult {
  readonly source: RecordOrigin;
  readonly isWritten: boolean;
}

builder.queryField('write', (t) =>
  t.field({
    type: objectOf(writeRecord),
    nullable: true,
    description:
      'A write of the last 90 days by its id. Use it to find out what became of records whose outcome was `UNKNOWN`. A customer token sees the writes of its customer.',
    args: { id: t.arg.id({ required: true, description: 'Id of the write.' }) },
    ...costs({ weight: LIST_COST }),
    resolve: (_root, { id: writeId }, context) => findWrite(context, writeId),
  }),
);

builder.queryField('writes', (t) =>
  t.field({
    ...tagged('api-key'),
    type: connectionOf(objectOf(writeRecord), {
      one: 'A write',
      noun: 'write',
      description: 'A page of writes, newest first.',
      cursorsFor: '`after`',
    }),
    description:
      'Writes to a customer’s CRMs in the last 90 days, newest first: who has written which records, without values of fields. Requires an API key.',
    args: {
      customerId: t.arg.id({ required: true, description: 'Your own id of the customer.' }),
      first: t.arg.int({
        description: `Number of writes on the page, at most ${MAX_LISTED}. Default ${DEFAULT_LISTED}.`,
      }),
      after: t.arg.string({ description: 'Cursor of the last write on the previous page.' }),
    },
    ...costs({ weight: LIST_COST, pageSize: (args) => pageSizeOf(args, DEFAULT_LISTED) }),
    resolve: (_root, { customerId, first, after }, context) =>
      listWrites(context, { customerId, size: first ?? DEFAULT_LISTED, cursor: after }),
  }),
);
