// Writes docs/reference/configuration.md from the schema: one table for each group of settings. The schema declares each setting's
// meaning, example and first version (src/mapping/kinds/reading.ts).
import { stringify } from 'yaml';
import { configJsonSchema } from '../src/mapping/json-schema.ts';
import { SAMPLES } from './configuration-samples.ts';

/** The part of the JSON Schema that the page shows. */
interface SchemaNode {
  readonly type?: unknown;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: string;
  readonly examples?: readonly unknown[];
  readonly 'x-type'?: string;
  readonly 'x-since'?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | false;
  readonly required?: readonly string[];
  readonly oneOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
}

/** A setting or a group of settings. If its description differs between kinds of mirrors, it has one entry for each. */
export interface Setting {
  /** `mirrors.<name>.sheet.tab` */
  readonly path: string;
  readonly isGroup: boolean;
  readonly isRequired: boolean;
  readonly meaning: string;
  readonly type: string;
  readonly default: unknown;
  readonly example: unknown;
  readonly since: string;
  /** The mirrors' sources (`from`), when only some mirrors have the setting. */
  readonly only: readonly string[];
}

const FIRST_VERSION = '0.1.0';

/** Every setting, in the order of the schema. */
export function configurationSettings(): readonly Setting[] {
  const root = configJsonSchema() as SchemaNode;
  const found = childrenOf(root, { path: '', since: FIRST_VERSION, of: [] });
  const sources = new Set(found.flatMap(({ only }) => only));
  const merged = new Map<string, Setting>();
  for (const setting of found) {
    const key = JSON.stringify({ ...setting, only: [] });
    const before = merged.get(key)?.only ?? [];
    merged.set(key, { ...setting, only: [...before, ...setting.only] });
  }
  return [...merged.values()].map((each) =>
    each.only.length === sources.size ? { ...each, only: [] } : each,
  );
}

interface Place {
  readonly path: string;
  readonly since: string;
  /** The source (`from`) of the enclosing mirror. */
  readonly of: readonly string[];
}

function childrenOf(node: SchemaNode, place: Place): Setting[] {
  const named = Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const path = place.path === '' ? name : `${place.path}.${name}`;
    const own = { ...place, path, since: child['x-since'] ?? place.since };
    const isRequired = node.required?.includes(name) === true;
    return [settingOf(child, own, isRequired), ...childrenOf(child, own)];
  });
  const each = node.additionalProperties
    ? childrenOf(node.additionalProperties, { ...place, path: `${place.path}.<name>` })
    : [];
  const forms = [...(node.oneOf ?? []), ...(node.anyOf ?? [])].flatMap((form) => {
    const source = form.properties?.['from']?.const;
    return childrenOf(form, source === undefined ? place : { ...place, of: [source] });
  });
  return [...named, ...each, ...forms];
}

function settingOf(node: SchemaNode, { path, since, of }: Place, isRequired: boolean): Setting {
  return {
    path,
    isGroup:
      hasSettings(node) || (node.additionalProperties ? hasSettings(node.additionalProperties) : false),
    isRequired,
    meaning: node.description ?? '',
    type: node['x-type'] ?? node.const ?? '',
    default: node.default,
    example: node.examples?.[0],
    since,
    only: of,
  };
}

function hasSettings(node: SchemaNode): boolean {
  const { oneOf = [], anyOf = [] } = node;
  // Either one group, or a list of such groups.
  const groups = anyOf.some(({ type }) => type === 'array') ? anyOf : [];
  return [node, ...oneOf, ...groups].some(({ properties }) => properties !== undefined);
}

export function configurationPage(): string {
  const settings = configurationSettings();
  const rows = settings.filter(({ isGroup }) => !isGroup);
  const first = (group: string) => settings.findIndex(({ path }) => path.startsWith(`${group}.`));
  const groups = [...new Set(rows.map(groupOf))].sort((a, b) => first(a) - first(b) || a.length - b.length);
  const parts = groups.map((path) => {
    const group = settings.find((setting) => setting.path === path.replace(/\.<name>$/, ''));
    const words = group?.isGroup ? `\n${told(group, [])}\n` : '';
    const own = rows.filter((row) => groupOf(row) === path);
    const inOrder = [...new Set(own.map((row) => row.path))].flatMap((each) =>
      own.filter((row) => row.path === each),
    );
    const lines = inOrder.map((row) => rowOf(row, group?.only ?? []));
    return `\n## \`${path}\`\n${words}\n${HEAD}${lines.join('\n')}\n`;
  });
  const samples = SAMPLES.map(({ what, yaml }) => `\n${what}\n\n\`\`\`yaml\n${yaml}\n\`\`\`\n`);
  return `${INTRODUCTION}${parts.join('')}\n## Samples\n${samples.join('')}`;
}

function groupOf({ path }: Setting): string {
  return path.slice(0, path.lastIndexOf('.'));
}

const HEAD = '| key | type | default | example | since | meaning |\n|---|---|---|---|---|---|\n';

function rowOf(setting: Setting, around: readonly string[]): string {
  const cells = [
    `\`${setting.path.slice(setting.path.lastIndexOf('.') + 1)}\``,
    setting.type,
    setting.isRequired ? 'required' : asCode(setting.default),
    asCode(setting.example),
    setting.since,
    told(setting, around),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** `around`: the sources that the group already names. */
function told({ meaning, only }: Setting, around: readonly string[]): string {
  return only.length === 0 || only.join() === around.join() ? meaning : `(${only.join(', ')}) ${meaning}`;
}

function asCode(value: unknown): string {
  if (value === undefined) return '';
  const text = stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: true });
  return `\`${text.trim()}\``;
}

const INTRODUCTION = `# Configuration

For whoever writes the YAML. Written by \`npm run reference\` from \`src/mapping/schema/\`; do not edit it by hand. \`slotbridge init\` writes a
YAML for you, \`config/slotbridge.example.yaml\` fits the sandbox, and \`config/examples/\` has five trades. \`slotbridge check\` lists everything
that is wrong with a file, each with its line. With \`# yaml-language-server: $schema=./schema.json\` in its first line, editors
complete and check it as well.

How to read and write it:

- \`\${NAME}\` is the environment variable NAME, which must be set. \`\${NAME:-default}\` has a default. \`\${NAME:-}\` is empty when NAME is not set,
  as if the setting were not there. Within \`[ ]\` and \`{ }\` put quotes around it. \`$$\` is one dollar sign.
- Keep secrets in variables, not in the file.
- A duration is a whole number and its unit: \`500ms\`, \`10s\`, \`1m\`, \`2h\`, \`7d\`. A size is \`256kb\` or \`1mb\`.
- A Liquid template is a text over the fields of its object; \`slotbridge render <mirror>\` lists them with their values.
- \`<name>\` stands for a name of your choice: letters, digits, - and _ for mirrors and bookings; a resource, or the header of a column, for others.
- An empty default means that the setting is off, or that its meaning says what happens without it.
- \`since\` is the version that brought the setting. A meaning that begins with (contacts) is for mirrors with \`from: contacts\`.
`;
