// Keeps a note of the day in calendars that are behind, and removes it when they are current again. One process at a time, by lease. Each
// write is stored in Redis before Google is called, and a note's id derives from calendar and day. So a lost answer, a kill or two workers
// all end in one note. A note that people deleted or rewrote is theirs.

import { MARK, NOTE_MARK } from '../engine/event-texts.ts';
import { isNoteId, noteIdOf, noteNamed } from '../engine/ids.ts';
import type { Lease, Leases } from '../engine/leases.ts';
import type { RedisMemory } from '../engine/memory.ts';
import { distanceMs } from '../engine/moments.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { localDate } from '../engine/zone-parts.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import type { CalendarEvent, NoteBody } from '../google/calendar-event.ts';

export interface NoteText {
  readonly summary: string;
  readonly description: string;
}

/** What a round knows about the calendars, read once per round. */
export interface NoteRound {
  /** Calendars that are behind, with a function that renders their note for a zone. */
  readonly behind: ReadonlyMap<string, (zone: string) => NoteText>;
  /** Calendars that refuse the worker. Skipped, because a note must not use up the try that would find a repaired calendar. */
  readonly shut: ReadonlySet<string>;
  readonly mayBegin: boolean;
}

export interface CalendarNotesParts {
  readonly api: Pick<CalendarApi, 'insert' | 'get' | 'remove' | 'marked' | 'zone'>;
  /** Prefix of the keys in Redis. Two installations have two notes. */
  readonly installation: string;
  /** Calendars that get a note when they are behind; empty when notes are switched off. Notes elsewhere are removed. */
  readonly calendars: readonly string[];
  readonly read: () => Promise<NoteRound>;
  readonly memory: Pick<RedisMemory, 'all' | 'setUnder'>;
  readonly leases: Leases;
  readonly clock: Clock;
  /** For durations. */
  readonly steady: Clock;
  readonly log: Log;
}

const LEASE = 'calendar-notes';
const FACT = 'calendar-note ';
/** How long an insert without an answer may still take effect; Google may perform it minutes later. */
const LATE_MS = 15 * 60_000;
/** Most calendars that one round searches; a calendar without a known note is searched once. */
const SEARCHES_PER_ROUND = 5;
/** How long a former calendar rests after a failure; it may refuse forever, and no problem is raised for it. */
const FORMER_PAUSE_MS = 3_600_000;

export class CalendarNotes {
  readonly #parts: CalendarNotesParts;
  /** Former calendars that could not be reached, with the time of the last try by `steady`. */
  readonly #refusedAtMs = new Map<string, number>();
  /** Calendars whose note was searched for, with the time of the last search by `steady`. */
  readonly #searchedAtMs = new Map<string, number>();

  constructor(parts: CalendarNotesParts) {
    this.#parts = parts;
  }

  /** One round over all calendars. A calendar that refuses delays no other. */
  async look(signal: AbortSignal): Promise<void> {
    const { leases, memory, calendars } = this.#parts;
    const known = await memory.all(FACT);
    if (calendars.length + known.size === 0) return;
    await leases.hold(LEASE, (lease) => this.#round(lease), { until: signal });
  }

  async #round(lease: Lease): Promise<void> {
    const { memory, calendars, read, log } = this.#parts;
    const stored = await memory.all(FACT);
    const { behind, shut, mayBegin } = await read();
    const wanted = new Set(calendars);
    const open = [...new Set([...calendars, ...stored.keys()])].filter(
      (each) => !shut.has(each) && !this.#rests(each),
    );
    const searched = this.#searchedNow(open.filter((each) => !stored.has(each)));
    for (const calendarId of open) {
      if (lease.signal.aborted) return;
      const text = stored.get(calendarId);
      if (text === undefined && !searched.has(calendarId)) continue;
      if (text === undefined) this.#searchedAtMs.set(calendarId, this.#parts.steady.now());
      const note = new Note(this.#parts, { calendarId, lease });
      try {
        const known = text === undefined ? await note.search() : (JSON.parse(text) as KnownNote);
        const textFor = wanted.has(calendarId) ? behind.get(calendarId) : undefined;
        await note.keep(known, { textFor, mayBegin, isWanted: wanted.has(calendarId) });
      } catch (error) {
        if (!wanted.has(calendarId)) this.#refusedAtMs.set(calendarId, this.#parts.steady.now());
        log.info({ target: `calendar:${calendarId}`, err: error }, 'note in calendar put off');
      }
    }
  }

  /** Those that were not searched yet, then the longest ago: failing searches keep no other calendar from its own. */
  #searchedNow(unknown: readonly string[]): ReadonlySet<string> {
    const atMs = (each: string) => this.#searchedAtMs.get(each) ?? -1;
    return new Set(unknown.toSorted((a, b) => atMs(a) - atMs(b)).slice(0, SEARCHES_PER_ROUND));
  }

