import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ownPort } from '@slotbridge/rehearsal/demo/own-port';
import { afterAll, expect, test } from 'vitest';
import { house, read } from '../house/tree.ts';
import { Terminal } from '../stand/terminal.ts';

interface Step {
  readonly terminal: string;
  readonly command: string;
  /** What the page shows below it. */
  readonly shown: string;
}

const page = read('docs/first-hour.md');
const steps = stepsOf(page);
const dir = mkdtempSync(join(tmpdir(), 'first-hour-'));
const terminals = new Map<string, Terminal>();

afterAll(async () => {
  // The worker before the sandbox: it ends what it has begun.
  for (const terminal of [...terminals.values()].reverse()) await terminal.close();
  rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
});

test('the page leads from a clone to a mirrored appointment in at most ten commands', () => {
  expect(steps[0]?.command).toMatch(/^git clone /);
  expect(steps.length).toBeLessThanOrEqual(10);
  expect(new Set(steps.map(({ terminal }) => terminal)).size).toBe(3);
});

test('each command of the page prints what the page shows', { timeout: 600_000 }, async () => {
  const env = await environment();
  for (const { terminal: name, command, shown } of steps) {
    const isFirst = terminals.size === 0;
    const terminal = terminals.get(name) ?? new Terminal(isFirst ? dir : join(dir, 'slotbridge'), env);
    terminals.set(name, terminal);
    const expected = patternOf(shown);
    const isThere = (printed: string) => expected.test(shapeOf(printed));
    // These two run until Ctrl-C: they have said enough once they have said what the page shows.
    const isLasting = /^npx slotbridge (sandbox|start)$/.test(command);
    let printed = await terminal.run(command, isLasting ? isThere : never);
    // The page says to wait a moment: whoever is too early looks again.
    for (let look = 0; !isThere(printed) && /--show|status/.test(command) && look < 60; look += 1)
      printed = await terminal.run(`sleep 1; ${command}`, never);
    if (!isThere(printed)) expect(shapeOf(printed), command).toBe(shapeOf(shown));
  }
});

const never = () => false;

/** A new terminal's environment, except for ports that nobody else uses and an npm that needs no network. */
async function environment(): Promise<Record<string, string>> {
  const programs = join(dir, 'programs');
  mkdirSync(programs);
  // What `npm test` has installed and built just before, as these commands would.
  const npm = `#!/bin/sh
case "$1 $2" in
  "ci ") ln -s '${house}/node_modules' node_modules ;;
  "run build") cp -R '${house}/dist' dist ;;
  *) exit 1 ;;
esac
`;
  writeFileSync(join(programs, 'npm'), npm);
  chmodSync(join(programs, 'npm'), 0o755);
  return {
    PATH: [programs, process.env['PATH'] ?? ''].join(delimiter),
    HOME: dir,
    TMPDIR: tmpdir(),
    REPOSITORY: house,
    ...{ SANDBOX_PLATFORM_PORT: '0', SANDBOX_GOOGLE_PORT: '0', PORT: String(await ownPort()) },
    // The clone belongs to whoever runs the tests, its source perhaps to another user.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
  };
}

/** Indented `$` lines, each with the indented lines below it; `**First terminal**` says where they are typed. */
function stepsOf(text: string): Step[] {
  const found: { terminal: string; command: string; shown: string }[] = [];
  let terminal = '';
  let isShown = false;
  for (const line of text.split('\n')) {
    terminal = /\*\*(\w+) terminal\b/.exec(line)?.[1] ?? terminal;
    // What init runs itself is told as `$ slotbridge …`, and is output.
    const command = /^ {4}\$ ((?:git|npm|npx) .+)$/.exec(line)?.[1];
    const last = found.at(-1);
    if (command !== undefined) found.push({ terminal, command, shown: '' });
    else if (line.startsWith('    ') && last !== undefined && isShown) last.shown += `${line.slice(4)}\n`;
    else if (line === '' && last !== undefined && isShown) last.shown += '\n';
    isShown = command !== undefined || (isShown && (line === '' || line.startsWith('    ')));
  }
  return found.map((step) => ({ ...step, shown: step.shown.trimEnd() }));
}

/** The text without what differs from run to run. */
function shapeOf(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replaceAll(/\b(contact|appointment) [0-9a-f]{8}\b/g, '$1 <id>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replaceAll(/\bport: \d+/g, 'port: <port>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ \w{3} \d{4}/g, '<day>')
    .replaceAll(/\d{4}-\d\d-\d\d/g, '<day>')
    .replaceAll(/\b\d\d:\d\d(:\d\d)?\b/g, '<time>')
    .replaceAll(/\b\d+(\.\d+)? (ms|s|min)\b/g, '<duration>')
    .replaceAll(/"pid":\d+/g, '"pid":<pid>')
    .replaceAll(/version \d+\.\d+\.\d+/g, 'version <version>');
}

/** `…` alone in a line stands for any lines, within a line for anything in it. */
function patternOf(shown: string): RegExp {
  const lines = shapeOf(shown)
    .split('\n')
    .map((line) =>
      line.trim() === '…'
        ? '(?:[^\\n]*\\n)*?[^\\n]*'
        : line
            .split('…')
            .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
            .join('[^\\n]*'),
    );
  return new RegExp(`^${lines.join('\\n')}$`);
}
