import type { GuestList } from '../../domain/class-slot.ts';
import type { CalendarMirror } from '../../domain/mirror.ts';
import type { TemplateContext } from '../render/context.ts';
import { escapeHtml } from '../render/escape.ts';
import { compileTemplate } from '../render/template.ts';
import { guestText, type ShownGuests } from './guest-list.ts';
import { cut, cutMarkup, oneLine, withoutControls } from './length.ts';

/** Most characters that Google's own form accepts; longer texts would be refused, and the appointment would not be shown at all. */
const TITLE_CHARS_MAX = 1_024;
const DESCRIPTION_CHARS_MAX = 8_192;
const LOCATION_CHARS_MAX = 1_024;
/** Longest note; keeps a note from crowding out what the mapping shows. */
const NOTE_CHARS_MAX = 2_000;

/** Above a note. Plain characters, because Google does not promise to keep an HTML rule. */
const NOTE_LINE = '──────────';

/** The texts of an event that the mirror owns. Texts left out belong to people. */
interface EventTexts {
  readonly summary: string;
  readonly description?: string;
  readonly location?: string;
}

interface RenderedTexts {
  readonly fields: EventTexts;
  /** The calendar only shows that the time is taken. */
  readonly isMasked: boolean;
  /** Ids of the appointments whose people the description names. */
  readonly named: readonly string[];
}

interface TextOptions {
  readonly note?: string | undefined;
  readonly calendarId?: string;
  /** Classes only: the attendees, where the mapping names them. */
  readonly guests?: GuestList | undefined;
}

/**
 * Title, description and location of a mirror's events. Titles and locations are plain text on one line. Google treats a description as
 * HTML: the template is the operator's, and only values are escaped. Throws `TerminalError` for a template that does not parse.
 */
export function compileTexts(
  mirror: CalendarMirror,
  more: (people: number) => string,
): (context: TemplateContext, options: TextOptions) => RenderedTexts {
  const { event } = mirror;
  const title = compileTemplate(event.title);
  const description = optional(event.description, 'html');
  const link = optional(event.link, 'url');
  const location = optional(event.location, 'text');
  const busyTitles = new Map(
    mirror.calendars.flatMap(({ calendarId, busyTitle }) =>
      busyTitle === undefined ? [] : [[calendarId, compileTemplate(busyTitle)] as const],
    ),
  );
  return (context, { note, calendarId, guests }) => {
    const busyTitle = busyTitles.get(calendarId ?? '');
    if (busyTitle !== undefined) {
      const summary = titleOf(busyTitle.text(context));
      // Sent empty instead of left out, because the event may have shown more before the calendar was shared.
      return {
        fields: { summary, description: withNote('', note).text, location: '' },
        isMasked: true,
        named: [],
      };
    }
    const said = [description?.text(context), link && escapeHtml(link.text(context))];
    const body = said.map((part) => withoutControls(part ?? '').trim()).filter((part) => part !== '');
    const isDescribed = description !== undefined || link !== undefined || guests !== undefined;
    const described = withNote(body.join('\n\n'), note, guests && { list: guests, more });
    const fields: EventTexts = {
      // Without a description in the mapping, the event's description belongs to people, and a note must not replace it.
      summary: titleOf(title.text(context), isDescribed ? undefined : note),
      ...(isDescribed && { description: described.text }),
      ...(location && { location: cut(oneLine(location.text(context)), LOCATION_CHARS_MAX) }),
    };
    return { fields, isMasked: false, named: described.ids };
  };
}

function optional(source: string | undefined, destination: 'text' | 'html' | 'url') {
  return source === undefined ? undefined : compileTemplate(source, destination);
}

function titleOf(text: string, note = ''): string {
  const title = oneLine(text);
  const said = oneLine(note);
  return cut(said === '' ? title : `${title} — ${said}`, TITLE_CHARS_MAX);
}

/** The note has priority, then the description. Guest names get the room that is left. */
function withNote(
  description: string,
  note = '',
  guests?: { readonly list: GuestList; readonly more: (people: number) => string },
): ShownGuests {
  const said = escapeHtml(cut(withoutControls(note).trim(), NOTE_CHARS_MAX));
  const tail = said === '' ? '' : `${NOTE_LINE}\n${said}`;
  const own = cutMarkup(description, roomBeside(tail));
  const charsMax = roomBeside(own, tail);
  const named =
    guests === undefined ? { text: '', ids: [] } : guestText(guests.list, { charsMax, more: guests.more });
  return { ...named, text: [own, named.text, tail].filter((part) => part !== '').join(PARAGRAPH) };
}

const PARAGRAPH = '\n\n';

function roomBeside(...parts: readonly string[]): number {
  const others = parts.filter((part) => part !== '');
  return others.reduce((room, part) => room - part.length - PARAGRAPH.length, DESCRIPTION_CHARS_MAX);
}
