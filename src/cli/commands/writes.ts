import type { LinkedRecord } from '../../domain/records/link.ts';
import type { WriteRecord, WrittenRecord } from '../../domain/records/write.ts';
import { listWrites, MAX_LISTED } from '../../usecases/find-writes.ts';
import { APPLICATION, type Command, CUSTOMER, toTable } from '../command.ts';
import { readSize, toListDeps } from '../list-deps.ts';

const DEFAULT_LISTED = 20;

/** Commands for what was written to the CRMs of an application's customers. */
export const writeCommands: readonly Command[] = [
  {
    name: 'writes list',
    summary: 'Lists who has written which records to a customer’s CRMs in the last 90 days.',
    details: [
      'One line for each record, the newest first: time, id of the API key or customer token, operation, CRM, id of the record or the two linked ones, outcome, and the names of its fields or the codes of its problems.',
    ],
    operands: [APPLICATION, CUSTOMER],
    options: {
      first: {
        value: 'NUMBER',
        description: `Writes on a page, at most ${MAX_LISTED}. Default: ${DEFAULT_LISTED}`,
      },
      after: {
        value: 'CURSOR',
        description: 'Cursor of the next page, as printed by the previous one.',
      },
    },
    async run(invocation) {
      const { operand, text, note, readKeyRing, openApplication } = invocation;
      const size = readSize(invocation, DEFAULT_LISTED, MAX_LISTED);
      const application = await openApplication();
      const page = await listWrites(
        { ...toListDeps(application, readKeyRing()), writes: application.writes },
        {
          customerId: operand('CUSTOMER'),
          size,
          cursor: text('after'),
        },
      );
      const next = page.hasNextPage ? page.cursorOf(page.items.at(-1), 'forward') : null;
      if (next !== null) note(`There are more: --after ${next}`);
      const rows = page.items.flatMap((write) => write.results.map((one) => toRow(write, one)));
      return {
        data: { writes: page.items, next },
        text: toTable(rows) || 'There are no writes.',
      };
    },
  },
];

function toRow(write: WriteRecord, { outcome, remoteId, link, fields, problems }: WrittenRecord) {
  return [
    write.createdAt.toISOString(),
    write.credentialId,
    write.operation,
    write.provider,
    link ? `${toName(link.from)}-${toName(link.to)}` : (remoteId ?? '-'),
    outcome.toLowerCase(),
    [...fields, ...problems.map(({ code }) => code)].join(' '),
  ];
}

/** `contact:101`. */
function toName({ record, remoteId }: LinkedRecord): string {
  return `${record.toLowerCase()}:${remoteId}`;
}
