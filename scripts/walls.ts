// `npm run walls`: checks that imports in src/ and packages/ respect the rooms. The rules are in .dependency-cruiser.cjs.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ICruiseResult } from 'dependency-cruiser';

const house = fileURLToPath(new URL('..', import.meta.url));
const rules = join(house, '.dependency-cruiser.cjs');
/** Folders that are cruised. Tests, benches and chaos may import anything. */
const PLACES = ['src', 'packages/sandbox/src', 'packages/rehearsal/demo', 'packages/rehearsal/scenarios'];
const cruiser = join(house, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

export interface Breach {
  rule: string;
  /** Paths relative to the root. */
  from: string;
  to: string;
  why: string;
}

export interface WallReport {
  breaches: Breach[];
  /** Files that the tool read. */
  cruised: string[];
  /** Files that the tool did not read: it silently skips what it cannot parse. */
  unread: string[];
}

/** Reads every import in the places below `root` and returns those that break a rule. */
export async function inspectWalls(root: string): Promise<WallReport> {
  const result = await cruise(root);
  const cruised = sourcesOf(result);
  const read = new Set(cruised);
  return {
    breaches: [...breachesOf(result), ...cruised.flatMap((file) => importedTypes(root, file))],
    cruised,
    unread: typescriptFiles(root).filter((file) => !read.has(file)),
  };
}

/** Runs in its own process: inside tsx, the tool's import of swc's visitor is empty. */
async function cruise(root: string): Promise<ICruiseResult> {
  const args = [cruiser, '--config', rules, '--output-type', 'json', ...PLACES];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const output = await text(child.stdout);
  // The exit code counts the breaches, which the result also contains. A crash prints no JSON.
  if (!output.startsWith('{'))
    throw new Error('dependency-cruiser gave no result; what it said stands above');
  return JSON.parse(output);
}

function sourcesOf(result: ICruiseResult): string[] {
  return result.modules
    .map((module) => module.source)
    .filter((source) => PLACES.some((place) => source.startsWith(`${place}/`)));
}

function breachesOf(result: ICruiseResult): Breach[] {
  const forbidden = result.summary.ruleSetUsed?.forbidden ?? [];
  const reasons = new Map(forbidden.map((rule) => [rule.name, rule.comment ?? '']));
  return result.summary.violations.map(({ rule, from, to }) => ({
    rule: rule.name,
    from,
    to,
    why: reasons.get(rule.name) ?? '',
  }));
}

/** Finds `import('…').Name` used as a type, the only kind of import that the tool does not see. */
function importedTypes(root: string, file: string): Breach[] {
  const found = readFileSync(join(root, file), 'utf8').matchAll(
    /\bimport\(\s*['"`]([^'"`]+)['"`]\s*\)\s*\.\s*[A-Z]/g,
  );
  const why = 'the walls cannot be checked through it; write `import type` at the top of the file.';
  return [...found].map(([, to = '']) => ({ rule: 'types-by-import', from: file, to, why }));
}

function typescriptFiles(root: string): string[] {
  return PLACES.flatMap((place) => readdirSync(join(root, place), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

async function main(): Promise<void> {
  const { breaches, cruised, unread } = await inspectWalls(house);
  for (const { rule, from, to, why } of breaches)
    console.error(`${from}\n  imports ${to}\n  ${rule}: ${why}\n`);
  for (const file of unread) console.error(`${file}\n  was not read, so its imports are not checked\n`);
  console.log(`${cruised.length} files read, ${unread.length} unread, ${breaches.length} breaches`);
  if (breaches.length > 0 || unread.length > 0 || cruised.length === 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
