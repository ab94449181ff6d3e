// Writes the reference page about Redis keys from the comments in src/engine/key-space.ts.

/** The parts of a key's comment. */
interface RedisKey {
  readonly names: string;
  readonly type: string;
  readonly holds: string;
  readonly family: string;
  readonly bound: string;
  readonly reason: string;
  readonly fields: FieldTable | undefined;
}

interface FieldTable {
  readonly title: string;
  readonly rows: readonly (readonly [name: string, holds: string])[];
}

/** `source`: the text of the file that declares the keys. */
export function redisKeysPage(source: string): string {
  const keys = keysIn(source);
  const families = [...new Map(keys.map((key) => [key.family, key])).values()];
  const tables = families.flatMap(({ fields }) => (fields === undefined ? [] : [fieldTable(fields)]));
  return `# Redis keys

For developers who change what is stored, and for whoever looks into Redis. Written by \`npm run reference\` from
\`src/engine/key-space.ts\`; do not edit it by hand. [redis-scripts.md](redis-scripts.md) lists the scripts that write the keys. Every call
to Redis has a deadline of 3 s.

Every key begins with \`{<redis.prefix>}\`, by default \`{slotbridge}\`. The braces put all keys into one slot of a Redis Cluster,
because scripts touch several at once ([0008](../decisions/0008-one-hash-slot.md)). All of this state can be rebuilt from the platform and Google,
but for consents of people: who agreed agrees again.

## Keys

| key | type | holds |
|---|---|---|
${keys.map(({ names, type, holds }) => `| ${names} | ${type} | ${holds} |`).join('\n')}

## Bounds

\`expires\`: Redis forgets the key by itself. \`trimmed\`: old entries go, the key stays. \`stands\`: it stays, for the reason given.

| family | bound | |
|---|---|---|
${families.map(({ family, bound, reason }) => `| \`${family}\` | ${bound} | ${reason} |`).join('\n')}
${tables.join('')}`;
}

function fieldTable({ title, rows }: FieldTable): string {
  return `
## ${title}

| field | holds |
|---|---|
${rows.map(([name, holds]) => `| ${name} | ${holds} |`).join('\n')}
`;
}

const DECLARED = / {4}\/\*\*\n((?: {5}\* .*\n)+) {5}\*\/\n(?: {4,}.*\n){0,2}.*\$\{(?:tag\}:|rowsOf\})/g;

function keysIn(source: string): readonly RedisKey[] {
  return [...source.matchAll(DECLARED)].flatMap(([, comment = '']) => readKey(comment) ?? []);
}

/** Undefined for a key prefix, which has no `@key` tag. */
function readKey(comment: string): RedisKey | undefined {
  const text = comment.replaceAll(/^ {5}\* ?/gm, '');
  const [holds = '', ...tags] = text.split(/\n@/).map((part) => part.trim());
  const tag = (name: string) =>
    tags.find((each) => each.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
  const [, names, type] = /^((?:`[^`]+`(?:, )?)+) (.+)$/.exec(oneLine(tag('key'))) ?? [];
  if (names === undefined || type === undefined) return undefined;
  const family = /^`:([a-z-]+)/.exec(names)?.[1];
  const [, bound, reason] = /^(expires|trimmed|stands): (.+)$/.exec(oneLine(tag('bound'))) ?? [];
  if (family === undefined || bound === undefined || reason === undefined)
    throw new Error(`the comment of the key ${names} lacks its family or its bound`);
  const [title = '', ...items] = tag('fields').split(/\n- /);
  const rows = items.map((item) => {
    const at = item.indexOf('`: ') + 1;
    return [oneLine(item.slice(0, at)), oneLine(item.slice(at + 2))] as const;
  });
  const fields = title === '' ? undefined : { title, rows };
  return { names, type, holds: oneLine(holds), family, bound, reason, fields };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
