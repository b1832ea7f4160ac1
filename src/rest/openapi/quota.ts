/** What every answer to a known caller says of its rate limit, where it has one. */
export const QUOTA_HEADERS: Readonly<Record<string, object>> = {
  RateLimit: toHeader(
    'What is left (r) and in how many seconds it is whole again (t).',
    '"requests";r=5998;t=42',
  ),
  'RateLimit-Policy': toHeader(
    'How many requests (q) a caller has in so many seconds (w).',
    '"requests";q=6000;w=60',
  ),
  'RateLimit-Limit': toHeader('How many requests a caller has in a minute.', '6000'),
  'RateLimit-Remaining': toHeader('How many of them are left.', '5998'),
  'RateLimit-Reset': toHeader('In how many seconds all of them are there again.', '42'),
};

function toHeader(description: string, example: string): object {
  return { description, required: false, schema: { type: 'string' }, example };
}
