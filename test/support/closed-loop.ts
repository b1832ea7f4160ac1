import { Agent, request } from 'node:http';

/**
 * Clients that send one request after the other over kept-alive connections, as a load balancer does, and count what
 * becomes of each. They end when nobody listens any more.
 */
export function startClients({ url, headers, bodies, count }: ClientOptions): Clients {
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
      } else tally.dropped.push(outcome);
    }
  }

  /** The status once the whole answer is here, or why there is none. */
  function send(body: string): Promise<number | string> {
    return new Promise((resolve) => {
      const outgoing = request(`${url}/graphql`, { agent, method: 'POST', headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        answer.once('error', (error) => resolve(error.message));
        answer.once('end', () => resolve(text.endsWith('}') ? (answer.statusCode ?? 0) : 'half an answer'));
      });
      outgoing.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      outgoing.end(body);
    });
  }
}

interface ClientOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in turn. */
  readonly bodies: readonly string[];
  readonly count: number;
}

export interface Tally {
  answered: number;
  /** Nobody listened: the request was never accepted. */
  refused: number;
  /** Sent, and never answered: why. */
  readonly dropped: string[];
  readonly statuses: Record<number, number>;
}

export interface Clients {
  readonly tally: Tally;
  /** Responses to the client that has had the fewest: each of them has a connection once it is more than none. */
  leastAnswered(): number;
  readonly done: Promise<Tally>;
  stop(): void;
}
