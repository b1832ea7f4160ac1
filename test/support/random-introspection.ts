import {
  type GraphQLNamedType,
  getNamedType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';
import { createDice } from './dice.ts';

/** Writes an introspection query of at most this many characters: aliases, fragments, and nested lists. */
export function writeRandomIntrospection(seed: number, maxLength: number): string {
  const { next, chance, pick } = createDice(seed);
  const fragments: string[] = [];
  // Some are wide, some deep, some both.
  const width = pick([2, 4, 12, 60, 400]);
  const maxDepth = pick([2, 3, 5, 8]);
  let room = maxLength - 2_000;
  const roots = Array.from({ length: 1 + next(pick([1, 3, 200])) }, writeRoot);
  return [`{ ${roots.join(' ')} }`, ...fragments].join(' ');

  function writeRoot(): string {
    if (chance(10))
      return `${alias()}_service { ${Array.from({ length: 1 + next(width) }, () => `${alias()}sdl`).join(' ')} }`;
    if (chance(5)) return `${alias()}__typename`;
    return chance(60)
      ? `${alias()}__schema ${selections(getNamedType(SchemaMetaFieldDef.type), 1)}`
      : `${alias()}__type(name: "${pick(['Contact', 'Query', 'String', 'None', 'ContactFilter', 'ProviderName', '__Type'])}") ${selections(getNamedType(TypeMetaFieldDef.type), 1)}`;
  }

  function selections(type: GraphQLNamedType, depth: number): string {
    const parts: string[] = ['__typename'];
    for (let count = 1 + next(width); count > 0 && room > 0; count -= 1) {
      const part = writePart(type, depth);
      room -= part.length;
      parts.push(part);
    }
    return `{ ${parts.join(' ')} }`;
  }

  function writePart(type: GraphQLNamedType, depth: number): string {
    if (!isObjectType(type)) return '__typename';
    if (chance(8) && depth < maxDepth) {
      const name = `F${fragments.length}`;
      fragments.push('');
      fragments[Number(name.slice(1))] =
        `fragment ${name} on ${type.name} ${selections(type, depth + 1)}`;
      return `...${name}`;
    }
    const field = pick(Object.values(type.getFields()));
    const inner = getNamedType(field.type);
    if (isObjectType(inner) && depth >= maxDepth) return `${alias()}__typename`;
    const args = field.args.length > 0 && chance(50) ? `(includeDeprecated: ${chance(50)})` : '';
    const key = args === '' ? alias() : `d${next(1_000_000)}: `;
    return `${key}${field.name}${args} ${isObjectType(inner) ? selections(inner, depth + 1) : ''}`;
  }

  function alias(): string {
    return `a${next(1_000_000)}: `;
  }
}
