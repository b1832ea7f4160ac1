import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDice } from '../support/dice.ts';
import { SEED } from '../support/fast-check.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { openLinkable } from '../support/write-links.ts';

/** `CROSSBOOK_WRITE_BATCHES=5000` writes as many. */
const BATCHES = Number(process.env['CROSSBOOK_WRITE_BATCHES'] ?? 60);
const PAIRS = [
  ['DEAL', 'CONTACT'],
  ['DEAL', 'COMPANY'],
  ['CONTACT', 'COMPANY'],
] as const;
const PLACES = 3;

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp({ sandbox: { port: 0, hosts: [], all: true } });
});
afterAll(() => crossbook.close());

describe.each([
  ['hubspot', {}],
  ['salesforce', {}],
  ['salesforce', { contactsToMultipleAccounts: true }],
  ['pipedrive', {}],
] as const)('Random links in %s (%o)', (provider, quirks) => {
  // The others take few calls in a second.
  const batches = provider === 'salesforce' ? BATCHES : Math.ceil(BATCHES / 4);

  test(`are as their results claim, one by one, after ${batches} batches`, async () => {
    const { account, link, unlink, linksOf, toLink } = await openLinkable(crossbook, {
      provider,
      customerId: `links model ${provider} ${JSON.stringify(quirks)}`,
      contacts: PLACES,
    });
    account.setQuirks(quirks as never);
    const dice = createDice(SEED + provider.length + Object.keys(quirks).length);
    /** All links, such as `DEAL 0 CONTACT 1`, each with whether it is the primary one. */
    const readAll = () => {
      const all = new Map<string, boolean>();
      for (const [from, to] of PAIRS)
        for (let place = 0; place < PLACES; place += 1)
          for (const one of linksOf(from, place, to))
            all.set(`${from} ${place} ${to} ${one.charAt(0)}`, one.endsWith('!'));
      return all;
    };
    const seen = new Set<string>();
    for (let batch = 0; batch < batches; batch += 1) {
      const isLink = dice.chance(60);
      const items = Array.from({ length: 1 + dice.next(5) }, () => {
        const [from, to] = dice.pick(PAIRS);
        const name = `${from} ${dice.next(PLACES)} ${to} ${dice.next(PLACES)}`;
        const isPrimary = isLink && dice.chance(30);
        const given = toLink(isPrimary ? `${name}!` : name);
        const isReversed = dice.chance(50);
        return {
          name,
          isPrimary,
          holder: name.split(' ').slice(0, 3).join(' '),
          given: isReversed ? { ...given, from: given.to, to: given.from } : given,
        };
      });
      if (batch % 4 === 3)
        account.fail(dice.pick(FAULTS) as never, {
          operation: dice.pick(CALLS[provider][isLink ? 'link' : 'unlink']),
        });
      const before = readAll();
      const send = isLink ? link : unlink;
      const done = await send(
        items.map(({ given }) => given),
        { idempotencyKey: `${batch}` },
      );
      account.clearFaults();
      expect(done.errors).toBeUndefined();
      const after = readAll();
      for (const [index, { name, isPrimary }] of items.entries()) {
        const { outcome, problems } = done.results[index];
        seen.add(outcome);
        const claim = `${batch}.${index}: ${outcome} ${name}${isPrimary ? '!' : ''}`;
        const [was, is] = [before.get(name), after.get(name)];
        expect(problems.length > 0, claim).toBe(outcome === 'REFUSED');
        if (outcome === 'CREATED')
          expect([was, is !== undefined], claim).toEqual([undefined, true]);
        if (outcome === 'UPDATED')
          expect(isLink ? was === false : was !== undefined && is === undefined, claim).toBe(true);
        if (outcome === 'UNCHANGED') expect(was !== undefined, claim).toBe(isLink);
        if (outcome === 'REFUSED' && !items.some((one, at) => at !== index && one.name === name)) {
          if (was === undefined) expect(is, claim).toBeUndefined();
          else if (!isReplaced(items, name)) expect(is, claim).toBeDefined();
        }
      }
      // What was not named is as it was, unless another took its place.
      for (const [name] of new Map([...before, ...after])) {
        if (items.some((one) => one.name === name) || isReplaced(items, name)) continue;
        expect([batch, name, after.has(name)]).toEqual([batch, name, before.has(name)]);
      }
      const again = await send(
        items.map(({ given }) => given),
        { idempotencyKey: `${batch}` },
      );
      expect(again.write).toMatchObject({ id: done.write.id, isReplayed: true });
      if (done.write.isComplete) expect(again.results).toEqual(done.results);
    }
    expect(seen).toContain('CREATED');
  });
});

/** Whether a link of the same record in the call may have taken the place of this one. */
function isReplaced(items: readonly Item[], name: string): boolean {
  return items.some((one) => one.name !== name && name.startsWith(`${one.holder} `));
}

interface Item {
  readonly name: string;
  readonly holder: string;
}

const FAULTS = [{ kind: 'reset-after' }, { kind: 'answer', status: 503 }];

const CALLS = {
  hubspot: { link: ['associations.batchCreate'], unlink: ['associations.batchArchive'] },
  salesforce: { link: ['composite.write'], unlink: ['composite.write'] },
  pipedrive: {
    link: ['persons.update', 'deals.update'],
    unlink: ['persons.update', 'deals.update'],
  },
} as const;
