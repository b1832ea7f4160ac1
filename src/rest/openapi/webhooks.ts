import { EVENT_TYPES, type EventType, eventType } from '../../domain/event.ts';
import { EXAMPLE_EVENT, webhookBodyShape } from '../routes/events.ts';
import { refToAnswered } from './components.ts';

/** The section of OpenAPI 3.1 that says what we send, rather than what we answer. */
export function toWebhooks(): Record<string, object> {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: toOperation(type) }]));
}

function toOperation(type: EventType): object {
  const { customer_id, connection_id, sequence, data, created_at } = EXAMPLE_EVENT;
  const subject = type.startsWith('connection.') ? { connection_id, sequence, ...data } : {};
  return {
    operationId: `on_${type.replace('.', '_')}`,
    tags: ['webhooks'],
    summary: eventType.words[type].replace(/\.$/, ''),
    description:
      'Verify it with the endpoint’s secret, as Standard Webhooks says, and answer 2xx within 15 seconds.',
    parameters: Object.entries(HEADERS).map(([name, description]) => ({
      ...{ name, in: 'header', required: true, description, schema: { type: 'string' } },
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: refToAnswered(webhookBodyShape),
          example: { type, timestamp: created_at, data: { customer_id, ...subject } },
        },
      },
    },
    responses: {
      '2XX': { description: 'It has arrived. Anything else is tried again, for three days.' },
      410: { description: 'The endpoint wants nothing any more, and is disabled.' },
    },
  };
}

const HEADERS = {
  'webhook-id': 'The event’s id: the same at each attempt.',
  'webhook-timestamp': 'When this attempt was made, in Unix seconds.',
  'webhook-signature':
    '`v1,` and base64 of HMAC-SHA-256 over `id.timestamp.body`; two while a secret is rotated.',
};
