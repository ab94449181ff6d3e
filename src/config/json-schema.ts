import * as z from 'zod';
import { configSchema } from './schema/root.ts';

/** One more when a YAML that was in order before is so no longer. */
const SCHEMA_VERSION = 1;

/** Part of a JSON Schema, as far as this file looks into it. */
type SchemaNode = Record<string, unknown>;

/**
 * JSON Schema of the file as it is written (snake_case, units, `${NAME}` where another type would stand), for the
 * completion and the checks of editors. Draft 7, which every YAML language server understands.
 */
export function configJsonSchema(): SchemaNode {
  const schema: SchemaNode = z.toJSONSchema(configSchema, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => allowEmptyOptions(jsonSchema as SchemaNode),
  });
  const { $schema, ...rest } = withExamples(schema);
  return {
    $schema,
    $id: `urn:slotbridge:configuration:${SCHEMA_VERSION}`,
    title: 'slotbridge configuration',
    description: 'Written by `npm run schema`; change src/config/schema instead.',
    ...rest,
  };
}

/** The text of config/schema.json. */
export function configJsonSchemaText(): string {
  return `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
}

/** Zod leaves `examples` out where a text is read as something else, so the schema has them under a name of its own. */
function withExamples(schema: SchemaNode): SchemaNode {
  return JSON.parse(JSON.stringify(schema), (_, node: unknown) => {
    if (typeof node !== 'object' || node === null || !('x-example' in node)) return node;
    const { 'x-example': example, ...rest } = node;
    return { ...rest, examples: [example] };
  }) as SchemaNode;
}

/** An option without a value is the same as none when the file is read, so an editor must not object to it. */
function allowEmptyOptions(node: SchemaNode): void {
  const properties = node['properties'];
  const required = node['required'];
  if (typeof properties !== 'object' || properties === null) return;
  for (const [name, property] of Object.entries(properties as Record<string, SchemaNode>)) {
    if (Array.isArray(required) && required.includes(name)) continue;
    if (Array.isArray(property['anyOf'])) allowNull(property['anyOf']);
    else if (typeof property['type'] === 'string') property['type'] = [property['type'], 'null'];
    // A group that may be left out has no default worth showing.
    if (JSON.stringify(property['default']) === '{}') delete property['default'];
  }
}

/** A schema that is part of another's words for editors comes by more than once. */
function allowNull(alternatives: unknown[]): void {
  const isAllowed = alternatives.some((each) => (each as SchemaNode)['type'] === 'null');
  if (!isAllowed) alternatives.push({ type: 'null' });
}
