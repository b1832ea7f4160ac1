import type { Field, Shape, Type } from './shape.ts';

/** From what a face was given, and has checked, to the record that it declares. */
export function readShape<T>({ fields }: Shape<T>, given: object, spelling: Spelling): T {
  const values: Given = { ...given };
  const read = Object.entries(fields).map(([name, field]) => [
    name,
    readField(field, values[spelling.nameOf(name)], spelling),
  ]);
  return Object.fromEntries(read) as T;
}

/** Absence is null, but in a patch: there it leaves a field alone, and null clears it. */
function readField(
  { type, nullable, optional }: Field<unknown>,
  given: unknown,
  spelling: Spelling,
): unknown {
  if (given !== undefined && given !== null) return readType(type, given, spelling);
  if (!nullable) return optional ? undefined : [];
  return optional ? given : null;
}

function readType(type: Type, given: unknown, spelling: Spelling): unknown {
  switch (type.kind) {
    case 'list':
      return (given as unknown[]).map((one) => readType(type.of, one, spelling));
    case 'shape':
      return readShape(type, given as object, spelling);
    case 'union': {
      const { tag, member } = spelling.readUnion(given as Given);
      const shape = type.members[tag];
      return shape && { type: tag, ...(readShape(shape, member, spelling) as object) };
    }
    default:
      return given;
  }
}

/** How a face writes records. */
export interface Spelling {
  nameOf(field: string): string;
  readUnion(given: Given): { readonly tag: string; readonly member: object };
}

type Given = Readonly<Record<string, unknown>>;
