/**
 * What graphql says of a mistake, without the values that it quotes: an input can hold credentials, and those are never
 * shown again, not even to the client that sent them. Names that the client chose are quoted, so the message is cut, and
 * each step looks at every character at most a fixed number of times.
 */
export function redactMessage(
  error: QuotingError,
  { suggestions }: { readonly suggestions: boolean },
): string {
  const message = withoutLiteral(withoutExpected(withoutScalar(withoutVariableValue(error))));
  return cut(suggestions ? message : withoutSuggestions(message));
}

/** `Variable "$input" got invalid value {…} at "input.email"; reason` quotes the whole of it. */
function withoutVariableValue({ message, originalError }: QuotingError): string {
  const variable = /^Variable "(\$\w+)" got invalid value /u.exec(message)?.[1];
  if (variable === undefined) return message;
  const reason = originalError?.message ?? '';
  if (reason === '' || !message.endsWith(`; ${reason}`))
    return `Variable "${variable}" got an invalid value.`;
  const quoted = message.slice(0, -reason.length - 2);
  const at = quoted.endsWith('"') ? quoted.lastIndexOf(' at "') : -1;
  const path = at === -1 ? '' : quoted.slice(at + ' at "'.length, -1);
  const where = path === '' || path.includes('"') ? '' : ` at "${path}"`;
  return `Variable "${variable}" got an invalid value${where}; ${reason}`;
}

/** `Int cannot represent non-integer value: "…"` */
function withoutScalar(message: string): string {
  const start = message.indexOf('cannot represent ');
  const colon = start === -1 ? -1 : message.indexOf(':', start);
  return colon === -1 ? message : `${message.slice(0, colon)}.`;
}

/** `Expected value of type "Email", found "…".` */
function withoutExpected(message: string): string {
  const opening = 'Expected value of type "';
  let start = message.indexOf(opening);
  while (start !== -1) {
    const quote = message.indexOf('"', start + opening.length);
    if (quote === -1) return message;
    if (message.startsWith('", found ', quote)) return `${message.slice(0, quote + 1)}.`;
    start = message.indexOf(opening, quote);
  }
  return message;
}

/** `Syntax Error: Expected Name, found String "…".` */
function withoutLiteral(message: string): string {
  const places = ['found String ', 'found BlockString '].map((found) => ({
    found,
    at: message.indexOf(found),
  }));
  const [first] = places.filter(({ at }) => at !== -1).sort((a, b) => a.at - b.at);
  return first ? `${message.slice(0, first.at + first.found.length - 1)}.` : message;
}

function withoutSuggestions(message: string): string {
  const start = message.indexOf(' Did you mean ');
  const end = message.lastIndexOf('?');
  return start === -1 || end < start ? message : message.slice(0, start) + message.slice(end + 1);
}

function cut(message: string): string {
  return message.length <= MAX_LENGTH ? message : `${message.slice(0, MAX_LENGTH)}…`;
}

const MAX_LENGTH = 1_000;

interface QuotingError {
  readonly message: string;
  readonly originalError?: { readonly message: string } | null | undefined;
}
