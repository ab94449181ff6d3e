import type { Command } from 'commander';
import { counted } from '../engine/counts.ts';
import type { HistoryEntry } from '../engine/history.ts';
import { ENTITY_KINDS, type EntityKey, formatKey, isEntityKind, isShortId } from '../engine/object.ts';
import { type ExplainParts, type Explanation, explain, type MirrorExplanation } from '../operate/explain.ts';
import type { RowAsked } from '../operate/mirrored-rows.ts';
import { type Paint, painter } from '../operate/paint.ts';
import { readRowAddress } from '../operate/row-address.ts';
import { spokenAge, spokenTime } from '../operate/spoken-time.ts';
import { adviceFor } from '../operate/verdict.ts';
import type { Console } from './console.ts';
import {
  inSession,
  type OperatorOptions,
  type OperatorParts,
  onlyOne,
  operatorCommand,
  say,
} from './operator-command.ts';
import { untilInterrupted } from './watch.ts';

export interface ExplainSession extends ExplainParts {
  /** The objects that an id may mean: an object's own id, an event's of the platform, a calendar event's, or a row's key. */
  readonly find: (what: string, id: string) => Promise<readonly EntityKey[]>;
  /** The objects in a row as the tab stands now. */
  readonly rowAt: (asked: RowAsked) => Promise<readonly EntityKey[]>;
  close(): Promise<void>;
}

const FOLLOW_EVERY_MS = 500;

/** `slotbridge explain <what> <id>`: everything known about one object. */
export function addExplain(program: Command, parts: OperatorParts<ExplainSession>): void {
  operatorCommand(
    program
      .command('explain <what> [id]')
      .description(
        `show the story of one object: what arrived, what was decided and why, what was written, what is pending. <what> is ${ENTITY_KINDS.join(', ')}, event (of a calendar or the platform) or row; an id alone is often enough`,
      ),
  )
    .option('--follow', 'keep printing what happens to the object, until Ctrl-C')
    .action((what: string, id: string | undefined, options: OperatorOptions & { follow?: boolean }) =>
      inSession(parts, options, async (session) => {
        const key = await resolveObject(session, what, id);
        const told = await explain(session, key);
        say(parts.io, options, {
          text: formatExplanation(told, { color: parts.io.stdout.isTTY === true }),
          json: told,
        });
        if (options.follow === true)
          await follow(session, key, { io: parts.io, json: options.json === true });
      }),
    );
}

async function resolveObject(
  session: ExplainSession,
  what: string,
  id: string | undefined,
): Promise<EntityKey> {
  const [kind, rest] = id === undefined && what.includes('/') ? what.split('/', 2) : [what, id];
  const asked = rest ?? what;
  const row = rest === undefined || kind === 'row' ? readRowAddress(asked) : undefined;
  if (row !== undefined) return onlyOne(await session.rowAt(row), `row ${asked}`);
  if (rest !== undefined && kind !== undefined && isEntityKind(kind)) {
    const ofKind = isShortId(rest)
      ? (await session.find('any', rest)).filter((key) => key.kind === kind)
      : [];
    return ofKind.length === 0 ? { kind, id: rest } : onlyOne(ofKind, `the id ${rest}`);
  }
  return onlyOne(await session.find(rest === undefined ? 'any' : (kind ?? 'any'), asked), `the id ${asked}`);
}

/** Prints new entries of the history until SIGINT or SIGTERM. */
async function follow(
  session: ExplainSession,
  key: EntityKey,
  { io, json }: { io: Console; json: boolean },
): Promise<void> {
  const paint = painter(io.stdout.isTTY === true);
  let told = new Set((await session.history.of(formatKey(key))).map((entry) => JSON.stringify(entry)));
  await untilInterrupted(async () => {
    const entries = await session.history.of(formatKey(key));
    const texts = new Map(entries.map((entry) => [JSON.stringify(entry), entry]));
    for (const [text, entry] of texts) {
      if (told.has(text)) continue;
      io.stdout.write(
        `${json ? text : formatEntry(entry, new Date(session.clock.now()).toISOString(), paint)}\n`,
      );
    }
    told = new Set(texts.keys());
  }, FOLLOW_EVERY_MS);
}

// Shows everything about one object on one screen: its state, its places and why, what is pending, what happened.

const HISTORY_SHOWN_MAX = 20;

export function formatExplanation(told: Explanation, options: { readonly color: boolean }): string {
  const paint = painter(options.color);
  if (!told.known) {
    const story = told.history.length === 0 ? [] : ['', ...formatHistory(told, paint)];
    return [`${told.key}: unknown to the worker.`, ...howToIntroduce(told), ...story].join('\n');
  }
  return [
    `${told.key}${told.deleted ? paint.wrong('  deleted on the platform') : ''}`,
    ...formatState(told),
    '',
    ...formatWork(told, paint),
    ...told.mirrors.flatMap((mirror) => formatMirror(mirror, paint)),
    '',
    ...formatHistory(told, paint),
  ].join('\n');
}

function howToIntroduce({ key }: Explanation): string[] {
  return [
    '  Either no event or resync has reported it, or no mirror takes its kind.',
    `  To give it a turn: slotbridge replay --object ${key}`,
  ];
}

