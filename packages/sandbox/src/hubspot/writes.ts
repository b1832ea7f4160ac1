import { HubSpotError, invalid, notFound } from './errors.ts';
import { type PropertyDefinition, STAGES } from './property-definitions.ts';
import { isObject, listOf, objectBody, textOf } from './request-body.ts';
import type { Endpoint, EndpointContext, HubSpotAccount, HubSpotQuirks, Reply } from './types.ts';

/** Creations, updates and upserts of the records of one type. */
export function createWriteEndpoints(object: WrittenObject): WriteEndpoints {
  return {
    create({ account, call }) {
      const input = readInput(objectBody(call));
      checkProperties(account, object, [input], true);
      object.checkUnique(account, input, undefined);
      return { status: 201, body: object.show(account, object.create(account, input), input) };
    },

    update({ account, call, parts }) {
      const id = parts[0] ?? '';
      const idProperty = call.request.query.get('idProperty');
      const index = idProperty ? object.findBy(account, idProperty, id) : object.find(account, id);
      if (index === undefined) throw notFound();
      const input = readInput(objectBody(call));
      checkProperties(account, object, [input], false);
      object.checkUnique(account, input, index);
      object.change(account, index, input);
      return { status: 200, body: object.show(account, index, input) };
    },

    /** Partial only if each input has a trace id of its own: otherwise one that exists fails all. */
    batchCreate(context) {
      const { account } = context;
      const inputs = readInputs(context);
      checkProperties(account, object, inputs, true);
      const traces = new Set(inputs.flatMap(({ trace }) => trace ?? []));
      const isPartial = traces.size === inputs.length;
      object.checkBatch?.(inputs);
      if (!isPartial) for (const input of inputs) object.checkUnique(account, input, undefined);
      return toBatch(context, { object, inputs, status: 201 }, (input) => {
        object.checkUnique(account, input, undefined);
        return { index: object.create(account, input) };
      });
    },

    /** Always partial. */
    batchUpdate(context) {
      const { account } = context;
      const inputs = readInputs(context);
      const ids = inputs.map(({ id }) => id);
      const repeated = ids.filter((id, place) => ids.indexOf(id) !== place);
      if (repeated.length > 0)
        throw invalid(`Duplicate IDs found in batch input: [${repeated.join(', ')}].`);
      if (inputs.some(({ idProperty }) => idProperty === 'email'))
        throw invalid('Unable to perform update/upsert by non-unique 0-1 property');
      checkProperties(account, object, inputs, false);
      return toBatch(context, { object, inputs, status: 200 }, (input) => {
        const index = object.find(account, input.id);
        if (index === undefined)
          throw new HubSpotError(404, {
            message: `Could not get some ${object.name} objects, they may be deleted or not exist.`,
            category: 'OBJECT_NOT_FOUND',
            context: { ids: [input.id] },
          });
        object.checkUnique(account, input, index);
        object.change(account, index, input);
        return { index };
      });
    },

    batchUpsert(context) {
      const { account } = context;
      const inputs = readInputs(context);
      checkProperties(account, object, inputs, false);
      return toBatch(context, { object, inputs, status: 200 }, (input) => {
        const { id, idProperty = '' } = input;
        const index = object.findBy(account, idProperty, id);
        if (index !== undefined) {
          object.checkUnique(account, input, index);
          object.change(account, index, input);
          return { index, isNew: false };
        }
        const made = { ...input, properties: new Map([[idProperty, id], ...input.properties]) };
        object.checkUnique(account, made, undefined);
        return { index: object.create(account, made), isNew: true };
      });
    },
  };
}

