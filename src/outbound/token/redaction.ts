import type { RemoteAnswer } from '../../domain/remote.ts';

/** Some error pages repeat what they were sent. What was secret on the way out stays secret on the way back. */
export function redact(answer: RemoteAnswer, secrets: readonly string[]): RemoteAnswer {
  let { body } = answer;
  for (const secret of secrets) {
    if (secret === '') continue;
    body = body.replaceAll(secret, REDACTED).replaceAll(encodeURIComponent(secret), REDACTED);
  }
  return { status: answer.status, headers: redactHeaders(answer.headers, secrets), body };
}

function redactHeaders(
  headers: RemoteAnswer['headers'],
  secrets: readonly string[],
): RemoteAnswer['headers'] {
  const isTold = ([, value]: [string, string]) =>
    !secrets.some((secret) => secret !== '' && value.includes(secret));
  return Object.fromEntries(Object.entries(headers).filter(isTold));
}

const REDACTED = '[redacted]';
