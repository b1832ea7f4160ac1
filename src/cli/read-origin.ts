import { toWebOrigin } from '../domain/web-origin.ts';
import { UsageError } from './command.ts';

export function readOrigin(text: string): string {
  const origin = toWebOrigin(text);
  if (origin !== undefined) return origin;
  throw new UsageError(`Not a web origin: ${text}. It is a scheme and a host, such as https://app.example`);
}
