import { type Config, readConfig } from '../../src/config.ts';
import { listen } from './listen.ts';
import { openApp, type TestApp } from './open-app.ts';

/** The whole product on a loopback port, for third-party clients. */
export async function listenApp(patch: Partial<Config> = {}): Promise<ListeningApp> {
  const crossbook = await openApp(patch);
  const requests: SeenRequest[] = [];
  const { bounds } = readConfig({});
  const listener = await listen({
    async answer(request, address) {
      const { method, url, pathname, headers, hasBody } = request;
      // The body is received once, recorded, and passed on.
      if (hasBody) await request.receiveBody(Number.POSITIVE_INFINITY, async () => {});
      const body = request.readBody();
      requests.push({
        headers: new Headers([...headers].map(([name, value]) => [name, value])),
        body: String(body),
      });
      return crossbook.app.answer(
        {
          method,
          url,
          pathname,
          headers,
          hasBody,
          receiveBody: async () => {},
          readBody: () => request.readBody(),
          onClose: (callback) => request.onClose(callback),
        },
        address,
      );
    },
    onRefused: crossbook.app.onRefused,
    unread: crossbook.app.unread,
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
  /** The requests so far. A test can clear them. */
  readonly requests: SeenRequest[];
}

interface SeenRequest {
  readonly headers: Headers;
  readonly body: string;
}
