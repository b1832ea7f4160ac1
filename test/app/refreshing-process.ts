/**
 * A replica that refreshes idle tokens: the product's storage, HTTP client and adapters, with a sandbox in another
 * process. Prints `ready`, runs one round per message, and prints its outcome.
 */
import { toIdleRefreshDeps } from '../../src/background-jobs.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { createRegistry } from '../../src/providers/registry.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { refreshIdleTokens } from '../../src/usecases/refresh-idle-tokens.ts';

const { database: url, keys, sandbox, clients } = JSON.parse(process.argv[2] ?? '{}') as Setup;
const database = await openDatabase({ url }, { keyRing: parseKeyRing(keys) });
const providers = createRegistry();
const outbound = createOutbound({
  providers,
  sandboxOrigins: [sandbox],
  findOAuthClient: async ({ clientId }) => {
    const clientSecret = clients[clientId ?? ''];
    return clientId === null || clientSecret === undefined ? undefined : { clientId, clientSecret };
  },
  settings: { deadlineMs: 60_000 },
});
let outcomes: string[] = [];
const deps = toIdleRefreshDeps({
  database,
  outbound,
  providers,
  clock: systemClock,
  onRefreshed: (_provider, outcome) => void outcomes.push(outcome),
});

process.stdout.write('ready\n');
for await (const _ of process.stdin) {
  outcomes = [];
  await refreshIdleTokens({ ...deps, isStopping: () => false });
  process.stdout.write(`${JSON.stringify(outcomes)}\n`);
}

interface Setup {
  readonly database: string;
  readonly keys: string;
  readonly sandbox: string;
  /** The client secrets by client id. */
  readonly clients: Readonly<Record<string, string>>;
}
