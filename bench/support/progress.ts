const isTerminal = process.stderr.isTTY === true;

/** A progress line that is replaced by the next one. */
export function showProgress(text: string): void {
  process.stderr.write(isTerminal ? `\r\u001b[2K${text}` : `${text}\n`);
}

export function endProgress(): void {
  if (isTerminal) process.stderr.write('\r\u001b[2K');
}

export function say(text: string): void {
  endProgress();
  process.stdout.write(`${text}\n`);
}
