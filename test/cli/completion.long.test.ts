import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runHere } from '../stand/command.ts';
import { MAIN } from '../stand/worker-process.ts';

const script = async (shell: string) => (await runHere(['completion', shell])).stdout;

const HOUSE = new URL('../..', import.meta.url).pathname;
const dir = mkdtempSync(join(tmpdir(), 'slotbridge-completion-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

// The scripts call the program by its name.
const program = join(dir, 'slotbridge');
writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
chmodSync(program, 0o755);

const YAML = `
platform: { base_url: "\${PLATFORM_BASE_URL}", api_key: "\${PLATFORM_API_KEY}" }
google: { accounts: { branch: { credentials: "\${BRANCH_KEY}" } } }
mirrors:
  staff:
    from: appointments
    calendars: { map: { Anna: anna@clinic.example, Boris: { id: boris@clinic.example }, Clara: "\${UNSET_CALENDAR}" } }
  $(touch expanded):
    from: contacts
    sheet: { spreadsheet: 1AbC, tab: Our contacts }
bookings:
  walk-ins: { from: { calendar: [desk@clinic.example] } }
  front-desk: { from: { spreadsheet: 1AbC, tab: Intake } }
`;
/** A folder with the YAML where commands look for it. */
function folderWith(yaml: string): string {
  const folder = mkdtempSync(join(dir, 'folder-'));
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, 'config/slotbridge.yaml'), yaml);
  return folder;
}
const folder = folderWith(YAML);

interface Asked {
  readonly cwd?: string;
  /** Given to the shell before it is asked. */
  readonly before?: string;
}

