import * as z from 'zod';
import { configSchema } from './schema/root.ts';

/** Increment when a YAML that was valid before becomes invalid. */
const SCHEMA_VERSION = 1;

/** Part of a JSON Schema, as far as this file reads it. */
type SchemaNode = Record<string, unknown>;

/**
 * JSON Schema of the file as written (snake_case, units, `${NAME}` in place of other types), for completion and checks in editors. Draft 7,
 * which every YAML language server understands.
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

export function configJsonSchemaText(): string {
  return `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
}

/** Zod drops `examples` where a setting reads text as another type, so the schema keeps them under its own name. */
function withExamples(schema: SchemaNode): SchemaNode {
  return JSON.parse(JSON.stringify(schema), (_, node: unknown) => {
    if (typeof node !== 'object' || node === null || !('x-example' in node)) return node;
    const { 'x-example': example, ...rest } = node;
    return { ...rest, examples: [example] };
  }) as SchemaNode;
}

/** The loader treats an option without a value as absent, so an editor must not object to it. */
function allowEmptyOptions(node: SchemaNode): void {
  const properties = node['properties'];
  const required = node['required'];
  if (typeof properties !== 'object' || properties === null) return;
  for (const [name, property] of Object.entries(properties as Record<string, SchemaNode>)) {
    if (Array.isArray(required) && required.includes(name)) continue;
    if (Array.isArray(property['anyOf'])) allowNull(property['anyOf']);
    else if (typeof property['type'] === 'string') property['type'] = [property['type'], 'null'];
    // The default `{}` of an optional group is not worth showing.
    if (JSON.stringify(property['default']) === '{}') delete property['default'];
  }
}

/** Zod walks over a schema more than once if it is part of the editor form of another. */
function allowNull(alternatives: unknown[]): void {
  const isAllowed = alternatives.some((each) => (each as SchemaNode)['type'] === 'null');
  if (!isAllowed) alternatives.push({ type: 'null' });
}
