import { toUtf8 } from '../../lib/to-utf8.ts';
import { isLong, writeList } from '../../lib/write-list.ts';
import { WrittenJson } from '../../lib/written-json.ts';
import { odd } from './odd.ts';
import { type FieldReader, isOdd, type Read, type Writing } from './reader.ts';

/**
 * From plain data that holds long lists to its JSON; undefined where none is long. Items are written as they are read:
 * as part of an answer they would be carried by all the promises that bring it to whoever writes it. What was written
 * and can be disposed of is. Like a reader it throws as soon as something is out of the ordinary.
 */
export function createWriter(fields: readonly WrittenField[], { jsonAbove }: Writing): Write | undefined {
  if (!fields.some(({ list }) => list)) return undefined;
  return (value) => {
    if (isOdd(value)) return odd();
    const lists = fields.map(({ list }) => toLong(list?.itemsOf(value)));
    if (lists.every((items) => items === undefined)) return undefined;
    const written = new WrittenJson(toUtf8(writeFields(value, lists)));
    (value as Partial<Disposable>)[Symbol.dispose]?.();
    return written;
  };

  function toLong(items: unknown): readonly unknown[] | undefined {
    return isLong(items, jsonAbove) ? items : undefined;
  }

  function* writeFields(value: unknown, lists: readonly (readonly unknown[] | undefined)[]) {
    let before = '{';
    for (const [index, { key, read, list }] of fields.entries()) {
      yield `${before}${JSON.stringify(key)}:`;
      const items = lists[index];
      if (list && items) yield* writeList(items, list.readItem);
      else yield JSON.stringify(read(value));
      before = ',';
    }
    yield '}';
  }
}

export type Write = (value: unknown) => WrittenJson | undefined;

/** A field whose value is a list, item by item. */
export interface ListReader {
  readonly itemsOf: Read;
  readonly readItem: Read;
}

export interface WrittenField extends FieldReader {
  readonly list: ListReader | undefined;
}
