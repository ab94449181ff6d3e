import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { runHere } from '../stand/command.ts';

const script = async (shell: string) => (await runHere(['completion', shell])).stdout;

describe('completion in bash', () => {
  const complete = async (...words: string[]) => {
    const typed = words.map((word) => `'${word}'`).join(' ');
    const ask = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _slotbridge; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', `${await script('bash')}\n${ask}`], {
      encoding: 'utf8',
      cwd: new URL('../..', import.meta.url).pathname,
    });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((line) => line !== '');
  };

  test('offers commands, and those below a command', async () => {
    expect(await complete('slotbridge', 'de')).toEqual(['deadletters', 'decline', 'demo']);
    expect(await complete('slotbridge', 'webhook', 'r')).toEqual(['register', 'roll-secret']);
  });

  test('offers the options of the command before the cursor, and no others', async () => {
    expect(await complete('slotbridge', 'status', '--')).toEqual(['--config', '--json', '--check', '--help']);
  });

  test('an option with its value does not hide the command', async () => {
    const typed = ['slotbridge', 'webhook', '--config', 'some.yaml', 'register', '--sh'];
    expect(await complete(...typed)).toEqual(['--show-secret']);
  });

  test('offers files after an option that takes one', async () => {
    expect(await complete('slotbridge', 'check', '--config', 'package.j')).toEqual(['package.json']);
  });
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
