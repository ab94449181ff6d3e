import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { house } from './tree.ts';

const ofTheHouse = [
  'scripts',
  'package.json',
  'package-lock.json',
  '.npmrc',
  'biome.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'vitest.config.ts',
  'test/stand/patience.ts',
  'test/stand/seed.ts',
  '.dependency-cruiser.cjs',
];

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A small project with the scripts and settings of this one, in a folder that a test may break. */
export class Clone {
  readonly root = mkdtempSync(join(tmpdir(), 'clone-'));
  /** A folder for programs, to be all that is on PATH. */
  readonly programs = join(this.root, 'programs');

  constructor() {
    for (const name of ofTheHouse) cpSync(join(house, name), join(this.root, name), { recursive: true });
    this.write('src/main.ts', `import { word } from './domain/word.ts';\n\nconsole.log(word);\n`);
    this.write('src/domain/word.ts', `export const word: string = 'slot';\n`);
    for (const place of ['sandbox/src', 'rehearsal/demo', 'rehearsal/scenarios'])
      this.write(`packages/${place}/word.ts`, `export const word: string = 'slot';\n`);
    mkdirSync(this.programs);
  }

  /** With the packages of this project, as if they had been installed here. */
  linkPackages(): void {
    symlinkSync(join(house, 'node_modules'), join(this.root, 'node_modules'));
  }

  write(path: string, content: string): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  /** Every file and folder outside the linked packages, with the time of its last change. */
  state(): Record<string, number> {
    const entries = readdirSync(this.root, { recursive: true, withFileTypes: true });
    const paths = entries.map((each) => join(each.parentPath, each.name));
    return Object.fromEntries([this.root, ...paths].map((path) => [path, lstatSync(path).ctimeMs]));
  }

  /** Puts a shell script onto the PATH. */
  program(name: string, script = ''): void {
    const file = join(this.programs, name);
    writeFileSync(file, `#!/bin/sh\nPATH="$PATH:/usr/bin:/bin"\n${script}\n`);
    chmodSync(file, 0o755);
  }

  async node(args: string[], env: Record<string, string | undefined> = {}): Promise<Ended> {
    const child = spawn(process.execPath, args, {
      cwd: this.root,
      env: { ...process.env, SLOTBRIDGE_TESTS: undefined, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((done) => child.once('close', done));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, stdout, stderr };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
