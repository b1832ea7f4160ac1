/**
 * The beginning of a receiver's response, for operators: without the endpoint's secrets and whatever else looks like a
 * secret or an email address, because receivers echo requests and print their settings when they fail.
 */
export function redactResponse(bytes: Buffer, secrets: readonly string[]): string {
  let text = bytes.subarray(0, MAX_RESPONSE_BYTES).toString('utf8');
  for (const secret of secrets) text = text.replaceAll(secret, REDACTED);
  for (const pattern of SECRETS) text = text.replace(pattern, REDACTED);
  // Control characters but line breaks and tabs: a database cannot store NUL.
  return text.replace(/[^\P{Cc}\n\t]/gu, '');
}

export const MAX_RESPONSE_BYTES = 1_024;

const REDACTED = '[redacted]';
const SECRETS = [
  /\b(?:cb[ack]_|whsec_|eyJ|v1,)[\w+/=.-]{8,}/g,
  /\b(?:bearer|basic)\s+[\w+/=.~-]{6,}/gi,
  /(?<=\b(?:password|passwd|secret|token|api[-_]?key|authorization|cookie)["']?\s*[:=]\s*["']?)[^\s"',;&}]+/gi,
  /[^\s@<>"',;:]+@[\w-]+(?:\.[\w-]+)+/g,
  /\b[\w+/-]{40,}={0,2}/g,
];
