import { type Config, readConfig } from '../../src/config.ts';
import { listen } from '../../src/http/listen.ts';
import { openApp, type TestApp } from './open-app.ts';

/** The whole product behind a port on loopback, for clients that are not ours. */
export async function listenApp(patch: Partial<Config> = {}): Promise<ListeningApp> {
  const crossbook = await openApp(patch);
  const { fetch } = crossbook.app;
  const requests: SeenRequest[] = [];
  const { bounds } = readConfig({});
  const listener = await listen({
    async fetch(request, arrived) {
      const { method, url } = request;
      const headers = new Headers(request.headers);
      // Read once and passed on as another request: a clone would read the same stream, and leave nothing of it.
      const body = await request.text();
      requests.push({ headers, body });
      return fetch(new Request(url, { method, headers, ...(body !== '' && { body }) }), arrived);
    },
    host: '127.0.0.1',
    port: 0,
    bounds,
  });
  return {
    ...crossbook,
    url: listener.url,
    requests,
    async close() {
      await listener.close(1_000);
      await crossbook.close();
    },
  };
}

export interface ListeningApp extends TestApp {
  readonly url: string;
  /** What has come in so far. The test may empty it. */
  readonly requests: SeenRequest[];
}

interface SeenRequest {
  readonly headers: Headers;
  readonly body: string;
}
