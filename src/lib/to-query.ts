/** A query string or form whose spaces are `%20`, as authorization servers document their scopes. */
export function toQuery(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return new URLSearchParams(given).toString().replaceAll('+', '%20');
}
