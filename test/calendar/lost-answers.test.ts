import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { markedEvents } from '../../src/calendar/wanted.ts';
import { eventIdOf } from '../../src/engine/ids.ts';
import { ANNA, APPOINTMENT_ID, appointment, BORIS, EVENT, mirror, openStand, type Stand } from './stand.ts';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand({ timeoutMs: 2_000 });
});
afterEach(() => stand.close());

async function eventually(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

describe('an answer that is lost leads to no second event (case 33)', () => {
  test.each([
    { kind: 'commit-then-reset' as const },
    { kind: 'commit-then-status' as const, status: 503 },
    { kind: 'delay' as const, ms: 2_600 },
    { kind: 'reset' as const },
    { kind: 'hang' as const, ms: 2_600 },
    { kind: 'status' as const, status: 200, body: '<html>hello</html>', contentType: 'text/html' },
  ])('when an insert ends in $kind', async (fault) => {
    stand.google.faults.add({ method: 'POST', path: /events/, times: 1, fault });
    await expect(stand.mirror(appointment())).rejects.toMatchObject({ family: 'retryable' });
    await eventually(() => stand.mirror(appointment()));
    expect(stand.google.truth.events(ANNA)).toHaveLength(1);
    expect(stand.links.calendars(APPOINTMENT_ID, mirror.name)).toMatchObject([
      { eventId: EVENT, event: { etag: stand.google.truth.event(ANNA, EVENT)?.['etag'] } },
    ]);
  });

  test('an insert that was made and not recorded is found by its id, without another write', async () => {
    stand.google.faults.add({
      method: 'POST',
      path: /events/,
      times: 1,
      fault: { kind: 'commit-then-reset' },
    });
    await expect(stand.mirror(appointment())).rejects.toThrow();
    stand.google.resetCounts();
    await stand.mirror(appointment());
    expect(stand.calls()).toEqual({ 'events.get': 1 });
  });

  test('an insert that was made in an older state is brought up to date', async () => {
    stand.google.faults.add({
      method: 'POST',
      path: /events/,
      times: 1,
      fault: { kind: 'commit-then-reset' },
    });
    await expect(stand.mirror(appointment())).rejects.toThrow();
    await stand.mirror(appointment({ comment: 'newer' }));
    expect(stand.google.truth.events(ANNA)).toMatchObject([{ description: '+4915112345678\nnewer' }]);
  });

  test('a patch that was made and not recorded is recognised by its content, not made again', async () => {
    await stand.mirror(appointment());
    stand.google.faults.add({ method: 'PATCH', times: 1, fault: { kind: 'commit-then-reset' } });
    const changed = appointment({ comment: 'newer' });
    await expect(stand.mirror(changed)).rejects.toMatchObject({ family: 'retryable' });
    const etag = stand.google.truth.event(ANNA, EVENT)?.['etag'];
    expect(await stand.mirror(changed)).toBe('updated');
    expect(stand.google.truth.event(ANNA, EVENT)?.['etag']).toBe(etag);
  });

  test('a delete that was made and not recorded is done', async () => {
    await stand.mirror(appointment());
    stand.google.faults.add({
      method: 'DELETE',
      times: 1,
      fault: { kind: 'commit-then-status', status: 502 },
    });
    const cancelled = appointment({ status: 'cancelled', resource_ids: [] });
    await expect(stand.mirror(cancelled)).rejects.toMatchObject({ family: 'retryable' });
    expect(await stand.mirror(cancelled)).toBe('removed');
  });
});

describe('the links are lost (Redis is gone)', () => {
  test('events are found by their ids: the same calendars, no duplicate', async () => {
    await stand.mirror(appointment());
    stand.links.forget();
    await stand.mirror(appointment({ comment: 'after' }));
    expect(stand.google.truth.events(ANNA)).toMatchObject([
      { id: EVENT, description: '+4915112345678\nafter' },
    ]);
  });

  test('an event that was taken up again is only read when it says already what it should', async () => {
    await stand.mirror(appointment());
    const etag = stand.google.truth.event(ANNA, EVENT)?.['etag'];
    stand.links.forget();
    for await (const { link } of markedEvents(stand.api, () => false).in(ANNA))
      await stand.links.adopt(`appointment/${APPOINTMENT_ID}`, mirror.name, link);
    stand.google.resetCounts();
    await stand.mirror(appointment());
    expect(stand.calls()).toEqual({ 'events.get': 1 });
    expect(stand.google.truth.event(ANNA, EVENT)?.['etag']).toBe(etag);
    expect(await stand.mirror(appointment())).toBe('nothing');
  });

  test('an event that Google shows only a moment later is one event after the next turn (P2)', async () => {
    await stand.mirror(appointment());
    stand.links.forget();
    const fault = { kind: 'status', status: 404 } as const;
    stand.google.faults.add({ method: 'GET', path: /events\/sb/, times: 2, fault });
    await stand.mirror(appointment());
    expect(stand.titles(ANNA)).toHaveLength(2);
    await stand.mirror(appointment());
    expect(stand.titles(ANNA)).toHaveLength(1);
  });

  test('an appointment that moved meanwhile leaves no event behind once its event was adopted', async () => {
    await stand.mirror(appointment());
    stand.links.forget();
    for await (const { link } of markedEvents(stand.api, () => false).in(ANNA))
      await stand.links.adopt(`appointment/${APPOINTMENT_ID}`, mirror.name, link);
    expect(await stand.mirror(appointment({ resource_ids: ['r-boris'] }))).toBe('moved');
    expect(stand.titles(ANNA)).toEqual([]);
    expect(stand.titles(BORIS)).toHaveLength(1);
  });
});

describe('marked events', () => {
  test('are found over many and over empty pages', async () => {
    const ids = Array.from(
      { length: 260 },
      (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    );
    // No answer is lost here: many calls on a busy machine need their time.
    await stand.close();
    stand = await openStand({ quotas: { calendarPerMinutePerUser: 10_000 } });
    const [first = '', ...others] = ids;
    await stand.mirror(appointment({ id: first }));
    // The others stand there as the mirror would have made them.
    const [{ start, end, extendedProperties } = {}] = stand.google.truth.events(ANNA);
    const made = JSON.stringify({ start, end, extendedProperties });
    for (const id of others)
      stand.staff.add({ calendarId: ANNA, id: eventIdOf(id), event: JSON.parse(made.replaceAll(first, id)) });
    stand.google.switches.emptyPages = true;
    const found: string[] = [];
    for await (const event of markedEvents(stand.api, () => false).in(ANNA)) found.push(event.appointmentId);
    expect(found.sort()).toEqual(ids);
  });

  test("are neither people's own events nor copies that people made of ours (case 41)", async () => {
    await stand.mirror(appointment());
    stand.staff.duplicate({ calendarId: ANNA, eventId: EVENT });
    stand.staff.add({
      calendarId: ANNA,
      event: {
        summary: 'Lunch',
        start: { dateTime: '2026-11-03T12:00:00Z' },
        end: { dateTime: '2026-11-03T13:00:00Z' },
      },
    });
    const found: string[] = [];
    for await (const event of markedEvents(stand.api, () => false).in(ANNA)) found.push(event.link.eventId);
    expect(found).toEqual([EVENT]);
  });

  test('of a calendar that is not shared are an error, not an empty list', async () => {
    stand.google.revokeAccess(ANNA);
    await expect(
      markedEvents(stand.api, () => false)
        .in(ANNA)
        [Symbol.asyncIterator]()
        .next(),
    ).rejects.toMatchObject({
      code: 'calendar-not-shared',
    });
  });
});

describe('when an answer was lost, what the mirror had written is still known as its own', () => {
  const lose = (method: string) =>
    stand.google.faults.add({ method, path: /events/, times: 1, fault: { kind: 'commit-then-reset' } });
  const colour = () => stand.google.truth.event(ANNA, EVENT)?.['colorId'];

  test('the colour of an insert goes with the status that gave it', async () => {
    lose('POST');
    await expect(stand.mirror(appointment({ status: 'no_show' }))).rejects.toThrow();
    expect(colour()).toBe('11');
    await stand.mirror(appointment({ status: 'confirmed' }));
    expect(colour()).toBeUndefined();
  });

  test('the colour of a patch goes with the status that gave it', async () => {
    await stand.mirror(appointment());
    lose('PATCH');
    await expect(stand.mirror(appointment({ status: 'no_show' }))).rejects.toThrow();
    expect(colour()).toBe('11');
    await stand.mirror(appointment({ status: 'confirmed' }));
    expect(colour()).toBeUndefined();
  });

  test('an event whose insert got no answer is removed when its appointment has moved elsewhere or was cancelled meanwhile', async () => {
    lose('POST');
    await expect(stand.mirror(appointment())).rejects.toThrow();
    expect(stand.google.truth.events(ANNA)).toHaveLength(1);
    await stand.mirror(appointment({ resource_ids: ['r-boris'] }));
    expect(stand.google.truth.events(ANNA)).toEqual([]);
    expect(stand.google.truth.events(BORIS)).toHaveLength(1);
  });

  test('a patch that got no answer is undone when the appointment returns to its former state', async () => {
    await stand.mirror(appointment());
    lose('PATCH');
    await expect(stand.mirror(appointment({ customer_name: 'Another' }))).rejects.toThrow();
    expect(stand.google.truth.event(ANNA, EVENT)?.['summary']).toContain('Another');
    await stand.mirror(appointment());
    expect(stand.google.truth.event(ANNA, EVENT)?.['summary']).not.toContain('Another');
  });

  test('a removal that got no answer is undone when the appointment returns to the calendar', async () => {
    await stand.mirror(appointment());
    lose('DELETE');
    await expect(stand.mirror(appointment({ resource_ids: ['r-boris'] }))).rejects.toThrow();
    expect(stand.google.truth.events(ANNA)).toEqual([]);
    await stand.mirror(appointment());
    expect(stand.google.truth.events(ANNA)).toHaveLength(1);
    expect(stand.google.truth.events(BORIS)).toEqual([]);
  });
});