function toBatch(
  { account, call }: EndpointContext,
  { object, inputs, status }: Batch,
  run: (input: Input) => { readonly index: number; readonly isNew?: boolean },
): Reply {
  const results: object[] = [];
  const errors: object[] = [];
  const { writeErrorsInSuccess, writeResultsWithoutTraceIds } = account.quirks;
  for (const input of inputs) {
    try {
      const { index, isNew } = run(input);
      results.push({
        ...object.show(account, index, input),
        ...(isNew !== undefined && { new: isNew }),
        ...(input.trace !== undefined &&
          !writeResultsWithoutTraceIds && { objectWriteTraceId: input.trace }),
      });
    } catch (error) {
      if (!(error instanceof HubSpotError)) throw error;
      const { body } = error.reply as { readonly body: { readonly context?: object } };
      const traced = input.trace !== undefined && { objectWriteTraceId: [input.trace] };
      errors.push({ ...body, context: { ...body.context, ...traced } });
    }
  }
  const now = new Date(call.now).toISOString();
  return {
    status: errors.length > 0 && !writeErrorsInSuccess ? 207 : status,
    body: {
      status: 'COMPLETE',
      // In an arbitrary order.
      results: results.reverse(),
      ...(errors.length > 0 && { numErrors: errors.length, errors }),
      startedAt: now,
      completedAt: now,
    },
  };
}

/** One bad property fails the whole call, and no error says of which input it is. */
function checkProperties(
  account: HubSpotAccount,
  object: WrittenObject,
  inputs: readonly Input[],
  isNew: boolean,
): void {
  const problems = inputs.flatMap(({ properties }) =>
    [...properties].flatMap(([name, value]) => findProblem(account, object, name, value) ?? []),
  );
  const { createRequires } = account.quirks;
  for (const { properties } of isNew ? inputs : []) {
    const { requiresOneOf } = object;
    if (requiresOneOf.length > 0 && !requiresOneOf.some((name) => properties.get(name)))
      throw invalid(`One of the properties ${requiresOneOf.join(', ')} must be set.`);
    const missing = createRequires.find((name) => !properties.get(name));
    if (missing)
      problems.push({
        isValid: false,
        message: `${missing} is required`,
        error: 'REQUIRED_PROPERTY',
        name: missing,
      });
  }
  if (problems.length === 0) return;
  const errors = problems.map(({ error, message, name }) => ({
    message,
    code: error,
    context: { propertyName: [name] },
  }));
  throw invalid(`Property values were not valid: ${JSON.stringify(problems)}`, {
    errors: account.quirks.shortErrorLists ? errors.slice(0, 1) : errors,
  });
}

function findProblem(
  account: HubSpotAccount,
  object: WrittenObject,
  name: string,
  value: string,
): Problem | undefined {
  const property = object.findProperty(account, name);
  const refuse = (error: string, message: string): Problem => ({
    isValid: false,
    message,
    error,
    name,
  });
  if (!property) return refuse('PROPERTY_DOESNT_EXIST', `Property "${name}" does not exist`);
  if (property.readOnly || property.calculated)
    return refuse('READ_ONLY_VALUE', `"${name}" is a read only property; its value cannot be set.`);
  if (value === '') return undefined;
  if (property.type !== 'string' && value !== value.trim())
    return refuse('LEADING_TRAILING_WHITESPACE', `"${value}" has leading or trailing whitespace`);
  const rule = account.quirks.propertyRules[name];
  if (rule !== undefined && !new RegExp(rule).test(value))
    return refuse('INVALID_ALPHA', `Property ${name} does not match its rule`);
  return findTypeProblem(property, value, refuse);
}

