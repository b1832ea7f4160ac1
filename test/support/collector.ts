import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

/** A collector of OpenTelemetry (OTLP/HTTP in JSON) that rejects anything outside the specification. */
export async function openCollector(options: CollectorOptions = {}): Promise<Collector> {
  const { status = 200, afterwards = status } = options;
  let next = status;
  const requests: z.infer<typeof exportRequest>[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const parsed = exportRequest.safeParse(JSON.parse(Buffer.concat(chunks).toString()));
    const isRight = request.url === '/v1/traces' && request.method === 'POST' && parsed.success;
    if (parsed.success && next === 200) requests.push(parsed.data);
    headers.push(request.headers);
    response.writeHead(isRight ? next : 400, { 'content-type': 'application/json' });
    response.end(parsed.success ? '{"partialSuccess":{}}' : JSON.stringify(parsed.error.issues));
    next = afterwards;
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
    // The specification's JSON has 64-bit integers as strings; collectors accept numbers too, which the SDK writes.
    z.strictObject({ intValue: z.int() }),
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
    droppedAttributesCount: z.literal(0),
    events: z.tuple([]),
    droppedEventsCount: z.literal(0),
    links: z.tuple([]),
    droppedLinksCount: z.literal(0),
    flags: z.int(),
    status: z.strictObject({ code: z.union([z.literal(0), z.literal(2)]) }),
  })
  .refine(
    ({ startTimeUnixNano, endTimeUnixNano }) =>
      BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano),
  );
const exportRequest = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({
        attributes: z.array(attribute),
        droppedAttributesCount: z.literal(0),
      }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(span),
        }),
      ),
    }),
  ),
});

interface CollectorOptions {
  readonly status?: number;
  /** The status for all but the first request. */
  readonly afterwards?: number;
}

export interface Collector {
  readonly endpoint: string;
  /** Of each request, accepted or not. */
  readonly headers: readonly IncomingHttpHeaders[];
  readonly requests: readonly z.infer<typeof exportRequest>[];
  spans(): readonly z.infer<typeof span>[];
  close(): Promise<void>;
}
