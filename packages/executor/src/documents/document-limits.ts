import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Limits } from '../cost/operation-limits.ts';
import { LimitError } from '../limit-error.ts';

/**
 * Rejects a document with too deeply nested brackets before parsing, because graphql's recursive parser would
 * overflow the stack.
 */
export function checkNesting(source: string, limit: number): void {
  let depth = 0;
  for (let index = 0; index < source.length; index++) {
    const character = source[index];
    if (character === '"') index = findStringEnd(source, index);
    else if (character === '#') index = findLineEnd(source, index);
    else if (character === '{' || character === '[' || character === '(') depth++;
    else if (character === '}' || character === ']' || character === ')') depth--;
    if (depth > limit) throw tooLarge(`its brackets nest deeper than ${limit}`);
  }
}

/** The index of the last character of a string. An unterminated string is left to the parser. */
function findStringEnd(source: string, start: number): number {
  const isBlock = source.startsWith('"""', start);
  const quote = isBlock ? '"""' : '"';
  for (let index = start + quote.length; index < source.length; index++) {
    if (source[index] === '\\')
      index += isBlock ? (source.startsWith('"""', index + 1) ? 3 : 0) : 1;
    else if (source.startsWith(quote, index)) return index + quote.length - 1;
    else if (!isBlock && isLineEnd(source[index])) return index;
  }
  return source.length;
}

/** A carriage return alone ends a line as well. */
function findLineEnd(source: string, start: number): number {
  let end = start;
  while (end < source.length && !isLineEnd(source[end])) end += 1;
  return end;
}

function isLineEnd(character: string | undefined): boolean {
  return character === '\n' || character === '\r';
}

/**
 * Rejects a document whose selections nest too deeply through fragments, because graphql's validation recurses
 * through them. Each fragment is measured once. Cyclic fragments are left to validation.
 */
export function checkFragmentDepth(document: DocumentNode, limit: number): void {
  const fragments = findFragments(document);
  const depths = new Map<string, number>();
  for (const name of fragments.keys()) depthOfFragment(name, 1);
  for (const node of document.definitions)
    if (node.kind === Kind.OPERATION_DEFINITION) depthOf(node.selectionSet, 1);

  /** `level` counts from the start of the walk and bounds the recursion. */
  function depthOf({ selections }: SelectionSetNode, level: number): number {
    let below = 0;
    if (level <= limit) {
      for (const node of selections) {
        if (node.kind === Kind.FRAGMENT_SPREAD)
          below = Math.max(below, depthOfFragment(node.name.value, level + 1));
        else if (node.selectionSet) below = Math.max(below, depthOf(node.selectionSet, level + 1));
      }
    }
    if (level + below > limit)
      throw tooLarge(`with its fragments, its selections nest deeper than ${limit}`);
    return below + 1;
  }

  function depthOfFragment(name: string, level: number): number {
    const known = depths.get(name);
    if (known !== undefined) return known;
    depths.set(name, 0);
    const fragment = fragments.get(name);
    const depth = fragment ? depthOf(fragment.selectionSet, level) : 0;
    depths.set(name, depth);
    return depth;
  }
}

/**
 * Rejects a document that would be slow to validate for its length. Validation compares all pairs of fields that
 * merge under one response name and all pairs of fragments in a selection, and visits all fragments again per
 * operation. This counts those steps, and its own, in linear time.
 */
export function checkMerging(document: DocumentNode, limits: MergingLimits): void {
  const fragments = findFragments(document);
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operations.length > limits.operations)
    throw tooLarge(`it has more than ${limits.operations} operations`);
  const reached = new Set<string>();
  const ids = new Map<SelectionSetNode, number>();
  const merged = new Set<string>();
  const count = { selections: 0, pairs: 0 };
  for (const { selectionSet } of operations) countPairs(selectionSet);
  // Fragments that an operation reaches were counted within it.
  for (const [name, { selectionSet }] of fragments)
    if (!reached.has(name)) countPairs(selectionSet);

  function countPairs(root: SelectionSetNode): void {
    const waiting: (readonly SelectionSetNode[])[] = [[root]];
    for (let sets = waiting.pop(); sets; sets = waiting.pop()) {
      // Each set once: a fragment may recur under several aliases, or in itself.
      const name = toName(sets);
      if (merged.has(name)) continue;
      merged.add(name);
      const { fields, spreads, visited } = selectFields(sets, fragments);
      for (const spread of spreads) reached.add(spread);
      count.pairs += pairsOf(spreads.size);
      count.selections += visited;
      for (const same of groupByResponseName(fields)) {
        count.pairs += pairsOf(same.length);
        const below = same.flatMap(({ selectionSet }) => selectionSet ?? []);
        if (below.length > 0) waiting.push(below);
      }
      if (count.pairs > limits.pairs)
        throw tooLarge(
          `more than ${limits.pairs} pairs of its fields or fragments share a response name`,
        );
      if (count.selections > limits.merged)
        throw tooLarge(`with its fragments it has more than ${limits.merged} selections`);
    }
  }

  function toName(sets: readonly SelectionSetNode[]): string {
    return sets.map((set) => ids.get(set) ?? ids.set(set, ids.size).size - 1).join();
  }
}

function groupByResponseName(fields: readonly FieldNode[]): Iterable<readonly FieldNode[]> {
  const groups = new Map<string, FieldNode[]>();
  for (const field of fields) {
    const name = (field.alias ?? field.name).value;
    const group = groups.get(name);
    if (group) group.push(field);
    else groups.set(name, [field]);
  }
  return groups.values();
}

function pairsOf(times: number): number {
  return (times * (times - 1)) / 2;
}

export function tooLarge(what: string): LimitError {
  return new LimitError(`The document is too large: ${what}.`);
}

type MergingLimits = Pick<Limits, 'operations' | 'pairs' | 'merged'>;

/** Fragments by name; of duplicates the last one, as in graphql. */
export function findFragments({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((node) => [node.name.value, node]));
}

/** Collects the fields of selections, in any order, through inline fragments, and through each named fragment once. */
export function selectFields(
  sets: readonly SelectionSetNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): SelectedNodes {
  const fields: FieldNode[] = [];
  const spreads = new Set<string>();
  let visited = 0;
  const waiting = [...sets];
  for (let set = waiting.pop(); set; set = waiting.pop()) {
    visited += set.selections.length;
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) fields.push(node);
      else if (node.kind === Kind.INLINE_FRAGMENT) waiting.push(node.selectionSet);
      else if (!spreads.has(node.name.value)) {
        spreads.add(node.name.value);
        const fragment = fragments.get(node.name.value);
        if (fragment) waiting.push(fragment.selectionSet);
      }
    }
  }
  return { fields, spreads, visited };
}

interface SelectedNodes {
  readonly fields: readonly FieldNode[];
  readonly spreads: ReadonlySet<string>;
  /** How many selections were visited, repeated spreads included. */
  readonly visited: number;
}
