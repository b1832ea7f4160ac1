import { type DocumentNode, Kind, type SelectionNode, type SelectionSetNode } from 'graphql';
import { CrossbookError } from '../domain/errors.ts';

/**
 * Refuses a document that takes long to validate for its length. Validation compares every two fields that merge under one
 * response name, and every two fragments of a selection, and goes through all fragments again for each operation. How
 * often it would is counted here, in time that is linear in what is visited.
 */
export function checkMerging({ definitions }: DocumentNode, limits: MergingLimits): void {
  const fragments = new Map<string, SelectionSetNode>();
  const operations: SelectionSetNode[] = [];
  for (const node of definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node.selectionSet);
    else if (node.kind === Kind.OPERATION_DEFINITION) operations.push(node.selectionSet);
  }
  if (operations.length > limits.operations) {
    throw tooLarge(`it has more than ${limits.operations} operations`);
  }
  const reached = new Set<string>();
  const ids = new Map<SelectionSetNode, number>();
  const merged = new Set<string>();
  const count = { fields: 0, pairs: 0 };
  for (const set of operations) countPairs(set);
  // What an operation reaches was counted within it, with all that it merges with there.
  for (const [name, set] of fragments) if (!reached.has(name)) countPairs(set);

  function countPairs(root: SelectionSetNode): void {
    const waiting: (readonly SelectionSetNode[])[] = [[root]];
    for (let sets = waiting.pop(); sets; sets = waiting.pop()) {
      // Once: a fragment may come again under each alias, or within itself.
      const name = toName(sets);
      if (merged.has(name)) continue;
      merged.add(name);
      const { fields, spreads } = merge(sets);
      count.pairs += pairsOf(spreads);
      for (const { times, below } of fields.values()) {
        count.fields += times;
        count.pairs += pairsOf(times);
        if (below.length > 0) waiting.push(below);
      }
      if (count.pairs > limits.pairs) {
        throw tooLarge(`more than ${limits.pairs} pairs of its fields or fragments answer under one name`);
      }
      if (count.fields > limits.merged) {
        throw tooLarge(`with its fragments it has more than ${limits.merged} fields`);
      }
    }
  }

  function toName(sets: readonly SelectionSetNode[]): string {
    return sets.map((set) => ids.get(set) ?? ids.set(set, ids.size).size - 1).join();
  }

  /** What these selections answer together, by response name. Each fragment counts once in them. */
  function merge(sets: readonly SelectionSetNode[]): Merged {
    const fields = new Map<string, { times: number; below: SelectionSetNode[] }>();
    const spread = new Set<string>();
    const waiting: (readonly SelectionNode[])[] = sets.map(({ selections }) => selections);
    for (let selections = waiting.pop(); selections; selections = waiting.pop()) {
      for (const node of selections) {
        if (node.kind === Kind.FIELD) {
          const name = (node.alias ?? node.name).value;
          const field = fields.get(name) ?? { times: 0, below: [] };
          fields.set(name, field);
          field.times += 1;
          if (node.selectionSet) field.below.push(node.selectionSet);
        } else if (node.kind === Kind.INLINE_FRAGMENT) {
          waiting.push(node.selectionSet.selections);
        } else if (!spread.has(node.name.value)) {
          spread.add(node.name.value);
          reached.add(node.name.value);
          waiting.push(fragments.get(node.name.value)?.selections ?? []);
        }
      }
    }
    return { fields, spreads: spread.size };
  }
}

function pairsOf(times: number): number {
  return (times * (times - 1)) / 2;
}

function tooLarge(what: string): CrossbookError {
  return new CrossbookError('BAD_REQUEST', `The document is too large: ${what}.`);
}

/** Far more than generated documents have. */
interface MergingLimits {
  /** Of one document. */
  readonly operations: number;
  /** Of fields under one response name, and of fragments in one selection. */
  readonly pairs: number;
  /** Fields, counted wherever they merge with others. */
  readonly merged: number;
}

interface Merged {
  readonly fields: ReadonlyMap<
    string,
    { readonly times: number; readonly below: readonly SelectionSetNode[] }
  >;
  /** How many fragments are spread in it. */
  readonly spreads: number;
}
