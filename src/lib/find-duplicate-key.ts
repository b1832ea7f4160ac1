/**
 * The first key that one object of a JSON text holds twice, as it is written there. `JSON.parse` keeps the last and
 * another parser the first, so that the two would read two different requests. The text must be valid JSON.
 */
export function findDuplicateKey(json: string): string | undefined {
  // One entry for each open bracket: the keys of an object, undefined for a list.
  const open: (Set<string> | undefined)[] = [];
  let text = '';
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '{') open.push(new Set());
    else if (character === '[') open.push(undefined);
    else if (character === '}' || character === ']') open.pop();
    else if (character === '"') {
      const end = findEnd(json, index);
      text = json.slice(index, end + 1);
      index = end;
    } else if (character === ':') {
      // Escapes spell one key in many ways.
      const key = text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
      const keys = open.at(-1);
      if (keys?.has(key)) return text;
      keys?.add(key);
    }
  }
  return undefined;
}

/** Where the string that starts here ends: at a quote with an even number of backslashes before it. */
function findEnd(json: string, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
  return index;
}
