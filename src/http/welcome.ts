import { type Demo, toDemoCommand } from './demo-command.ts';

/** What the start prints: where to go, and with what. */
export function toWelcome({ url, demo, notes }: Welcome): string {
  const lines = [
    '',
    `  Crossbook is ready at ${url}`,
    '',
    `  GraphiQL   ${url}/graphql`,
    `  REST       ${url}/docs`,
    ...(demo ? [`  API key    ${demo.key}   (demo application, customer "${demo.customerId}")`] : []),
    ...notes.map((note) => `  ${note}`),
    '',
    ...(demo ? ['  Try it:', '', toDemoCommand(url, demo), ''] : []),
  ];
  return `${lines.join('\n')}\n`;
}

interface Welcome {
  readonly url: string;
  readonly demo: Demo | undefined;
  /** What the person who starts it should know, such as where a key file was made. */
  readonly notes: readonly string[];
}
