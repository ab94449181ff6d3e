// Import rules: which room of src/ may import which, and which packages belong to which rooms.
// `npm run walls` reads this file; test/house/walls.long.test.ts plants violations and checks that each is
// reported.

/** What each room may import. A room may always import its own files. */
const rooms = {
  domain: [],
  ports: ['domain'],
  config: ['domain'],
  platform: ['domain', 'ports'],
  google: ['domain', 'ports'],
  // The core loop: turns each hint into one turn of the object's handlers.
  work: ['domain', 'ports'],
  sources: ['domain', 'ports', 'platform', 'google', 'work'],
  mirrors: ['domain', 'ports', 'google', 'work'],
  bookings: ['domain', 'ports'],
  // Keeps the time of staff's private events unbookable.
  blocks: ['domain', 'ports', 'bookings', 'work'],
  upkeep: ['domain', 'ports', 'work'],
  storage: ['domain', 'ports'],
  ops: ['domain', 'ports', 'config', 'work'],
  // The web console: browser pages that show what `ops` reports.
  console: ['domain', 'ports', 'config', 'ops'],
  // What operator commands do beside a worker.
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
  // Written from the documents alone: sharing the worker's code would make it useless as a judge of the
  // worker.
  sandbox: [],
  demo: ['domain', 'config', 'storage', 'sandbox'],
  // Scenario tests of a mapping, on the sandboxes. The caller passes in the worker.
  scenarios: ['domain', 'config', 'storage', 'sandbox'],
};

/** Wiring, argv and the package version. They may import every room; no room imports them. */
const wiring = '^src/(compose|main|program|version)\\.ts$|^src/compose/';

/** Packages that only these rooms may import, so that replacing one stays local. */
const packageRooms = {
  bullmq: ['work'],
  '@bull-board': ['work'],
  googleapis: ['google'],
  'openid-client': ['console'],
  fastify: ['ops', 'sources', 'sandbox', 'console'],
};

const inRooms = (names) => `^src/(${names.join('|')})/`;

const roomRules = Object.entries(rooms).map(([room, allowed]) => ({
  name: `room-${room}`,
  comment: `${room}/ may import ${allowed.join(', ') || 'no other room'}.`,
  severity: 'error',
  from: { path: inRooms([room]) },
  to: { path: '^src/', pathNot: inRooms([room, ...allowed]) },
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
      name: 'demo-from-main-only',
      comment: 'The demo starts the worker as a stranger would; nothing of the worker leans on it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(demo/|program\\.ts$)' },
      to: { path: inRooms(['demo']) },
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
      name: 'domain-is-pure',
      comment: 'The words do no I/O and use no package; node:crypto is there for hashes and derived ids.',
      severity: 'error',
      from: { path: inRooms(['domain']) },
      to: { pathNot: '^src/|^crypto$' },
    },
    {
      name: 'googleapis-two-apis',
      comment:
        'The image keeps calendar v3 and sheets v4 only (scripts/prune-googleapis.mjs), so no other entry exists there.',
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
      comment: 'Only runtime dependencies of package.json are there when the worker runs.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'npm-bundled'] },
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
