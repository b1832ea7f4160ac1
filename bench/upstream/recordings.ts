import type { IncomingMessage } from 'node:http';

/** Requests that repeat, such as those for links: the sandbox's response to each, from its second time on. */
export function createRecordings(origin: string) {
  const known = new Map<string, Promise<Recording>>();
  let calls = 0;
  return {
    calls: () => calls,
    answer({ method = 'GET', url = '/', headers }: IncomingMessage, body: string) {
      calls += 1;
      const key = `${method} ${url} ${body}`;
      const recording = known.get(key) ?? record(`${origin}${url}`, { method, headers, body });
      known.set(key, recording);
      return recording;
    },
  };
}

async function record(
  url: string,
  {
    method,
    headers: given,
    body,
  }: Pick<IncomingMessage, 'headers'> & { method: string; body: string },
): Promise<Recording> {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: given.authorization ?? '',
      'accept-encoding': 'identity',
      ...(body !== '' && { 'content-type': 'application/json' }),
    },
    ...(body !== '' && { body }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`The sandbox answered ${response.status}: ${bytes}`);
  const headers = Object.fromEntries(response.headers);
  for (const name of ['transfer-encoding', 'connection', 'keep-alive', 'date'])
    delete headers[name];
  return {
    headers: { ...headers, ...UNLIMITED, 'content-length': String(bytes.length) },
    body: bytes,
  };
}

/** Associations have a limit of their own, of which HubSpot says nothing: the bench measures no limits. */
const UNLIMITED = {
  'x-hubspot-ratelimit-max': '999999999',
  'x-hubspot-ratelimit-remaining': '999999999',
  'x-hubspot-ratelimit-interval-milliseconds': '10000',
};

interface Recording {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}
