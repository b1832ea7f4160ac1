/** The beginning of a text, cut at a character; `note` says so. */
export function cutText(text: string, maxBytes: number): CutText {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { text, note: undefined };
  // One more character than fits: what it begins is cut off again.
  const start = Buffer.from(text.slice(0, maxBytes + 1), 'utf8');
  let end = maxBytes;
  while (end > 0 && ((start[end] as number) & CONTINUATION_MASK) === CONTINUATION) end -= 1;
  return { text: start.toString('utf8', 0, end), note: `[cut: the first ${end} of ${bytes} bytes]` };
}

/**
 * The beginning of a JSON text as a whole one: what is open is closed, and the note stands where it was cut. What is no
 * JSON stays something that is none.
 */
export function closeJson(start: string, note: string): string {
  const open: ('{' | '[')[] = [];
  // Up to here everything is complete but for the open brackets, or for the string that it ends in.
  let whole = 0;
  let string: 'none' | 'key' | 'value' = 'none';
  let next: 'key' | 'value' = 'value';
  for (let index = 0; index < start.length; index += 1) {
    const character = start[index];
    if (string !== 'none') {
      if (character === '"') string = 'none';
      else if (character === '\\') index += start[index + 1] === 'u' ? 5 : 1;
      if (string === 'value' && index < start.length) whole = index + 1;
    } else if (character === '"') {
      string = next;
      if (string === 'value') whole = index + 1;
    } else if (character === '{' || character === '[') {
      open.push(character);
      whole = index + 1;
      next = character === '{' ? 'key' : 'value';
    } else if (character === '}' || character === ']') {
      open.pop();
      whole = index + 1;
    } else if (character === ',') {
      whole = index;
      next = open.at(-1) === '{' ? 'key' : 'value';
    } else if (character === ':') next = 'value';
  }
  const brackets = open.map((bracket) => (bracket === '{' ? '}' : ']')).reverse();
  const rest = string === 'value' ? ` ${note}"` : toMember(start.charAt(whole - 1), note, open.at(-1));
  return `${start.slice(0, whole)}${rest}${brackets.join('')}`;
}

function toMember(before: string, note: string, bracket: string | undefined): string {
  const comma = before === '{' || before === '[' ? '' : ',';
  return bracket === '{' ? `${comma}"[cut]":"${note}"` : `${comma}"${note}"`;
}

const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;

export interface CutText {
  readonly text: string;
  /** Undefined: nothing was cut off. */
  readonly note: string | undefined;
}
