import { Agent, request } from 'node:http';

/**
 * Clients that send one request after the other over keep-alive connections (closed loop), like a load balancer,
 * and count the outcomes. They end when connections are refused.
 */
export function startClients({
  url,
  headers,
  bodies,
  count,
  mayReset = false,
}: ClientOptions): Clients {
  const agent = new Agent({ keepAlive: true, maxSockets: count });
  const tally: Tally = { answered: 0, refused: 0, dropped: [], statuses: {} };
  let stopped = false;
  const answeredBy = Array.from({ length: count }, () => 0);
  const clients = answeredBy.map((_, index) => run(index));

  return {
    tally,
    leastAnswered: () => Math.min(...answeredBy),
    done: Promise.all(clients).then(() => {
      agent.destroy();
      return tally;
    }),
    stop() {
      stopped = true;
    },
  };

  async function run(index: number): Promise<void> {
    for (let turn = index; !stopped; turn++) {
      const outcome = await send(bodies[turn % bodies.length] ?? '');
      if (typeof outcome === 'number') {
        tally.answered += 1;
        answeredBy[index] = (answeredBy[index] ?? 0) + 1;
        tally.statuses[outcome] = (tally.statuses[outcome] ?? 0) + 1;
      } else if (outcome === 'ECONNREFUSED') {
        tally.refused += 1;
        return;
      } else if (outcome !== UNACCEPTED) tally.dropped.push(outcome);
    }
  }

  /** The status once the response is complete, or the reason why there is none. */
  function send(body: string): Promise<number | string> {
    return new Promise((resolve) => {
      const outgoing = request(`${url}/graphql`, { agent, method: 'POST', headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        answer.once('error', (error) => resolve(error.message));
        answer.once('end', () =>
          resolve(text.endsWith('}') ? (answer.statusCode ?? 0) : 'half an answer'),
        );
      });
      outgoing.once('error', (error: NodeJS.ErrnoException) => {
        const isUnaccepted = mayReset && error.code === 'ECONNRESET' && !outgoing.reusedSocket;
        resolve(isUnaccepted ? UNACCEPTED : (error.code ?? error.message));
      });
      outgoing.end(body);
    });
  }
}

/** A new connection was reset: it had waited in the kernel, and no process has read from it. */
const UNACCEPTED = 'unaccepted';

interface ClientOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in rotation. */
  readonly bodies: readonly string[];
  readonly count: number;
  /** Of several processes at one port, none may have accepted a new connection when the last one closes the port. */
  readonly mayReset?: boolean;
}

export interface Tally {
  answered: number;
  /** Connection refused: the request was never accepted. */
  refused: number;
  /** Sent without a response: the reasons. */
  readonly dropped: string[];
  readonly statuses: Record<number, number>;
}

export interface Clients {
  readonly tally: Tally;
  /** The lowest count of responses among the clients: once it is above zero, every client has a connection. */
  leastAnswered(): number;
  readonly done: Promise<Tally>;
  stop(): void;
}
