import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Breach, inspectWalls, type WallReport } from '../../scripts/walls.ts';
import { PlantedCopy } from './planted.ts';

/** The table of rooms once more, written down apart from the rules: room by room what it may import. */
const remotes = ['platform', 'google', 'mapping'];
/** Kinds of calendars besides Google's are all alike, and so are the sides besides calendars. */
const { kinds, sides }: { kinds: readonly string[]; sides: readonly string[] } = createRequire(
  import.meta.url,
)('../../scripts/rooms.cjs');
const mayImport: Record<string, string[]> = {
  engine: [],
  platform: ['engine'],
  google: ['engine'],
  mapping: ['engine'],
  ...Object.fromEntries(kinds.map((kind) => [kind, ['engine', 'google', 'mapping']])),
  calendar: ['engine', ...remotes, ...kinds],
  ...Object.fromEntries(sides.map((side) => [side, ['engine', ...remotes]])),
  operate: ['engine', ...remotes, ...kinds, 'calendar', ...sides],
  console: ['engine', 'platform', 'mapping', 'operate'],
  cli: ['engine', 'platform', 'mapping', 'operate'],
};
const rooms = Object.keys(mayImport);

/** Places outside src/: the rooms of src/ that they may import, and whether the sandbox is among them. */
const outside: [string, { rooms: string[]; sandbox: boolean }][] = [
  ['packages/sandbox/src', { rooms: [], sandbox: true }],
  ['packages/rehearsal/demo', { rooms: ['engine', 'mapping'], sandbox: true }],
  ['packages/rehearsal/scenarios', { rooms: ['engine', 'mapping'], sandbox: true }],
];
/** What only the wiring may import, and what only program.ts may. */
const own = {
  sandbox: `export { STAND } from '@slotbridge/sandbox/stand';\n`,
  rehearsal: `export { runDemo } from '@slotbridge/rehearsal/demo/demo';\n`,
};

/** package, the rooms that may know it */
const packages: [string, string[]][] = [
  ['bullmq', ['engine']],
  ['fastify', ['platform', 'google', 'calendar', 'operate', 'console']],
  ['googleapis/build/src/apis/calendar/index.js', ['google']],
  ['googleapis/build/src/apis/sheets/index.js', ['google']],
  ['googleapis', []],
  ['ical.js', ['caldav']],
  ['sax', ['caldav']],
  ['googleapis/build/src/apis/drive/index.js', []],
  ['vitest', []],
  ['@swc/core', []],
  ['semver', []],
  ['zod', rooms],
  ['node:fs', rooms],
  ['node:crypto', rooms],
  ['entities', rooms],
];

const copy = new PlantedCopy();
let report: WallReport;

beforeAll(async () => {
  for (const room of rooms) {
    copy.plant(`src/${room}/planted/target.ts`, 'export const target = 1;\nexport type Target = number;\n');
    for (const other of rooms) {
      const path = `src/${room}/planted/to-${other}.ts`;
      if (other !== room) copy.plant(path, `export * from '${upFrom(room)}${other}/planted/target.ts';\n`);
    }
    for (const [index, [name]] of packages.entries()) {
      copy.plant(
        `src/${room}/planted/package-${index}.ts`,
        `import * as all from '${name}';\nconsole.log(all);\n`,
      );
    }
    for (const [name, text] of Object.entries(own)) copy.plant(`src/${room}/planted/own-${name}.ts`, text);
  }
  for (const [place] of outside) {
    for (const room of rooms)
      copy.plant(
        `${place}/planted/to-${room}.ts`,
        `export * from '${upFrom(place)}src/${room}/planted/target.ts';\n`,
      );
    for (const [name, text] of Object.entries(own)) copy.plant(`${place}/planted/own-${name}.ts`, text);
  }
  for (const [name, text] of Object.entries(own)) copy.plant(`src/worker/own-${name}.ts`, text);
  for (const [name, text] of Object.entries(ways)) copy.plant(`src/mapping/planted/${name}.ts`, text);
  copy.plant(
    'src/mapping/planted/type-query.ts',
    `export type Mine = import('../../calendar/planted/target.ts').Target;\n`,
  );
  copy.plant('src/mapping/planted/to-words.ts', `export * from '../../caldav/words.ts';\n`);
  copy.plant('src/caldav/words.ts', `import '../mapping/problem.ts';\nimport './planted/target.ts';\n`);
  copy.plant('src/engine/planted/one.ts', `import './two.ts';\nexport const one = 1;\n`);
  copy.plant('src/engine/planted/two.ts', `import './one.ts';\nexport const two = 2;\n`);
  copy.plant('src/engine/moments.ts', `import 'zod';\nimport './planted/target.ts';\n`);
  copy.plant('src/sheet/decide-planted.ts', `import 'node:fs';\nimport 'node:crypto';\n`);
  copy.plant('src/attic/planted.ts', `import '../engine/planted/target.ts';\n`);
  copy.plant('src/sheet/planted/to-attic.ts', `import '../../attic/planted.ts';\n`);
  copy.plant('src/worker/planted.ts', rooms.map(importOf).join(''));
  copy.plant('src/worker/to-bullmq.ts', `import 'bullmq';\n`);
  copy.plant('src/engine/planted/to-wiring.ts', `import '../../worker/planted.ts';\n`);
  copy.plant('test/planted.ts', 'export const planted = 1;\n');
  copy.plant('src/operate/planted/to-test.ts', `import '../../../test/planted.ts';\n`);
  copy.plant('src/operate/planted/to-nowhere.ts', `import './nowhere.ts';\n`);
  report = await inspectWalls(copy.root);
});

afterAll(() => copy.remove());

