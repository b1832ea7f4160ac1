import { askTogether } from '../lookups/ask-together.ts';
import { NAIVE_CLIENTS } from '../lookups/naive-clients.ts';
import { toLookupsTable } from '../report/lookups-table.ts';
import { type Crossbook, connectCustomer, startCrossbook } from '../support/crossbook.ts';
import type { Options } from '../support/options.ts';
import { say, showProgress } from '../support/progress.ts';
import { type SandboxProcess, startSandbox } from '../support/sandbox.ts';
import { emailsOf, inventPeople } from '../workload/people.ts';

/**
 * Many single lookups of different emails arrive concurrently for one HubSpot connection, under HubSpot's real rate
 * limits, which the sandbox enforces. Crossbook gets them as GraphQL requests, one lookup each; the naive clients
 * call HubSpot directly.
 */
export async function measureLookups({ node, quick }: Options): Promise<LookupsResult> {
  const count = quick ? 200 : 1_000;
  const crossbook = await startCrossbook({ node });
  const sandbox = await startSandbox(crossbook, node);
  try {
    const tiers: TierResult[] = [];
    await warmUp(crossbook, sandbox);
    for (const tier of quick ? TIERS.slice(1) : TIERS) {
      const scene = { sandbox, count, ...tier };
      const { seconds, ...calls } = await asCrossbook(crossbook, scene);
      tiers.push({ ...tier, crossbook: { seconds, ...calls }, ...NOT_YET });
    }
    showProgress(`look-ups: the naive clients take their time (about ${quick ? 15 : 100} s)`);
    // They mostly wait: run concurrently, they take no longer than the slowest, each with an account of its own.
    await Promise.all(
      tiers.map(async (tier) => {
        const scene = { sandbox, count, ...tier };
        [tier.backOff, tier.paceItself] = await Promise.all([
          asNaive('backOff', scene),
          asNaive('paceItself', scene),
        ]);
      }),
    );
    const result = { count, tiers };
    say(toLookupsTable(result));
    return result;
  } finally {
    await Promise.all([crossbook.stop(), sandbox.stop()]);
  }
}

/** Warms up a server, because a burst usually arrives at one that has been running for a while. */
async function warmUp(crossbook: Crossbook, sandbox: SandboxProcess): Promise<void> {
  showProgress('look-ups: Crossbook warms up, on another connection');
  const account = await createAccount({ sandbox, count: WARM_UP, perTenSeconds: 1_000_000 });
  const customerId = 'warm-up';
  await connectCustomer(crossbook, { customerId, account });
  for (let round = 0; round < 3; round += 1) {
    await askTogether(crossbook, { emails: emailsOf(WARM_UP), customerId });
  }
}

async function asCrossbook(crossbook: Crossbook, scene: Scene): Promise<Measured> {
  showProgress(`look-ups: Crossbook, ${scene.perTenSeconds} calls in ten seconds`);
  const account = await createAccount(scene);
  const customerId = `tier-${scene.perTenSeconds}`;
  await connectCustomer(crossbook, { customerId, account });
  const seconds = await askTogether(crossbook, { emails: emailsOf(scene.count), customerId });
  return { seconds, ...(await scene.sandbox.readCalls(account.id)) };
}

async function asNaive(name: keyof typeof NAIVE_CLIENTS, scene: Scene): Promise<Measured> {
  const account = await createAccount(scene);
  const { origin } = scene.sandbox;
  const emails = emailsOf(scene.count);
  const started = performance.now();
  const { perTenSeconds } = scene;
  await NAIVE_CLIENTS[name]?.({ origin, token: account.staticToken, emails, perTenSeconds });
  const seconds = (performance.now() - started) / 1_000;
  return { seconds, ...(await scene.sandbox.readCalls(account.id)) };
}

function createAccount({ sandbox, count, perTenSeconds }: Scene) {
  return sandbox.createAccount({ people: inventPeople(count), limits: { perTenSeconds } });
}

const TIERS = [
  { plan: 'Free and Starter', perTenSeconds: 100 },
  { plan: 'Professional and Enterprise', perTenSeconds: 190 },
] as const;

const WARM_UP = 500;
const NONE: Measured = { seconds: Number.NaN, calls: 0, refused: 0 };
const NOT_YET = { backOff: NONE, paceItself: NONE };

interface Measured {
  readonly seconds: number;
  readonly calls: number;
  /** Calls that got a 429. */
  readonly refused: number;
}

interface TierResult {
  readonly plan: string;
  readonly perTenSeconds: number;
  readonly crossbook: Measured;
  backOff: Measured;
  paceItself: Measured;
}

export interface LookupsResult {
  readonly count: number;
  readonly tiers: readonly TierResult[];
}

interface Scene {
  readonly sandbox: SandboxProcess;
  readonly count: number;
  readonly perTenSeconds: number;
}
