import { costs } from '@crossbook/executor';
import { owner } from '../../domain/records/owner.ts';
import { pipeline } from '../../domain/records/pipeline.ts';
import { PROVIDER_CALL } from '../../domain/records/record-search.ts';
import { readOwners, readPipelines } from '../../usecases/read-lists.ts';
import { builder } from '../define/builder.ts';
import { objectOf } from '../define/from-shape.ts';
import { targetArguments } from './records.ts';

/** The usual number of users of a CRM. */
const OWNERS = 50;

builder.queryFields((t) => ({
  pipelines: t.field({
    type: [objectOf(pipeline)],
    nullable: true,
    description:
      'Pipelines of deals in a customer’s CRM, at most an hour old, in their order. Null, with an error at its path, if the CRM fails.',
    args: targetArguments,
    ...costs({ weight: PROVIDER_CALL, items: 2 }),
    resolve: (_root, target, context) => readPipelines(context, target),
  }),
  owners: t.field({
    type: [objectOf(owner)],
    nullable: true,
    description:
      'Users of a customer’s CRM to whom records can belong, at most an hour old and at most 5,000. Null, with an error at its path, if the CRM fails.',
    args: targetArguments,
    ...costs({ weight: PROVIDER_CALL, items: OWNERS }),
    resolve: (_root, target, context) => readOwners(context, target),
  }),
}));
