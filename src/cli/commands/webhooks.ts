import { sendTestEvent } from '../../usecases/manage-webhooks.ts';
import { APPLICATION, type Command } from '../command.ts';

const ENDPOINT = { name: 'ENDPOINT', description: 'Id of the webhook endpoint.' };

/** Commands for the webhook endpoints of an application. */
export const webhookCommands: readonly Command[] = [
  {
    name: 'webhooks test',
    summary: 'Sends a test event to a webhook endpoint.',
    details: [
      'The event has the type webhook.test, and is sent regardless of the types of the endpoint.',
      'A running server signs and sends it, usually within a few seconds.',
    ],
    operands: [APPLICATION, ENDPOINT],
    async run({ operand, openApplication }) {
      const { id, name, webhooks } = await openApplication();
      const event = await sendTestEvent(
        {
          requireCaller: () => ({ application: { id, name }, credentialId: 'cli' }),
          withSpan: (_name, work) => work(),
          webhooks,
        },
        operand('ENDPOINT'),
      );
      return {
        data: { applicationId: id, endpointId: operand('ENDPOINT'), event },
        text: `The event ${event.id} is queued. A running server sends it.`,
      };
    },
  },
];
