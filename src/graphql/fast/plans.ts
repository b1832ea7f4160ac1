import { type DocumentNode, type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Conditions } from './collect-fields.ts';
import { type ArgumentReaders, createArgumentReaders } from './input/read-arguments.ts';
import { type ReadVariables, readVariables } from './input/read-variables.ts';
import { type PlannedOperation, readOperation } from './operation.ts';
import { type ObjectPlan, planObject } from './plan.ts';
import type { Writing } from './reader.ts';

/**
 * Plans, each made once: for an operation of a document, and for each way in which its conditions can fall out. They live
 * as long as the document is remembered, and all together have no more than so many fields.
 */
export function createPlans(schema: GraphQLSchema, writing: Writing): Plans {
  const documents = new WeakMap<DocumentNode, Map<string | undefined, KnownOperation | undefined>>();
  const sizes = new Map<KnownOperation, number>();
  let total = 0;

  return {
    find(document, operationName) {
      const operations = documents.get(document) ?? new Map<string | undefined, KnownOperation | undefined>();
      const name = operationName ?? undefined;
      if (operations.has(name)) return operations.get(name);
      const planned = readOperation(document, name);
      const known = planned && {
        ...planned,
        readVariables: readVariables(schema, planned.operation.variableDefinitions),
        argumentReaders: createArgumentReaders(),
        plans: new Map<string, ObjectPlan | undefined>(),
      };
      documents.set(document, operations.set(name, known));
      return known;
    },

    planFor(known, variables) {
      const key = known.conditions.map((name) => KEYS.get(variables[name]) ?? '').join('');
      if (known.plans.has(key)) return known.plans.get(key);
      if (key.length < known.conditions.length) return undefined;
      const { plan, size } = makePlan(known, variables);
      keep(known, size);
      known.plans.set(key, plan);
      return plan;
    },
  };

  function makePlan(
    { operation, fragments, argumentReaders, ...known }: KnownOperation,
    variables: Variables,
  ) {
    const conditions: Conditions = new Map(known.conditions.map((name) => [name, variables[name] === true]));
    const room = { fields: MAX_FIELDS };
    const type = schema.getRootType(operation.operation);
    const plan = type
      ? planObject({ schema, fragments, conditions, room, ...writing, argumentReaders }, type, [operation])
      : undefined;
    // Of a mutation each field waits for the one before, which is left to graphql: most have only one.
    const isSerial = operation.operation === OperationTypeNode.MUTATION && plan && plan.fields.length > 1;
    return isSerial || room.fields < 0
      ? { plan: undefined, size: 1 }
      : { plan, size: MAX_FIELDS - room.fields };
  }

  /** Who was kept longest goes first, and is planned again where it comes again. */
  function keep(known: KnownOperation, size: number): void {
    if ((sizes.get(known) ?? 0) > MAX_FIELDS_EACH) forget(known);
    const before = sizes.get(known) ?? 0;
    sizes.delete(known);
    for (const oldest of sizes.keys()) {
      if (total + size <= MAX_FIELDS_KEPT) break;
      forget(oldest);
    }
    sizes.set(known, before + size);
    total += size;
  }

  function forget(known: KnownOperation): void {
    total -= sizes.get(known) ?? 0;
    sizes.delete(known);
    known.plans.clear();
  }
}

const KEYS: ReadonlyMap<unknown, string> = new Map([
  [true, '1'],
  [false, '0'],
]);
/** Of one plan. Who selects more than this pays for much more than its execution. */
const MAX_FIELDS = 5_000;
/** Of one operation, whatever its conditions. */
const MAX_FIELDS_EACH = 20_000;
/** Some tens of megabytes. */
const MAX_FIELDS_KEPT = 100_000;

export interface Plans {
  /** Undefined where no plan can be made: it is graphql's. */
  find(document: DocumentNode, operationName: string | null | undefined): KnownOperation | undefined;
  /** Undefined where it is too large, or a condition is none: graphql says so in its own words. */
  planFor(known: KnownOperation, variables: Variables): ObjectPlan | undefined;
}

interface KnownOperation extends PlannedOperation {
  readonly readVariables: ReadVariables;
  readonly argumentReaders: ArgumentReaders;
  readonly plans: Map<string, ObjectPlan | undefined>;
}

type Variables = Readonly<Record<string, unknown>>;
