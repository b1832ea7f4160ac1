import type { SecretMatcher } from './secret-matcher.ts';

export const WITHHELD = '[withheld]';

export function redactText(text: string, matcher: SecretMatcher): string {
  return matcher.matches(text) ? WITHHELD : text;
}

/**
 * Withholds each key, string and number that shares enough with a secret, and what names itself one; and everything where
 * a secret is spread over neighbours, because none of them shows which.
 */
export function redactJson(json: unknown, matcher: SecretMatcher): unknown {
  const { all, values } = collect(json, { all: [], values: [] });
  if (!matcher.matches(join(all)) && !matcher.matches(join(values))) return rebuild(json, () => false);
  if (isSpread(all, matcher) || isSpread(values, matcher)) return WITHHELD;
  return rebuild(json, matcher.matches);
}

/** Together they share more with a secret than each by itself. */
function isSpread(texts: readonly string[], { count }: SecretMatcher): boolean {
  return count(join(texts)) > texts.reduce((sum, text) => sum + count(text), 0);
}

/** A line break does not count in any reading, and no escape reaches over it. */
function join(texts: readonly string[]): string {
  return texts.join('\n');
}

function collect(json: unknown, into: Collected, depth = 0): Collected {
  if (depth > MAX_DEPTH) return into;
  if (typeof json === 'string' || typeof json === 'number') {
    into.all.push(String(json));
    into.values.push(String(json));
  } else if (Array.isArray(json)) for (const item of json) collect(item, into, depth + 1);
  else if (typeof json === 'object' && json !== null) {
    for (const [key, value] of Object.entries(json)) {
      into.all.push(key);
      collect(value, into, depth + 1);
    }
  }
  return into;
}

function rebuild(json: unknown, isSecret: (text: string) => boolean, depth = 0): unknown {
  if (typeof json === 'string' || typeof json === 'number') return isSecret(String(json)) ? WITHHELD : json;
  if (typeof json !== 'object' || json === null) return json;
  if (depth > MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(json)) return json.map((item) => rebuild(item, isSecret, depth + 1));
  const members = Object.entries(json).map(([key, value]) => [
    isSecret(key) ? WITHHELD : key,
    NAMED.test(key) && typeof value === 'string' ? WITHHELD : rebuild(value, isSecret, depth + 1),
  ]);
  return Object.fromEntries(members);
}

const MAX_DEPTH = 64;
const TOO_DEEP = `[cut: deeper than ${MAX_DEPTH} levels]`;

/** A token that has just been made is nobody's secret yet. */
const NAMED =
  /^(?:(?:access|refresh|id|session)[_-]?token|token|client[_-]?secret|password|authorization|session[_-]?id)$/i;

interface Collected {
  /** Keys and values, in the order of the text. */
  readonly all: string[];
  readonly values: string[];
}
