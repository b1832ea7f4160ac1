import type { Callers } from '../target/open-target.ts';
import { type HttpRequest, type Operation, toGet, toGraphQL } from '../target/send.ts';
import { ANSWER_BYTES } from './bounds.ts';
import type { DocumentKind, Expecting, Facts, Gets, Sends, Sent, Way } from './line.ts';

/** Every request of a kind: its lines, by each of its callers, by each transport. */
export function expand({ kind, as, ways, gets, lines }: DocumentKind): readonly Case[] {
  return Object.entries(lines).flatMap(([title, line]) => {
    const { sends, gets: own } = isExpecting(line) ? line : { sends: line, gets };
    return as.flatMap((caller) =>
      ways.map((way) => ({
        title: `${kind}: ${title}, by ${way} of a ${caller}`,
        gets: { maxBytes: ANSWER_BYTES[caller], ...own },
        ask(callers: Callers, facts: Facts) {
          const sent = typeof sends === 'function' ? sends(facts) : sends;
          return toHttpRequest(
            typeof sent === 'string' ? { query: sent } : sent,
            way,
            callers[caller],
          );
        },
      })),
    );
  });
}

/** Undefined if that transport cannot carry it. */
function toHttpRequest(
  sent: Exclude<Sent, string>,
  way: Way,
  headers: Callers['key'],
): HttpRequest | undefined {
  if (way === 'POST') return toGraphQL(sent, headers);
  if (!isOperation(sent)) return undefined;
  if (way === 'batch') {
    const request = toGraphQL(
      Array.from({ length: 10 }, () => sent),
      headers,
    );
    return (request.body?.length ?? 0) <= MOST_IN_BODY ? request : undefined;
  }
  const request = toGet(sent, headers);
  return (request.path?.length ?? 0) <= MOST_IN_ADDRESS ? request : undefined;
}

function isExpecting(line: Sends | Expecting): line is Expecting {
  return typeof line === 'object' && 'sends' in line;
}

function isOperation(sent: Exclude<Sent, string>): sent is Operation {
  return 'query' in sent;
}

/** Longer ones are rejected for their length alone, which tests nothing else. */
const MOST_IN_BODY = 1024 * 1024;
const MOST_IN_ADDRESS = 14 * 1024;

export interface Case {
  readonly title: string;
  readonly gets: Gets;
  ask(callers: Callers, facts: Facts): HttpRequest | undefined;
}