function findTypeProblem(
  {
    name,
    type,
    fieldType,
    options = [],
    referencedObjectType,
    externalOptions,
  }: PropertyDefinition,
  value: string,
  refuse: (error: string, message: string) => Problem,
): Problem | undefined {
  if (name === 'email' && !/^[^\s@]+@[^\s@]+$/.test(value))
    return refuse('INVALID_EMAIL', `Email address ${value} is invalid`);
  if (type === 'number' && !/^-?\d+(?:\.\d+)?$/.test(value))
    return refuse('INVALID_LONG', `${value} was not a valid number.`);
  if (type === 'bool' && !/^(?:true|false)$/.test(value))
    return refuse('INVALID_BOOLEAN', `${value} was not a valid boolean.`);
  if (
    (type === 'date' || type === 'datetime') &&
    Number.isNaN(Date.parse(value)) &&
    !/^\d+$/.test(value)
  )
    return refuse('INVALID_DATE', `${value} was not a valid date.`);
  if (type !== 'enumeration' || referencedObjectType !== undefined || externalOptions)
    return undefined;
  const allowed: readonly string[] =
    name === 'lifecyclestage' ? STAGES.map(([stage]) => stage) : options;
  const given = fieldType === 'checkbox' ? value.split(';').filter(Boolean) : [value];
  const isAllowed = fieldType === 'booleancheckbox' || given.every((one) => allowed.includes(one));
  return isAllowed
    ? undefined
    : refuse(
        'INVALID_OPTION',
        `${value} was not one of the allowed options: [${allowed.join(', ')}]`,
      );
}

/** Whether a lifecycle stage replaces the current one. An earlier stage is accepted, and the later one kept. */
export function replacesStage(
  { stagesMoveBack }: Pick<HubSpotQuirks, 'stagesMoveBack'>,
  stage: string,
  current: string | null | undefined,
): boolean {
  return stage === '' || stagesMoveBack || rank(stage) >= rank(current ?? '');
}

function rank(stage: string): number {
  return STAGES.findIndex(([name]) => name === stage);
}

function readInputs({ call }: EndpointContext): readonly Input[] {
  const list = listOf(objectBody(call)['inputs'], 'inputs');
  if (list.length > 100) throw invalid(`Too many inputs: ${list.length}.`);
  return list.map(readInput);
}

function readInput(given: unknown): Input {
  const input = isObject(given) ? given : {};
  const properties = isObject(input['properties']) ? input['properties'] : {};
  const { id, idProperty, objectWriteTraceId } = input;
  return {
    id: id === undefined ? '' : textOf(id, 'id'),
    idProperty: idProperty === undefined ? undefined : textOf(idProperty, 'idProperty'),
    trace:
      objectWriteTraceId === undefined
        ? undefined
        : textOf(objectWriteTraceId, 'objectWriteTraceId'),
    properties: new Map(
      Object.entries(properties).map(([name, value]) => [name, textOf(value ?? '', name)]),
    ),
  };
}

/** A type of record that can be written. Its records are named by their indexes. */
export interface WrittenObject {
  /** As error messages name it. */
  readonly name: string;
  /** A new record needs one of these properties. */
  readonly requiresOneOf: readonly string[];
  findProperty(account: HubSpotAccount, name: string): PropertyDefinition | undefined;
  find(account: HubSpotAccount, id: string): number | undefined;
  /** By a unique property; throws for others. */
  findBy(account: HubSpotAccount, property: string, value: string): number | undefined;
  /** Throws if another record has a unique value, or the values contradict each other. */
  checkUnique(account: HubSpotAccount, input: Input, own: number | undefined): void;
  /** Throws if the inputs contradict each other. */
  checkBatch?(inputs: readonly Input[]): void;
  create(account: HubSpotAccount, input: Input): number;
  change(account: HubSpotAccount, index: number, input: Input): void;
  show(account: HubSpotAccount, index: number, input: Input): object;
}

export type WriteEndpoints = Readonly<
  Record<'create' | 'update' | 'batchCreate' | 'batchUpdate' | 'batchUpsert', Endpoint>
>;

interface Batch {
  readonly object: WrittenObject;
  readonly inputs: readonly Input[];
  readonly status: number;
}

export interface Input {
  readonly id: string;
  readonly idProperty: string | undefined;
  readonly trace: string | undefined;
  readonly properties: ReadonlyMap<string, string>;
}

interface Problem {
  readonly isValid: false;
  readonly message: string;
  readonly error: string;
  readonly name: string;
}
