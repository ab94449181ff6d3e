import { DateTime } from 'luxon';
import { z } from 'zod';
import type { Directory } from '../../domain/directory.ts';
import { TerminalError } from '../../domain/errors.ts';
import type { CalendarMirror } from '../../domain/mirror.ts';
import { contentHash, type Snapshot } from '../../domain/snapshot.ts';
import type { EventBody, EventMoment } from '../../google/calendar-event.ts';
import { appointmentContext } from '../render/context.ts';
import { compileTemplate } from '../render/template.ts';
import { marksFor } from './marks.ts';

/** What Google's own form takes; longer texts would be refused and the appointment would not be shown at all. */
const TITLE_CHARS_MAX = 1_024;
const DESCRIPTION_CHARS_MAX = 8_192;
const LOCATION_CHARS_MAX = 1_024;

/** An event as the mapping wants it: the fields that the mirror owns, and their hash. */
export interface WantedEvent {
  readonly body: EventBody;
  readonly hash: string;
}

const INSTANT = z.string().refine((text) => DateTime.fromISO(text).isValid);
const TIMES = z.object({ starts_at: INSTANT, ends_at: INSTANT, status: z.string() });

/**
 * Compiles the templates of a mirror. The result renders one appointment; it throws `TerminalError` when the appointment has no
 * times (`appointment-unreadable`) or a template cannot be rendered for it.
 */
export function compileEvent(
  mirror: CalendarMirror,
): (snapshot: Snapshot, directory: Directory) => WantedEvent {
  const { event } = mirror;
  const title = compileTemplate(event.title);
  const description = event.description === undefined ? undefined : compileTemplate(event.description);
  const location = event.location === undefined ? undefined : compileTemplate(event.location);
  return (snapshot, directory) => {
    const times = readTimes(snapshot);
    const context = appointmentContext(snapshot, directory);
    const timeZone = zoneOf(snapshot, directory);
    const colorId = event.colorIds[times.status];
    const body: EventBody = {
      summary: cut(title.text(context).replace(/\s+/g, ' ').trim(), TITLE_CHARS_MAX),
      ...(description && { description: cut(description.text(context).trim(), DESCRIPTION_CHARS_MAX) }),
      ...(location && { location: cut(location.text(context).trim(), LOCATION_CHARS_MAX) }),
      start: moment(times.starts_at, timeZone),
      end: moment(times.ends_at, timeZone),
      // A place on the waiting list is held, not yet taken (platform API, Appointment states).
      status: times.status === 'pending' ? 'tentative' : 'confirmed',
      ...(colorId !== undefined && { colorId }),
      extendedProperties: { private: marksFor(snapshot.id, mirror.name) },
    };
    return { body, hash: contentHash(body) };
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

/** Whole seconds, because Google keeps no more. Always the instant in UTC: a local time in the doubled hour of autumn would name two. The zone is for how it is shown. */
function moment(iso: string, timeZone: string): EventMoment {
  const utc = DateTime.fromISO(iso, { zone: 'utc' }).startOf('second').toISO({ suppressMilliseconds: true });
  return { dateTime: utc ?? iso, timeZone };
}

function zoneOf(snapshot: Snapshot, directory: Directory): string {
  const zone = snapshot['timezone'];
  if (typeof zone === 'string' && zone !== '') return zone;
  return directory.branches.get(String(snapshot['branch_id']))?.timezone ?? 'UTC';
}

/** By characters, not by UTF-16 halves: half an emoji is no text. */
function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  let kept = '';
  for (const character of text) {
    if (kept.length + character.length >= charsMax) break;
    kept += character;
  }
  return `${kept}…`;
}
