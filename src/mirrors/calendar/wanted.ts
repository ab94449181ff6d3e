import { DateTime } from 'luxon';
import * as z from 'zod';
import { type GuestList, isClassId } from '../../domain/class-slot.ts';
import type { Directory } from '../../domain/directory.ts';
import { TerminalError } from '../../domain/errors.ts';
import type { CalendarMirror } from '../../domain/mirror.ts';
import { contentHash, type Snapshot } from '../../domain/snapshot.ts';
import type { EventBody, EventMoment } from '../../google/calendar-event.ts';
import { appointmentContext } from '../render/context.ts';
import { colourFor } from './colour.ts';
import { marksFor } from './marks.ts';
import { compileTexts } from './texts.ts';

/** An event as the mapping wants it: the fields that the mirror owns, and their hash. */
export interface WantedEvent {
  readonly body: EventBody;
  readonly hash: string;
  /** Hash of what the event was made from, without the mapping: unchanged while only the YAML changes. */
  readonly sourceHash: string;
}

export interface RenderOptions {
  /** What people must know about this appointment, in plain text. It ends the description. */
  readonly note?: string | undefined;
  /** The calendar to render for. A shared calendar may show less. */
  readonly calendarId?: string;
}

/** Renders how many people an event does not name. */
export type MoreGuests = (people: number) => string;

const INSTANT = z.string().refine((text) => DateTime.fromISO(text).isValid);
const TIMES = z.object({ starts_at: INSTANT, ends_at: INSTANT, status: z.string() });

/**
 * Compiles the templates of a mirror. The result renders one appointment for one calendar. It throws `TerminalError` if the appointment has
 * no times (`appointment-unreadable`) or a template fails.
 */
export function compileEvent(
  mirror: CalendarMirror,
  moreGuests: MoreGuests = String,
): (snapshot: Snapshot, directory: Directory, options?: RenderOptions) => WantedEvent {
  const { event } = mirror;
  const textsIn = compileTexts(mirror, moreGuests);
  return (snapshot, directory, options = {}) => {
    const times = readTimes(snapshot);
    const timeZone = zoneOf(snapshot, directory);
    const guests = isClassId(snapshot.id) ? (snapshot['guests'] as GuestList | undefined) : undefined;
    const texts = textsIn(appointmentContext(snapshot, directory), { ...options, guests });
    // A colour reveals more than that the time is taken.
    const colorId = texts.isMasked ? undefined : colourFor(event, snapshot, directory);
    const body: EventBody = {
      ...texts.fields,
      start: moment(times.starts_at, timeZone),
      end: moment(times.ends_at, timeZone),
      // A place on the waiting list is held, not yet taken (platform API, Appointment states).
      status: times.status === 'pending' ? 'tentative' : 'confirmed',
      ...(colorId !== undefined && { colorId }),
      ...(event.visibility && { visibility: event.visibility }),
      ...(event.busy && { transparency: event.busy[times.status] === false ? 'transparent' : 'opaque' }),
      extendedProperties: { private: marksFor(snapshot, mirror.name, texts.named) },
    };
    const { updated_at: _, ...content } = snapshot;
    return { body, hash: contentHash(body), sourceHash: contentHash([content, options.note ?? '']) };
  };
}

function readTimes(snapshot: Snapshot): z.infer<typeof TIMES> {
  const parsed = TIMES.safeParse(snapshot);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw new TerminalError('appointment-unreadable', `the appointment lacks what an event needs: ${fields}`, {
    target: 'platform',
    advice: 'Look at the appointment on the platform; when it is in order there, its answer has changed.',
  });
}

/**
 * Whole seconds, because Google keeps no more. Always the instant in UTC, because a local time in the doubled hour of autumn would be
 * ambiguous. The zone only affects how the time is shown.
 */
function moment(iso: string, timeZone: string): EventMoment {
  const utc = DateTime.fromISO(iso, { zone: 'utc' }).startOf('second').toISO({ suppressMilliseconds: true });
  return { dateTime: utc ?? iso, timeZone };
}

function zoneOf(snapshot: Snapshot, directory: Directory): string {
  const zone = snapshot['timezone'];
  if (typeof zone === 'string' && zone !== '') return zone;
  return directory.branches.get(String(snapshot['branch_id']))?.timezone ?? 'UTC';
}
