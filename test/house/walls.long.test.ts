import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Breach, inspectWalls, type WallReport } from '../../scripts/walls.ts';
import { PlantedCopy } from './planted.ts';

/** The table of rooms once more, written down apart from the rules: room by room what it may import. */
const mayImport: Record<string, string[]> = {
  domain: [],
  ports: ['domain'],
  config: ['domain'],
  platform: ['domain', 'ports'],
  google: ['domain', 'ports'],
  work: ['domain', 'ports'],
  sources: ['domain', 'ports', 'platform', 'google', 'work'],
  mirrors: ['domain', 'ports', 'google', 'work'],
  bookings: ['domain', 'ports'],
  upkeep: ['domain', 'ports', 'work'],
  storage: ['domain', 'ports'],
  ops: ['domain', 'ports', 'config', 'work'],
  console: ['domain', 'ports', 'config', 'ops'],
  operator: ['domain', 'ports', 'config', 'google', 'mirrors', 'upkeep', 'ops'],
  'live-check': [
    'domain',
    'ports',
    'config',
    'platform',
    'google',
    'mirrors',
    'bookings',
    'sources',
    'upkeep',
  ],
  cli: ['domain', 'ports', 'config', 'ops'],
  sandbox: [],
  demo: ['domain', 'config', 'storage', 'sandbox'],
  scenarios: ['domain', 'config', 'storage', 'sandbox'],
};
const rooms = Object.keys(mayImport);

/** package, the rooms that may know it */
const packages: [string, string[]][] = [
  ['bullmq', ['work']],
  ['fastify', ['sources', 'ops', 'console', 'sandbox']],
  ['googleapis/build/src/apis/calendar/index.js', ['google']],
  ['googleapis/build/src/apis/sheets/index.js', ['google']],
  ['googleapis', []],
  ['googleapis/build/src/apis/drive/index.js', []],
  ['vitest', []],
  ['@swc/core', []],
  ['semver', []],
  ['zod', rooms.filter((room) => room !== 'domain')],
  ['node:fs', rooms.filter((room) => room !== 'domain')],
  ['node:crypto', rooms],
];

const copy = new PlantedCopy();
let report: WallReport;

beforeAll(async () => {
  for (const room of rooms) {
    copy.plant(`src/${room}/planted/target.ts`, 'export const target = 1;\nexport type Target = number;\n');
    for (const other of rooms) {
      const path = `src/${room}/planted/to-${other}.ts`;
      if (other !== room) copy.plant(path, `export * from '../../${other}/planted/target.ts';\n`);
    }
    for (const [index, [name]] of packages.entries()) {
      copy.plant(
        `src/${room}/planted/package-${index}.ts`,
        `import * as all from '${name}';\nconsole.log(all);\n`,
      );
    }
  }
  for (const [name, text] of Object.entries(ways)) copy.plant(`src/domain/planted/${name}.ts`, text);
  copy.plant(
    'src/domain/planted/type-query.ts',
    `export type Mine = import('../../storage/planted/target.ts').Target;\n`,
  );
  copy.plant('src/work/planted/one.ts', `import './two.ts';\nexport const one = 1;\n`);
  copy.plant('src/work/planted/two.ts', `import './one.ts';\nexport const two = 2;\n`);
  copy.plant('src/attic/planted.ts', `import '../domain/planted/target.ts';\n`);
  copy.plant('src/upkeep/planted/to-attic.ts', `import '../../attic/planted.ts';\n`);
  copy.plant('src/compose/planted.ts', rooms.map(importOf).join(''));
  copy.plant('src/compose/to-bullmq.ts', `import 'bullmq';\n`);
  copy.plant('src/work/planted/to-wiring.ts', `import '../../compose/planted.ts';\n`);
  copy.plant('test/planted.ts', 'export const planted = 1;\n');
  copy.plant('src/ops/planted/to-test.ts', `import '../../../test/planted.ts';\n`);
  copy.plant('src/ops/planted/to-nowhere.ts', `import './nowhere.ts';\n`);
  report = await inspectWalls(copy.root);
});

afterAll(() => copy.remove());

/** The ways to import something, each of which must be seen. */
const ways = {
  value: `import { target } from '../../storage/planted/target.ts';\nconsole.log(target);\n`,
  type: `import type { Target } from '../../storage/planted/target.ts';\nexport type Mine = Target;\n`,
  'inline-type': `import { type Target } from '../../storage/planted/target.ts';\nexport type Mine = Target;\n`,
  'side-effect': `import '../../storage/planted/target.ts';\n`,
  'export-from': `export { target } from '../../storage/planted/target.ts';\n`,
  'export-type': `export type { Target } from '../../storage/planted/target.ts';\n`,
  dynamic: `export const late = () => import('../../storage/planted/target.ts');\n`,
};

describe('every file is read', () => {
  it('as many as there are .ts files in src', () => {
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

describe('a package is known to its rooms only', () => {
  it.each(packages)('%s', (name, allowed) => {
    const index = packages.findIndex(([other]) => other === name);
    const welcome = rooms.filter(
      (room) => breachesIn(`src/${room}/planted/package-${index}.ts`).length === 0,
    );
    expect(welcome).toEqual(allowed);
  });
});

describe('whichever way it is written, domain may not import storage', () => {
  it.each(Object.keys(ways))('%s', (way) => {
    const found = breachesIn(`src/domain/planted/${way}.ts`);
    expect(found.map(({ rule, to }) => [rule, to])).toContainEqual([
      'room-domain',
      'src/storage/planted/target.ts',
    ]);
  });
});

describe('and besides', () => {
  it('a cycle is refused', () => {
    expect(rulesIn('src/work/planted/one.ts')).toEqual(['no-cycles']);
  });

  it('a folder that is no room is refused', () => {
    expect(rulesIn('src/attic/planted.ts')).toEqual(['known-rooms']);
    expect(rulesIn('src/upkeep/planted/to-attic.ts')).toEqual(['room-upkeep']);
  });

  it('the wiring imports every room but the demo, and no room imports the wiring', () => {
    expect(rulesIn('src/compose/planted.ts')).toEqual(['demo-from-main-only']);
    expect(rulesIn('src/work/planted/to-wiring.ts')).toContain('wiring-imported-by-nobody');
  });

  it('the wiring does not know BullMQ either', () => {
    expect(rulesIn('src/compose/to-bullmq.ts')).toEqual(['package-bullmq']);
  });

  it('src imports no test', () => {
    expect(rulesIn('src/ops/planted/to-test.ts')).toEqual(['src-imports-src']);
  });

  it('a type taken by import(…), which the tool does not see, is refused', () => {
    expect(rulesIn('src/domain/planted/type-query.ts')).toEqual(['types-by-import']);
  });

  it('an import of nothing is refused', () => {
    expect(rulesIn('src/ops/planted/to-nowhere.ts')).toEqual(['resolvable']);
  });
});

function importOf(room: string): string {
  return `import '../${room}/planted/target.ts';\n`;
}

function breachesIn(file: string): Breach[] {
  return report.breaches.filter(({ from }) => from === file);
}

function rulesIn(file: string): string[] {
  return breachesIn(file).map(({ rule }) => rule);
}
