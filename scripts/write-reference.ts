// `npm run reference`: writes docs/reference/ from the source; test/house/docs.test.ts compares them. The coverage pages
// there are written by `npm run conformance -- --write-docs` and `npm run conformance:google -- --write-docs`.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { COUNTERS, createMetrics, HISTOGRAMS } from '../src/operate/metrics.ts';
import { configurationPage } from './configuration-page.ts';
import { redisKeysPage } from './redis-keys-page.ts';

const home = new URL('../', import.meta.url);
const KEYS = 'src/engine/key-space.ts';

/** Each page by its path from the project's root. */
export async function referencePages(): Promise<Readonly<Record<string, string>>> {
  return {
    'docs/reference/configuration.md': configurationPage(),
    'docs/reference/limits.md': limitsPage(),
    'docs/reference/metrics.md': await metricsPage(),
    'docs/reference/redis-keys.md': redisKeysPage(textOf(KEYS) ?? ''),
    'docs/reference/redis-scripts.md': scriptsPage(),
  };
}

export interface Limit {
  readonly name: string;
  readonly value: string;
}

/** Constants that share one comment. */
export interface LimitGroup {
  readonly constants: readonly Limit[];
  readonly meaning: string;
}

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The worker and its commands. The sandboxes and the demo have their own limits. */
const WORKER = ['src', 'packages/rehearsal/scenarios'];

function workerFiles(): SourceFile[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...WORKER], {
    cwd: home,
    encoding: 'utf8',
  });
  return [...new Set(listed.split('\n'))]
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .flatMap((path) => {
      const text = textOf(path);
      return text === undefined ? [] : [{ path, text }];
    });
}

/** Undefined for a deleted file whose deletion is not committed yet. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, home), 'utf8');
  } catch {
    return undefined;
  }
}

function limitsPage(): string {
  const sections = workerFiles().flatMap(({ path, text }) => {
    const limits = limitsIn(text);
    return limits.length === 0 ? [] : [`\n## ${path}\n\n${limits.map(limitLine).join('\n')}\n`];
  });
  return `# Limits

For developers and operators who look for a number. Written by \`npm run reference\` from the constants of the code; do not edit it by
hand. Each line has the first clause of the comment above the constant; the rest of the comment says why. Constants that share
a comment share a line. Settings of the YAML are in [configuration](configuration.md).
${sections.join('')}`;
}

function limitLine({ constants, meaning }: LimitGroup): string {
  const told = constants.map(({ name, value }) => `\`${name} = ${value}\``).join(', ');
  return `- ${told} ${meaning}`.trimEnd();
}

const CONSTANT = /^(?:export )?const ([A-Z][A-Z0-9_]*) = ([0-9A-Z_][0-9A-Z_. *+/()-]*);/;
/** The name of a limit ends in its unit, or in a word for a share, a maximum or a minimum. */
const BOUND = /_(MS|S|MAX|MIN|BYTES|CHARS|SHARE|AT_ONCE|IN_A_ROW|FROM|ROWS|EVENTS|OBJECTS)$|_PER_[A-Z]+$/;
const UNIT = /^(SECOND|MINUTE|HOUR|DAY|WEEK)_(MS|S)$/;

/** The limits that a source file declares, in their order. */
export function limitsIn(text: string): LimitGroup[] {
  const groups: { constants: Limit[]; meaning: string }[] = [];
  let group: (typeof groups)[number] | undefined;
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    const [, name = '', value = ''] = CONSTANT.exec(line) ?? [];
    if (name === '') continue;
    const before = lines[at - 1] ?? '';
    const meaning = meaningAbove(lines, at);
    if (group === undefined || meaning !== undefined || !CONSTANT.test(before)) {
      group = { constants: [], meaning: meaning ?? '' };
      groups.push(group);
    }
    if (/\d/.test(value) && BOUND.test(name) && !UNIT.test(name)) {
      if (group.meaning === '' && group.constants.length > 0) {
        group = { constants: [], meaning: '' };
        groups.push(group);
      }
      group.constants.push({ name, value });
    }
  }
  return groups.filter(({ constants }) => constants.length > 0);
}

function meaningAbove(lines: readonly string[], at: number): string | undefined {
  const before = lines[at - 1] ?? '';
  if (before.endsWith('*/')) return firstClause(commentEndingAt(lines, at - 1));
  return before.trimStart().startsWith('//') ? firstClause(before.replace(/^\s*\/\/ ?/, '')) : undefined;
}

function commentEndingAt(lines: readonly string[], end: number): string {
  let start = end;
  while (start > 0 && !/^\s*\/\*\*/.test(lines[start] ?? '')) start -= 1;
  return lines
    .slice(start, end + 1)
    .map((line) => line.replace(/^\s*\/?\*+ ?/, '').replace(/\s*\*\/$/, ''))
    .join(' ')
    .trim();
}

/** What the number bounds. The code gives the reason after a colon, a semicolon or in further sentences. */
function firstClause(comment: string): string {
  const clause = /^.*?[a-z0-9)`"](?=[.:;](?:\s|$))/.exec(comment)?.[0] ?? comment;
  return clause.replace(/[.,]?$/, '.');
}

async function metricsPage(): Promise<string> {
  const declared = new Map([...COUNTERS, ...HISTOGRAMS].map(({ name, labels }) => [name, labels]));
  const told = await createMetrics().text();
  const rows = [...told.matchAll(/^# HELP ((?:slotbridge|platform)_\w+) (.*)\n# TYPE \w+ (\w+)$/gm)].map(
    ([, name = '', help = '', type = '']) => {
      const labels = (declared.get(name) ?? []).map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${labels} | ${help.replaceAll('|', '\\|')} |`;
    },
  );
  return `# Metrics

For whoever builds alerts and dashboards. Written by \`npm run reference\` from \`src/operate/\`; do not edit it by hand. \`GET /metrics\` also
has the usual figures of a Node process. While Redis cannot be read, \`slotbridge_status_readable\` is 0 and the gauges of the stored state are
absent.

| name | type | labels | meaning |
|---|---|---|---|
${rows.join('\n')}
`;
}

function scriptsPage(): string {
  const lines = workerFiles().flatMap(({ path, text }) => {
    const names = [...text.matchAll(/^(?:export )?const ([A-Z_]+) = new (?:Named)?Script\(/gm)].map(
      ([, name]) => `\`${name}\``,
    );
    return names.length === 0 ? [] : [`| \`${path}\` | ${names.join(', ')} |`];
  });
  return `# Redis scripts

For developers who change what is stored. Written by \`npm run reference\` from the code; do not edit it by hand. Each script is one atomic
step. Its comment in the file says what it does and which arguments it takes.

| file | scripts |
|---|---|
${lines.join('\n')}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(await referencePages())) writeFileSync(new URL(path, home), text);
}
