import {
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  isNonNullType,
  Kind,
  type ValueNode,
  type VariableNode,
  valueFromAST,
  visit,
} from 'graphql';
import { bailOut } from './serializers.ts';

/**
 * The values of graphql's `getArgumentValues`. The arguments of a field are read once only, with a
 * symbol for each variable; from then on, the variables' values take the places of the symbols.
 */
export function readArguments(definition: Definition, node: FieldNode, variables: Values): Values {
  const existing = templates.get(node);
  const { names, values } =
    existing?.definition === definition ? existing : readTemplate(definition, node);
  // Null, or no value, may mean a default or an error. Every object inherits a value for some names (`constructor`).
  const isGiven = (name: string) =>
    Object.hasOwn(variables, name) && variables[name] !== undefined && variables[name] !== null;
  const filled =
    values && names.every(isGiven) && unlessBailedOut(() => fill(values, variables, {}));
  return filled || coerceArguments(definition, node, variables);
}

function readTemplate(definition: Definition, node: FieldNode): Template {
  // `__proto__` is no key of an object literal: such a variable has no symbol.
  const symbols: Values = {};
  let uses = 0;
  const Variable = ({ name: { value } }: VariableNode) => {
    symbols[value] = Symbol(value);
    uses += 1;
  };
  for (const argument of node.arguments ?? []) visit(argument, { Variable });
  const values = unlessBailedOut(() => {
    const read = coerceArguments(definition, node, symbols);
    JSON.stringify(read, (_, value) => {
      if (typeof value === 'symbol') uses -= 1;
      return value;
    });
    // Otherwise a scalar has made something else of a variable in its literal.
    return uses === 0 ? read : undefined;
  });
  const template = { definition, names: Object.keys(symbols), values };
  templates.set(node, template);
  return template;
}

/** As in graphql, with the same positions of errors, and without the literal in their texts. */
function coerceArguments(definition: Definition, node: FieldNode, variables: Values): Values {
  const given = new Map(node.arguments?.map(({ name, value }) => [name.value, value]));
  const values: Values = {};
  for (const { name, type, defaultValue } of definition.args) {
    const refuse = (reason: string) => {
      const message = `The argument \`${name}\` of \`${definition.name}\` ${reason}.`;
      return new GraphQLError(message, { nodes: given.get(name) ?? node });
    };
    const literal = given.get(name);
    if (!literal || isMissing(literal, variables)) {
      if (defaultValue !== undefined) values[name] = defaultValue;
      else if (isNonNullType(type)) throw refuse('is required');
      continue;
    }
    const value = valueFromAST(literal, type, variables);
    if (value === undefined) throw refuse(`must be of the type ${type}`);
    values[name] = value;
  }
  return values;
}

function isMissing(literal: ValueNode, variables: Values): boolean {
  return literal.kind === Kind.VARIABLE && !Object.hasOwn(variables, literal.name.value);
}

function fill(template: Values, variables: Values, filled: Values): Values {
  for (const name of Object.keys(template)) filled[name] = fillOne(template[name], variables);
  return filled;
}

/** Lists and input objects are copied: a resolver may change them. */
function fillOne(template: unknown, variables: Values): unknown {
  if (typeof template === 'symbol') return variables[template.description ?? ''];
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template)) return template.map((item) => fillOne(item, variables));
  // Other objects than those of literals are a scalar's, and cannot be copied.
  if (Object.getPrototypeOf(template) !== null) return bailOut();
  return fill(template as Values, variables, Object.create(null));
}

/** By node, because a field can be in many plans of its operation; interfaces have a definition for each type. */
const templates = new WeakMap<FieldNode, Template>();

interface Template {
  readonly definition: Definition;
  /** The variables. */
  readonly names: readonly string[];
  readonly values: Values | undefined;
}

type Definition = GraphQLField<unknown, unknown>;

/** Runs the work; undefined if it bailed out to the generic path. */
function unlessBailedOut<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

type Values = Record<string, unknown>;
