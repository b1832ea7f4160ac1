/** The headers of an answer that depends on one more header of its request. */
export function withVary(headers: Headers, on: string): Headers {
  return { ...headers, vary: [headers['vary'] ?? [], on].flat().join(', ') };
}

type Headers = Readonly<Record<string, string>>;
