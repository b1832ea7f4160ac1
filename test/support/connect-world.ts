import pg from 'pg';
import type { Config } from '../../src/config.ts';
import type { AppOverrides } from '../../src/foundation.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { addApplication, KEYS } from './add-application.ts';
import { type Browser, consent, openBrowser } from './connect-browser.ts';
import { createTestDatabase } from './databases.ts';
import { openApp, type TestApp } from './open-app.ts';

export const APP_ORIGIN = 'http://localhost:3000';

/** The product with its sandbox, a second application, and direct access to the stored data. */
export async function openConnectWorld(
  clock: { offset: number } = { offset: 0 },
  patch: Partial<Config> = {},
  overrides: Pick<AppOverrides, 'sandbox'> = {},
): Promise<ConnectWorld> {
  const database = await createTestDatabase();
  const otherKey = await addApplication(database.url);
  const wall = () => Date.now() + clock.offset;
  const crossbook = await openApp(
    { database: { url: database.url }, keys: KEYS, pagesPerMinute: 0, ...patch },
    { ...overrides, clock: { ...systemClock, wall } },
  );
  const sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
  let customers = 0;

  const world: ConnectWorld = {
    crossbook,
    otherKey,
    clock,
    async addCustomer() {
      customers += 1;
      const customerId = `customer-${customers}`;
      const body = {
        customer_id: customerId,
        name: `Customer ${customers}`,
        email: 'c@example.com',
      };
      await crossbook.rest('PUT', '/customers', body);
      return customerId;
    },
    create(customerId, more = {}, headers = {}) {
      const body = { providers: ['hubspot'], return_url: `${APP_ORIGIN}/connected`, ...more };
      return crossbook.rest('POST', `/customers/${customerId}/connect_links`, body, headers);
    },
    async link(more = {}) {
      const customerId = await world.addCustomer();
      const { status, body } = await world.create(customerId, more);
      if (status !== 201) throw new Error(`No link was made: ${JSON.stringify(body)}`);
      return { customerId, id: body.id, url: body.url, browser: openBrowser(crossbook.app, wall) };
    },
    async goThrough(link, form = { provider: 'hubspot' }) {
      const { consentUrl } = await link.browser.start(link.url, form);
      const callback = await consent(consentUrl);
      const back = await link.browser.visit(callback);
      const location = back.headers.get('location');
      const code = location === null ? undefined : new URL(location).searchParams.get('code');
      return { back, callback, code: code ?? '' };
    },
    async connect(link) {
      const { code } = await world.goThrough(link);
      const path = `/customers/${link.customerId}/connect_links/${link.id}/_confirm`;
      return crossbook.rest('POST', path, { code });
    },
    async snapshot() {
      const { rows } = await sql.query(SNAPSHOT);
      return JSON.stringify(rows);
    },
    async rows(text) {
      return (await sql.query(text)).rows;
    },
    async close() {
      await sql.end();
      await crossbook.close();
      await database.drop();
    },
  };
  return world;
}

const SNAPSHOT = `
select
  (select json_agg(c order by id) from (select id, status, account_id from crossbook.connections) c) as connections,
  (select json_agg(c order by connection_id) from (select connection_id, generation from crossbook.credentials) c) as secrets,
  (select json_agg(l order by id) from (select id, status, failure from crossbook.connect_links) l) as links,
  (select count(*) from crossbook.events) as events`;

export interface ConnectWorld {
  readonly crossbook: TestApp;
  readonly otherKey: string;
  /** The offset of the wall clock in milliseconds. */
  readonly clock: { offset: number };
  addCustomer(): Promise<string>;
  create(
    customerId: string,
    more?: object,
    headers?: Record<string, string>,
  ): ReturnType<TestApp['rest']>;
  /** For a new customer, with a new browser. */
  link(more?: object): Promise<WorldLink>;
  goThrough(
    link: WorldLink,
    form?: Record<string, string>,
  ): Promise<{ back: Awaited<ReturnType<Browser['visit']>>; callback: string; code: string }>;
  connect(link: WorldLink): ReturnType<TestApp['rest']>;
  /** Connections, credentials, links and the number of events. */
  snapshot(): Promise<string>;
  rows(text: string): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

export interface WorldLink {
  readonly customerId: string;
  readonly id: string;
  readonly url: string;
  readonly browser: Browser;
}
