import { type Listener, listen as listenTo } from '../../src/http/listen.ts';
import { createNodeHandler, type NodeHandlerOptions } from '../../src/http/node-handler.ts';

/** The listener in front of a request handler. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const handler = createNodeHandler(options);
  const listener = await listenTo({ ...options, handler });
  return {
    ...listener,
    close: (withinMs) => listener.close(withinMs).finally(() => void handler.close()),
  };
}

export type { Listener };

type ListenOptions = NodeHandlerOptions & Omit<Parameters<typeof listenTo>[0], 'handler'>;
