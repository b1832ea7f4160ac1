import { type JsonSchema, toInputSchema } from '../schemas.ts';
import { createConnectLinkTool } from './connect-links.ts';
import { getContactTool, searchContactsTool } from './contacts.ts';
import { listCustomFieldsTool } from './custom-fields.ts';
import { listConnectionsTool, listCustomersTool } from './customers.ts';
import { getRecordTool, searchCompaniesTool, searchDealsTool } from './records.ts';
import { CUSTOMER_ID, type Tool } from './tool.ts';
import { writeTools } from './writes.ts';

const TOOLS: readonly Tool[] = [
  searchContactsTool,
  getContactTool,
  searchCompaniesTool,
  searchDealsTool,
  getRecordTool,
  listConnectionsTool,
  listCustomFieldsTool,
  listCustomersTool,
  createConnectLinkTool,
  ...writeTools,
];

/** The tools of a caller: a customer token has those of its customer, and no argument that names one. */
export function listTools(rights: ToolRights): readonly ListedTool[] {
  const listed = LISTED[rights.hasKey ? 'ofKeys' : 'ofTokens'];
  return TOOLS.flatMap((tool, index) => (mayUse(tool, rights) ? (listed[index] ?? []) : []));
}

/** Undefined if no tool has this name, or the caller may not use it. */
export function findTool(name: string, rights: ToolRights): Tool | undefined {
  return TOOLS.find((tool) => tool.name === name && mayUse(tool, rights));
}

function mayUse({ needsKey, needsWrites }: Tool, { hasKey, mayWrite }: ToolRights): boolean {
  return (hasKey || !needsKey) && (mayWrite || !needsWrites);
}

export interface ToolRights {
  readonly hasKey: boolean;
  readonly mayWrite: boolean;
}

function toListed(tool: Tool, without: readonly string[]): ListedTool {
  const { name, title, description, annotations, input, output } = tool;
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: toInputSchema(input, without),
    outputSchema: output,
  };
}

const LISTED = {
  ofKeys: TOOLS.map((tool) => toListed(tool, [])),
  ofTokens: TOOLS.map((tool) => toListed(tool, [CUSTOMER_ID])),
};

/** A tool as `tools/list` returns it. */
interface ListedTool extends Pick<Tool, 'name' | 'title' | 'description' | 'annotations'> {
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
}
