/** Security: who may send an invitation, a delivery or a row must not be able to keep the worker busy (P9). */

import { expect, test } from 'vitest';
import { cut, cutMarkup, oneLine, withoutControls } from '../../src/calendar/wanted.ts';
import { refusalText } from '../../src/engine/booking-answer.ts';
import { takesEvent } from '../../src/engine/event-rule.ts';
import {
  areRewritten,
  hashTexts,
  isNoteIn,
  withAnswer,
  withoutAnswer,
} from '../../src/engine/event-texts.ts';
import { extract, findNamed } from '../../src/engine/extract-booking.ts';
import {
  appointmentOfEvent,
  eventIdInOrigin,
  eventIdOf,
  eventOfOrigin,
  generationOf,
  inGeneration,
  isEventIdOf,
  isRowId,
  rowOfOrigin,
} from '../../src/engine/ids.ts';
import { contentHash, instantKey, parseKey } from '../../src/engine/object.ts';
import type { CalendarBookings } from '../../src/engine/outside-booking.ts';
import { isAbout, withoutPerson } from '../../src/engine/person.ts';
import { plainText } from '../../src/engine/plain-text.ts';
import { CALENDAR_EVENT } from '../../src/google/calendar-event.ts';
import { classifyGoogleError } from '../../src/google/errors.ts';
import { readSheetZone } from '../../src/google/sheets-api.ts';
import { momentOf } from '../../src/google/shown-cells.ts';
import { bookingFilters, createBookingTemplates } from '../../src/mapping/phone-filter.ts';
import { createEngine, escapeAttribute, escapeFor, escapeHtml } from '../../src/mapping/template.ts';
import { maskText } from '../../src/operate/personal-data.ts';
import { readProblem, readRequestId } from '../../src/platform/http-answer.ts';
import { readRateFacts } from '../../src/platform/http-rate.ts';
import { parseDelivery, verifySignature } from '../../src/platform/webhook-delivery.ts';
import { readRefusal } from '../../src/sheet/flush-write.ts';
import { findColumns, readRows } from '../../src/sheet/tab-reading.ts';
import { fingerprint, storable, toCellData } from '../../src/sheet/tab-survey.ts';
import { typedCell } from '../../src/sheet/typed-cell.ts';
import { rowsOf } from '../stand/runs.ts';
import { type Attack, fewAttacks, growsTooFast, slowWith } from './linear.ts';
import { read, trackedFiles } from './tree.ts';

const TAKEN: CalendarBookings = {
  ...{ kind: 'calendar', name: 'walk-ins', calendars: [], when: { title: '#book *' }, staffEdits: {} },
  ...{ notifyCustomer: false, language: 'en', stillForMs: 0, region: 'RU' },
  service: '{{ title | service }}',
  resource: '{{ location }}',
  duration: '{{ description | duration }}',
  customer: {
    name: '{{ title }}',
    phone: '{{ description | phone }}',
    email: '{{ location | email }}',
    create: true,
  },
  comment: '{{ description | strip_html | truncatewords: 9 }}',
};
const FILTERS = bookingFilters({ region: 'RU', serviceNames: () => ['Haircut', 'a a', '1'] });
const TEMPLATES = createBookingTemplates({ region: 'RU', serviceNames: () => ['Haircut', 'a a', '1'] });
const NAMED = new Map([['1', { id: '1', projectId: 'p', name: 'Haircut' }]]);
const COLUMNS = new Map(
  [...['id', 'status', 'starts_at', 'ready', 'phone'].entries()].map(([at, name]) => [name, at]),
);
const CLOCK = {
  zone: 'Europe/Moscow',
  formats: ['d/M/yyyy H:mm', 'M/d/yyyy, h:mm a', 'EEEE d MMMM yyyy HH:mm z'],
};
const PERSON = {
  ...{ ids: ['5b1f0c52'], phones: ['+4930000000000', '84950001101'], hashes: [] },
  ...{ emails: ['a@a.a'], names: ['aaa 111'] },
};
const ABOUT = { zone: 'Europe/Moscow', currency: 'EUR' };

function event(text: string) {
  const person = { email: text };
  return CALENDAR_EVENT.parse({
    ...{ id: text, etag: text, summary: text, description: text, location: text, updated: text },
    ...{ start: { dateTime: text, timeZone: text }, organizer: person, creator: person, attendees: [person] },
    extendedProperties: { private: { [text]: text } },
  });
}

