// Which changes a person wants to see in the list: by mirror, kind, outcome, and any text in them.

import type { HistoryEntry } from '../engine/domain/history.ts';
import { type EntityKind, parseKey } from '../engine/domain/object.ts';
import type { Change } from '../engine/ports/console.ts';

export interface ChangeFilter {
  readonly kind?: string;
  readonly mirror?: string;
  readonly outcome?: string;
  /** An id, a code, the type of an event, or a part of one. */
  readonly text?: string;
}

export const OUTCOMES = ['seen', 'mirrored', 'retry', 'defer', 'done', 'acted'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const FIELDS = ['kind', 'mirror', 'outcome', 'text'] as const;
const VALUE_CHARS_MAX = 200;

/** Keeps values that it does not know; they match nothing. */
export function readChangeFilter(query: URLSearchParams): ChangeFilter {
  const given = FIELDS.flatMap((name) => {
    const value = (query.get(name) ?? '').trim().slice(0, VALUE_CHARS_MAX);
    return value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

/** Filters what the reader may see: whoever sees masked texts searches masked texts. */
export function isWanted({ key, entry }: Change, { kind, mirror, outcome, text }: ChangeFilter): boolean {
  return (
    (kind === undefined || kindOf(key) === kind) &&
    (outcome === undefined || outcomeOf(entry) === outcome) &&
    (mirror === undefined || mirrorsOf(entry).includes(mirror)) &&
    (text === undefined || `${key} ${JSON.stringify(entry)}`.toLowerCase().includes(text.toLowerCase()))
  );
}

function kindOf(key: string): EntityKind | undefined {
  return parseKey(key)?.kind;
}

/** The outcome of a failure is its consequence. */
export function outcomeOf(entry: HistoryEntry): string {
  return entry.what === 'failed' ? entry.next : entry.what;
}

/** A change that was only seen concerns no mirror yet. */
function mirrorsOf(entry: HistoryEntry): readonly string[] {
  switch (entry.what) {
    case 'seen':
      return [];
    case 'mirrored':
      return Object.keys(entry.actions);
    case 'failed':
      return entry.reasons.map(({ mirror }) => mirror);
    case 'acted': {
      const named = /^mirrors\.([^.]+)/.exec(entry.rule ?? '')?.[1];
      return [named, entry.ids?.['mirror']].flatMap((name) => name ?? []);
    }
  }
}
