import { type DocumentNode, Kind, type SelectionNode } from 'graphql';
import { CrossbookError } from '../domain/errors.ts';

/**
 * Refuses a document whose brackets nest too deeply, before it is parsed: graphql's parser calls itself for each, and
 * would run out of stack.
 */
export function checkNesting(source: string, limit: number): void {
  let depth = 0;
  for (let index = 0; index < source.length; index++) {
    const character = source[index];
    if (character === '"') index = findStringEnd(source, index);
    else if (character === '#') index = findLineEnd(source, index);
    else if (character === '{' || character === '[' || character === '(') depth++;
    else if (character === '}' || character === ']' || character === ')') depth--;
    if (depth > limit) {
      throw new CrossbookError(
        'BAD_REQUEST',
        `The document is too large: its brackets nest deeper than ${limit}.`,
      );
    }
  }
}

/** Of its last character. A string that does not end is the parser's to complain of. */
function findStringEnd(source: string, start: number): number {
  const isBlock = source.startsWith('"""', start);
  const quote = isBlock ? '"""' : '"';
  for (let index = start + quote.length; index < source.length; index++) {
    if (source[index] === '\\') index += isBlock ? (source.startsWith('"""', index + 1) ? 3 : 0) : 1;
    else if (source.startsWith(quote, index)) return index + quote.length - 1;
    else if (!isBlock && source[index] === '\n') return index;
  }
  return source.length;
}

function findLineEnd(source: string, start: number): number {
  const end = source.indexOf('\n', start);
  return end === -1 ? source.length : end;
}

/**
 * Refuses a document whose selections nest too deeply through its fragments: graphql's validation calls itself from one
 * fragment to the next. It is found out without such calls, and in one pass over the document. A fragment within itself is
 * left to validation.
 */
export function checkFragmentDepth({ definitions }: DocumentNode, limit: number): void {
  const fragments = new Map<string, Fragment>();
  const outlines: Outline[] = [];
  for (const node of definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(node.name.value, { ...toOutline(node.selectionSet.selections), state: 'new', depth: 0 });
    } else if (node.kind === Kind.OPERATION_DEFINITION) {
      outlines.push(toOutline(node.selectionSet.selections));
    }
  }
  for (const name of fragments.keys()) settle(name, fragments);
  for (const outline of [...outlines, ...fragments.values()]) {
    if (depthOf(outline, fragments) <= limit) continue;
    throw new CrossbookError(
      'BAD_REQUEST',
      `The document is too large: with its fragments, its selections nest deeper than ${limit}.`,
    );
  }
}

function toOutline(selections: readonly SelectionNode[]): Outline {
  const spreads: Spread[] = [];
  const waiting = [{ selections, depth: 1 }];
  let ownDepth = 0;
  for (let part = waiting.pop(); part; part = waiting.pop()) {
    const { depth } = part;
    ownDepth = Math.max(ownDepth, depth);
    for (const node of part.selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) spreads.push({ name: node.name.value, depth });
      else if (node.selectionSet)
        waiting.push({ selections: node.selectionSet.selections, depth: depth + 1 });
    }
  }
  return { ownDepth, spreads };
}

/** Those that it spreads first. */
function settle(start: string, fragments: ReadonlyMap<string, Fragment>): void {
  const waiting = [start];
  for (let name = waiting.at(-1); name !== undefined; name = waiting.at(-1)) {
    const fragment = fragments.get(name);
    if (fragment?.state === 'new') {
      fragment.state = 'open';
      for (const spread of fragment.spreads) {
        if (fragments.get(spread.name)?.state === 'new') waiting.push(spread.name);
      }
      continue;
    }
    waiting.pop();
    if (fragment?.state !== 'open') continue;
    fragment.state = 'settled';
    fragment.depth = depthOf(fragment, fragments);
  }
}

function depthOf({ ownDepth, spreads }: Outline, fragments: ReadonlyMap<string, Fragment>): number {
  let deepest = ownDepth;
  for (const { name, depth } of spreads) {
    deepest = Math.max(deepest, depth + (fragments.get(name)?.depth ?? 0));
  }
  return deepest;
}

interface Outline {
  /** Without its fragments. */
  readonly ownDepth: number;
  readonly spreads: readonly Spread[];
}

interface Spread {
  readonly name: string;
  readonly depth: number;
}

interface Fragment extends Outline {
  state: 'new' | 'open' | 'settled';
  /** With those that it spreads. */
  depth: number;
}
