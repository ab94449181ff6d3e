import { DROP_DOWNS, ROW_OUTPUTS } from '../../engine/domain/outside-booking.ts';
import { foldedText } from '../../engine/domain/plain-text.ts';
import type { ConfigDocument } from '../document.ts';
import { type ConfigChecks, sayInTemplate } from '../mirrors/check.ts';
import type { Path } from '../path.ts';
import type { Advice, ProblemList } from '../problem.ts';
import { type BookingKind, kindInstead } from '../schema/booking-place.ts';
import { MIRROR_NAME } from '../schema/mirror.ts';
import type { BookingSketch } from './sketch.ts';

/** Checks entries across settings: parts that exclude or require each other, and the mirrors that they require. */
export function checkBookings(
  sketches: readonly BookingSketch[],
  around: {
    readonly mirrorNames: ReadonlySet<string>;
    /** Ids of calendars that a mirror maps, in lower case. */
    readonly mirrored: ReadonlySet<string>;
    readonly tabs: ReadonlySet<string>;
  },
  report: {
    readonly document: ConfigDocument;
    readonly problems: ProblemList;
    readonly checks: ConfigChecks;
  },
): void {
  const { document, problems } = report;
  const say = (path: Path, advice: Advice) => problems.add(path, document.placeOf(path), advice);
  const sayAtKey = (path: Path, advice: Advice) => problems.add(path, document.placeOfKey(path), advice);
  checkTabs(sketches, say);
  for (const sketch of sketches) {
    checkName(sketch, around.mirrorNames, sayAtKey);
    if (checkPlace(sketch, say)) {
      const kind = sketch.from.has('calendar') ? 'calendar' : 'sheet';
      checkKind(sketch, kind, say);
      if (kind === 'calendar') checkCalendar(sketch, around.mirrored, say);
      else checkSheet(sketch, around.tabs, say);
      checkCustomer(sketch, say);
    }
    for (const { path, source } of sketch.templates) {
      const problem = report.checks.checkTemplate(source, 'booking');
      if (problem) sayInTemplate(path, problem, report);
    }
  }
}

type Say = (path: Path, advice: Advice) => void;

/** Only one entry may read a tab: two would overwrite each other's ids and answers. */
function checkTabs(sketches: readonly BookingSketch[], say: Say): void {
  const readBy = new Map<string, string>();
  for (const { path, name, tab } of sketches) {
    if (tab === undefined) continue;
    const other = readBy.get(tab);
    if (other === undefined) readBy.set(tab, name);
    else
      say([...path, 'from', 'tab'], {
        what: `${other} reads the same tab`,
        fix: 'give each entry its own tab, or merge the entries and use a column for the differences',
      });
  }
}

function checkName({ path, name }: BookingSketch, mirrors: ReadonlySet<string>, say: Say): void {
  if (!MIRROR_NAME.test(name)) {
    say(path, {
      what: 'is a name with other characters than letters, digits, - and _, or longer than 64',
      fix: 'rename it, for example walk-ins',
    });
  } else if (mirrors.has(name)) {
    say(path, {
      what: 'is also the name of a mirror',
      fix: 'rename one of the two: state is stored by name',
    });
  }
}

function checkPlace({ path, from }: BookingSketch, say: Say): boolean {
  const own = [...path, 'from'];
  const isSheet = from.has('spreadsheet') || from.has('tab');
  if (from.has('calendar') && isSheet) {
    say(own, { what: 'names a calendar and a sheet', fix: 'make two entries of it, one for each' });
    return false;
  }
  if (!from.has('calendar') && !isSheet) {
    say(own, {
      what: 'names neither a calendar nor a sheet',
      fix: 'add calendar:, or spreadsheet: and tab:',
    });
    return false;
  }
  return true;
}

const ACCOUNT_OF_MIRROR = {
  what: 'the mirror that maps the calendar already sets its account',
  fix: 'remove it here',
};

