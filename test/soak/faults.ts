/** Makes every tenth call to the sandbox fail, with each of its faults in turn. */
export async function startFaults({ port, countCalls }: FaultOptions): Promise<Faults> {
  const crms = await Promise.all([port, port + 1].map(openCrm));
  const timer = setInterval(() => void feed(), 250);
  let feeding: Promise<unknown> | undefined;

  return {
    accounts: crms.map(({ demo }) => demo),
    async stop() {
      clearInterval(timer);
      await feeding;
      await Promise.all(crms.map(({ ask }) => ask('accounts/demo/faults', 'DELETE', {})));
    },
    async forgetCalls() {
      await Promise.all(crms.map(({ ask }) => ask('accounts/demo/calls', 'DELETE', {})));
    },
  };

  /** Keeps a few faults queued: each skips nine calls and affects the tenth. */
  function feed(): Promise<unknown> {
    feeding ??= countCalls()
      .then((calls) =>
        Promise.all(crms.map((crm) => crm.fill((calls[crm.name] ?? 0) / 10 + AHEAD))),
      )
      .catch(() => undefined)
      .finally(() => {
        feeding = undefined;
      });
    return feeding;
  }
}

async function openCrm(port: number) {
  const ask = async (path: string, method: string, body?: unknown) => {
    const response = await fetch(`http://127.0.0.1:${port}/__sandbox/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Overview;
  };
  const { crm, faults, demo, origin } = await ask('', 'GET');
  // HubSpot's instance URL is only a label: this one routes to the sandbox.
  const instanceUrl = demo.instanceUrl.startsWith(origin)
    ? demo.instanceUrl
    : `${origin}/contacts/${demo.id}`;
  await ask('accounts/demo/limits', 'PATCH', null);
  const all: readonly unknown[] = [...faults, ...GENERAL];
  let queued = 0;
  return {
    name: crm,
    ask,
    demo: { ...demo, instanceUrl },
    async fill(wanted: number) {
      for (; queued < wanted; queued++) {
        await ask('accounts/demo/faults', 'POST', {
          fault: all[queued % all.length],
          after: 9,
          times: 1,
        });
      }
    },
  };
}

/** Without silent faults: an empty list cannot be told from an unknown person. */
const GENERAL = [
  { kind: 'hang' },
  { kind: 'stall' },
  { kind: 'slow', delayMs: 2_000 },
  { kind: 'reset' },
  { kind: 'reset-midway' },
  { kind: 'truncated' },
  { kind: 'oversized', megabytes: 40 },
  { kind: 'gzip-bomb', megabytes: 40 },
];

const AHEAD = 5;

/** The sandbox's overview. */
interface Overview {
  readonly crm: string;
  readonly faults: readonly string[];
  readonly origin: string;
  readonly demo: { readonly id: string; readonly instanceUrl: string };
}

export interface Faults {
  /** HubSpot's and Salesforce's, as the sandbox describes them. */
  readonly accounts: readonly unknown[];
  stop(): Promise<void>;
  /** The sandbox lives in the product's process: its call log must not count as the product's memory. */
  forgetCalls(): Promise<void>;
}

interface FaultOptions {
  /** The port of the sandbox's HubSpot; Salesforce has the next one. */
  readonly port: number;
  /** The calls so far, by provider. */
  countCalls(): Promise<Readonly<Record<string, number>>>;
}
