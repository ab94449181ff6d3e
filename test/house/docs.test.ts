import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { limitsIn, referencePages } from '../../scripts/write-reference.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { DENIALS } from '../../src/google/errors.ts';
import { SIGNATURE_SCHEMES } from '../../src/mapping/schema/platform.ts';
import { COUNTERS, createMetrics, HISTOGRAMS } from '../../src/operate/metrics.ts';
import { house, read, trackedFiles } from './tree.ts';

const documents = trackedFiles().filter((path) => /^([A-Z]+\.md|docs\/.*\.md)$/.test(path));
const redisKeys = read('docs/reference/redis-keys.md');
const operations = read('docs/operations.md');
const commands = read('docs/commands.md');

/** Source of the worker and its commands: what the sandboxes and the demo say is not for operators. */
const workerSource = trackedFiles()
  .filter((path) => /^(?:src|packages\/rehearsal\/scenarios)\/.*\.ts$/.test(path))
  .map(read)
  .join('\n');

describe('the commands', async () => {
  const program = await commandLine();
  const all = leavesOf(program);

  it('are found at all', () => {
    expect(all.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['slotbridge start', 'slotbridge webhook register']),
    );
  });

  const common = [...commands.matchAll(/^\| `(-[^`]+)` \| ((?:`[a-z -]+`(?:, )?)+) \| .+ \|$/gm)].map(
    ([, flags = '', but = '']) => ({ flags, but: [...but.matchAll(/`([^`]+)`/g)].map(([, name]) => name) }),
  );

  it('share two options, but for commands that exist', () => {
    expect(common.map(({ flags }) => flags)).toEqual(['-c, --config <file>', '--json']);
    const names = all.map(({ name }) => name.replace('slotbridge ', ''));
    expect(common.flatMap(({ but }) => but).filter((name) => !names.includes(name ?? ''))).toEqual([]);
  });

  it.each(all)('$name has a section in docs/commands.md, with exactly the options it takes', (command) => {
    const text = sectionOf(command.name);
    expect(text).not.toBe('');
    const own = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, flags = '']) => flags);
    const shared = common.filter(({ but }) => !but.includes(command.name.replace('slotbridge ', '')));
    const documented = new Set([
      ...own.filter((flags) => flags.startsWith('-')),
      ...shared.map(({ flags }) => flags),
    ]);
    expect([...documented].sort()).toEqual(command.flags.sort());
  });

  it('are the only ones that docs/commands.md has a section for', () => {
    const sections = [...commands.matchAll(/^## (slotbridge .+)$/gm)].map(([, name]) => name);
    expect(sections.sort()).toEqual(all.map(({ name }) => name).sort());
  });

  it('are called as they are named, wherever a document calls one', () => {
    const known = new Set(all.map(({ name }) => name));
    const called = mentionsOf(
      /\bslotbridge ((?:start|check|status|webhook|sandbox|demo|test|explain|deadletters|replay|resync|audit|plan|render|apply|cursor|google|completion|init|feeds)\b(?: [a-z-]+)?)/g,
    );
    const wrong = called.filter(({ match }) => {
      const [first = '', second = ''] = match.split(' ');
      return !known.has(`slotbridge ${first}`) && !known.has(`slotbridge ${first} ${second}`);
    });
    expect(wrong).toEqual([]);
  });

  it('are called with words and options that they take, in every message of the worker and in every document', () => {
    const pages = documents.map((document) => read(document));
    const said = [workerSource, ...pages].flatMap((text) => [
      ...text.matchAll(/(?<!\\)`slotbridge ([^`$\n\\|]+)`/g),
      ...text.matchAll(/\\`slotbridge ([^`\n]+)\\`/g),
      ...text.matchAll(/: slotbridge ((?:\$\{[^}]*\}|[^`'"|.,\n\\])+)[.,'"`]/g),
      ...text.matchAll(/^ *\$ slotbridge ([^\n|>#&;(]+)/gm),
    ]);
    const wrong = said.flatMap(([, words = '']) => objection(program, words) ?? []);
    expect(said.length).toBeGreaterThan(200);
    expect([...new Set(wrong)]).toEqual([]);
  });

  it('end with codes that docs/commands.md has a line for', () => {
    const documented = [...commands.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(documented).toEqual(expect.arrayContaining(Object.values(EXIT)));
  });
});

describe('what a document points to is there:', () => {
  it.each(documents)('the links of %s', (path) => {
    const broken = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(path, link));
    expect(broken).toEqual([]);
  });

  it('npm scripts', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = mentionsOf(/\bnpm (?:run )?(?:--silent )?((?<=run )[a-z][\w:-]*|test\b|start\b)/g);
    expect(named.map(({ match }) => match)).toContain('demo');
    expect(named.filter(({ match }) => scripts[match] === undefined)).toEqual([]);
  });

  it('files and folders of the project', () => {
    const named = mentionsOf(/`((?:src|test|scripts|docs|config)\/[\w./-]*)`/g);
    // What a reader is to make is not there yet.
    const toBeMade = [
      'config/slotbridge.yaml',
      'src/notes/',
      'src/notes/target.ts',
      'src/form/',
      'src/icsdir/',
    ];
    const missing = named.filter(({ match }) => !toBeMade.includes(match) && !existsSync(join(house, match)));
    expect(missing).toEqual([]);
  });
});

describe('docs/reference/', async () => {
  const pages = await referencePages();

  it.each(Object.keys(pages))('%s is what `npm run reference` writes', (path) => {
    expect(read(path)).toBe(pages[path]);
  });

  it('names every metric that the worker keeps, each with its labels; documents name no other', async () => {
    const kept = [...(await createMetrics().text()).matchAll(/^# TYPE ((?:slotbridge|platform)_\w+) /gm)];
    const names = kept.map(([, name]) => name ?? '');
    expect(names).toEqual(expect.arrayContaining([...COUNTERS, ...HISTOGRAMS].map(({ name }) => name)));
    const rows = [...read('docs/reference/metrics.md').matchAll(/^\| `(\w+)` \| \w+ \| ([^|]*) \| .+ \|$/gm)];
    expect(rows.map(([, name]) => name).sort()).toEqual(names.sort());
    for (const { name, labels } of [...COUNTERS, ...HISTOGRAMS]) {
      const [, , cell = ''] = rows.find(([, told]) => told === name) ?? [];
      expect([name, [...cell.matchAll(/`(\w+)`/g)].map(([, label]) => label)]).toEqual([name, labels]);
    }
    const mentioned = mentionsOf(/`((?:slotbridge|platform)_(?!origin|url|request`)\w+)[`{]/g);
    expect(mentioned.length).toBeGreaterThan(names.length);
    expect(mentioned.filter(({ match }) => !names.includes(match))).toEqual([]);
  });

  it('tells limits as they are, with what they bound', () => {
    const told = [...read('docs/reference/limits.md').matchAll(/^(?:## (\S+)|- (.*))$/gm)];
    let file = '';
    const limits = told.flatMap(([, path, line = '']) => {
      file = path ?? file;
      return [...line.matchAll(/`([A-Z0-9_]+) = ([^`]+)`/g)].map(([, name, value]) => ({
        file,
        name,
        value,
      }));
    });
    expect(limits.length).toBeGreaterThan(350);
    expect(
      limits.filter(({ file, name, value }) => !read(file).includes(`const ${name} = ${value};`)),
    ).toEqual([]);
    const names = limits.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'INBOX_TTL_S',
        'FAILURES_MAX',
        'ROWS_PER_FLUSH',
        'BURST_SHARE',
        'SYNCS_AT_ONCE',
      ]),
    );
  });

  it('reads limits with the comment that covers them', () => {
    const source = [
      '/** Failures in a row: more are an outage. */',
      'const FAILURES_MAX = 5;',
      'const PAUSE_MS = 15 * MINUTE_MS;',
      'const MINUTE_MS = 60_000;',
      "const NAME = 'no limit';",
      '/**',
      ' * How long it is remembered. The feed',
      ' * reaches back as far.',
      ' */',
      'export const KEPT_TTL_S = 35 * 24 * 3600;',
      '',
      'const SHARE_MAX = 0.5;',
      'const AHEAD_MS = MINUTE_MS;',
    ].join('\n');
    expect(limitsIn(source)).toEqual([
      {
        constants: [
          { name: 'FAILURES_MAX', value: '5' },
          { name: 'PAUSE_MS', value: '15 * MINUTE_MS' },
        ],
        meaning: 'Failures in a row.',
      },
      { constants: [{ name: 'KEPT_TTL_S', value: '35 * 24 * 3600' }], meaning: 'How long it is remembered.' },
      { constants: [{ name: 'SHARE_MAX', value: '0.5' }], meaning: '' },
    ]);
  });

  it('names every kind of Redis key', () => {
    const keys = [...read('src/engine/key-space.ts').matchAll(/\$\{tag\}(:[a-z-]+)/g)];
    expect(keys.length).toBeGreaterThan(15);
    expect(keys.map(([, key = '']) => key).filter((key) => !redisKeys.includes(`\`${key}`))).toEqual([]);
  });

  it('tells of each of them once', () => {
    const rows = [...redisKeys.matchAll(/^\| (`:.*`) \|/gm)].map(([, keys = '']) => keys);
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.filter((keys, at) => rows.indexOf(keys) !== at)).toEqual([]);
  });

  it('names every script that Redis runs', () => {
    const scripts = [...workerSource.matchAll(/^(?:export )?const ([A-Z_]+) = new (?:Named)?Script\(/gm)].map(
      ([, name]) => name,
    );
    expect(scripts.length).toBeGreaterThan(15);
    const page = read('docs/reference/redis-scripts.md');
    expect(scripts.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

const {
  rooms: ROOMS,
  kinds: KINDS,
  sides: SIDES,
}: Record<'kinds' | 'sides', readonly string[]> & {
  rooms: Record<string, readonly string[]>;
} = createRequire(import.meta.url)('../../scripts/rooms.cjs');

describe('docs/overview.md', () => {
  it('tells of every room what the walls let it import', () => {
    const overview = read('docs/overview.md').split('\n');
    const rooms = Object.entries(ROOMS);
    expect(rooms.filter(([room]) => ![...KINDS, ...SIDES].includes(room))).toHaveLength(8);
    for (const [room, allowed] of rooms) {
      const start = KINDS.includes(room) ? '| kinds: `caldav/` |' : `| \`${room}/\` |`;
      const row = overview.find((line) => line.startsWith(start)) ?? '';
      const told = row.split('|')[3]?.trim();
      const names = new Set(allowed.map((each) => (KINDS.includes(each) ? 'kinds' : each)));
      expect([room, told]).toEqual([room, [...names].join(', ') || 'nothing']);
    }
  });
});

describe('for whom a document is', () => {
  const topics = documents.filter((path) => /^docs\/(reference\/)?[^/]+\.md$/.test(path));

  it.each(topics)('%s says it in its first line', (path) => {
    const [heading = '', blank, first = ''] = read(path).split('\n');
    expect([heading.startsWith('# '), blank]).toEqual([true, '']);
    expect(first).toMatch(/^For /);
  });
});

describe('the length of the documents', () => {
  const words = (path: string) => read(path).split(/\s+/).filter(Boolean).length;

  it.each([
    ['README.md', 900],
    ['docs/overview.md', 1_500],
    ['docs/ARCHITECTURE.md', 2_500],
  ])('%s has at most %i words', (path, most) => {
    expect(words(path)).toBeLessThanOrEqual(most);
  });

  it('lets somebody read all of them but decisions, tables to look things up in, and the changelog', () => {
    const read = documents.filter((path) => !/^docs\/(decisions|reference)\/|^CHANGELOG/.test(path));
    expect(read.reduce((sum, path) => sum + words(path), 0)).toBeLessThan(40_000);
  });
});

describe('the words of the documents', () => {
  it('are one for each thing: appointment, not visit; booking sheet, not intake sheet', () => {
    const written = documents.filter(
      (path) => path !== 'CHANGELOG.md' && !read(path).includes('Written by `npm run'),
    );
    const odd = written.flatMap((path) =>
      read(path)
        .split('\n')
        // What a program prints, and names of code, keep their words.
        .filter((line) => !/^(?: {4}|- \*\*visit\*\*: A request to the console\.)/.test(line))
        .map((line) => line.replaceAll(/`[^`]*`/g, ''))
        .filter((line) => /\bvisits?\b|\bintake sheets?\b/i.test(line))
        .map((line) => `${path}: ${line}`),
    );
    expect(odd).toEqual([]);
  });
});

describe('docs/operations.md', () => {
  it('names no code that the worker does not know', () => {
    const named = codesOf(operations);
    expect(named).toContain('calendar-not-shared');
    expect(named.filter((code) => !isKnownCode(code))).toEqual([]);
  });

  it.each(Object.keys(DENIALS))('says what to do when Google says %s', (code) => {
    expect(operations).toMatch(new RegExp(`^\\| \`${code}\` \\| .{10,} \\| .{10,} \\|$`, 'm'));
  });

  it('has a word on every code that a person has to act on', () => {
    const terminal = [...workerSource.matchAll(/new (?:Terminal|Usage)Error\(\s*'([a-z-]+)'/g)].map(
      ([, code]) => code,
    );
    const standing = [...workerSource.matchAll(/code: '([a-z]+(?:-[a-z]+)+)',\s*message/g)].map(
      ([, code]) => code,
    );
    expect(terminal.length).toBeGreaterThan(10);
    expect(standing.length).toBeGreaterThan(5);
    const untold = [...new Set([...terminal, ...standing])].filter(
      (code) => !toldByTheCommand.includes(code ?? '') && !operations.includes(`\`${code}\``),
    );
    expect(untold).toEqual([]);
  });

  it('leads to a list that quotes only messages that the worker logs', () => {
    const table = read('docs/reference/log-messages.md');
    const messages = [...table.matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message),
    );
    expect(messages.length).toBeGreaterThan(15);
    expect(messages.filter((message) => !workerSource.includes(`'${message}'`))).toEqual([]);
  });

  it('has a line for every cause of a hole', () => {
    const causes = [...read('src/engine/coverage.ts').matchAll(/^ {2}\| '([a-z-]+)'/gm)].map(
      ([, cause]) => cause,
    );
    expect(causes.length).toBeGreaterThan(5);
    const table = operations.slice(operations.indexOf('## Holes'), operations.indexOf('## Quarantine'));
    expect(causes.filter((cause) => !table.includes(`\`${cause}\``))).toEqual([]);
  });
});

describe('the decisions', () => {
  it('are numbered without a gap, and each has context, decision and consequences', () => {
    const files = readdirSync(join(house, 'docs/decisions')).sort();
    expect(files.map((file) => Number(file.slice(0, 4)))).toEqual(files.map((_, index) => index + 1));
    for (const file of files) {
      const text = read(`docs/decisions/${file}`);
      expect(text.startsWith(`# ${file.slice(0, 4)} `)).toBe(true);
      const parts = [...text.matchAll(/^\*\*(\w+)\.\*\*/gm)].map(([, part]) => part);
      expect([file, parts]).toEqual([file, ['Context', 'Decision', 'Consequences']]);
    }
  });
});

/** Told in full by the command that meets them, which then ends. */
const toldByTheCommand = [
  'sandbox-not-running',
  'contact-of-blocks',
  'feed-linked',
  'feed-unknown',
  'shell-unknown',
  'interrupted',
  'spreadsheet-in-doubt',
  'spreadsheet-unkept',
  'account-has-no-drive',
  'answer-missing',
  'answers-unusable',
  'resource-unclear',
  'calendar-named',
  'changed-meanwhile',
  'config-unreadable',
  'address-unusable',
  'consent-unknown',
  'consent-keys-missing',
  'google-consent-not-revoked',
  'consent-needed',
  'google-consent-refused',
  'google-consent-incomplete',
  'account-named',
  'account-unknown',
  'google-invite-late',
  'no-public-url',
  'no-place-for-the-secret',
  'object-unknown',
  'object-ambiguous',
  'object-not-named',
  'event-unknown',
  'nothing-chosen',
  'no-such-letter',
  'time-unreadable',
  'list-unknown',
  'calendar-unknown',
  'place-unknown',
  'resync-stands',
  'class-unknown',
  'source-unknown',
  'source-busy',
  'overlap-unknown',
  'person-unclear',
  'role-unknown',
  'who-unclear',
  'console-off',
  'console-address-unknown',
  'contact-unclear',
  'yes-missing',
  'mirror-unknown',
  'object-of-another-kind',
  'scope-unknown',
  'plan-outdated',
  'blocks-unknown',
  'mapping-not-at-work',
  'plan-unreadable',
  'plan-unwritable',
  'receipt-unwritable',
  'scenario-not-writable',
  'scenario-unknown',
  'redis-unreachable',
  // Requests that only a defect could make.
  'idempotency-key-invalid',
  'platform-id-malformed',
];

interface Leaf {
  readonly name: string;
  readonly flags: string[];
}

/** The command line as `src/cli/` builds it. Nothing is run, so nothing has to be handed in. */
async function commandLine(): Promise<Command> {
  const program = new Command('slotbridge');
  for (const file of readdirSync(join(house, 'src/cli'))) {
    const room = (await import(`../../src/cli/${file.replace(/\.ts$/, '')}.ts`)) as Record<string, unknown>;
    for (const [name, add] of Object.entries(room)) {
      if (name.startsWith('add') && typeof add === 'function') add(program, {});
    }
  }
  return program;
}

function leavesOf(command: Command, name = command.name()): Leaf[] {
  if (command.commands.length === 0) return [{ name, flags: command.options.map((option) => option.flags) }];
  return command.commands.flatMap((child) => leavesOf(child, `${name} ${child.name()}`));
}

/** Why the command line would not take these words; undefined if it would. Placeholders stand for one word. */
function objection(program: Command, words: string): string | undefined {
  const rest = words
    .replace(/"[^"]*"|\$\{[^}]*\}|<[^>]*>/g, 'WORD')
    .split(/\s+/)
    .filter((word) => word !== '' && word !== '…');
  let command = program;
  while (rest.length > 0) {
    const next = command.commands.find((child) => child.name() === rest[0]);
    if (next === undefined) break;
    command = next;
    rest.shift();
  }
  if (command === program && !/^(?:WORD$|--)/.test(rest[0] ?? '')) return `slotbridge ${words}`;
  if (command === program) return undefined;
  let taken = 0;
  while (rest.length > 0) {
    const word = rest.shift() ?? '';
    if (!word.startsWith('-')) {
      taken += 1;
      continue;
    }
    const option = command.options.find(({ short, long }) => short === word || long === word);
    if (option === undefined) return `slotbridge ${words}`;
    if (option.required || (option.optional && rest[0]?.startsWith('-') === false)) rest.shift();
  }
  const places = command.registeredArguments;
  const isFull = taken > places.length && !places.some(({ variadic }) => variadic);
  return isFull ? `slotbridge ${words}` : undefined;
}

function sectionOf(name: string): string {
  const start = commands.indexOf(`\n## ${name}\n`);
  if (start === -1) return '';
  const end = commands.indexOf('\n## ', start + 1);
  return commands.slice(start, end === -1 ? undefined : end);
}

/** The first group of every match in every document. */
function mentionsOf(pattern: RegExp): { document: string; match: string }[] {
  return documents.flatMap((document) =>
    [...read(document).matchAll(pattern)].map(([, match = '']) => ({ document, match })),
  );
}

function leadsSomewhere(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? from : join(dirname(from), file);
  if (!existsSync(join(house, path))) return false;
  return anchor === undefined || anchorsOf(read(path)).includes(anchor);
}

/** As GitHub makes them of headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

/** Words in backticks that have the form of a code. */
function codesOf(text: string): string[] {
  const found = [...text.matchAll(/`([a-z0-9]+(?:-[a-z0-9]+)+)`/g)].map(([, code = '']) => code);
  const others = ['redis-server', 'valkey-server'];
  return [...new Set(found)].filter((code) => !others.includes(code));
}

function isKnownCode(code: string): boolean {
  if (workerSource.includes(`'${code}'`)) return true;
  // Made of a prefix and the verdict on the signature.
  const verdict = /^signature-(.+)$/.exec(code)?.[1];
  return verdict !== undefined && workerSource.includes(`'${verdict}'`);
}

it('CHANGELOG.md names the signature schemes that there are', () => {
  for (const scheme of SIGNATURE_SCHEMES) expect(read('CHANGELOG.md')).toContain(`\`${scheme}\``);
});
