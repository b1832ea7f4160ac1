import {
  GraphQLBoolean,
  type GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  type GraphQLScalarType,
  GraphQLString,
  isEnumType,
  Kind,
  type ValueNode,
} from 'graphql';

/**
 * How values of a scalar or an enum are read, and its literals checked. Unlike graphql's
 * `parseValue` and `parseLiteral`, this composes no text from an invalid value, which may be a
 * megabyte long, or a secret.
 */
export function leafOf(type: GraphQLLeafType): Leaf {
  const existing = leaves.get(type);
  if (existing) return existing;
  const leaf = isEnumType(type) ? toEnum(type) : toCustom(type);
  leaves.set(type, leaf);
  return leaf;
}

function toEnum(type: GraphQLEnumType): Leaf {
  const names = type.getValues().map(({ name }) => name);
  const reason =
    names.length > MAX_NAMES
      ? `must be a value of the enum ${type.name}`
      : `must be one of: ${names.join(', ')}`;
  return {
    readValue(value, target) {
      const found = typeof value === 'string' ? type.getValue(value) : undefined;
      return found ? found.value : target.refuse(reason);
    },
    checkLiteral(node, target) {
      if (node.kind !== Kind.ENUM || !type.getValue(node.value)) target.refuse(reason);
    },
  };
}

function toCustom(type: GraphQLScalarType): Leaf {
  const read = (parse: () => unknown, target: Target) => {
    let reason = '';
    try {
      const value = parse();
      if (value !== undefined) return value;
    } catch (error) {
      reason = readReason(error as Error);
    }
    return target.refuse(`must be a valid ${type.name}${reason}`);
  };
  return {
    readValue: (value, target) => read(() => type.parseValue(value), target),
    checkLiteral: (node, target) => read(() => type.parseLiteral(node, undefined), target),
  };
}

/** What the scalar itself says to clients: whoever defines a scalar chooses its words. */
function readReason({ name, message }: Error): string {
  return name === 'GraphQLError' ? `: ${message.slice(0, MAX_REASON).replace(/\.$/, '')}` : '';
}

function toSpecified(reason: string, { kinds, read, allows }: Specified): Leaf {
  return {
    readValue: (value, target) => read(value) ?? target.refuse(reason),
    checkLiteral(node, target) {
      if (!kinds.includes(node.kind) || allows?.(node) === false) target.refuse(reason);
    },
  };
}

const MAX_NAMES = 50;
const MAX_REASON = 200;
const MAX_INT = 2 ** 31 - 1;
const MIN_INT = -(2 ** 31);

function readInt(value: unknown): number | undefined {
  const isInt =
    typeof value === 'number' && Number.isInteger(value) && value <= MAX_INT && value >= MIN_INT;
  return isInt ? value : undefined;
}

function readId(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Number.isInteger(value) ? String(value) : undefined;
}

const leaves = new WeakMap<GraphQLLeafType, Leaf>([
  [
    GraphQLString,
    toSpecified('must be a string', {
      kinds: [Kind.STRING],
      read: (value) => (typeof value === 'string' ? value : undefined),
    }),
  ],
  [
    GraphQLID,
    toSpecified('must be an ID: a string or an integer', {
      kinds: [Kind.STRING, Kind.INT],
      read: readId,
    }),
  ],
  [
    GraphQLBoolean,
    toSpecified('must be true or false', {
      kinds: [Kind.BOOLEAN],
      read: (value) => (typeof value === 'boolean' ? value : undefined),
    }),
  ],
  [
    GraphQLInt,
    toSpecified(`must be an integer from ${MIN_INT} to ${MAX_INT}`, {
      kinds: [Kind.INT],
      read: readInt,
      allows: (node) => node.kind === Kind.INT && readInt(Number(node.value)) !== undefined,
    }),
  ],
  [
    GraphQLFloat,
    toSpecified('must be a number', {
      kinds: [Kind.FLOAT, Kind.INT],
      read: (value) => (Number.isFinite(value) ? value : undefined),
    }),
  ],
]);

export interface Leaf {
  readValue(value: unknown, target: Target): unknown;
  checkLiteral(node: ValueNode, target: Target): void;
}

export interface Target {
  /** Reports a reason that completes a sentence: "The variable `$first` …". */
  refuse(reason: string): undefined;
}

interface Specified {
  readonly kinds: readonly Kind[];
  /** Undefined if the value is invalid. */
  read(value: unknown): unknown;
  /** Whether a literal of these kinds is valid; all are if it is absent. */
  allows?(node: ValueNode): boolean;
}
