// Which room may import which. A room is a folder of src/ without the rooms inside it. test/house/walls.long.test.ts repeats the table.

const words = ['engine/domain', 'engine/zones', 'engine/ports'];
const engine = [
  ...words,
  'engine',
  'engine/edits',
  'engine/outside',
  'engine/redis',
  'engine/store',
  'engine/submit',
  'engine/words',
];
const remotes = ['platform', 'google', 'mapping'];

/** Imports go down only: cli, console → operate → calendar, sheet → platform, google, mapping → engine. */
const rooms = {
  'engine/domain': [],
  // The rules of time zones. The sandbox has its own.
  'engine/zones': [],
  'engine/ports': ['engine/domain'],
  // The connection, and the private Redis.
  'engine/redis': ['engine/domain', 'engine/ports'],
  'engine/store': ['engine/domain', 'engine/ports', 'engine/redis'],
  'engine/submit': ['engine/domain', 'engine/ports'],
  'engine/edits': ['engine/domain', 'engine/ports'],
  'engine/outside': [...words, 'engine/submit', 'engine/words'],
  'engine/words': [...words, 'engine/edits', 'engine/outside', 'engine/submit'],
  engine: words,
  platform: [...words, 'engine'],
  google: [...words, 'engine/redis', 'engine/store'],
  mapping: words,
  calendar: [...engine, ...remotes],
  sheet: [...engine, ...remotes],
  operate: [...engine, ...remotes, 'calendar', 'sheet'],
  console: [...words, 'mapping', 'operate'],
  cli: [...words, 'mapping', 'operate'],
};

const rehearsed = ['engine/domain', 'engine/redis', 'mapping'];
/** Places in packages/: the rooms and the other places that they may import. */
const outside = {
  // Written from the documents alone: sharing the worker's code would make it useless as a judge of the worker.
  'packages/sandbox/src': { rooms: [], others: [] },
  'packages/rehearsal/demo': { rooms: rehearsed, others: ['packages/sandbox/src'] },
  // Scenario tests of a mapping, on the sandboxes. The caller passes in the worker.
  'packages/rehearsal/scenarios': { rooms: rehearsed, others: ['packages/sandbox/src'] },
};

/** npm packages that only these rooms may import, so that replacing one stays local. */
const packageRooms = {
  bullmq: ['engine'],
  googleapis: ['google'],
  'openid-client': ['console'],
  fastify: ['platform', 'google', 'calendar', 'operate', 'console'],
};

/** npm packages that src/ may import. The build puts their code into dist/, so package.json lists them for development only. */
const bundled = [
  'bullmq',
  'commander',
  'entities',
  'fastify',
  'googleapis',
  'ioredis',
  'libphonenumber-js',
  'liquidjs',
  'luxon',
  'node-cron',
  'openid-client',
  'pino',
  'pino-pretty',
  'prom-client',
  'yaml',
  'zod',
];

/** The files of a room, as a pattern: not those of the rooms inside it. */
function filesOf(room) {
  const inside = Object.keys(rooms).filter((other) => other.startsWith(`${room}/`));
  const not = inside.length === 0 ? '' : `(?!(?:${inside.join('|').replaceAll(`${room}/`, '')})/)`;
  return `^src/${room}/${not}`;
}

module.exports = { rooms, outside, packageRooms, bundled, filesOf };
