import type { Connection } from '../../../src/domain/connection.ts';
import type { ContactPort } from '../../../src/domain/provider.ts';
import type { RemoteAnswer, RemoteRequest, Send } from '../../../src/domain/remote.ts';
import { openContacts } from '../../../src/providers/salesforce/port.ts';

/** A Salesforce of which only the answers are known, one after the other, and which remembers what it was asked. */
export function scriptSend(answers: readonly Scripted[]): ScriptedSend {
  const requests: RemoteRequest[] = [];
  return {
    requests,
    queries: () => requests.flatMap(queriesOf),
    async send(request) {
      const answer = answers[requests.length];
      requests.push(request);
      if (answer === undefined) throw new Error(`Nobody expected ${request.method} ${request.path}`);
      return { status: 200, headers: {}, body: '', ...answer };
    },
  };
}

/** The adapter in front of it. */
export function openScripted(answers: readonly Scripted[], connection = CONNECTION): ScriptedPort {
  const script = scriptSend(answers);
  return { ...script, port: openContacts({ send: script.send, connection }) };
}

export function json(body: unknown, status = 200): Scripted {
  return { status, body: JSON.stringify(body) };
}

export function rows(records: readonly unknown[], next?: unknown): Scripted {
  return json({
    ...{ totalSize: records.length, done: next === undefined, records },
    ...(next !== undefined && { nextRecordsUrl: next }),
  });
}

export function refusal(status: number, errorCode: string, message = 'No'): Scripted {
  return json([{ message, errorCode }], status);
}

export function composite(...parts: readonly Scripted[]): Scripted {
  return json({
    compositeResponse: parts.map(({ status, body }, index) => ({
      ...{ body: JSON.parse(body ?? 'null'), httpHeaders: { 'Sforce-Limit-Info': 'api-usage=1/15000' } },
      ...{ httpStatusCode: status, referenceId: `query${index}` },
    })),
  });
}

export const CONNECTION: Connection = {
  id: '6f9f9c3e-3c1e-4a41-b5a5-0b1ac3f1a001',
  applicationId: '6f9f9c3e-3c1e-4a41-b5a5-0b1ac3f1a002',
  customerId: 'acme',
  providerId: '6f9f9c3e-3c1e-4a41-b5a5-0b1ac3f1a003',
  providerName: 'salesforce',
  category: 'crm',
  instanceUrl: 'https://acme.my.salesforce.com',
  schemaMappingsConfig: null,
  entityMappings: null,
  connectionSyncConfig: null,
  status: 'connected',
};

function queriesOf({ path, body }: RemoteRequest): readonly string[] {
  const paths =
    body === undefined
      ? [path]
      : (JSON.parse(body) as { compositeRequest: { url: string }[] }).compositeRequest.map(({ url }) => url);
  return paths.map((one) => new URL(one, 'https://any.example').searchParams.get('q') ?? one);
}

export type Scripted = Partial<RemoteAnswer>;

interface ScriptedPort extends ScriptedSend {
  readonly port: ContactPort;
}

interface ScriptedSend {
  readonly send: Send;
  readonly requests: readonly RemoteRequest[];
  /** The queries in clear text, of plain and of composite calls. */
  queries(): readonly string[];
}
