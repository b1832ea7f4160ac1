/** PostgreSQL keeps neither U+0000 nor half a surrogate pair: no stored text holds one, and none can be asked for. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

/** The same for JSON, where `JSON.stringify` has written both as escapes. The text `\u0000` itself is harmless. */
export function isStorableJson(json: string): boolean {
  return !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(json);
}
