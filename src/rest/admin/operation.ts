import type * as z from 'zod';
import type { HttpResponse } from '../../lib/http-message.ts';
import type { ApplicationAdmin, KeyAdmin } from '../../usecases/manage-applications.ts';
import { type RawInput, readInput } from '../input/read-input.ts';
import type { InputParts } from '../operation.ts';

/** One thing that the operator does: its schema checks what arrives, and types `handle`. */
export function defineAdminOperation<Parts extends InputParts>(
  definition: Definition<Parts>,
): AdminOperation {
  const { id, method, path, input, handle } = definition;
  return {
    ...{ id, method, path },
    run: async (admin, arrival) => handle(admin, await readInput(input, arrival)),
  };
}

export interface AdminOperation extends Facts {
  run(admin: AdminStore, arrival: RawInput): Promise<HttpResponse>;
}

/** Over all applications. */
export interface AdminStore extends ApplicationAdmin, KeyAdmin {
  /** By the wall clock. */
  now(): number;
}

interface Facts {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

interface Definition<Parts extends InputParts> extends Facts {
  readonly input: z.ZodObject<Parts>;
  handle(admin: AdminStore, input: z.output<z.ZodObject<Parts>>): Promise<HttpResponse>;
}
