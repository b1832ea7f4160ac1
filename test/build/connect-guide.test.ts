import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ZodType } from 'zod';
import { readConfig } from '../../src/config.ts';
import { CONNECT_FAILURES } from '../../src/domain/connect-failure.ts';
import { customerUpsert } from '../../src/domain/customer.ts';
import { listScopes } from '../../src/domain/record-access.ts';
import { RECORD_TYPES } from '../../src/domain/records/record-type.ts';
import { listRedirectUris } from '../../src/domain/urls.ts';
import { createRegistry } from '../../src/providers/registry.ts';
import { connectLinkRequestSchema } from '../../src/rest/routes/connect-links.ts';
import { contactSearchSchema } from '../../src/rest/routes/search-contacts.ts';
import { toSchema } from '../../src/rest/schemas.ts';

const CONNECT = readFileSync('docs/connect.md', 'utf8');
const GUIDE = CONNECT + readFileSync('docs/register-apps.md', 'utf8');
const connectable = [...createRegistry().values()].filter(
  ({ authorization }) => authorization !== undefined,
);

describe('The guide to connecting customers', () => {
  test('names the redirect URIs, the scopes and the settings of every CRM that can be connected', () => {
    expect(connectable.map(({ name }) => name).sort()).toEqual([
      'hubspot',
      'pipedrive',
      'salesforce',
    ]);
    for (const { uri } of listRedirectUris('https://crossbook.example', connectable)) {
      // In a table, or in a file that is printed.
      expect(GUIDE).toMatch(new RegExp(`[\`"]${uri.replaceAll('.', '\\.')}[\`"]`));
    }
    for (const { name, authorization } of connectable) {
      const everything = { readableRecords: RECORD_TYPES, writableRecords: RECORD_TYPES };
      for (const scope of authorization ? listScopes(authorization, everything) : [])
        expect(GUIDE).toContain(`\`${scope}\``);
      const client = `CROSSBOOK_${name.toUpperCase()}_CLIENT`;
      expect(GUIDE).toContain(`\`${client}_ID\`, \`${client}_SECRET\``);
    }
  });

  test('contains the redirect URI that a local start prints', () => {
    const { publicUrl = '' } = readConfig({});
    expect(GUIDE).toContain(
      `\`${listRedirectUris(publicUrl, connectable).find(({ provider }) => provider === 'hubspot')?.uri}\``,
    );
  });

  test('contains only requests whose bodies are valid', () => {
    const shapes: readonly [RegExp, ZodType][] = [
      [/\/connect_links /, connectLinkRequestSchema],
      [/\/_search /, contactSearchSchema],
      [/\/customers /, toSchema(customerUpsert, 'request')],
    ];
    const requests = [...GUIDE.matchAll(/^curl -s localhost:4000(\/[\s\S]*?) -d '(.+)'$/gm)];
    expect(requests).toHaveLength(3);
    for (const [, head = '', body = ''] of requests) {
      const [, shape] = shapes.find(([path]) => path.test(head)) ?? [];
      expect(shape?.safeParse(JSON.parse(body)).error, head).toBeUndefined();
    }
  });

  test('states the actual lifetime of links', () => {
    expect(GUIDE).toContain('`expiresInSeconds`: 30 seconds to a day');
    const link = { providers: ['hubspot'], return_url: 'http://localhost:3000/' };
    const isTaken = (seconds: number) =>
      connectLinkRequestSchema.safeParse({ ...link, expires_in_seconds: seconds }).success;
    expect([29, 30, 86_400, 86_401].map(isTaken)).toEqual([false, true, true, false]);
  });

  test('explains exactly the existing outcomes', () => {
    const [, table = ''] = CONNECT.split('## What can go wrong');
    const named = [...table.matchAll(/\| `([A-Z_]+)` \|/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(5);
    for (const name of named) expect(CONNECT_FAILURES).toContain(name);
  });
});