  #rests(calendarId: string): boolean {
    const refusedAtMs = this.#refusedAtMs.get(calendarId) ?? Number.NEGATIVE_INFINITY;
    return this.#parts.steady.now() - refusedAtMs < FORMER_PAUSE_MS;
  }
}

/** The note of one calendar, in one round. */
class Note {
  readonly #parts: CalendarNotesParts;
  readonly #calendarId: string;
  readonly #lease: Lease;

  constructor(parts: CalendarNotesParts, at: { readonly calendarId: string; readonly lease: Lease }) {
    this.#parts = parts;
    this.#calendarId = at.calendarId;
    this.#lease = at.lease;
  }

  /** Redis knows nothing about this calendar, but the calendar may already contain a note. */
  async search(): Promise<KnownNote> {
    const { api, installation } = this.#parts;
    const zone = await api.zone(this.#calendarId);
    const none = { is: 'none', date: '', turn: 0, atMs: 0, sentAtMs: 0, zone } as const;
    let known: KnownNote = { ...none, summary: '', description: '' };
    for await (const event of api.marked(this.#calendarId, NOTE_MARK)) {
      const named = noteNamed(event.id, { installation, calendarId: this.#calendarId });
      if (named === undefined || event.status === 'cancelled' || named.date < known.date) continue;
      const { summary = '', description = '' } = event;
      known = { ...none, ...named, is: 'stands', summary, description };
    }
    await this.#store(known);
    return known;
  }

  async keep(
    known: KnownNote,
    about: {
      readonly textFor: ((zone: string) => NoteText) | undefined;
      readonly mayBegin: boolean;
      readonly isWanted: boolean;
    },
  ): Promise<void> {
    const { textFor, mayBegin, isWanted } = about;
    const nowMs = this.#parts.clock.now();
    const today = localDate(nowMs, known.zone);
    const step = decideNote(known, { isBehind: textFor !== undefined, mayBegin, today, nowMs });
    if (step === 'take-away') return this.#takeAway(known, nowMs);
    const isNothing = known.is === 'none' || known.is === 'gone' || known.is === 'left';
    if (!isWanted && isNothing) return void (await this.#store(undefined));
    if (step === 'forget') return void (await this.#store({ ...known, is: 'none', date: '', turn: 0 }));
    if (step === 'rest' || textFor === undefined) return;
    // A repeated insert says what the first one said, because Google may have performed the first.
    const text = known.is === 'sent' ? known : textFor(known.zone);
    const sentAtMs = known.is === 'sent' ? known.sentAtMs : nowMs;
    const { turn } = step.insert;
    const { summary, description } = text;
    const { zone } = known;
    await this.#insert({
      ...{ is: 'sent', date: today, turn, atMs: nowMs, sentAtMs, zone, summary, description },
    });
  }

  async #insert(sent: KnownNote): Promise<void> {
    const { api } = this.#parts;
    if (!(await this.#store(sent))) return;
    const made = await api.insert(this.#calendarId, this.#idOf(sent), bodyOf(sent));
    const found = made === 'taken' ? await api.get(this.#calendarId, this.#idOf(sent)) : made;
    const stands = found !== 'absent' && found.status !== 'cancelled';
    await this.#store({ ...sent, is: stands ? 'stands' : 'left' });
    if (stands) this.#tell(sent, 'calendar is behind; a note in it says so');
  }

  async #takeAway(known: KnownNote, nowMs: number): Promise<void> {
    const { api } = this.#parts;
    const tried = { ...known, atMs: nowMs };
    const event = await api.get(this.#calendarId, this.#idOf(known));
    if (event === 'absent' || event.status === 'cancelled') {
      const maySentComeYet = known.is === 'sent' && distanceMs(known.sentAtMs, nowMs) < LATE_MS;
      if (maySentComeYet && event === 'absent') return void (await this.#store(tried));
      const isOurDoing = known.is === 'leaving' || (known.is === 'sent' && event === 'absent');
      return void (await this.#store({ ...tried, is: isOurDoing ? 'gone' : 'left' }));
    }
    // A note that people changed is theirs.
    if (!isAsWritten(event, known)) return void (await this.#store({ ...tried, is: 'left' }));
    if (!(await this.#store({ ...tried, is: 'leaving' }))) return;
    const removed = await api.remove(this.#calendarId, event);
    if (removed === 'changed') return;
    await this.#store({ ...tried, is: 'gone' });
    this.#tell(known, 'note taken out of calendar');
  }

  #idOf({ date, turn }: KnownNote): string {
    const { installation } = this.#parts;
    return noteIdOf({ installation, calendarId: this.#calendarId, date, turn });
  }

  /** False when another process holds the lease by now. */
  async #store(known: KnownNote | undefined): Promise<boolean> {
    const value = known === undefined ? '' : JSON.stringify(known);
    return this.#parts.memory.setUnder(this.#lease, { [FACT + this.#calendarId]: value });
  }

  #tell({ date }: KnownNote, what: string): void {
    this.#parts.log.info({ target: `calendar:${this.#calendarId}`, date }, what);
  }
}

function bodyOf({ summary, description, date }: KnownNote): NoteBody {
  return {
    ...{ summary, description, status: 'confirmed', transparency: 'transparent' },
    start: { date },
    end: { date: dayAfter(date) },
    reminders: { useDefault: false },
    extendedProperties: { private: { [MARK.key]: MARK.value, [NOTE_MARK.key]: NOTE_MARK.value } },
  };
}

/** Colours and reminders belong to people: a note that differs only in these is still the worker's. */
function isAsWritten(event: CalendarEvent, { summary, description, date }: KnownNote): boolean {
  return (
    isNoteId(event.id) &&
    event.summary === summary &&
    event.description === description &&
    event.start?.date === date &&
    event.end?.date === dayAfter(date) &&
    (event.recurrence ?? []).length === 0
  );
}

function dayAfter(date: string): string {
  return new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
}

// Decides the next step for the note of one calendar from what is known about it. Pure.

/**
 * | `is` | written by the worker | what its absence means |
 * |---|---|---|
 * | `none` | no | nothing |
 * | `sent` | perhaps: an insert left, and no answer came | it may still appear |
 * | `stands` | yes | people deleted it |
 * | `leaving` | yes; its deletion left, and no answer came | the deletion worked |
 * | `gone` | removed again | nothing |
 * | `left` | people deleted or rewrote it: theirs for that day | nothing |
 */
export interface KnownNote {
  readonly is: 'none' | 'sent' | 'stands' | 'leaving' | 'gone' | 'left';
  /** `2026-11-24` in the calendar's zone; empty for `none`. */
  readonly date: string;
  /** How many notes of that day were removed before. */
  readonly turn: number;
  /** When the worker last tried anything with it. */
  readonly atMs: number;
  /** When its insert was first sent. */
  readonly sentAtMs: number;
  /** IANA zone of the calendar. */
  readonly zone: string;
  /** The text that the worker gave it. */
  readonly summary: string;
  readonly description: string;
}

export type NoteStep = 'rest' | 'take-away' | 'forget' | { readonly insert: { readonly turn: number } };

/** Shortest time between two tries; people need no fresher note, and each write costs Google's budget. */
const TRY_EVERY_MS = 60_000;

export function decideNote(
  known: KnownNote,
  now: {
    /** People must learn that the calendar is behind. */
    readonly isBehind: boolean;
    /** False while a worker that has just started is still catching up. */
    readonly mayBegin: boolean;
    /** In the calendar's zone. */
    readonly today: string;
    readonly nowMs: number;
  },
): NoteStep {
  const { isBehind, mayBegin, today, nowMs } = now;
  if (distanceMs(known.atMs, nowMs) < TRY_EVERY_MS) return 'rest';
  const isToday = known.date === today;
  switch (known.is) {
    case 'sent':
      return isBehind && isToday ? { insert: { turn: known.turn } } : 'take-away';
    case 'stands':
      return isBehind && isToday ? 'rest' : 'take-away';
    case 'leaving':
      return 'take-away';
    case 'left':
      if (isToday) return 'rest';
      return isBehind && mayBegin ? { insert: { turn: 0 } } : 'forget';
    case 'gone':
      if (isBehind && mayBegin) return { insert: { turn: isToday ? known.turn + 1 : 0 } };
      return isToday ? 'rest' : 'forget';
    case 'none':
      return isBehind && mayBegin ? { insert: { turn: 0 } } : 'rest';
  }
}
