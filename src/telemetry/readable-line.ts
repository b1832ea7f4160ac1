const LEVELS: Readonly<Record<string, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/** A JSON log line as a person at a terminal wants to read it. */
export function toReadableLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = typeof time === 'number' ? new Date(time).toISOString().slice(11, 23) : '';
  const facts = Object.entries(fields).map(([name, value]) => `${name}=${toText(value)}`);
  return `${[clock, (LEVELS[String(level)] ?? '').padEnd(5), String(msg), ...facts].join(' ')}\n`;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
