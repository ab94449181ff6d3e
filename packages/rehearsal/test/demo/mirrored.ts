// A small company whose calendars and sheets are right: made by hand in the sandboxes, for judges to find nothing in.

import { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { type Company, seedCompany } from '@slotbridge/sandbox/platform/company';
import { Random } from '@slotbridge/sandbox/platform/random';
import { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { talkBefore } from '../../demo/day/eve.ts';
import { Notebook } from '../../demo/day/notebook.ts';
import { namesOf, type Wire, wireText } from '../../demo/judge/company.ts';
import { expectedEvents } from '../../demo/judge/event-picture.ts';
import { judgeMirrors, objectsOfKind, tabPlans } from '../../demo/judge/judge.ts';

export const SPREADSHEET = 'office';

export interface Mirrored {
  readonly platform: PlatformSandbox;
  readonly google: GoogleSandbox;
  readonly company: Company;
  readonly calendars: ReadonlyMap<string, string>;
  /** Kind, place and id of every difference that the judge finds now. */
  differences(): { kind: string; place: string; id: string; what: string }[];
  /** An appointment with an event, and where the first of them stands. */
  someEvent(): { appointment: Wire; calendarId: string; eventId: string };
  close(): Promise<void>;
}

export async function mirrorByHand(): Promise<Mirrored> {
  const platform = await PlatformSandbox.start({ seed: 7 });
  const google = await GoogleSandbox.start({ seed: 7 });
  const company = seedCompany(platform, { seed: 7, contacts: 12, appointments: 30 });
  platform.silently(() => {
    const random = new Random(7);
    talkBefore({ company, platform, random, notebook: new Notebook(platform, random) });
  });
  const calendars = new Map(
    company.resourceIds.map((id, index) => [id, `room-${index}@group.calendar.example`]),
  );
  for (const id of calendars.values()) google.addCalendar(id, { shareWith: [] });
  const names = namesOf(platform.truth, { calendars });
  for (const appointment of platform.truth.appointments())
    plantEvents(google, appointment, expectedEvents(appointment, names));
  const plans = tabPlans(names);
  google.addSpreadsheet(SPREADSHEET, {
    shareWith: [],
    tabs: plans.map(({ plan, of }) => {
      const rows = objectsOfKind(platform.truth, of)
        .map((object) => plan.cells(object))
        .filter((row) => row !== undefined);
      return { title: plan.tab, values: [plan.headers, ...rows] };
    }),
  });
  return {
    platform,
    google,
    company,
    calendars,
    differences() {
      const verdict = judgeMirrors(platform.truth, google.truth, { calendars, spreadsheetId: SPREADSHEET });
      return [...verdict.calendars, ...verdict.tabs].flatMap((place) =>
        place.differences.map((one) => ({ ...one })),
      );
    },
    someEvent() {
      for (const appointment of platform.truth.appointments()) {
        const [calendarId] = expectedEvents(appointment, names).keys();
        if (calendarId !== undefined) return { appointment, calendarId, eventId: eventIdOf(appointment) };
      }
      throw new Error('no appointment has an event');
    },
    async close() {
      await google.close();
      await platform.close();
    },
  };
}

function plantEvents(
  google: GoogleSandbox,
  appointment: Wire,
  pictures: ReturnType<typeof expectedEvents>,
): void {
  for (const [calendarId, picture] of pictures) {
    const side = (ms: number) => ({ dateTime: new Date(ms).toISOString(), timeZone: picture.zone });
    google.staff.calendar.add({
      calendarId,
      id: eventIdOf(appointment),
      event: {
        summary: picture.title,
        description: picture.description,
        location: picture.place,
        start: side(picture.start),
        end: side(picture.end),
        status: picture.state,
        ...(picture.colour === '' ? {} : { colorId: picture.colour }),
      },
    });
  }
}

function eventIdOf(appointment: Wire): string {
  return `sb${wireText(appointment['id']).replaceAll('-', '')}`;
}
