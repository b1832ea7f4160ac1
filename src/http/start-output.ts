import type { ProviderName } from '../domain/provider-names.ts';

/**
 * Says what a start is busy with: in a terminal in one line that the next step, or whatever else is written, replaces.
 */
export function createStartOutput(output: Output, isTerminal: boolean): StartOutput {
  let isShown = false;
  const endStep = () => {
    if (isShown) output.write(CLEAR_LINE);
    isShown = false;
  };
  return {
    step(text) {
      if (isTerminal) output.write(`${CLEAR_LINE}  ${text} …`);
      else output.write(`  ${text} …\n`);
      isShown = isTerminal;
    },
    endStep,
    write(text) {
      endStep();
      output.write(text);
    },
  };
}

const CLEAR_LINE = '\r\u001b[2K';

/** What the start prints: where to go, and with what. */
export function formatStartupMessage({ url, demo, notes }: Welcome): string {
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

/** A first query that works when it is pasted into a terminal. */
export function toDemoCommand(
  url: string,
  { key, customerId }: Demo,
  provider: ProviderName = 'hubspot',
): string {
  const query =
    '{ searchContacts(filter: { email: "ada@example.com" }) { nodes { firstName lastName emailAddresses { emailAddress } } } }';
  return [
    `curl -s ${url}/graphql`,
    `-H 'content-type: application/json'`,
    `-H 'x-api-key: ${key}'`,
    `-H 'x-customer-id: ${customerId}'`,
    `-H 'x-provider-name: ${provider}'`,
    `-d '${JSON.stringify({ query })}'`,
  ].join(' \\\n  ');
}

/** As GraphiQL sends them. */
export function toDemoHeaders(demo: Demo | undefined): Record<string, string> {
  return demo ? { 'x-api-key': demo.key, 'x-customer-id': demo.customerId } : {};
}

interface Output {
  write(text: string): unknown;
}

interface StartOutput extends Output {
  step(text: string): void;
  /** Leaves the line empty, for what others write. */
  endStep(): void;
}

interface Welcome {
  readonly url: string;
  readonly demo: Demo | undefined;
  /** What the person who starts it should know, such as where a key file was made. */
  readonly notes: readonly string[];
}

/** What the default start has ready to be asked. */
export interface Demo {
  readonly key: string;
  readonly customerId: string;
}