/** Reports settings that belong to the other kind of entry. */
function checkKind({ path, parts, from, edits }: BookingSketch, kind: BookingKind, say: Say): void {
  const settings: Path[] = [
    ...[...parts].filter((key) => key !== 'from' && key !== 'staff_edits').map((key) => [key]),
    ...[...from].map((key) => ['from', key]),
    ...[...edits].map((key) => ['staff_edits', key]),
  ];
  for (const setting of settings) {
    const other = kindInstead(kind, setting.join('.'));
    if (other === undefined) continue;
    const isMapped = kind === 'calendar' && setting.includes('account');
    say(
      [...path, ...setting],
      isMapped ? ACCOUNT_OF_MIRROR : { what: `belongs to bookings from a ${other}`, fix: 'remove it' },
    );
  }
}

function checkCalendar(sketch: BookingSketch, mirrored: ReadonlySet<string>, say: Say): void {
  const { path, parts, rules } = sketch;
  // `organizer` only adds organizers whose invitations count; it does not select events.
  if (rules.every((rule) => rule === 'organizer')) {
    say(parts.has('when') ? [...path, 'when'] : path, {
      what: 'does not say which events are bookings',
      fix: 'add when: { title: "#book *" }, or another rule: every event of the calendar would be booked',
    });
  }
  if (!parts.has('service')) {
    say(path, { what: 'has no service', fix: 'add service: with a name, or "{{ title | service }}"' });
  }
  if (parts.has('horizon') && !parts.has('recurring')) {
    say([...path, 'horizon'], {
      what: 'has an effect only on series',
      fix: 'add recurring: each, or remove it',
    });
  }
  for (const { path: at, calendarId } of sketch.calendars) {
    if (mirrored.has(calendarId.toLowerCase())) continue;
    say(at, {
      what: 'the calendar is in no mirror, so a booked event could not become the mirror of its appointment',
      fix: 'map it in a mirror with from: appointments and calendars:',
    });
  }
}

function checkSheet(sketch: BookingSketch, tabs: ReadonlySet<string>, say: Say): void {
  const { path, parts, from, columns } = sketch;
  for (const key of ['spreadsheet', 'tab'].filter((each) => !from.has(each))) {
    say([...path, 'from'], { what: `has no ${key}`, fix: `add ${key}:` });
  }
  if (sketch.tab !== undefined && tabs.has(sketch.tab)) {
    say([...path, 'from', 'tab'], {
      what: 'a mirror writes to this tab',
      fix: 'give bookings a tab of their own',
    });
  }
  const own = parts.has('columns') ? [...path, 'columns'] : path;
  for (const needed of ['starts_at', 'id', 'status'].filter((each) => !columns.has(each))) {
    say(own, { what: `names no column for ${needed}`, fix: `add ${needed}: with a header` });
  }
  if (!columns.has('service') && !parts.has('service')) {
    say(own, {
      what: 'has no service',
      fix: 'add service: with a header to columns, or a service for all rows',
    });
  }
  checkHeaders(sketch, own, say);
  for (const meaning of sketch.dropDowns.filter((each) => isDropDown(each) && !columns.has(each))) {
    say([...path, 'drop_downs'], {
      what: `names ${meaning}, which has no column`,
      fix: `add ${meaning}: with a header to columns, or remove it here`,
    });
  }
}

function isDropDown(name: string): boolean {
  return (DROP_DOWNS as readonly string[]).includes(name);
}

function checkHeaders({ columns }: BookingSketch, own: Path, say: Say): void {
  const seen = new Map<string, string>();
  for (const [meaning, written] of columns) {
    const folded = foldedText(written);
    const twin = seen.get(folded);
    if (twin !== undefined) {
      say([...own, meaning], {
        what: `is the same header as that of ${twin}`,
        fix: (ROW_OUTPUTS as readonly string[]).includes(meaning)
          ? "give the worker's column a header of its own"
          : 'give each its own column',
      });
    } else seen.set(folded, meaning);
  }
}

function checkCustomer({ path, customer, columns, from }: BookingSketch, say: Say): void {
  const isKnown = ['contact_id', 'phone', 'email'].some(
    (each) => customer.has(each) || (!from.has('calendar') && columns.has(each)),
  );
  if (isKnown) return;
  say(path, {
    what: 'does not say who is booked',
    fix: 'add customer: { name: "{{ title }}", phone: "{{ description | phone }}" }',
  });
}
