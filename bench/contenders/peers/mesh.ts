import { loadGraphQLSchemaFromOpenAPI } from '@omnigraph/openapi';
import { createYoga } from 'graphql-yoga';
import { BATCH_READ, PROPERTIES } from '../hubspot.ts';
import { serve } from '../serve.ts';

/**
 * GraphQL Mesh over an OpenAPI document of HubSpot's batch read: the schema of its OpenAPI handler, behind Yoga,
 * which its gateway uses. It maps nothing: its responses have HubSpot's own shape.
 */
const [endpoint = '', token = ''] = process.argv.slice(2);
const text = { type: 'string', nullable: true };
const object = (properties: object) => ({ type: 'object', properties });
const list = (items: object) => ({ type: 'array', items });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });

const record = object({
  id: text,
  properties: object(Object.fromEntries(PROPERTIES.map((name) => [name, text]))),
  createdAt: text,
  updatedAt: text,
  archived: { type: 'boolean' },
});
const question = object({
  idProperty: text,
  properties: list(text),
  inputs: list(object({ id: text })),
});
const readContacts = {
  operationId: 'readContacts',
  requestBody: json(question),
  responses: { 200: { description: 'The records.', ...json(object({ results: list(record) })) } },
};
const source = {
  openapi: '3.0.3',
  info: { title: 'HubSpot', version: '1' },
  paths: { [BATCH_READ]: { post: readContacts } },
};
const schema = await loadGraphQLSchemaFromOpenAPI('HubSpot', {
  source: source as never,
  cwd: process.cwd(),
  endpoint,
  operationHeaders: { authorization: `Bearer ${token}` },
  selectQueryOrMutationField: [{ fieldName: 'readContacts', type: 'query' as never }],
});
serve(createYoga({ schema }));