/** The ways to import something, each of which must be seen. */
const ways = {
  value: `import { target } from '../../calendar/planted/target.ts';\nconsole.log(target);\n`,
  type: `import type { Target } from '../../calendar/planted/target.ts';\nexport type Mine = Target;\n`,
  'inline-type': `import { type Target } from '../../calendar/planted/target.ts';\nexport type Mine = Target;\n`,
  'side-effect': `import '../../calendar/planted/target.ts';\n`,
  'export-from': `export { target } from '../../calendar/planted/target.ts';\n`,
  'export-type': `export type { Target } from '../../calendar/planted/target.ts';\n`,
  dynamic: `export const late = () => import('../../calendar/planted/target.ts');\n`,
};

describe('every file is read', () => {
  it('as many as there are .ts files in the places', () => {
    expect(report.unread).toEqual([]);
    expect(report.cruised.length).toBeGreaterThan(rooms.length * rooms.length);
  });
});

describe('a room imports what the table gives it and nothing else', () => {
  it.each(rooms)('%s', (room) => {
    const refused = rooms.filter((other) => breachesIn(`src/${room}/planted/to-${other}.ts`).length > 0);
    const forbidden = rooms.filter((other) => other !== room && !mayImport[room]?.includes(other));
    expect(refused).toEqual(forbidden);
  });
});

describe('a place outside src/ imports what the table gives it and nothing else', () => {
  it.each(outside)('%s', (place, { rooms: allowed, sandbox }) => {
    const welcome = rooms.filter((room) => breachesIn(`${place}/planted/to-${room}.ts`).length === 0);
    expect(welcome).toEqual(allowed);
    expect(breachesIn(`${place}/planted/own-sandbox.ts`).length === 0).toBe(sandbox);
  });
});

describe('a package is known to its rooms only', () => {
  it.each(packages)('%s', (name, allowed) => {
    const index = packages.findIndex(([other]) => other === name);
    const welcome = rooms.filter(
      (room) => breachesIn(`src/${room}/planted/package-${index}.ts`).length === 0,
    );
    expect(welcome).toEqual(allowed);
  });
});

describe('whichever way it is written, the mapping may not import a calendar', () => {
  it.each(Object.keys(ways))('%s', (way) => {
    const found = breachesIn(`src/mapping/planted/${way}.ts`);
    expect(found.map(({ rule, to }) => [rule, to])).toContainEqual([
      'room-mapping',
      'src/calendar/planted/target.ts',
    ]);
  });
});

describe('and besides', () => {
  it('a cycle is refused', () => {
    expect(rulesIn('src/engine/planted/one.ts')).toEqual(['no-cycles']);
  });

  it('a word imports words only, and no package', () => {
    expect(rulesIn('src/engine/moments.ts')).toEqual(['words-are-pure', 'words-are-pure']);
  });

  it('a decision does no I/O', () => {
    expect(breachesIn('src/sheet/decide-planted.ts').map(({ rule, to }) => [rule, to])).toEqual([
      ['decisions-are-pure', 'fs'],
    ]);
  });

  it('what a kind of calendar declares belongs to the mapping, and knows no call of its kind', () => {
    expect(rulesIn('src/mapping/planted/to-words.ts')).toEqual([]);
    expect(breachesIn('src/caldav/words.ts').map(({ rule, to }) => [rule, to])).toEqual([
      ['room-mapping', 'src/caldav/planted/target.ts'],
    ]);
  });

  it('a folder that is no room is refused', () => {
    expect(rulesIn('src/attic/planted.ts')).toEqual(['known-rooms']);
    expect(rulesIn('src/sheet/planted/to-attic.ts')).toEqual(['room-sheet']);
  });

  it('the wiring imports every room and the sandbox, and no room imports either', () => {
    expect(rulesIn('src/worker/planted.ts')).toEqual([]);
    expect(rulesIn('src/worker/own-sandbox.ts')).toEqual([]);
    for (const room of rooms)
      expect(rulesIn(`src/${room}/planted/own-sandbox.ts`)).toContain('sandbox-from-wiring-only');
    expect(rulesIn('packages/sandbox/src/planted/own-rehearsal.ts')).toEqual(['packages-sandbox-src']);
    expect(rulesIn('src/engine/planted/to-wiring.ts')).toContain('wiring-imported-by-nobody');
  });

  it('a rehearsal is started by program.ts only', () => {
    expect(rulesIn('src/worker/own-rehearsal.ts')).toEqual(['rehearsal-from-main-only']);
    expect(rulesIn('src/cli/planted/own-rehearsal.ts')).toEqual(['rehearsal-from-main-only']);
  });

  it('the wiring does not know BullMQ either', () => {
    expect(rulesIn('src/worker/to-bullmq.ts')).toEqual(['package-bullmq']);
  });

  it('src imports no test', () => {
    expect(rulesIn('src/operate/planted/to-test.ts')).toEqual(['src-imports-src']);
  });

  it('a type taken by import(…), which the tool does not see, is refused', () => {
    expect(rulesIn('src/mapping/planted/type-query.ts')).toEqual(['types-by-import']);
  });

  it('an import of nothing is refused', () => {
    expect(rulesIn('src/operate/planted/to-nowhere.ts')).toEqual(['resolvable']);
  });
});

/** From a file in `planted/` of this place, the path to src/. */
function upFrom(place: string): string {
  return '../'.repeat(place.split('/').length + 1);
}

function importOf(room: string): string {
  return `import '../${room}/planted/target.ts';\n`;
}

function breachesIn(file: string): Breach[] {
  return report.breaches.filter(({ from }) => from === file);
}

function rulesIn(file: string): string[] {
  return breachesIn(file).map(({ rule }) => rule);
}
