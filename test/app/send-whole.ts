import { type Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A POST whose headers and body are sent in one piece. Resolves with the body of the response. */
export function sendWhole(url: string, { agent, headers, body }: WholeRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    request(url, { agent, method: 'POST', headers }, (response) =>
      text(response).then(resolve, reject),
    )
      .once('error', reject)
      .end(body);
  });
}

interface WholeRequest {
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
