import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConnectWorld, openConnectWorld } from '../support/connect-world.ts';
import { CALLBACK_ATTACKS } from './connect-attacks-on-callbacks.ts';
import { LINK_ATTACKS } from './connect-attacks-on-links.ts';

const ATTACKS = [...LINK_ATTACKS, ...CALLBACK_ATTACKS];

let world: ConnectWorld;
beforeAll(async () => {
  world = await openConnectWorld();
});
afterAll(() => world.close());

test('the list has more than fifty attacks', () => {
  expect(ATTACKS.length).toBeGreaterThan(50);
});

test.each(ATTACKS)(
  '%s gets %i, connects nothing and emits no event',
  async (_what, status, attack) => {
    let before: object | undefined;
    let besides: string | undefined;
    const read = async () => {
      const [{ links, ...rest }] = JSON.parse(await world.snapshot());
      return besides === 'links' ? rest : { ...rest, links };
    };
    const answer = await attack(world, async (options) => {
      besides = options?.besides;
      before = await read();
    });
    expect(answer.status).toBe(status);
    expect(before).toBeDefined();
    expect(await read()).toEqual(before);
  },
);
