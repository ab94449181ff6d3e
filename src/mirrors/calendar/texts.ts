import type { GuestList } from '../../domain/class-slot.ts';
import type { CalendarMirror } from '../../domain/mirror.ts';
import type { TemplateContext } from '../render/context.ts';
import { escapeHtml } from '../render/escape.ts';
import { compileTemplate } from '../render/template.ts';
import { guestText, type ShownGuests } from './guest-list.ts';
import { cut, cutMarkup, oneLine, withoutControls } from './length.ts';

/** What Google's own form takes; longer texts would be refused and the appointment would not be shown at all. */
const TITLE_CHARS_MAX = 1_024;
const DESCRIPTION_CHARS_MAX = 8_192;
const LOCATION_CHARS_MAX = 1_024;
/** Keeps a note from crowding out what the mapping shows. */
const NOTE_CHARS_MAX = 2_000;

/** Above a note. Plain characters, because nobody promises that Google keeps a rule of HTML. */
const NOTE_LINE = '──────────';

/** The texts of an event that the mirror owns; those left out are people's. */
interface EventTexts {
  readonly summary: string;
  readonly description?: string;
  readonly location?: string;
}

interface RenderedTexts {
  readonly fields: EventTexts;
  /** The calendar only shows that the time is taken. */
  readonly isMasked: boolean;
  /** Ids of appointments whose people the description names. */
  readonly named: readonly string[];
}

interface TextOptions {
  readonly note?: string | undefined;
  readonly calendarId?: string;
  /** Classes only: the attendees, where the mapping names them. */
  readonly guests?: GuestList | undefined;
}

/**
 * Title, description and place of a mirror's events. Titles and places are plain text on one line. A description is HTML to Google:
 * there the template is the operator's, and values are escaped. Throws `TerminalError` for a template that does not parse.
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
      // Sent empty, and not left out: the event may have shown more before the calendar was shared.
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
      // Where the mapping gives no description it belongs to people, and a note must not take its place.
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

/** The note is never cut, nor is the description for the sake of names. */
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
