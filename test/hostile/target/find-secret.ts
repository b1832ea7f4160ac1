/**
 * Finds any twelve consecutive letters or digits of a secret in a text, also percent-encoded, escaped as in JSON or
 * HTML, in base64 or hexadecimal, in another case, or with other characters in between.
 */
export function createSecretFinder(
  secrets: readonly string[],
): (text: string) => string | undefined {
  const pieces = new Map<string, string>();
  for (const secret of secrets) {
    // The part before "!" is the org id, which every Salesforce URL contains.
    const plain = flatten(secret.slice(secret.indexOf('!') + 1));
    for (let at = 0; at + LENGTH <= plain.length; at++)
      pieces.set(plain.slice(at, at + LENGTH), secret);
  }
  return (text) => {
    for (const reading of readings(text, 2)) {
      const flat = flatten(reading);
      for (let at = 0; at + LENGTH <= flat.length; at++) {
        const piece = flat.slice(at, at + LENGTH);
        if (pieces.has(piece)) return piece;
      }
    }
    return undefined;
  };
}

/** The text and its decodings, up to this depth. */
function* readings(text: string, layers: number): Generator<string> {
  yield text;
  if (layers === 0) return;
  const toPlaind = toPlain(text);
  if (toPlaind !== text) yield* readings(toPlaind, layers - 1);
  for (const [run] of text.matchAll(/(?:[\da-f]{2}){12,}/giu)) {
    yield* readings(Buffer.from(run, 'hex').toString('latin1'), layers - 1);
  }
  for (const [run] of text.matchAll(/[\w+/-]{16,}/gu)) {
    for (let offset = 0; offset < 4; offset++) {
      yield* readings(Buffer.from(run.slice(offset), 'base64').toString('latin1'), layers - 1);
    }
  }
}

function toPlain(text: string): string {
  return text
    .replace(
      /\\u\{?([\da-f]{4,6})\}?|\\x([\da-f]{2})|%([\da-f]{2})|&#x([\da-f]{1,6});?/giu,
      (_all, ...groups) => toCharacter(Number.parseInt(groups.slice(0, 4).find(Boolean), 16)),
    )
    .replace(/&#(\d{1,7});?/gu, (_all, code) => toCharacter(Number(code)));
}

function toCharacter(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

function flatten(text: string): string {
  return text.toLowerCase().replace(/[^a-z\d]/gu, '');
}

const LENGTH = 12;
