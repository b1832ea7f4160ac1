import { type AuditResult, serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ListeningApp, listenApp } from '../support/listen-app.ts';

/** The audits of the reference implementation of GraphQL over HTTP, listed once so that each has a separate test. */
const AUDITS = serverAudits({ url: 'http://localhost' }).map(({ id, name }) => [id, name] as const);

test('the list of audits is complete', () => {
  expect(AUDITS).toHaveLength(61);
});

describe.each([
  ['development', { production: false, graphiql: true, introspection: true }],
  ['production', { production: true, graphiql: false, introspection: false }],
])('in the %s configuration', (_name, patch) => {
  let crossbook: ListeningApp;
  let results: Map<string, AuditResult>;

  beforeAll(async () => {
    crossbook = await listenApp(patch);
    const audits = serverAudits({ url: `${crossbook.url}/graphql` });
    results = new Map();
    for (const audit of audits) results.set(audit.id, await audit.fn());
  });

  afterAll(() => crossbook.close());

  test.each(AUDITS)('%s %s', (id) => {
    const result = results.get(id);
    const reason = result && 'reason' in result ? result.reason : undefined;
    expect({ status: result?.status, reason }).toEqual({ status: 'ok', reason: undefined });
  });
});
