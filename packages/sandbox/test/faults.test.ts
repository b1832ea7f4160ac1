import { get } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandbox, type Sandbox } from '../src/open-sandbox.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

/** The response to one read by an account with this fault. */
function meet(fault: string): Promise<Met> {
  const account = sandbox.hubspot.createAccount({ people: [{ email: 'a@x.example' }] });
  account.fail(fault);
  const headers = { authorization: `Bearer ${account.accessToken}` };
  return new Promise((resolve, reject) => {
    const url = `${sandbox.hubspot.origin}/crm/v3/objects/contacts/501`;
    get(url, { headers, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += String(chunk);
      });
      response.on('end', () => {
        const { httpVersion, statusCode, headers: responseHeaders } = response;
        resolve({
          httpVersion,
          status: statusCode,
          headers: responseHeaders,
          body,
          token: account.accessToken,
        });
      });
    }).on('error', reject);
  });
}

test('HTTP/1.0 sends no Content-Length, and ends the response by closing the connection', async () => {
  const { httpVersion, status, headers, body } = await meet('http-1.0');
  expect([httpVersion, status, headers['content-length']]).toEqual(['1.0', 200, undefined]);
  expect(JSON.parse(body)).toMatchObject({ id: '501' });
});

test.each(['closing', 'dripping'])(
  'a response that is %s is complete, and the last of its connection',
  async (fault) => {
    const { status, headers, body } = await meet(fault);
    expect([status, headers.connection]).toEqual([200, 'close']);
    expect(JSON.parse(body)).toMatchObject({ id: '501' });
  },
);

test.each([
  ['token-echoed', 400],
  ['token-echoed-in-a-200', 200],
])('%s echoes the token, with status %i', async (fault, expected) => {
  const { status, body, token } = await meet(fault);
  expect(status).toBe(expected);
  expect(body).toContain(`Bearer ${token}`);
});

interface Met {
  readonly httpVersion: string;
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
  readonly token: string;
}
