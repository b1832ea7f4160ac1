import { Client } from 'undici';
import { type Crossbook, toHeaders } from '../support/crossbook.ts';

/** One GraphQL request per email, all sent at the same moment, each over an open connection. */
export async function askTogether(
  crossbook: Crossbook,
  { emails, customerId }: Burst,
): Promise<number> {
  const headers = toHeaders(crossbook, customerId);
  const clients = emails.map(() => new Client(crossbook.url, { keepAliveTimeout: 60_000 }));
  await openAll(clients);
  const started = performance.now();
  await Promise.all(
    emails.map(async (email, index) => {
      const client = clients[index] as Client;
      const body = JSON.stringify({ query: QUERY, variables: { email } });
      const answer = await client.request({ path: '/graphql', method: 'POST', headers, body });
      const text = await answer.body.text();
      if (!text.includes(`"emailAddress":"${email}"`))
        throw new Error(`No contact for ${email}: ${text}`);
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  await Promise.all(clients.map((client) => client.close()));
  return seconds;
}

/** In small groups: the accept backlog of a listener is short. */
async function openAll(clients: readonly Client[]): Promise<void> {
  for (let from = 0; from < clients.length; from += 50) {
    await Promise.all(
      clients.slice(from, from + 50).map(async (client) => {
        const { body } = await client.request({
          path: '/graphql?query={__typename}',
          method: 'GET',
        });
        await body.dump();
      }),
    );
  }
}

const QUERY = `query ($email: String!) {
  searchContacts(filter: { email: $email }) { nodes { id firstName lastName emailAddresses { emailAddress } } }
}`;

interface Burst {
  readonly emails: readonly string[];
  readonly customerId: string;
}
