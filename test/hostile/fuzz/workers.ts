import { connect } from 'node:net';
import { createDice } from '../../support/dice.ts';
import { ANSWER_BYTES } from '../corpus/bounds.ts';
import type { Caller } from '../target/open-target.ts';
import type { Prepared } from '../target/prepare.ts';
import { type HttpRequest, send, toGet, toGraphQL } from '../target/send.ts';
import { openSchema } from './open-schema.ts';
import { createDocumentWriter } from './write-document.ts';
import { writeFault } from './write-fault.ts';
import { writeHttp } from './write-http.ts';

/** Each worker repeats one kind of request, and reports problems of the responses. Deterministic by seed. */
export function createWorkers({ target, facts, judge }: Prepared, seed: number): readonly Worker[] {
  const { url, callers, crms, tokens } = target;
  const texts = [
    'demo',
    'stuffed',
    'ada@example.com',
    'example.com',
    '',
    'x\u0000y',
    'Contact',
    "'; --",
    'ß@ü.example',
  ];
  const ids = [...facts.ids.slice(0, 50), facts.foreignId, 'x', ''];
  const schema = openSchema();

  return [
    documents(seed, 'stranger', 32_000),
    documents(seed + 1, 'key', 400_000),
    documents(seed + 2, 'token', 32_000),
    bytes(seed + 3),
    faults(seed + 4),
  ];

  function documents(own: number, caller: Caller, maxCharacters: number): Worker {
    const dice = createDice(own);
    const write = createDocumentWriter({ schema, dice, texts, ids, maxCharacters });
    return async () => {
      const operation = write(caller === 'stranger' && dice.chance(90) ? 'schema' : 'anything');
      const get = toGet(operation, callers[caller]);
      const batch = Array.from({ length: 1 + dice.next(10) }, () => operation);
      const way = dice.next(4);
      if (way === 0 && (get.path?.length ?? 0) < 14_000) return check(get, caller);
      return check(toGraphQL(way === 1 ? batch : operation, callers[caller]), caller);
    };
  }

  async function check(request: HttpRequest, caller: Caller): Promise<Finding> {
    const received = await send(url, request);
    const { status, bytes, text } = received;
    const problems = judge.checkAlways(received);
    if (bytes > ANSWER_BYTES[caller]) problems.push(`${bytes} bytes for a ${caller}`);
    if (status === 503 && (caller === 'stranger' || OTHER_REFUSAL.test(text)))
      problems.push(`503 with few requests running: ${text.slice(0, 500)}`);
    return { problems, sent: { caller, path: request.path, body: request.body } };
  }

  /**
   * Malformed HTTP may get a response, an error or a closed connection: never an internal error, and never a
   * secret.
   */
  function bytes(own: number): Worker {
    const dice = createDice(own);
    return async () => {
      const sent = writeHttp(dice, dice.chance(50) ? callers.key : {});
      const received = await exchange(url, sent, dice.chance(20));
      const secret = judge.findSecret(received.slice(0, 100_000));
      const problems = [
        ...(/HTTP\/1\.1 50[0-35-9]/.test(received) ? [`a bug: ${received.slice(0, 300)}`] : []),
        ...(secret === undefined ? [] : ['a secret']),
      ];
      return { problems, sent: { bytes: sent } };
    };
  }

  function faults(own: number): Worker {
    const dice = createDice(own);
    return async () => {
      const name = dice.pick(['hubspot', 'salesforce'] as const);
      const crm = crms[name];
      const fault = writeFault(dice, tokens[name]);
      await crm.recover();
      await crm.fail(fault, { times: 1 + dice.next(3) });
      const headers = {
        ...callers.key,
        'x-provider-name': name,
        'content-type': 'application/json',
      };
      const filter = dice.pick([{ email: 'ada@example.com' }, { email_domain: 'example.com' }]);
      const rest = { path: '/contacts/_search', headers, body: JSON.stringify({ filter }) };
      const query =
        '{searchContacts(filter:{emailDomain:"example.com"},first:300){totalCount nodes{id rawData}}}';
      const found = await check(dice.chance(50) ? rest : toGraphQL({ query }, headers), 'key');
      return { ...found, sent: { fault, ...found.sent } };
    };
  }
}

function exchange(url: string, sent: string, drips: boolean): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  return new Promise((resolve) => {
    // A connection that stays open is closed after a while, and the received bytes are judged.
    const timer = setTimeout(() => socket.destroy(), 1_000);
    socket.setEncoding('latin1').on('data', (text) => {
      received += text;
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(received);
    });
    const half = drips ? Math.floor(sent.length / 2) : sent.length;
    socket.write(sent.slice(0, half), 'latin1');
    if (drips) setTimeout(() => socket.write(sent.slice(half), 'latin1'), 100);
  });
}

/**
 * A few requests find everything free but memory: two or three answers of 31 MB from a CRM fill their connection's
 * share, and one more is refused.
 */
const OTHER_REFUSAL =
  /"code":"SERVICE_UNAVAILABLE"[^}]*"detail":"(?!The memory for requests and answers)/;

export type Worker = () => Promise<Finding>;

/** What was sent, and the problems of the response (usually none). */
export interface Finding {
  readonly problems: readonly string[];
  readonly sent: object;
}
