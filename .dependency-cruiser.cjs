// Import rules. scripts/rooms.cjs has the table of rooms.
// `npm run walls` reads this file; test/house/walls.long.test.ts plants violations and checks that each is
// reported.

const {
  rooms,
  outside,
  packageRooms,
  bundled,
  filesOf,
  wordFiles,
  decisions,
} = require('./scripts/rooms.cjs');

/** Wiring, argv and the package version. They may import every room; no room imports them. */
const wiring = '^src/(main|program|version)\\.ts$|^src/worker/';

/** Packages of this repository are found through links, and the build puts them into dist/. */
const OWN = 'node_modules/@slotbridge/';

const inRooms = (names) => names.map(filesOf).join('|');

const roomRules = Object.entries(rooms).map(([room, allowed]) => ({
  name: `room-${room}`,
  comment: `${room}/ may import ${allowed.join(', ') || 'no other room'}.`,
  severity: 'error',
  from: { path: inRooms([room]) },
  to: { path: '^src/', pathNot: inRooms([room, ...allowed]) },
}));

const outsideRules = Object.entries(outside).map(([place, { rooms: allowed, others }]) => ({
  name: place.replaceAll('/', '-'),
  comment: `${place}/ may import ${[...allowed.map((room) => `src/${room}`), ...others].join(', ') || 'nothing else of this repository'}.`,
  severity: 'error',
  from: { path: `^${place}/` },
  to: {
    path: `^(src|packages|test)/|${OWN}`,
    pathNot: [
      `^${place}/`,
      ...(allowed.length > 0 ? [inRooms(allowed)] : []),
      ...others.map((other) => `^${other.replace('packages/', OWN)}/`),
    ],
  },
}));

const packageRules = Object.entries(packageRooms).map(([name, allowed]) => ({
  name: `package-${name}`,
  comment: `${name} is known to ${allowed.join(', ')} only.`,
  severity: 'error',
  from: { path: '^src/', pathNot: inRooms(allowed) },
  to: { path: `node_modules/${name}/` },
}));

module.exports = {
  forbidden: [
    ...roomRules,
    ...outsideRules,
    ...packageRules,
    {
      name: 'known-rooms',
      comment:
        'A file of src/ stands in a room of the table, or is wiring. A new room needs a line in the table.',
      severity: 'error',
      from: { path: '^src/', pathNot: `${inRooms(Object.keys(rooms))}|${wiring}` },
      to: {},
    },
    {
      name: 'rehearsal-from-main-only',
      comment: 'A rehearsal starts the worker as a stranger would; nothing of the worker leans on it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/program\\.ts$' },
      to: { path: `${OWN}rehearsal/` },
    },
    {
      name: 'sandbox-from-wiring-only',
      comment: 'The worker knows no sandbox; only the command that starts one does.',
      severity: 'error',
      from: { path: '^src/', pathNot: wiring },
      to: { path: `${OWN}sandbox/` },
    },
    {
      name: 'wiring-imported-by-nobody',
      comment:
        'Parts are given what they need; a part that fetches it from the wiring turns the house upside down.',
      severity: 'error',
      from: { path: '^src/', pathNot: wiring },
      to: { path: wiring },
    },
    {
      name: 'no-cycles',
      comment: 'A cycle is one module in several files: pull out what both need.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'words-are-pure',
      comment:
        'The words import words only, do no I/O and use no package, except node:crypto for hashes and derived ids, and entities, which is the list of names in HTML.',
      severity: 'error',
      from: { path: wordFiles },
      to: { pathNot: `${wordFiles}|^crypto$|node_modules/entities/` },
    },
    {
      name: 'decisions-are-pure',
      comment:
        'A decision or a plan is a function with a table of tests: it does no I/O and uses no package.',
      severity: 'error',
      from: { path: decisions },
      to: { pathNot: '^src/|^crypto$' },
    },
    {
      name: 'googleapis-two-apis',
      comment:
        'The build ships what is imported: calendar v3 and sheets v4. The entry of googleapis brings 200 MB.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        path: 'node_modules/googleapis/',
        pathNot: 'node_modules/googleapis/build/src/apis/(calendar|sheets)/',
      },
    },
    {
      name: 'src-imports-src',
      comment: 'Only src/ is built and shipped.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['local'], pathNot: '^src/' },
    },
    {
      name: 'declared-packages',
      comment: 'The build ships what src/ imports, so each package is on the list of scripts/rooms.cjs.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: 'node_modules/', pathNot: `node_modules/(${bundled.join('|')})/|${OWN}` },
    },
    {
      name: 'resolvable',
      comment: 'An import that cannot be found cannot be judged.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    // TypeScript 7 has no parser API for this tool. Without swc it would read no .ts file, and pass.
    parser: 'swc',
    // Counts `import type` too: a type from another room is also a dependency.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // Judges a temporary copy with linked node_modules by the same paths as the tree.
    preserveSymlinks: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