function delivery(header: string) {
  const headers = {
    'x-signed': header,
    'webhook-id': header,
    'webhook-timestamp': '1',
    'webhook-signature': header,
  };
  return { headers, body: Buffer.from('{}'), nowMs: 0 };
}

/** Whatever reads what people outside have written: events, rows, deliveries, answers and headers. */
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  withoutAnswer,
  withAnswer: (text) => withAnswer(text, 'taken'),
  plainText,
  hashTexts: (text) => hashTexts({ summary: text, description: text }, text.slice(0, 20)),
  areRewritten: (text) => areRewritten({ description: '' }, { description: text }, 'a note'),
  'texts about a person': (text) => [isAbout(text, PERSON), withoutPerson(text, PERSON)],
  isNoteIn: (text) => isNoteIn({ description: text }, 'a note'),
  takesEvent: (text) =>
    ['#book *', '*a*a*1*b', '* *', '*'].map((title) =>
      takesEvent(
        { title, creators: ['a@a'], attendees: ['b@b'], properties: { a: '*a*b' } },
        { title: text, creator: text, attendees: [text], properties: { a: text } },
      ),
    ),
  'an event of Google’s': event,
  eventIdInOrigin: (text) => eventIdInOrigin(`calendar/${text}`),
  eventOfOrigin: (text) => eventOfOrigin(text, 'anna@clinic.example'),
  rowOfOrigin,
  appointmentOf: (text) => [
    ...[appointmentOfEvent(text), appointmentOfEvent(`sb${text}`), generationOf(text)],
    ...[inGeneration(text, 1), isEventIdOf(`${eventIdOf('a')}${text}`, 'a')],
  ],
  isRowId: (text) => isRowId(text, 'sheet'),
  parseKey,
  instantKey,
  contentHash,
  extract: (text) =>
    extract(
      {
        ...{ id: '1', origin: 'o', mapping: 'walk-ins', seen_at: '2026-03-01T00:00:00Z', state: 'live' },
        ...{ place: 'calendar', calendar_id: 'c', event_id: 'e', is_matching: true, is_copy: false },
        ...{ title: text, description: text, location: text, starts_at: '2026-03-03T10:00:00Z' },
      },
      {
        ...{ mapping: TAKEN, templates: TEMPLATES, resourceAt: () => undefined, nowMs: 0 },
        directory: { resources: new Map(), branches: new Map(), services: new Map() } as never,
      },
    ),
  findNamed: (text) => findNamed(NAMED, text),
  refusalText: (text) =>
    refusalText({ code: text, fields: [text], slots: [] }, { language: 'en', zone: 'UTC' }),
  'filter phone': (text) => FILTERS['phone']?.(text),
  'filter email': (text) => FILTERS['email']?.(text),
  'filter duration': (text) => FILTERS['duration']?.(text),
  'filter service': (text) => FILTERS['service']?.(text),
  momentOf: (text) => [momentOf(text, CLOCK), momentOf(`2026-03-03 10:00${text}`, CLOCK)],
  readRows: (text) => readRows([[], [text, text, text, text, text]], COLUMNS as never, CLOCK),
  findColumns: (text) => findColumns([text, text], { columns: { id: 'ID', status: 'Status' } }),
  typedCell: (text) =>
    (['text', 'boolean', 'number', 'money', 'date', 'datetime', 'time'] as const).map((as) =>
      typedCell({ as }, text, ABOUT),
    ),
  storable: (text) => [storable(text), toCellData(text), fingerprint(text)],
  readSheetZone,
  cuts: (text) => [cut(text, 1_000), cutMarkup(text, 15_000), oneLine(text), withoutControls(text)],
  escapes: (text) => [escapeHtml(text), escapeAttribute(text), escapeFor('url', text)?.escapeValue(text)],
  'signature timestamped': (text) =>
    verifySignature(
      { scheme: 'timestamped', header: 'x-signed', secrets: ['s'], toleranceMs: 1 },
      delivery(text),
    ),
  'signature body': (text) =>
    verifySignature({ scheme: 'body', header: 'x-signed', secrets: ['s'], toleranceMs: 1 }, delivery(text)),
  'signature standard': (text) =>
    verifySignature(
      { scheme: 'standard', header: '', secrets: ['whsec_aa'], toleranceMs: 1 },
      delivery(text),
    ),
  parseDelivery: (text) => [parseDelivery(text), parseDelivery(JSON.stringify({ id: text, type: text }))],
  readRateFacts: (text) =>
    readRateFacts(
      new Map(['ratelimit-reset', 'retry-after', 'date'].map((name) => [name, text])) as never,
      0,
    ),
  readProblem: (text) => [readProblem(text), readProblem(JSON.stringify({ code: text, detail: text }))],
  readRequestId,
  maskText,
  'a refusal of Google’s': (text) => {
    const thrown = {
      message: text,
      response: { status: 400, headers: {}, data: { error: { code: 400, message: text } } },
    };
    const classified = classifyGoogleError(thrown, 'spreadsheet:s');
    return [classified, readRefusal(classified)];
  },
};