function ask(shell: string, lines: readonly string[], { cwd = HOUSE }: Asked): readonly string[] {
  const { stdout, stderr } = spawnSync(shell, [...(PLAIN[shell] ?? []), '-c', lines.join('\n')], {
    ...{ encoding: 'utf8', cwd },
    env: { PATH: `${dir}${delimiter}${process.env['PATH']}`, HOME: dir },
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

/** Without anybody's own settings. */
const PLAIN: Readonly<Record<string, readonly string[]>> = { bash: ['--norc'], zsh: ['-f'], fish: ['-N'] };

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

async function inBash(words: readonly string[], asked: Asked = {}): Promise<readonly string[]> {
  const typed = `COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}`;
  const show = `_slotbridge; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return ask('bash', [await script('bash'), typed, asked.before ?? '', show], asked);
}

describe('completion in bash', () => {
  const complete = (...words: string[]) => inBash(words);

  test('offers commands, and those below a command', async () => {
    expect(await complete('slotbridge', 'de')).toEqual(['deadletters', 'decline', 'demo']);
    expect(await complete('slotbridge', 'webhook', 'r')).toEqual(['register', 'roll-secret']);
  });

  test('offers the options of the command before the cursor, and no others', async () => {
    expect(await complete('slotbridge', 'status', '--')).toEqual([
      '--config',
      '--json',
      '--check',
      '--watch',
      '--wait',
      '--help',
    ]);
  });

  test('an option with its value does not hide the command', async () => {
    const typed = ['slotbridge', 'webhook', '--config', 'some.yaml', 'register', '--sh'];
    expect(await complete(...typed)).toEqual(['--show-secret']);
  });

  test('offers files after an option that takes one', async () => {
    expect(await complete('slotbridge', 'check', '--config', 'package.j')).toEqual(['package.json']);
  });

  test('offers kinds, roles and codes, and after an option that takes one of them nothing else', async () => {
    expect(await complete('slotbridge', 'explain', 'b')).toEqual(['booking', 'block']);
    expect(await complete('slotbridge', 'console', 'login', '--as', '')).toEqual(['viewer', 'desk', 'ops']);
    expect(await complete('slotbridge', 'deadletters', 'retry', '--code', 'calendar-n')).toContain(
      'calendar-not-shared',
    );
  });

  const OF_THE_YAML: readonly (readonly [command: string, names: readonly string[]])[] = [
    ['render s', ['staff']],
    ['cursor reset ', ['feed', 'anna@clinic.example', 'boris@clinic.example', 'desk@clinic.example']],
    ['approve bookings ', ['walk-ins', 'front-desk']],
    ['approve orphans s', ['spreadsheet:1AbC/Our\\ contacts']],
    ['google invite --account ', ['branch']],
    ['plan --only O', ['Our\\ contacts']],
  ];

  test.each(OF_THE_YAML)(
    'offers after `%s` names of the YAML, without a secret and a value that is not set',
    async (typed, names) => {
      const offered = await inBash(['slotbridge', ...typed.split(' ')], { cwd: folder });
      expect(offered.filter((word) => !word.startsWith('--'))).toEqual(names);
    },
  );

  test('what the YAML names is never expanded', async () => {
    expect(await inBash(['slotbridge', 'render', '$'], { cwd: folder })).toEqual([
      '\\$\\(touch\\ expanded\\)',
    ]);
    expect(existsSync(join(folder, 'expanded'))).toBe(false);
  });

  test('reads the YAML that --config names', async () => {
    const config = join(folder, 'config/slotbridge.yaml');
    for (const option of [
      ['--config', config],
      ['-c', config],
      ['--config', '=', config],
    ])
      expect(await inBash(['slotbridge', 'render', ...option, 's'])).toEqual(['staff']);
  });

  test('a name with characters at which bash splits goes on after them', async () => {
    const line = 'slotbridge approve orphans calendar:anna@cl';
    const before = `COMP_LINE='${line}'; COMP_POINT=${line.length}`;
    const words = ['slotbridge', 'approve', 'orphans', 'calendar', ':', 'anna', '@', 'cl'];
    expect(await inBash(words, { cwd: folder, before })).toEqual(['clinic.example']);
  });

  test.each([
    ['no YAML', undefined],
    ['half a YAML', 'mirrors: { staff: ['],
    ['another text', '- just\n- a list'],
    ['aliases that never end', 'mirrors: &m { a: *m }'],
  ])('with %s it offers the fixed words without an error', async (_, yaml) => {
    const cwd = yaml === undefined ? dir : folderWith(yaml);
    expect(await inBash(['slotbridge', 'cursor', 'reset', 'f'], { cwd })).toEqual(['feed']);
    const asked = [
      'completion',
      'bash',
      '--names',
      'mirrors',
      '--config',
      join(cwd, 'config/slotbridge.yaml'),
    ];
    expect(await runHere(asked)).toMatchObject({ code: 0, stderr: '' });
  });
});

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['--version']).error === undefined;
}

test.skipIf(!isInstalled('zsh'))('zsh offers the same', async () => {
  const inZsh = async (...typed: string[]) => {
    const words = `words=(${quoted(['slotbridge', ...typed])}); CURRENT=${typed.length + 1}`;
    const stand = 'compdef() { :; }; compadd() { shift; print -l -- "$@"; }';
    const offered = await ask('zsh', [stand, await script('zsh'), words, '_slotbridge'], { cwd: folder });
    return offered.filter((word) => !word.startsWith('--'));
  };
  expect(await inZsh('render', '')).toEqual(['staff', '$(touch expanded)']);
  expect(await inZsh('console', 'login', '--as', '')).toEqual(['viewer', 'desk', 'ops']);
  expect(await inZsh('webhook', 'r')).toContain('register');
  expect(existsSync(join(folder, 'expanded'))).toBe(false);
});

test.skipIf(!isInstalled('fish'))('fish offers the same', async () => {
  const inFish = async (line: string) => {
    const offered = await ask('fish', [await script('fish'), `complete -C 'slotbridge ${line}'`], {
      cwd: folder,
    });
    return offered.map((each) => each.split('\t')[0]).sort();
  };
  expect(await inFish('render ')).toEqual(['$(touch expanded)', 'staff']);
  expect(await inFish('console login --as ')).toEqual(['desk', 'ops', 'viewer']);
  expect(await inFish('cursor reset a')).toEqual(['anna@clinic.example']);
  expect(existsSync(join(folder, 'expanded'))).toBe(false);
});

test('a name from a variable is offered where the variable is set, and a source that is none is passed over', async () => {
  const { code, stdout, stderr } = await runHere(
    [
      'completion',
      'bash',
      '--names',
      'mirrors,nonsense,calendars',
      '--config',
      join(folder, 'config/slotbridge.yaml'),
    ],
    { env: { UNSET_CALENDAR: 'clara@clinic.example' } },
  );
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trimEnd().split('\n')).toContain('clara@clinic.example');
});

test('zsh and fish are told of every command', async () => {
  const zsh = await script('zsh');
  const fish = await script('fish');
  for (const command of ['webhook', 'register', 'explain', 'completion']) {
    expect(zsh).toContain(command);
    expect(fish).toMatch(new RegExp(` -a ${command} -d '`));
  }
  expect(zsh).toContain('#compdef slotbridge');
  // `path` is bound to PATH in zsh: to set it would lose every program.
  expect(zsh).not.toMatch(/\bpath=|\$path\b/);
  expect(spawnSync('bash', ['-n'], { input: await script('bash'), encoding: 'utf8' }).status).toBe(0);
});

test('an unknown shell is a usage error that names the known ones', async () => {
  const { code, stderr } = await runHere(['completion', 'tcsh']);
  expect(code).toBe(2);
  expect(stderr).toContain('bash, zsh, fish');
});
