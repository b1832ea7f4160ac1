import * as z from 'zod';
import { WRITABLE_RECORDS } from '../../domain/records/catalogue.ts';
import { PROVIDER_CALL } from '../../domain/records/record-search.ts';
import type { WritableKind, WriteItem, WriteVerb } from '../../domain/records/writable.ts';
import { MAX_IDEMPOTENCY_KEY, writeResult } from '../../domain/records/write.ts';
import type { Shape } from '../../domain/shape.ts';
import { writeRecords } from '../../usecases/write-records.ts';
import { toArgument, toObjectSchema } from '../schemas.ts';
import {
  customerArgument,
  DEFAULT_PROVIDER,
  defineTool,
  providerArgument,
  resolveProvider,
  type Tool,
  toOutputSchema,
  UNTRUSTED,
} from './tool.ts';

/** An agent writes a few records at once: a person can read them before. */
const MAX_RECORDS = 20;
const WRITE_COST = 3 * PROVIDER_CALL;

const WHAT = {
  upsert: { title: 'Create or change', text: 'Creates records, or changes those that are found' },
  create: { title: 'Create', text: 'Creates records' },
  update: { title: 'Change', text: 'Changes records by their ids' },
} as const;

function defineWriteTool(kind: WritableKind, verb: WriteVerb, item: Shape<WriteItem>): Tool {
  const { nouns } = kind.record;
  const { title, text } = WHAT[verb];
  return defineTool({
    name: `${verb}_${nouns}`,
    title: `${title} ${nouns}`,
    description: `${text} in the customer’s CRM: ${nouns}. First call it with dryRun: true, show the person what would change, and write only what they have agreed to. Each record has its own result. Nothing can be undone or deleted here. ${UNTRUSTED}`,
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: verb !== 'create',
      openWorldHint: true,
    },
    needsWrites: true,
    input: z.strictObject({
      provider: providerArgument(`The CRM to write to. ${DEFAULT_PROVIDER}`),
      dryRun: z
        .boolean()
        .default(true)
        .describe('Whether only to check what would happen. Default: true. Pass false to write.'),
      idempotencyKey: z
        .string()
        .min(1)
        .max(MAX_IDEMPOTENCY_KEY)
        .optional()
        .describe(
          'A key of your choice: a repeated call with the same key and records writes nothing again.',
        ),
      records: z
        .array(toArgument(item))
        .min(1)
        .max(MAX_RECORDS)
        .describe(`The ${nouns}, at most ${MAX_RECORDS}.`),
      ...customerArgument,
    }),
    output: toOutputSchema({
      writeId: { type: 'string', description: 'Id of the write. Absent for a dry run.' },
      results: {
        type: 'array',
        description: `One result for each of the ${nouns}, in their order.`,
        items: toObjectSchema(writeResult.fields),
      },
    }),
    async run(context, { dryRun, idempotencyKey, records, ...args }, charge) {
      await charge(WRITE_COST + 10 * records.length);
      const provider = await resolveProvider(context, args);
      const { customerId } = args;
      const done = await writeRecords(
        context,
        { kind, verb },
        {
          customerId,
          provider,
          dryRun,
          idempotencyKey,
          records: records as unknown as readonly WriteItem[],
        },
      );
      const counts = countOutcomes(done.results.map(({ outcome }) => outcome));
      return {
        structured: { ...(done.write && { writeId: done.write.id }), results: done.results },
        text: `${dryRun ? 'Nothing was written. It would be' : 'The results are'}: ${counts}.`,
      };
    },
  });
}

function countOutcomes(outcomes: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
}

export const writeTools: readonly Tool[] = WRITABLE_RECORDS.flatMap((kind) =>
  Array.from(kind.items, ([verb, item]) => defineWriteTool(kind, verb, item)),
);
