const MAX_BYTES = 10_000;

export class HttpError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Requires the JSON content type, which a form of another site cannot send (CSRF).
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<Record<string, unknown>>}
 */
export async function readJson(request) {
  if (request.headers['content-type'] !== 'application/json')
    throw new HttpError(415, 'Send JSON.');
  let text = '';
  for await (const piece of request.setEncoding('utf8')) {
    text += piece;
    if (text.length > MAX_BYTES) throw new HttpError(413, 'The body is too long.');
  }
  try {
    return { ...JSON.parse(text) };
  } catch {
    throw new HttpError(400, 'The body is no JSON.');
  }
}

/**
 * Sends the value of a route: the body, or `{ headers, body }`.
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {any} answer
 */
export function answerJson(response, status, answer) {
  const { headers = {}, body = answer } = answer ?? {};
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(JSON.stringify(body));
}
