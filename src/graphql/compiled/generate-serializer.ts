import type { FieldReader, Serializer } from './serializers.ts';

/**
 * A function for objects of one selection, written out: it makes them at once and reads their texts in place, where the
 * general one goes through its fields by name. No text of a client is code in it: keys and properties are quoted names,
 * and everything else is called by its number. Undefined where the process may not make functions of text.
 */
export function generateSerializer(
  fields: readonly FieldReader[],
  { isUnexpected, bailOut, propertyOf, shortLength }: Means,
): Serializer | undefined {
  const names = fields.map((_, index) => `read${index}`);
  const members = fields.map(({ key, read }, index) => {
    const property = propertyOf(read);
    return `${quote(key)}: ${property ? writeText(property, index) : `${names[index]}(value, allowance)`}`;
  });
  const body = `
    const [${names.join(', ')}] = reads;
    return (value, allowance) => {
      if (isUnexpected(value)) bailOut();
      let text;
      return { ${members.join(',\n')} };
    };`;
  try {
    return new Function('reads', 'isUnexpected', 'bailOut', body)(
      fields.map(({ read }) => read),
      isUnexpected,
      bailOut,
    );
  } catch {
    return undefined;
  }

  /** What is no short string is left to the property's own reader. */
  function writeText({ name, isNullable }: TextProperty, index: number): string {
    const read = `${names[index]}(value, allowance)`;
    const isShort = `typeof (text = value[${quote(name)}]) === 'string' && text.length <= ${shortLength}`;
    return isNullable
      ? `${isShort} ? text : text === null || text === undefined ? null : ${read}`
      : `${isShort} ? text : ${read}`;
  }
}

function quote(name: string): string {
  return JSON.stringify(name);
}

/** A property of which nothing is asked but that it is a text. */
export interface TextProperty {
  readonly name: string;
  readonly isNullable: boolean;
}

interface Means {
  isUnexpected(value: unknown): boolean;
  bailOut(): never;
  propertyOf(read: Serializer): TextProperty | undefined;
  /** Longer strings consume the allowance. */
  readonly shortLength: number;
}
