import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const checkers = new Map<string, Checker>();

/** Holds an answer against the document: its status is documented, and its body is what the document says. */
export function createAnswerChecker(document: OpenApi): Checker {
  // The schemas take long to compile, and most tests look at the same document.
  const text = JSON.stringify(document);
  const checker = checkers.get(text) ?? compile(document);
  checkers.set(text, checker);
  return checker;
}

function compile(document: OpenApi): Checker {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: 'https://crossbook.test/openapi.json' });

  return ({ method, path, answer }) => {
    const template = Object.keys(document.paths).find((one) => toPattern(one).test(path));
    const operation = template && document.paths[template]?.[method.toLowerCase()];
    if (!operation) return;
    const response = operation.responses[answer.status];
    if (!response)
      throw new Error(`${method} ${template} does not document ${answer.status}: ${answer.text}`);
    const pointer = response.$ref ?? toPointer(template, method, answer.status);
    const { content } =
      document.components.responses[response.$ref?.split('/').at(-1) ?? ''] ?? response;
    if (!content) return;
    const validate = ajv.getSchema(
      `https://crossbook.test/openapi.json${pointer}/content/application~1json/schema`,
    );
    if (!validate) throw new Error(`The document has no schema at ${pointer}.`);
    if (!validate(answer.body))
      throw new Error(`${answer.text}\n${ajv.errorsText(validate.errors)}`);
  };
}

function toPattern(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function toPointer(template: string, method: string, status: number): string {
  return `#/paths/${template.replaceAll('/', '~1')}/${method.toLowerCase()}/responses/${status}`;
}

type Checker = (asked: Asked) => void;

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, OpenApiResponse>>;
  };
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required: boolean;
    readonly description?: string;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

interface OpenApiResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example: unknown }>>;

/** What of JSON Schema the document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxProperties?: number;
  readonly examples?: readonly unknown[];
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly answer: { readonly status: number; readonly text: string; readonly body: unknown };
}
