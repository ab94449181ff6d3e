// Shows everything about one object on one screen: its state, its places and why, what is pending, what happened.
import type { HistoryEntry } from '../engine/domain/history.ts';
import type { Explanation, MirrorExplanation } from './explain.ts';
import { counted } from './idle.ts';
import { adviceFor } from './letter-advice.ts';
import { type Paint, painter } from './paint.ts';
import { spokenAge, spokenTime } from './spoken-time.ts';

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
export function formatEntry(entry: HistoryEntry, nowIso: string, paint: Paint): string {
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
