// Which room may import which. A room is a side of the worker: one folder of src/. test/house/walls.long.test.ts repeats the table.

const remotes = ['platform', 'google', 'mapping'];
/** Kinds of calendars besides Google's, a room each. */
const kinds = ['caldav'];
/** Sides with their own mirrors and bookings, besides calendars. */
const sides = ['sheet'];

/** Imports go down only: cli, console → operate → calendar, sheet → platform, google, mapping → engine. */
const rooms = {
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

const rehearsed = ['engine', 'mapping'];
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
  'ical.js': ['caldav'],
  'rrule-temporal': ['caldav'],
  'openid-client': ['console'],
  sax: ['caldav'],
  fastify: ['platform', 'google', 'calendar', 'operate', 'console'],
};

/** npm packages that src/ may import. The build puts their code into dist/, so package.json lists them for development only. */
const bundled = [
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
  'bullmq',
  'commander',
  'entities',
  'fastify',
  'googleapis',
  'ical.js',
  'ioredis',
  'libphonenumber-js',
  'liquidjs',
  'luxon',
  'node-cron',
  'openid-client',
  'pino',
  'pino-pretty',
  'prom-client',
  'rrule-temporal',
  'sax',
  'yaml',
  'zod',
];

/** Files of the engine that are words: what the worker talks about, without I/O. */
const words = [
  'alert',
  'block',
  'class-move',
  'class-slot',
  'coverage',
  'endpoint-lack',
  'errors',
  'event-rule',
  'event-texts',
  'feed',
  'ids',
  'keep',
  'link',
  'mirror',
  'moments',
  'object',
  'outside-booking',
  'person',
  'plain-text',
  'planned',
  'poll-pace',
  'role',
  'row-edit',
  'sheet-row',
  'signing-secret',
  'work',
];

/** What the YAML and people read about a kind of calendar. It stands in the folder of the kind, and belongs to the mapping. */
const declared = `(${kinds.join('|')})/(settings|words)[.]ts$`;

/** The files of a room, as a pattern. */
const filesOf = (room) => {
  if (room === 'mapping') return `^src/mapping/|^src/${declared}`;
  return kinds.includes(room) ? `^src/(?!${declared})${room}/` : `^src/${room}/`;
};
const wordFiles = `^src/engine/(${words.join('|')})\\.ts$`;
/** Pure decisions and plans, by their names. */
const decisions = `^src/(engine|calendar|${sides.join('|')})/(decide-[a-z-]+|route|block-plan|flush-plan)[.]ts$`;

/** Packages of which the build copies files for browsers (scripts/build.mjs). No code imports them. */
const served = ['uplot'];

module.exports = {
  rooms,
  kinds,
  sides,
  outside,
  packageRooms,
  bundled,
  served,
  filesOf,
  wordFiles,
  decisions,
};
