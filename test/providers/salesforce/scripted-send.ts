import { PageSizes } from '../../../src/domain/page-sizes.ts';
import type { ProviderResponse, RemoteRequest } from '../../../src/domain/remote.ts';
import { openCrm } from '../../../src/providers/salesforce/provider.ts';
import { createConnection } from '../../support/connection.ts';
import { createFakeFacts } from '../../support/fake-facts.ts';
import { type TestContacts, toRedacted } from '../../support/redacted.ts';
import { createScriptedSend } from '../../support/send.ts';

/** The adapter in front of a Salesforce of which only the answers are known, one after the other. */
export function openScripted(answers: readonly Scripted[], connection = CONNECTION): ScriptedPort {
  const { send, requests } = createScriptedSend(...answers);
  const port = toRedacted(
    openCrm({
      send,
      connection,
      openFacts: createFakeFacts,
      pageSizes: new PageSizes(),
      remember: (_name, read) => read(),
    }),
  );
  return { port, requests, queries: () => requests.flatMap(queriesOf) };
}

export function json(body: unknown, status = 200): Scripted {
  return { status, body: JSON.stringify(body) };
}

export function rows(records: readonly unknown[], next?: unknown): Scripted {
  return json({
    totalSize: records.length,
    done: next === undefined,
    records,
    ...(next !== undefined && { nextRecordsUrl: next }),
  });
}

export function refusal(status: number, errorCode: string, message = 'No'): Scripted {
  return json([{ message, errorCode }], status);
}

export function composite(...parts: readonly Scripted[]): Scripted {
  return json({
    compositeResponse: parts.map(({ status, body }, index) => ({
      body: JSON.parse(body ?? 'null'),
      httpHeaders: { 'Sforce-Limit-Info': 'api-usage=1/15000' },
      httpStatusCode: status,
      referenceId: `query${index}`,
    })),
  });
}

export const CONNECTION = createConnection('salesforce', {
  instanceUrl: 'https://acme.my.salesforce.com',
});

function queriesOf({ path, body }: RemoteRequest): readonly string[] {
  const paths =
    body === undefined
      ? [path]
      : (JSON.parse(body) as { compositeRequest: { url: string }[] }).compositeRequest.map(
          ({ url }) => url,
        );
  return paths.map((one) => new URL(one, 'https://any.example').searchParams.get('q') ?? one);
}

export type Scripted = Partial<ProviderResponse>;

interface ScriptedPort {
  readonly port: TestContacts;
  readonly requests: readonly RemoteRequest[];
  /** The queries in clear text, of plain and of composite calls. */
  queries(): readonly string[];
}
