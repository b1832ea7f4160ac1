import type { ServerResponse } from 'node:http';
import { type AccountOptions, createAccount, type SandboxAccount } from './account.ts';
import { answerControl, isControl } from './control.ts';
import { findEarlierOwner } from './earlier-tokens.ts';
import {
  type Answer,
  type Certificate,
  listen,
  type SandboxRequest,
  sendAnswer,
  textAnswer,
} from './http.ts';
import { type Person, toPerson } from './people.ts';
import { DEMO_SEED } from './people-demo.ts';
import { type Seed, toSeed } from './people-table.ts';
import { sendFault } from './send-fault.ts';
import type { Call, CrmTypes, Simulation } from './simulation.ts';
import { toReason } from './to-reason.ts';
import { createTokenBook, type TokenBook } from './tokens.ts';

/** One simulated CRM on a port of its own: its accounts, and the control API. */
export async function openCrm<Crm extends CrmTypes>(options: Options<Crm>): Promise<OpenCrm<Crm>> {
  const { simulation, now, enforceLimits } = options;
  const tokens = createTokenBook<SandboxAccount<Crm>>({ now });
  const accounts: SandboxAccount<Crm>[] = [];

  const { origin, close } = await listen(
    options.port,
    async (request, response) => {
      // A CRM's responses have the time of its own clock.
      response.setHeader('date', new Date(now()).toUTCString());
      if (isControl(request))
        return sendAnswer(request, response, await answerControl(crm, request));
      return serve({ simulation, now, tokens, accounts, standing, origin }, request, response);
    },
    options.tls,
  );

  let opened = 0;
  const open = (
    seed: Seed,
    options: AccountOptions<Crm>,
    number = opened++,
  ): SandboxAccount<Crm> => {
    const { limits = enforceLimits ? {} : null } = options;
    const identity = simulation.identify(number, origin);
    const account = createAccount({ simulation, identity, tokens, seed, now, limits, options });
    accounts.push(account);
    return account;
  };

  const ofPeople = (people: readonly Partial<Person>[]): Seed =>
    toSeed(people.map((person, position) => toPerson(person, position + 1)));

  const demo = open(DEMO_SEED, { quirks: simulation.demoQuirks });
  const others = simulation.others.map(({ number, people, quirks }) =>
    open(ofPeople(people), { quirks }, number),
  );
  const standing = [demo, ...others];
  const crm: OpenCrm<Crm> = {
    name: simulation.name,
    origin,
    nameOrigin: `http://${simulation.name}.sandbox.localhost`,
    demo,
    others,
    close,
    faultNames: Object.keys(simulation.faults),
    accounts: () => accounts,
    toLoginOrigin: (host) => simulation.toLoginOrigin(host, origin),
    isLoginOrigin: (login) => isLoginOrigin(login, origin),
    createAccount({ people = [], ...options } = {}) {
      return open(ofPeople(people), options);
    },
  };
  return crm;
}

/** Serves one call: counts it for the account of its token, and applies a queued fault. */
async function serve<Crm extends CrmTypes>(
  { simulation, now, tokens, accounts, standing, origin }: Service<Crm>,
  request: SandboxRequest,
  response: ServerResponse,
): Promise<void> {
  const route = simulation.route(request);
  if (route.token !== undefined && isRefresh(route) && tokens.find(route.token) === undefined)
    restoreToken(route.token, { simulation, tokens, standing });
  const grant = tokens.find(route.token);
  const findToken = (token: string) => tokens.find(token);
  const call: Call<Crm> = { request, now: now(), origin, grant, accounts, findToken };
  const entry = grant?.account.openCall({ ...route, path: request.path });
  response.once('close', () => entry?.ended());
  const faults = grant?.account.faults;
  const fault = faults?.take(route.operation);
  const produce = () => reportBugs(() => route.answer(call));
  if (faults && fault) {
    entry?.answered(await sendFault({ fault, faults, request, response, produce }));
    return;
  }
  const answer = await produce();
  entry?.answered(answer.status);
  sendAnswer(request, response, answer);
}

function isRefresh({ operation }: { readonly operation: string }): boolean {
  return operation === 'oauth.token' || operation === 'oauth.revoke';
}

/** Recognizes tokens of earlier runs: the product is the demo's application in every run. */
function restoreToken<Crm extends CrmTypes>(
  token: string,
  { simulation, tokens, standing }: Pick<Service<Crm>, 'simulation' | 'tokens' | 'standing'>,
): void {
  const account = findEarlierOwner({ simulation, accounts: standing }, token);
  const [demo] = standing;
  if (account && demo)
    tokens.enter({
      token,
      account,
      kind: 'refresh',
      approval: { clientId: demo.clientId, scopes: undefined },
    });
}

/** A bug of the simulation must not look like a quirk of the CRM. */
async function reportBugs(produce: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await produce();
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : toReason(error);
    return textAnswer(500, `The sandbox has a bug.\n${text}`, {
      'content-type': 'text/plain;charset=utf-8',
    });
  }
}

/** Whether the login origin is this CRM's own port, under a name that resolves to loopback. */
export function isLoginOrigin(login: string, origin: string): boolean {
  const [loginUrl, ownUrl] = [new URL(login), new URL(origin)];
  const isSamePort = loginUrl.protocol === ownUrl.protocol && loginUrl.port === ownUrl.port;
  return (
    isSamePort &&
    (loginUrl.hostname === ownUrl.hostname || loginUrl.hostname.endsWith('.localhost'))
  );
}

/** One simulated CRM, as a test or the application uses it. */
export interface SandboxCrm<Crm extends CrmTypes> {
  readonly name: string;
  /** `http://127.0.0.1:PORT`: replaces the CRM's own host. */
  readonly origin: string;
  /**
   * A placeholder for `origin` in stored data: each process replaces it by its own sandbox, whose port can differ.
   */
  readonly nameOrigin: string;
  /** The account with 25,000 people. People and first tokens are deterministic. */
  readonly demo: SandboxAccount<Crm>;
  /** Northwind's account with a few people of its own; where the CRM has test orgs, one of those too. */
  readonly others: readonly SandboxAccount<Crm>[];
  readonly faultNames: readonly string[];
  accounts(): readonly SandboxAccount<Crm>[];
  /** The local URL that simulates one of the CRM's login hosts. */
  toLoginOrigin(host: string): string;
  isLoginOrigin(origin: string): boolean;
  /** A new account for one test. Its people are numbered from 1 in the given order. */
  createAccount(options?: AccountOptions<Crm>): SandboxAccount<Crm>;
}

interface OpenCrm<Crm extends CrmTypes> extends SandboxCrm<Crm> {
  close(): Promise<void>;
}

interface Options<Crm extends CrmTypes> {
  readonly simulation: Simulation<Crm>;
  readonly port: number;
  readonly enforceLimits: boolean;
  readonly tls?: Certificate | undefined;
  readonly now: () => number;
}

interface Service<Crm extends CrmTypes> extends Pick<Options<Crm>, 'simulation' | 'now'> {
  readonly tokens: TokenBook<SandboxAccount<Crm>>;
  readonly accounts: readonly SandboxAccount<Crm>[];
  /** The accounts that exist from the start, the demo's first. */
  readonly standing: readonly SandboxAccount<Crm>[];
  readonly origin: string;
}
