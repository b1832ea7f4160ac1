import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmptyDatabase, EXTERNAL } from '../support/databases.ts';
import { type ListeningApp, listenApp } from '../support/listen-app.ts';

const SEARCH = '{ searchContacts(filter: { email: "ada@example.com" }) { totalCount } }';
const ODD_IDS = [
  '\0',
  'de\u0001mo',
  '\u007f',
  '\ud800',
  'demo\udfff',
  '\u{1F600}',
  '\\u0000',
  ' ',
  "'",
  '%00',
];
const ODD_BYTES: readonly (readonly [string, readonly number[]])[] = [
  ['invalid UTF-8', [0xff, 0xfe]],
  ['a truncated UTF-8 sequence', [0xc3]],
  ['a lone surrogate in UTF-8', [0xed, 0xa0, 0x80]],
  ['U+0000', [0x64, 0x00]],
  ['a control character', [0x01]],
  ['DEL', [0x7f]],
  ['a tab', [0x64, 0x09, 0x65]],
  ['every byte from 0x80 on', Array.from({ length: 128 }, (_, index) => 0x80 + index)],
];

describe.each(['embedded', 'external'] as const)('Unusual strings (%s)', (kind) => {
  describe.skipIf(kind === 'external' && !EXTERNAL)('in an id', () => {
    let crossbook: ListeningApp;
    let drop = async () => {};
    beforeAll(async () => {
      const fresh = await createEmptyDatabase(kind);
      drop = fresh.drop;
      crossbook = await listenApp({ database: { url: fresh.url } });
    });
    afterAll(async () => {
      await crossbook.close();
      await drop();
    });

    test.each(ODD_IDS)('%j names no customer, in GraphQL and REST', async (customerId) => {
      const headers = { 'x-provider-name': 'hubspot' };
      const { data, errors } = await crossbook.execute(
        `query ($customerId: ID) {
          customer(customerId: $customerId) { name }
          searchContacts(customerId: $customerId, filter: { email: "ada@example.com" }) { totalCount }
        }`,
        { customerId },
        headers,
      );
      // A body with a lone surrogate is rejected as a whole.
      if (!isWellFormed(customerId)) expect(statusesOf(errors)).toEqual(['400']);
      else {
        expect(data).toMatchObject({ customer: null, searchContacts: null });
        expect(statusesOf(errors)).toEqual(['404', '404']);
        const path = `/customers/${encodeURIComponent(customerId)}`;
        // REST rejects control characters before it looks up the customer.
        expect([400, 404]).toContain((await crossbook.rest('GET', path)).status);
      }
    });

    test.each(['\0@x.example', '\ud800@x.example', 'a@\udfff.example'])(
      'the email %j is rejected in GraphQL and REST',
      async (email) => {
        for (const provider of ['hubspot', 'salesforce']) {
          const headers = { 'x-provider-name': provider };
          const query =
            'query ($email: String!) { searchContacts(filter: { email: $email }) { totalCount } }';
          const { errors } = await crossbook.execute(query, { email }, headers);
          expect(statusesOf(errors)).toEqual([isWellFormed(email) ? '422' : '400']);
          const { status } = await crossbook.rest(
            'POST',
            '/contacts/_search',
            { filter: { email } },
            headers,
          );
          expect([400, 422]).toContain(status);
        }
      },
    );

    test.each(ODD_BYTES)('%s in x-customer-id is a client error', async (_what, bytes) => {
      for (const [path, body] of [
        ['/contacts/_search', { filter: { email: 'ada@example.com' } }],
        ['/graphql', { query: SEARCH }],
      ] as const) {
        const answer = await sendRaw(crossbook, { path, customerId: Buffer.from(bytes), body });
        expect(answer).toMatch(/^HTTP\/1\.1 (4\d\d|200) /);
        expect(answer).not.toContain('INTERNAL_SERVER_ERROR');
        expect(answer).not.toContain('"totalCount":1');
      }
    });
  });
});

/** HTTP clients refuse to send such bytes: a raw socket does not. */
async function sendRaw({ url, key }: ListeningApp, request: Asked): Promise<string> {
  const body = JSON.stringify(request.body);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `POST ${request.path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\nx-api-key: ${key}\r\nx-provider-name: hubspot\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nx-customer-id: `,
  );
  socket.write(request.customerId);
  socket.write(`\r\n\r\n${body}`);
  return text(socket);
}

function statusesOf(errors: readonly { extensions: { status: string } }[] = []): readonly string[] {
  return errors.map(({ extensions }) => extensions.status);
}

function isWellFormed(id: string): boolean {
  return !/\p{Cs}/u.test(id);
}

interface Asked {
  readonly path: string;
  readonly customerId: Buffer;
  readonly body: unknown;
}
