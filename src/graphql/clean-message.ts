/**
 * What graphql says of a mistake, without the values that it quotes: an input can hold credentials, and those are never
 * shown again, not even to whoever sent them.
 */
export function cleanMessage(
  error: QuotingError,
  { suggestions }: { readonly suggestions: boolean },
): string {
  const message = withoutVariableValue(error)
    .replace(/(cannot represent [^:]*):.*$/su, '$1.')
    .replace(/(Expected value of type "[^"]*"), found .*$/su, '$1.')
    .replace(/found (String|BlockString) .*$/su, 'found $1.');
  return suggestions ? message : message.replace(/ Did you mean .*\?/su, '');
}

/** `Variable "$input" got invalid value {…} at "input.email"; reason` quotes the whole of it. */
function withoutVariableValue({ message, originalError }: QuotingError): string {
  const variable = /^Variable "(\$\w+)" got invalid value /u.exec(message)?.[1];
  if (variable === undefined) return message;
  const reason = originalError?.message ?? '';
  if (reason === '' || !message.endsWith(`; ${reason}`))
    return `Variable "${variable}" got an invalid value.`;
  const quoted = message.slice(0, -reason.length - 2);
  const path = / at "([^"]*)"$/u.exec(quoted)?.[1];
  return `Variable "${variable}" got an invalid value${path ? ` at "${path}"` : ''}; ${reason}`;
}

interface QuotingError {
  readonly message: string;
  readonly originalError?: { readonly message: string } | null | undefined;
}
