import * as z from 'zod';
import { owner } from '../../domain/records/owner.ts';
import { pipeline } from '../../domain/records/pipeline.ts';
import { PROVIDER_CALL } from '../../domain/records/record-search.ts';
import { readOwners, readPipelines } from '../../usecases/read-lists.ts';
import { defineOperation } from '../operation.ts';
import { object, toSchema, toWire } from '../schemas.ts';
import { targetHeaders } from './searches.ts';

export const listPipelinesOperation = defineOperation({
  id: 'listPipelines',
  route: 'GET /pipelines',
  summary: 'List pipelines',
  description:
    'Pipelines of deals of one customer at one provider, at most an hour old, with their stages in order.',
  callers: ['apiKey', 'customerToken'],
  input: { headers: targetHeaders },
  response: {
    description: 'The pipelines.',
    schema: object('response', 'Pipelines', 'Pipelines in their order.', {
      pipelines: z.array(toSchema(pipeline, 'response')).describe('Pipelines.'),
    }),
    example: {
      pipelines: [
        {
          id: 'default',
          label: 'Sales',
          stages: [
            { id: 'contractsent', label: 'Contract sent', status: 'open', probability: 0.9 },
          ],
        },
      ],
    },
  },
  errors: [404, 409, 499, 501],
  async handle(context, { headers: named }) {
    await context.charge(PROVIDER_CALL);
    const found = await readPipelines(context, { provider: named['x-provider-name'] });
    return { pipelines: found.map((one) => toWire(pipeline, one)) };
  },
});

export const listOwnersOperation = defineOperation({
  id: 'listOwners',
  route: 'GET /owners',
  summary: 'List owners',
  description:
    'Users of one customer’s CRM to whom records can belong, at most an hour old and at most 5,000.',
  callers: ['apiKey', 'customerToken'],
  input: { headers: targetHeaders },
  response: {
    description: 'The users.',
    schema: object('response', 'Owners', 'Users to whom records can belong.', {
      owners: z.array(toSchema(owner, 'response')).describe('Users.'),
    }),
    example: {
      owners: [{ id: '31', name: 'Grace Hopper', email: 'grace@example.com', is_active: true }],
    },
  },
  errors: [404, 409, 499, 501],
  async handle(context, { headers: named }) {
    await context.charge(PROVIDER_CALL);
    const found = await readOwners(context, { provider: named['x-provider-name'] });
    return { owners: found.map((one) => toWire(owner, one)) };
  },
});
