import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BATCH_READ } from '../contenders/hubspot.ts';
import type { SandboxAccount } from '../support/crossbook.ts';
import { PARTS } from '../support/paths.ts';
import { startWorker } from '../support/worker.ts';
import { PEOPLE } from '../workload/cases.ts';
import { emailsOf, inventPeople } from '../workload/people.ts';
import { createRecordings } from './recordings.ts';
import { askSandbox, createReplay } from './replay.ts';

/**
 * The HubSpot of all contenders: `main.js PORT…`. The sandbox, without effective rate limits, responds to each
 * request once; from then on its bytes are replayed, because the simulation needs more CPU time than most
 * contenders.
 */
const ports = process.argv.slice(2).map(Number);
const { openSandbox } = (await import(
  pathToFileURL(join(PARTS, 'sandbox.js')).href
)) as SandboxModule;
const sandbox = await openSandbox({});
const account = sandbox.hubspot.createAccount({
  people: inventPeople(PEOPLE),
  limits: { perTenSeconds: 999_999_999, perDay: 999_999_999 },
});
const { id, staticToken } = account;
const ask = askSandbox(sandbox.hubspot.origin, staticToken);
const replay = createReplay({ ask, emails: emailsOf(PEOPLE) });
const others = createRecordings(sandbox.hubspot.origin);

const listener: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    const answering =
      request.url === BATCH_READ ? replay.answer(body) : others.answer(request, body);
    answering.then(
      (answer) => response.writeHead(200, answer.headers).end(answer.body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
};
await Promise.all(
  ports.map(async (port) => {
    const server = createServer({ keepAliveTimeout: 60_000 }, listener).listen(port, '127.0.0.1');
    await once(server, 'listening');
  }),
);
startWorker({ account: { id, staticToken } } satisfies UpstreamReady, {
  calls: async () => replay.calls() + others.calls(),
});

export interface UpstreamReady {
  readonly account: SandboxAccount;
}

interface SandboxModule {
  openSandbox(options: object): Promise<{
    readonly hubspot: {
      readonly origin: string;
      createAccount(options: object): SandboxAccount;
    };
  }>;
}
