const LEVELS: Readonly<Record<string, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/** A JSON log line as a person at a terminal wants to read it. */
export function toReadableLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = typeof time === 'number' ? new Date(time).toISOString().slice(11, 23) : '';
  const facts = Object.entries(fields).map(([name, value]) => `${name}=${toText(value)}`);
  const words = [clock, (LEVELS[String(level)] ?? '').padEnd(5), String(msg), ...facts];
  return `${words.join(' ').replace(CONTROL_CHARACTER, toEscape)}\n`;
}

/** A terminal would obey it. */
const CONTROL_CHARACTER = /\p{Cc}/gu;

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
