import type { Allowance } from '../../domain/resources.ts';
import { isChunked, JsonBytes, writeList } from '../../lib/json.ts';
import { toUtf8 } from '../../lib/to-utf8.ts';
import { bailOut } from './execution.ts';
import { type FieldReader, isUnexpected, type Serializer, type Writing } from './serializers.ts';

/**
 * From plain data that holds long lists to its JSON; undefined where none is long. Items are written as they are read:
 * as part of an answer they would be carried by all the promises that bring it to the socket. What was written
 * and can be disposed of is. Like a reader it throws as soon as something is out of the ordinary.
 */
export function createWriter({ fields, size }: WrittenObject, { jsonAbove }: Writing): Write | undefined {
  if (!fields.some(({ list }) => list)) return undefined;
  return (value, allowance) => {
    if (isUnexpected(value)) return bailOut();
    const lists = fields.map(({ list }) => toLong(list?.itemsOf(value, allowance)));
    if (lists.every((items) => items === undefined)) return undefined;
    allowance.consumeValues(size);
    const written = new JsonBytes(toUtf8(writeFields(value, lists, allowance), allowance));
    (value as Partial<Disposable>)[Symbol.dispose]?.();
    return written;
  };

  function toLong(items: unknown): readonly unknown[] | undefined {
    return isChunked(items, jsonAbove) ? items : undefined;
  }

  function* writeFields(
    value: unknown,
    lists: readonly (readonly unknown[] | undefined)[],
    allowance: Allowance,
  ) {
    let before = '{';
    for (const [index, { key, read, list }] of fields.entries()) {
      yield `${before}${JSON.stringify(key)}:`;
      const items = lists[index];
      if (list && items) {
        allowance.consumeValues(items.length * list.itemSize);
        yield* writeList(items, (item) => list.readItem(item, allowance));
      } else yield JSON.stringify(read(value, allowance));
      before = ',';
    }
    yield '}';
  }
}

export type Write = (value: unknown, allowance: Allowance) => JsonBytes | undefined;

interface WrittenObject {
  readonly fields: readonly WrittenField[];
  /** Values, lists left out. */
  readonly size: number;
}

/** A field whose value is a list, item by item. */
export interface ListReader {
  readonly itemsOf: Serializer;
  readonly readItem: Serializer;
  readonly itemSize: number;
}

interface WrittenField extends FieldReader {
  readonly list: ListReader | undefined;
}