/** In a line of source, behind what cannot end a value. */
const LITERAL =
  /(?:^\s*|[(,=:[!&|?{;>]\s*|return )\/((?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,300}\]){1,500})\/([dgimsuvy]{0,4})/gm;

/** Those of the worker itself; what it plays to itself in the sandbox and the demo is nobody's text. */
function expressionsOfSource(): readonly { readonly at: string; readonly regex: RegExp }[] {
  const files = trackedFiles().filter(
    (path) => /^src\/.*\.ts$/.test(path) && !/^src\/(?:sandbox|demo)\//.test(path),
  );
  return files.flatMap((path) =>
    [...read(path).matchAll(LITERAL)].flatMap(([, body = '', flags = '']) => {
      try {
        const all = flags.includes('y') || flags.includes('g') ? flags : `${flags}g`;
        return [{ at: `${path} /${body}/${flags}`, regex: new RegExp(body, all) }];
      } catch {
        return [];
      }
    }),
  );
}

/** `thorough`: every text against everything. Else each text is tried against a part of what takes it, and every parser takes the few. */
export interface Tried {
  readonly attacks: readonly Attack[];
  readonly thorough: boolean;
}

export function testLinearWork({ attacks, thorough }: Tried): void {
  test('the measure itself tells a square from a line', () => {
    const spaces = (chars: number) => `a${' '.repeat(chars)}b`;
    // Often enough to be no trifle on a fast machine, which the measure lets pass.
    const square = (text: string) => Array.from({ length: 2 }, () => text.replace(/\s+$/, ''));
    expect(growsTooFast(square, spaces)).toBe(true);
    expect(growsTooFast((text) => text.replaceAll(/\s+/g, ' '), spaces)).toBe(false);
  });

  test.each(rowsOf(Object.keys(PARSERS), 3))('%s', (name) => {
    const parse = PARSERS[name];
    expect(parse).toBeTypeOf('function');
    if (parse !== undefined) expect(slowWith(parse, attacks)).toEqual([]);
  });

  test('every filter that a template may use', () => {
    const engine = createEngine({ keepsTypes: false });
    const names = Object.keys(engine.filters);
    expect(names).toContain('strip_html');
    const few = fewAttacks();
    const arguments_ = ['', ': " "', ': "a", "b"', ': 5'];
    const slow = rowsOf(names, 3).flatMap((name) =>
      arguments_.flatMap((given, at) => {
        const source = `{{ text | ${name}${given} }}`;
        const parts = engine.parse(source);
        const tried = thorough ? few : few.filter((_, n) => n % arguments_.length === at);
        const found = slowWith((text) => engine.renderSync(parts, { text }), tried);
        return found.map((attack) => `${source} ${attack}`);
      }),
    );
    expect(slow).toEqual([]);
  });

  test('every regular expression in the source', () => {
    const found = expressionsOfSource();
    expect(found.length).toBeGreaterThan(100);
    const slow = rowsOf(found, 3).flatMap(({ at, regex }) => {
      const own = (regex.source.match(/[a-z<>&@"'#:;,=-]{2,20}/gi) ?? []).slice(0, 20);
      const hits = slowWith((text) => text.replace(regex, ''), fewAttacks(own));
      return hits.slice(0, 1).map((attack) => `${at} ${attack}`);
    });
    expect(slow).toEqual([]);
  });
}
