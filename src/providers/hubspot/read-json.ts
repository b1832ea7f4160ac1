/** Undefined where the text is not JSON, which itself can never say undefined. */
export function readJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
