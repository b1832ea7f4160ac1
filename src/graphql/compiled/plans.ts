import type { DocumentNode, GraphQLSchema } from 'graphql';
import { type ArgumentReaders, createArgumentReaders } from './input/read-arguments.ts';
import { type ReadVariables, readVariables } from './input/read-variables.ts';
import { type Conditions, type PlannedOperation, readOperation } from './operation.ts';
import { type ObjectPlan, planObject } from './plan.ts';
import type { Writing } from './serializers.ts';

/**
 * Plans, each made once: for an operation of a document, and for each way in which its conditions can fall out. They live
 * as long as the document does: the store that keeps it is told how many fields its plans have.
 */
export function createPlans(schema: GraphQLSchema, { onPlanned, ...writing }: PlansOptions): Plans {
  const documents = new WeakMap<DocumentNode, Map<string | undefined, KnownOperation | undefined>>();

  return {
    find(document, operationName) {
      const operations = documents.get(document) ?? new Map<string | undefined, KnownOperation | undefined>();
      const name = operationName ?? undefined;
      if (operations.has(name)) return operations.get(name);
      const planned = readOperation(document, name);
      const known = planned && {
        ...planned,
        document,
        readVariables: readVariables(schema, planned.operation.variableDefinitions),
        argumentReaders: createArgumentReaders(),
        plans: new Map<string, ObjectPlan>(),
        fields: 0,
        mostFields: 0,
      };
      documents.set(document, operations.set(name, known));
      return known;
    },

    planFor(known, variables) {
      const key = known.conditions.map((name) => KEYS.get(variables[name]) ?? 'n').join('');
      const existing = known.plans.get(key);
      if (existing) return existing;
      const made = makePlan(known, variables);
      if (made) keep(known, key, made);
      return made?.plan;
    },
  };

  function makePlan(
    { operation, fragments, argumentReaders, ...known }: KnownOperation,
    variables: Variables,
  ): MadePlan | undefined {
    const type = schema.getRootType(operation.operation);
    if (!type) return undefined;
    const conditions: Conditions = Object.fromEntries(
      known.conditions.map((name) => [name, typeof variables[name] === 'boolean' ? variables[name] : null]),
    );
    const room = { fields: MAX_FIELDS };
    const scope = { schema, fragments, conditions, room, ...writing, argumentReaders };
    const plan = planObject(scope, type, [operation]);
    return room.fields < 0 ? undefined : { plan, fields: MAX_FIELDS - room.fields };
  }

  function keep(known: KnownOperation, key: string, { plan, fields }: MadePlan): void {
    if (fields > MAX_FIELDS_KEPT) return;
    if (known.fields + fields > MAX_FIELDS_KEPT) {
      known.plans.clear();
      known.fields = 0;
    }
    known.plans.set(key, plan);
    known.fields += fields;
    if (known.fields <= known.mostFields) return;
    onPlanned?.(known.document, known.fields - known.mostFields);
    known.mostFields = known.fields;
  }
}

const KEYS: ReadonlyMap<unknown, string> = new Map([
  [true, '1'],
  [false, '0'],
]);
/** Of one plan: several times what the limits of documents let through. */
const MAX_FIELDS = 100_000;
/** Of one operation, in all ways in which its conditions fall out. A larger plan is made for each request. */
const MAX_FIELDS_KEPT = 20_000;

export interface Plans {
  /** Undefined where no plan can be made: it is graphql's. */
  find(document: DocumentNode, operationName: string | null | undefined): KnownOperation | undefined;
  /** Undefined where it is too large. */
  planFor(known: KnownOperation, variables: Variables): ObjectPlan | undefined;
}

export interface PlansOptions extends Writing {
  /** Told by how many fields the plans of a document have grown. */
  readonly onPlanned?: ((document: DocumentNode, fields: number) => void) | undefined;
}

interface MadePlan {
  readonly plan: ObjectPlan;
  readonly fields: number;
}

interface KnownOperation extends PlannedOperation {
  readonly document: DocumentNode;
  readonly readVariables: ReadVariables;
  readonly argumentReaders: ArgumentReaders;
  readonly plans: Map<string, ObjectPlan>;
  /** Of its plans together. */
  fields: number;
  mostFields: number;
}

type Variables = Readonly<Record<string, unknown>>;
