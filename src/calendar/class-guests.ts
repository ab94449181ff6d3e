// Renders one line for each appointment of a class that may be named. Typed text is hostile, so it is cut before rendering. The work stays
// linear, and no person's text can keep the class from being shown.

import { type GuestLine, type GuestList, guestsOf } from '../engine/class-slot.ts';
import type { ErasureStore } from '../engine/erasure.ts';
import { TerminalError } from '../engine/errors.ts';
import type { Directory } from '../engine/mirror.ts';
import { inParts, type Snapshot } from '../engine/object.ts';
import type { DirectorySource } from '../engine/platform.ts';
import type { CustomerOf } from '../mapping/filter-lines.ts';
import { appointmentContext, compileTemplate, type TemplateContext } from '../mapping/template.ts';
import { cut, cutMarkup, oneLine } from './wanted.ts';

/** Most appointments that an event names. Its description and its marks have room for few more. */
export const GUEST_LINES_MAX = 400;
/** Longest typed value; longer ones are cut before rendering. */
const TEXT_CHARS_MAX = 500;
/** Longest rendered line, markup included. */
const LINE_CHARS_MAX = 300;
/** Most contacts that are looked up at the same time. */
const LOOK_UP_AT_ONCE = 20;

export interface GuestParts {
  readonly erased: ErasureStore;
  readonly customerOf: CustomerOf;
  readonly directory: DirectorySource;
}

/** Rejects with the three error families. */
export type GuestsOf = (members: readonly Snapshot[]) => Promise<GuestList>;

/** In the order of booking. Throws `TerminalError` when the template does not parse. */
export function createGuests(template: string, parts: GuestParts): GuestsOf {
  const line = compileTemplate(template, 'html');
  return async (members) => {
    // Read after the list, so that every earlier erasure is known. A handler that claimed the class before an erasure is fenced off.
    const erased = await parts.erased.among(members);
    const named = members
      .filter(({ id }) => !erased.has(id))
      .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
      .slice(0, GUEST_LINES_MAX);
    const lines: (GuestLine | TerminalError)[] = [];
    for (const part of inParts(named, LOOK_UP_AT_ONCE)) {
      const customers = await Promise.all(part.map((member) => parts.customerOf(member)));
      part.forEach((member, at) => {
        const context = contextOf(member, customers[at]?.name, parts.directory.current());
        lines.push(lineFor(member, () => line.text(context)));
      });
    }
    const failed = lines.find((each) => each instanceof TerminalError);
    const shown = lines.filter((each): each is GuestLine => !(each instanceof TerminalError));
    if (failed !== undefined && shown.length === 0) throw failed;
    const people = members.reduce((sum, each) => sum + guestsOf(each), 0);
    return { lines: shown.filter(({ text }) => text !== ''), people };
  };
}

function orderOf({ id, created_at: created }: Snapshot): string {
  return `${typeof created === 'string' ? created : ''} ${id}`;
}

function contextOf(member: Snapshot, name: string | undefined, directory: Directory): TemplateContext {
  const known = name === undefined ? member : { ...member, customer_name: name };
  return bounded(appointmentContext(known, directory)) as TemplateContext;
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return cut(value, TEXT_CHARS_MAX);
  if (Array.isArray(value)) return value.map(bounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, bounded(each)]));
}

/** The template's filters may reject what a person typed. That person is counted but not named. */
function lineFor(member: Snapshot, render: () => string): GuestLine | TerminalError {
  try {
    const text = cutMarkup(oneLine(render()), LINE_CHARS_MAX);
    return { id: member.id, text, people: guestsOf(member) };
  } catch (error) {
    if (error instanceof TerminalError) return error;
    throw error;
  }
}
