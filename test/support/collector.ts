import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

/** A collector of OpenTelemetry that speaks OTLP/HTTP in JSON, and takes nothing that is not to the letter. */
export async function openCollector({ status = 200 } = {}): Promise<Collector> {
  const requests: z.infer<typeof exportRequest>[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const parsed = exportRequest.safeParse(JSON.parse(Buffer.concat(chunks).toString()));
    const isRight = request.url === '/v1/traces' && request.method === 'POST' && parsed.success;
    if (parsed.success && status === 200) requests.push(parsed.data);
    headers.push(request.headers);
    response.writeHead(isRight ? status : 400, { 'content-type': 'application/json' });
    response.end(parsed.success ? '{"partialSuccess":{}}' : JSON.stringify(parsed.error.issues));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers,
    requests,
    spans: () =>
      requests.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const hex = (digits: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`));
const nanoseconds = z.string().regex(/^\d{19}$/);
const attribute = z.strictObject({
  key: z.string().min(1),
  value: z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
    z.strictObject({ doubleValue: z.number() }),
  ]),
});
const span = z
  .strictObject({
    traceId: hex(32),
    spanId: hex(16),
    parentSpanId: hex(16).optional(),
    name: z.string().min(1),
    kind: z.union([z.literal(1), z.literal(2), z.literal(3)]),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes: z.array(attribute),
    status: z.strictObject({ code: z.literal(2).optional() }),
  })
  .refine(({ startTimeUnixNano, endTimeUnixNano }) => BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano));
const exportRequest = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(attribute) }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(span),
        }),
      ),
    }),
  ),
});

export interface Collector {
  readonly endpoint: string;
  /** Of each request, whether taken or not. */
  readonly headers: readonly IncomingHttpHeaders[];
  readonly requests: readonly z.infer<typeof exportRequest>[];
  spans(): readonly z.infer<typeof span>[];
  close(): Promise<void>;
}
