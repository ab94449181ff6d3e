import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  appointmentOfEvent,
  eventIdOf as eventIdIn,
  generationOf,
  inGeneration,
  isEventIdOf,
} from '../../../src/engine/ids.ts';

const GOOGLE_ID = /^[a-v0-9]{5,1024}$/;
const anyId = fc.oneof(fc.uuid(), fc.string());
const generation = fc.integer({ min: 0, max: 99 });
/** In the calendars of resources, or in one of a team. */
const home = fc.option(fc.emailAddress(), { nil: undefined });
const eventIdOf = (id: string, n = 0, onlyIn?: string) => inGeneration(eventIdIn(id, onlyIn), n);

test('an event id is one that Google takes, whatever the appointment is called', () =>
  fc.assert(fc.property(anyId, generation, home, (id, n, at) => GOOGLE_ID.test(eventIdOf(id, n, at)))));

test('an event id tells its generation', () =>
  fc.assert(fc.property(anyId, generation, home, (id, n, at) => generationOf(eventIdOf(id, n, at)) === n)));

test('an event id belongs to one appointment only', () =>
  fc.assert(
    fc.property(
      fc.record({ a: fc.uuid(), b: anyId, n: generation, at: home }),
      ({ a, b, n, at }) =>
        isEventIdOf(eventIdOf(a, n, at), a) && isEventIdOf(eventIdOf(b, n, at), a) === (a === b),
    ),
  ));

test('each calendar that is nobody has its own id of an appointment, however the calendar is spelt; those of resources share one', () => {
  const id = '0d3b2f6a-91c4-4f0e-8a55-6f1f7f6f2b10';
  expect(eventIdIn(id)).toBe('sb0d3b2f6a91c44f0e8a556f1f7f6f2b10');
  expect(eventIdIn(id, 'team@x.example')).toMatch(/^sb0d3b2f6a91c44f0e8a556f1f7f6f2b10t[0-9a-f]{10}$/);
  expect(eventIdIn(id, 'Team@x.example')).toBe(eventIdIn(id, 'team@x.example'));
  expect(eventIdIn(id, 'team@x.example')).not.toBe(eventIdIn(id, 'board@x.example'));
  expect(inGeneration(inGeneration(eventIdIn(id, 'team@x.example'), 3), 0)).toBe(
    eventIdIn(id, 'team@x.example'),
  );
});

test('the case of a UUID makes no difference: Google knows no capitals', () => {
  const id = '0D3B2F6A-91C4-4F0E-8A55-6F1F7F6F2B10';
  expect(eventIdOf(id)).toBe('sb0d3b2f6a91c44f0e8a556f1f7f6f2b10');
  expect(eventIdOf(id.toLowerCase())).toBe(eventIdOf(id));
});

test("an id of Google's making belongs to no appointment", () => {
  expect(isEventIdOf('5k3v0ab1c2d3e4f5g6h7i8j9k0', '0d3b2f6a-91c4-4f0e-8a55-6f1f7f6f2b10')).toBe(false);
});

test('an event id names its appointment, in every generation, without anything stored', () =>
  fc.assert(
    fc.property(fc.uuid(), generation, home, (id, n, at) => appointmentOfEvent(eventIdOf(id, n, at)) === id),
  ));

test("an id of Google's making names no appointment, and neither does an instance of a series", () => {
  expect(appointmentOfEvent('5k3v0ab1c2d3e4f5g6h7i8j9k0')).toBeUndefined();
  expect(appointmentOfEvent('sb0d3b2f6a91c44f0e8a556f1f7f6f2b10_20261121T090000Z')).toBeUndefined();
});
