import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Instruction, rest, sources, stagesOf } from './dockerfile.ts';
import { house, read } from './tree.ts';

/** Where both stages work. */
const APP = '/app';

const [build = [], image = []] = stagesOf(read('Dockerfile'));
const root = mkdtempSync(join(tmpdir(), 'image-'));
const [built, final] = [join(root, 'build'), join(root, 'image')];

beforeAll(() => {
  for (const each of build) copy(each, house, built);
  // `npm ci` brings what is installed here, and links to the packages of the copy.
  const packages = join(built, 'node_modules');
  mkdirSync(join(packages, '@slotbridge'), { recursive: true });
  for (const name of readdirSync(join(house, 'node_modules')).filter((name) => name !== '@slotbridge'))
    symlinkSync(join(house, 'node_modules', name), join(packages, name));
  for (const name of readdirSync(join(built, 'packages')))
    symlinkSync(join(built, 'packages', name), join(packages, '@slotbridge', name));
  for (const { rest } of build.filter(({ rest }) => /^npm run /.test(rest)))
    execFileSync('sh', ['-c', rest], { cwd: built, stdio: ['ignore', 'ignore', 'inherit'] });
  for (const each of image) copy(each, each.rest.startsWith('--from=build') ? built : house, final);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

test('what the Dockerfile copies is enough to build and to run, without any package beside it', () => {
  expect(existsSync(join(final, 'node_modules'))).toBe(false);
  const [program = '', ...args]: string[] = JSON.parse(rest(image, 'ENTRYPOINT'));
  const run = (...words: string[]) =>
    execFileSync(program, [...args, ...words], {
      cwd: final,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], PLATFORM_API_KEY: 'k', PUBLIC_URL: 'https://a.example' },
    });
  expect(run('--version')).toContain(JSON.parse(read('package.json')).version);
  expect(run('check', '--config', 'config/slotbridge.example.yaml')).toContain('is valid');
});

test('the licences of the bundled packages are in the image', () => {
  expect(existsSync(join(final, 'dist/THIRD-PARTY-LICENSES'))).toBe(true);
});

/** A COPY within the app's folder, from one folder of this machine into another. */
function copy(instruction: Instruction, from: string, into: string): void {
  const target = instruction.rest.split(' ').at(-1) ?? '';
  if (!target.startsWith('./')) return;
  for (const path of sources(instruction)) {
    const source = join(from, path.replace(`${APP}/`, ''));
    // As Docker does: a folder's content goes into the target, a file under its name into a target that ends in a slash.
    const to = join(into, target, target.endsWith('/') ? basename(path) : '');
    mkdirSync(join(to, '..'), { recursive: true });
    cpSync(source, to, { recursive: true });
  }
}
