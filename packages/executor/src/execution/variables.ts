import {
  type ASTNode,
  GraphQLError,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLList,
  type GraphQLNullableType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { leafOf } from './leaf-types.ts';
import { listFields } from './list-fields.ts';

/**
 * Prepares the coercion of an operation's variables. The values are those of graphql's
 * `getVariableValues`, and so are the positions of errors. The texts are not: graphql prints the
 * whole value for each error, which takes seconds for a megabyte, and may repeat a secret. An error
 * says the path and the reason, and the coercion ends after the first errors.
 */
export function readVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[] = [],
): (given: Values) => CoercedVariables {
  const variables = definitions.map((definition) => toVariable(schema, definition));
  return (given) => {
    // Entries, because a variable may be called `__proto__`.
    const values: [string, unknown][] = [];
    const errors: GraphQLError[] = [];
    try {
      for (const { definition, read, readAbsent } of variables) {
        const name = definition.variable.name.value;
        const coercion = new Coercion(definition, errors);
        if (Object.hasOwn(given, name)) values.push([name, read(given[name], coercion)]);
        else if (readAbsent) values.push([name, readAbsent(coercion)]);
      }
    } catch (error) {
      if (error !== FULL) throw error;
    }
    return errors.length > 0 ? { errors } : { values: Object.fromEntries(values) };
  };
}

function toVariable(schema: GraphQLSchema, definition: VariableDefinitionNode): Variable {
  const type = typeFromAST(schema, definition.type);
  if (!isInputType(type)) {
    // Validation rejects it, and a plugin may skip validation.
    const readAbsent = (coercion: Coercion) =>
      coercion.refuse('must have an input type', definition.type);
    return { definition, read: (_value, coercion) => readAbsent(coercion), readAbsent };
  }
  return { definition, read: readValue(type), readAbsent: toDefault(type, definition) };
}

function toDefault(
  type: GraphQLInputType,
  { defaultValue }: VariableDefinitionNode,
): Variable['readAbsent'] {
  // Each time anew: a resolver may change it.
  if (defaultValue) return () => valueFromAST(defaultValue, type);
  return isNonNullType(type) ? (coercion) => coercion.refuse('is required') : undefined;
}

function readValue(type: GraphQLInputType): ReadValue {
  if (isNonNullType(type)) {
    const read = readPresent(type.ofType);
    return (value, coercion) =>
      value === null || value === undefined
        ? coercion.refuse('must not be null')
        : read(value, coercion);
  }
  const read = readPresent(type);
  return (value, coercion) =>
    value === null || value === undefined ? null : read(value, coercion);
}

function readPresent(type: GraphQLNullableType & GraphQLInputType): ReadValue {
  if (isListType(type)) return readList(type);
  if (isInputObjectType(type)) return readObject(type);
  const leaf = leafOf(type);
  return (value, coercion) => leaf.readValue(value, coercion);
}

/** Any iterable is a list, as in graphql; a single value is coerced to a list of one. */
function readList(type: GraphQLList<GraphQLInputType>): ReadValue {
  const readItem = readValue(type.ofType);
  return (value, coercion) => {
    if (!isIterable(value)) return [readItem(value, coercion)];
    const { path } = coercion;
    const end = path.length;
    const items: unknown[] = [];
    for (const item of value) {
      path[end] = items.length;
      items.push(readItem(item, coercion));
    }
    path.length = end;
    return items;
  };
}

/** Once for each type and not for each document; input types may contain themselves. */
function readObject(type: GraphQLInputObjectType): ReadValue {
  return (value, coercion) => {
    if (typeof value !== 'object' || Array.isArray(value))
      return coercion.refuse(`must be an object of ${type.name}, which has ${listFields(type)}`);
    const given = value as Values;
    const read: Values = {};
    const { path } = coercion;
    const end = path.length;
    for (const field of fieldsOf(type)) {
      const { name, defaultValue, isRequired } = field;
      const own = given[name];
      path[end] = name;
      if (own !== undefined) read[name] = field.read(own, coercion);
      else if (defaultValue !== undefined) read[name] = defaultValue;
      else if (isRequired) coercion.refuse('is required');
    }
    const known = type.getFields();
    for (const name of Object.keys(given)) {
      path[end] = name;
      if (!known[name])
        coercion.refuse(`is not a field of ${type.name}, which has ${listFields(type)}`);
    }
    path.length = end;
    if (type.isOneOf) checkOneOf(type, read, coercion);
    return read;
  };
}

function checkOneOf(type: GraphQLInputObjectType, read: Values, coercion: Coercion): void {
  const names = Object.keys(read);
  const [name = ''] = names;
  if (names.length !== 1)
    coercion.refuse(
      `must have exactly one of the fields ${listFields(type)}, and has ${names.join(', ') || 'none'}`,
    );
  if (read[name] === null) {
    coercion.path.push(name);
    coercion.refuse('must not be null');
    coercion.path.pop();
  }
}

function fieldsOf(type: GraphQLInputObjectType): readonly InputField[] {
  const existing = fieldsByType.get(type);
  if (existing) return existing;
  const fields = Object.values(type.getFields()).map(toInputField);
  fieldsByType.set(type, fields);
  return fields;
}

function toInputField({ name, type, defaultValue }: GraphQLInputField): InputField {
  return { name, defaultValue, read: readValue(type), isRequired: isNonNullType(type) };
}

const fieldsByType = new WeakMap<GraphQLInputObjectType, readonly InputField[]>();

/** The coercion of one variable: where it is, and the errors of the operation so far. */
class Coercion {
  /** From the variable to the value that is read: list indices and field names. */
  readonly path: (string | number)[] = [];
  readonly #definition: VariableDefinitionNode;
  readonly #errors: GraphQLError[];

  constructor(definition: VariableDefinitionNode, errors: GraphQLError[]) {
    this.#definition = definition;
    this.#errors = errors;
  }

  refuse(reason: string, node: ASTNode = this.#definition): undefined {
    const place = printPlace(`$${this.#definition.variable.name.value}`, this.path);
    this.#errors.push(new GraphQLError(`The variable \`${place}\` ${reason}.`, { nodes: node }));
    if (this.#errors.length === MAX_ERRORS) throw FULL;
  }
}

/** Ends the coercion after the last error that is reported. */
const FULL = new Error('Too many errors: further ones are omitted.');

/** `$filter.emails[3]`. Names of unknown fields are the client's, so the place is cut. */
function printPlace(variable: string, path: readonly (string | number)[]): string {
  let place = variable;
  for (const step of path) {
    place += typeof step === 'number' ? `[${step}]` : `.${step.slice(0, MAX_STEP)}`;
    if (place.length > MAX_PLACE) return `${place.slice(0, MAX_PLACE)}…`;
  }
  return place;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && typeof Object(value)[Symbol.iterator] === 'function';
}

/** Enough to correct a form, and bounded work. */
const MAX_ERRORS = 20;
const MAX_PLACE = 200;
/** Of a name that the client chose. */
const MAX_STEP = 80;

type Values = Record<string, unknown>;

export type CoercedVariables =
  | { readonly values: Values }
  | { readonly errors: readonly GraphQLError[] };

/** The result is ignored where there is an error. */
type ReadValue = (value: unknown, coercion: Coercion) => unknown;

interface Variable {
  readonly definition: VariableDefinitionNode;
  readonly read: ReadValue;
  /** Undefined if an absent value is omitted. */
  readonly readAbsent: ((coercion: Coercion) => unknown) | undefined;
}

interface InputField {
  readonly name: string;
  readonly defaultValue: unknown;
  readonly read: ReadValue;
  readonly isRequired: boolean;
}
