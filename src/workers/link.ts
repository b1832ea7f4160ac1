import { toReason } from '../lib/output.ts';

/**
 * Calls between the supervisor and one worker, over the channel of Node's child processes. Each side names the calls
 * that it answers.
 */
export function openLink<Theirs extends Calls, Ours extends Calls>(
  channel: Channel,
  answers: Ours,
): Link<Theirs> {
  const pending = new Map<number, PendingCall>();
  let lastId = 0;
  let isOpen = true;

  channel.onMessage((message) => {
    if (!isMessage(message)) return;
    if ('call' in message) void answer(message);
    else settle(message);
  });
  channel.onClose(() => {
    isOpen = false;
    for (const { reject } of pending.values()) reject(new LinkClosedError());
    pending.clear();
  });

  return {
    ask(call, value) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        if (!isOpen) {
          reject(new LinkClosedError());
          return;
        }
        pending.set(id, { resolve: resolve as PendingCall['resolve'], reject });
        channel.send({ [MARK]: true, call, id, value }, (error) => {
          if (error && pending.delete(id)) reject(error);
        });
      });
    },
    tell(call, value) {
      if (isOpen) channel.send({ [MARK]: true, call, value }, () => undefined);
    },
    isOpen: () => isOpen,
  };

  async function answer({ call, id, value }: CallMessage): Promise<void> {
    const reply = (outcome: object) => {
      if (isOpen && id !== undefined)
        channel.send({ [MARK]: true, reply: id, ...outcome }, () => undefined);
    };
    try {
      reply({ value: await answers[call]?.(value) });
    } catch (error) {
      reply({ failure: toReason(error) });
    }
  }

  function settle({ reply, value, failure }: ReplyMessage): void {
    const one = pending.get(reply);
    pending.delete(reply);
    if (failure === undefined) one?.resolve(value);
    else one?.reject(new Error(failure));
  }
}

/** The other process has ended. */
class LinkClosedError extends Error {
  constructor() {
    super('The other process has ended.');
  }
}

function isMessage(message: unknown): message is CallMessage | ReplyMessage {
  return typeof message === 'object' && message !== null && MARK in message;
}

/** Distinguishes our messages from those of Node and of tests. */
const MARK = 'crossbook';

// biome-ignore lint/suspicious/noExplicitAny: the parameters of a call are its own.
export type Calls = { readonly [name: string]: (value: any) => unknown };

export interface Link<Theirs extends Calls> {
  /** Resolves with the answer. Rejects if the other process ends before. */
  ask<Name extends keyof Theirs & string>(
    call: Name,
    value: Parameters<Theirs[Name]>[0],
  ): Promise<Awaited<ReturnType<Theirs[Name]>>>;
  /** Without an answer. */
  tell<Name extends keyof Theirs & string>(call: Name, value: Parameters<Theirs[Name]>[0]): void;
  isOpen(): boolean;
}

export interface Channel {
  send(message: object, onSent: (error: Error | null) => void): void;
  onMessage(listener: (message: unknown) => void): void;
  onClose(listener: () => void): void;
}

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

interface CallMessage {
  readonly call: string;
  /** Absent: no reply is expected. */
  readonly id?: number;
  readonly value?: unknown;
}

interface ReplyMessage {
  readonly reply: number;
  readonly value?: unknown;
  readonly failure?: string;
}
