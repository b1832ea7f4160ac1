import { type App, createApp } from './app.ts';
import { readConfig } from './config.ts';
import type { Crossbook, CrossbookOptions } from './embedding.ts';
import type { AppOverrides } from './foundation.ts';
import { createInProcessExecutor } from './graphql/over-http/in-process.ts';
import { createNodeHandler, type Forward, type NodeHandler } from './http/node-handler.ts';
import type { Logging } from './telemetry/logger.ts';

/** `CreateCrossbook`, with parts of the command. */
export async function createCrossbook(
  options: CrossbookOptions = {},
  { logging, forward, ...own }: OwnParts = {},
): Promise<OwnCrossbook> {
  checkOptions(options);
  const { settings = {}, plugins, logger, clock } = options;
  const config = readConfig({
    ...settings,
    // Where the application listens is unknown: PUBLIC_URL has no default, and the sandbox is not opened to a network.
    PORT: settings['PORT'] || '0',
    CROSSBOOK_SANDBOX: settings['CROSSBOOK_SANDBOX'] || 'off',
  });
  const toStdout = { output: process.stdout, readable: false };
  const app = await createApp(config, logging ?? (logger ? { logger } : toStdout), {
    ...own,
    plugins,
    clock,
  });
  const { answer, onRefused, unread, basePath } = app;
  const { proxies } = config;
  const handler = createNodeHandler({ answer, onRefused, unread, proxies, forward, basePath });
  let closing: Promise<void> | undefined;
  const { demo } = app;
  if (!logging) app.logNotes();
  return {
    handle: handler.handle,
    execute: createInProcessExecutor(handler.answerInProcess) as Crossbook['execute'],
    demo: demo && { apiKey: demo.key, customerId: demo.customerId },
    announceUrl: app.announceUrl,
    announceStop: app.announceStop,
    close() {
      closing ??= handler.close().then(app.close);
      return closing;
    },
    parts: { ...app, handler },
  };
}

/** Throws one error that lists every mistake. */
function checkOptions(options: CrossbookOptions): void {
  const mistakes = isObject(options)
    ? Object.entries(options).flatMap(([name, value]) => findMistakes(name, value))
    : ['they must be an object'];
  if (mistakes.length > 0)
    throw new TypeError(
      `Invalid options for createCrossbook:\n${mistakes.map((one) => `  ${one}`).join('\n')}`,
    );
}

function findMistakes(name: string, value: unknown): readonly string[] {
  const find = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof CrossbookOptions] : undefined;
  if (!find) return [`${name}: unknown option`];
  return value === undefined ? [] : find(value);
}

const CHECKS: Readonly<Record<keyof CrossbookOptions, (value: unknown) => readonly string[]>> = {
  settings: (value) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, one]) =>
          one === undefined || typeof one === 'string'
            ? []
            : [`settings.${name}: must be a string`],
        )
      : ['settings: must be an object of settings by name, such as the environment'],
  plugins: (value) =>
    isObject(value) && !Array.isArray(value)
      ? Object.entries(value).flatMap(([name, one]) =>
          isObject(one) ? [] : [`plugins.${name}: must be a plugin of Yoga or Envelop`],
        )
      : ['plugins: must be an object of plugins by names of your choice'],
  logger: (value) => requireMethods('logger', value, ['info', 'warn', 'error']),
  clock: (value) => requireMethods('clock', value, ['now', 'wall', 'schedule']),
};

function requireMethods(name: string, value: unknown, methods: readonly string[]): string[] {
  const options: Readonly<Record<string, unknown>> = isObject(value) ? value : {};
  return methods
    .filter((method) => typeof options[method] !== 'function')
    .map((method) => `${name}.${method}: must be a function`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** What the command has opened already, or does in another way than an embedding application. */
interface OwnParts extends Omit<AppOverrides, 'plugins' | 'clock'> {
  readonly logging?: Logging | undefined;
  /** With several workers. */
  readonly forward?: Forward | undefined;
}

export interface OwnCrossbook extends Crossbook {
  /** For the listener and the startup message. */
  readonly parts: App & { readonly handler: NodeHandler };
}