function formatState({ state, at }: Explanation): string[] {
  const { status, lifecycle, starts_at, ends_at, updated_at, service_name } = state;
  // A booking row has no end until it is booked.
  const times = [starts_at, ends_at].flatMap((time) =>
    typeof time === 'string' ? [spokenTime(time, at)] : [],
  );
  const time = times.join(' to ');
  const { code, appointment, mapping } = state;
  const parts = [
    status ?? lifecycle,
    code,
    appointment,
    mapping && `by bookings.${String(mapping)}`,
    service_name,
    time,
  ].filter((part) => part !== undefined && part !== '');
  return [
    row('state', parts.map(String).join(', ') || 'not read yet'),
    ...(typeof updated_at === 'string'
      ? [row('as of', `${spokenTime(updated_at, at)} on the platform`)]
      : []),
  ];
}

function formatWork(told: Explanation, paint: Paint): string[] {
  const { revision, pending, dead_letters, in_doubt, sightings, at } = told;
  const behind = revision.wanted - revision.mirrored;
  const lines = [
    row('mirrored', behind <= 0 ? paint.well('up to date') : `${counted(behind, 'revision')} behind`),
  ];
  if (pending !== null) {
    const since = pending.since === null ? '' : `for ${spokenAge(pending.since, at)}, `;
    const isDue = pending.next_attempt <= at;
    lines.push(
      row('pending', `${since}${isDue ? 'due now' : `next attempt ${spokenTime(pending.next_attempt, at)}`}`),
    );
  }
  const last = told.history.at(-1);
  if (pending !== null && last?.what === 'failed' && last.next === 'defer')
    lines.push(row('', paint.advice('-> `slotbridge status` shows what it waits for, and what to do.')));
  if (in_doubt) lines.push(row('', 'will be read from the platform before anything is written'));
  for (const seen of sightings) {
    lines.push(
      row(
        '',
        `people changed event ${seen.event} in ${seen.calendar}, seen ${spokenAge(seen.seen_at, at)} ago`,
      ),
    );
  }
  for (const letter of dead_letters) {
    for (const reason of letter.reasons) {
      lines.push(row('given up', `${paint.wrong(reason.code)}, mirror ${reason.mirror}: ${reason.message}`));
      lines.push(row('', paint.advice(`-> ${adviceFor(reason)}`)));
    }
    lines.push(row('', `then: slotbridge deadletters retry "${letter.name}"`));
  }
  return lines;
}

function formatMirror(mirror: MirrorExplanation, paint: Paint): string[] {
  const verdict = mirror.taken ? paint.well('takes it') : paint.busy('does not take it');
  const places = [
    ...mirror.events.map(
      (each) => `event ${each.event} in ${each.calendar}${each.in_doubt ? ', content uncertain' : ''}`,
    ),
    ...(mirror.row === null
      ? []
      : [
          `row in tab ${mirror.row.tab} of ${mirror.row.spreadsheet}${mirror.row.cleared ? ', cleared' : ''}`,
        ]),
    ...(mirror.row_waits ? ['a row waits for the next flush'] : []),
  ];
  return [
    row(mirror.mirror, `${verdict}: ${mirror.because}  (${mirror.rule})`),
    ...places.map((place) => row('', place)),
    ...(places.length === 0 ? [row('', 'nothing written')] : []),
  ];
}

function formatHistory({ history, at }: Explanation, paint: Paint): string[] {
  if (history.length === 0) return ['history: nothing in the last weeks'];
  const shown = history.slice(-HISTORY_SHOWN_MAX);
  const older = history.length - shown.length;
  return [
    `history${older > 0 ? `, the last ${shown.length}; ${older} older with --json` : ''}`,
    ...shown.map((entry) => formatEntry(entry, at, paint)),
  ];
}

/** One line; `--follow` prints it too. */
function formatEntry(entry: HistoryEntry, nowIso: string, paint: Paint): string {
  const when = spokenTime(new Date(entry.atMs).toISOString(), nowIso);
  return `  ${when}  ${describe(entry, paint)}`;
}

function describe(entry: HistoryEntry, paint: Paint): string {
  switch (entry.what) {
    case 'seen': {
      const event = entry.eventId === undefined ? '' : ` ${entry.eventType ?? 'event'} ${entry.eventId}`;
      return `received by ${entry.via}${event}: ${OUTCOMES[entry.outcome] ?? entry.outcome}`;
    }
    case 'mirrored': {
      const actions = Object.entries(entry.actions).map(([mirror, action]) => `${mirror} ${action}`);
      return `mirrored, revision ${entry.rev}: ${actions.length === 0 ? 'nothing to write' : actions.join(', ')}`;
    }
    case 'failed': {
      const reasons = entry.reasons.map(({ mirror, code }) => `${code} (${mirror})`).join(', ');
      const times = entry.times === undefined ? '' : `, ${entry.times} times`;
      return `${paint.wrong(reasons)}${times}: ${ENDS[entry.next] ?? entry.next}`;
    }
    case 'acted': {
      const ids = Object.entries(entry.ids ?? {}).map(([name, id]) => `${name} ${id}`);
      return [
        `${entry.by}: ${entry.code}`,
        ...ids,
        ...(entry.rule === undefined ? [] : [`(${entry.rule})`]),
      ].join('  ');
    }
  }
}

const OUTCOMES: Readonly<Record<string, string>> = {
  fresh: 'newer than the stored state',
  verify: 'order unknown, the object is read',
  deleted: 'deleted on the platform',
  stale: 'older than the stored state, nothing done',
  unchanged: 'already known, processed again',
  duplicate: 'already known, processed again',
};

const ENDS: Readonly<Record<string, string>> = {
  retry: 'retried',
  defer: 'waits, without counting an attempt',
  done: 'given up, see deadletters',
};

function row(name: string, text: string): string {
  return `  ${name.padEnd(18)}${text}`;
}
