// What the build bundles: the settings of esbuild, the packages whose code it takes, and their licences.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import rooms from './rooms.cjs';

const { served } = rooms;

const house = fileURLToPath(new URL('..', import.meta.url));

/** Leaves out what an idle worker would keep in memory and never use. */
const slim = {
  name: 'slim',
  setup(build) {
    const inPackages = (names) => new RegExp(`node_modules/(?:${names})/.*\\.c?js$`);
    // Node's own Headers come with all of `fetch`. The library sends no forms.
    const plainHeaders = JSON.stringify(join(house, 'src/engine/plain-headers.ts'));
    const globals = `const { PlainHeaders: Headers } = require(${plainHeaders}); class FormData {}\n`;
    build.onLoad(
      { filter: inPackages('gaxios|google-auth-library|googleapis-common|gcp-metadata') },
      ({ path }) => ({
        contents: globals + readFileSync(path, 'utf8'),
      }),
    );
    // No route has a JSON schema.
    build.onLoad({ filter: inPackages('@fastify/(?:ajv|fast-json-stringify)-compiler') }, () => ({
      contents: "module.exports = () => () => { throw new Error('no route has a schema'); };",
    }));
    // bullmq's queue in PostgreSQL; and luxon only once, although bullmq requires its CommonJS.
    for (const [name, file] of Object.entries({ bullmq: 'dist/esm/index.js', luxon: 'build/es6/luxon.mjs' }))
      build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({
        path: join(house, 'node_modules', name, file),
        sideEffects: false,
      }));
  },
};

export const bundle = {
  absWorkingDir: house,
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  sourcesContent: false,
  // Node keeps the text of what it runs in memory, and one character beyond Latin-1 in a comment doubles it. Names stay, for stack traces;
  // so do short lines, because Node prints the line of an error that nobody caught. THIRD-PARTY-LICENSES has the terms.
  ...{ minifyWhitespace: true, minifySyntax: true, lineLimit: 160, legalComments: 'none' },
  logLevel: 'warning',
  metafile: true,
  // Packages written as CommonJS load Node's modules with `require`.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  // msgpackr-extract is built for one machine, and bullmq works without it.
  external: ['msgpackr-extract'],
  plugins: [slim],
};

/** The packages with code in the bundle, sorted: `{ folder, name, version, license, author }`. */
export function packagesIn({ outputs }) {
  const folders = new Set(served.map((name) => join(house, 'node_modules', name)));
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
      if (folder !== undefined && bytesInOutput > 0) folders.add(join(house, folder));
    }
  }
  const packages = new Map();
  for (const folder of [...folders].sort()) {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    // npm may install one version in several places.
    packages.set(`${name}@${version}`, { folder, name, version, license, author });
  }
  return [...packages.values()];
}

/** The text of THIRD-PARTY-LICENSES. A package without terms ends the build: its code may not be passed on. */
export function licencesOf(packages) {
  const head = 'slotbridge contains code of the packages below, each under its own licence.\n';
  const parts = packages.map((each) => {
    const title = `${each.name} ${each.version} (${each.license})`;
    return `\n${'-'.repeat(80)}\n${title}\n\n${termsOf(each)}\n`;
  });
  return head + parts.join('');
}

function termsOf({ folder, name, license, author }) {
  const read = (file) => readFileSync(join(folder, file), 'utf8').trim();
  const files = readdirSync(folder).sort();
  const own = files.filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  if (own.length > 0) return own.map(read).join('\n\n');
  if (license !== 'MIT') throw new Error(`${name} has no file with its licence (${license})`);
  // A few packages only say MIT. The terms are then those of our own LICENSE, under their author's name.
  const readme = files
    .filter((file) => /^readme/i.test(file))
    .map(read)
    .join('\n');
  const holder = /^Copyright .+$/m.exec(readme)?.[0] ?? `Copyright (c) ${author?.name ?? author}`;
  return readFileSync(join(house, 'LICENSE'), 'utf8')
    .replace(/^Copyright .+$/m, holder)
    .trim();
}
