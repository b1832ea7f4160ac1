import { CrossbookError } from '../../domain/errors.ts';
import { builder } from '../builder.ts';
import { costs, PROVIDER_CALL, recordCosts } from '../cost.ts';
import { selectContactFields } from '../field-selection.ts';
import { readRecord } from '../read-record.ts';
import { NodeInterface, type NodeRecord } from './node.ts';

const MAX_IDS = 1_000;

builder.queryField('node', (t) =>
  t.field({
    type: NodeInterface,
    nullable: true,
    description: 'Whatever has this id. Null where there is nothing, or nothing of yours.',
    args: { id: t.arg.id({ required: true, description: 'The id, as it was given.' }) },
    ...costs({ weight: PROVIDER_CALL }),
    resolve: (_root, { id }, context, info) => readRecord(context, id, selectContactFields(info, [])),
  }),
);

builder.queryField('nodes', (t) =>
  t.field({
    type: [NodeInterface],
    nullable: { list: false, items: true },
    description: 'Whatever has these ids, in their order: up to 1,000, read in few calls.',
    args: { ids: t.arg.idList({ required: true, description: 'The ids, as they were given.' }) },
    ...costs(recordCosts(({ ids }) => ids)),
    resolve(_root, { ids }, context, info): readonly Promise<NodeRecord | null>[] {
      if (ids.length > MAX_IDS) {
        throw new CrossbookError(
          'BAD_REQUEST',
          `\`nodes\` takes at most ${MAX_IDS} ids; these are ${ids.length}.`,
        );
      }
      const selection = selectContactFields(info, []);
      return ids.map((id) => readRecord(context, id, selection));
    },
  }),
);
