import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventBody, type Rig, reason, room, startRig, worker } from './rig.ts';

let rig: Rig;
let at: string;
let etag: string;
beforeEach(async () => {
  rig = await startRig();
  at = `${rig.events}/aaaaa`;
  const extendedProperties = { private: { crm: '7', mark: 'x' } };
  etag = (
    await rig.call(
      'POST',
      rig.events,
      eventBody('2026-05-04T08:00:00Z', { id: 'aaaaa', location: 'Room 1', extendedProperties }),
    )
  ).body.etag;
});
afterEach(() => rig.sandbox.close());

const staff = () => rig.sandbox.staff.calendar;
const mine = { calendarId: room, eventId: 'aaaaa' };

test('a patch merges objects, replaces the rest, and null removes', async () => {
  const { body } = await rig.call('PATCH', at, {
    summary: 'Shave',
    location: null,
    extendedProperties: { private: { mark: null, more: 'y' } },
  });
  expect(body).toMatchObject({ summary: 'Shave', extendedProperties: { private: { crm: '7', more: 'y' } } });
  expect(body.extendedProperties.private.mark).toBeUndefined();
  expect(body.location).toBeUndefined();
  expect(body.start.dateTime).toBe('2026-05-04T10:00:00+02:00');
});

test('a patch from timed to all-day needs the nulls', async () => {
  const careless = await rig.call('PATCH', at, {
    start: { date: '2026-05-04' },
    end: { date: '2026-05-05' },
  });
  expect(careless.status).toBe(400);
  expect(reason(careless).message).toBe('Invalid start time.');
  const sides = {
    start: { date: '2026-05-04', dateTime: null, timeZone: null },
    end: { date: '2026-05-05', dateTime: null, timeZone: null },
  };
  expect((await rig.call('PATCH', at, sides)).body.start).toEqual({ date: '2026-05-04' });
});

test('a put drops what it does not send', async () => {
  staff().recolour({ ...mine, colorId: '5' });
  const { body } = await rig.call('PUT', at, eventBody());
  expect(body.colorId).toBeUndefined();
  expect(body.location).toBeUndefined();
  expect(body.extendedProperties).toBeUndefined();
  expect((await rig.call('PUT', at, { summary: 'x' })).status).toBe(400);
});

test('a patch leaves what people own', async () => {
  staff().recolour({ ...mine, colorId: '5' });
  staff().addReminder({ ...mine, minutes: 15 });
  const { body } = await rig.call('PATCH', at, { summary: 'Shave' });
  expect(body.colorId).toBe('5');
  expect(body.reminders).toEqual({ useDefault: false, overrides: [{ method: 'popup', minutes: 15 }] });
});

test('every write gives a new etag', async () => {
  const { body, headers } = await rig.call('PATCH', at, { summary: 'Shave' });
  expect(body.etag).not.toBe(etag);
  expect(headers.get('etag')).toBe(body.etag);
});

test('an old etag answers 412 to patch, put and delete, and nothing happens', async () => {
  staff().retitle({ ...mine, summary: 'Theirs' });
  for (const [method, body] of [
    ['PATCH', { summary: 'Ours' }],
    ['PUT', eventBody()],
    ['DELETE', undefined],
  ] as const) {
    const reply = await rig.callWith({ 'if-match': etag })(method, at, body);
    expect(reply.status).toBe(412);
    expect(reason(reply)).toEqual({
      domain: 'global',
      reason: 'conditionNotMet',
      message: 'Precondition Failed',
      locationType: 'header',
      location: 'If-Match',
    });
  }
  expect(rig.sandbox.truth.event(room, 'aaaaa')).toMatchObject({ summary: 'Theirs', status: 'confirmed' });
});

test('the current etag and the star pass', async () => {
  const first = await rig.callWith({ 'if-match': etag })('PATCH', at, { summary: 'One' });
  expect(first.status).toBe(200);
  expect((await rig.callWith({ 'if-match': '*' })('PATCH', at, { summary: 'Two' })).status).toBe(200);
  expect((await rig.callWith({ 'if-match': first.body.etag })('DELETE', at)).status).toBe(412);
});

test('If-None-Match of the current etag answers 304', async () => {
  expect((await rig.callWith({ 'if-none-match': etag })('GET', at)).status).toBe(304);
  staff().retitle({ ...mine, summary: 'Theirs' });
  expect((await rig.callWith({ 'if-none-match': etag })('GET', at)).status).toBe(200);
});

test('another time raises the sequence, another title does not', async () => {
  expect((await rig.call('PATCH', at, { summary: 'x' })).body.sequence).toBe(0);
  staff().move({ ...mine, start: '2026-05-05T08:00:00Z' });
  expect((await rig.call('GET', at)).body).toMatchObject({
    sequence: 1,
    start: { dateTime: '2026-05-05T10:00:00+02:00' },
    end: { dateTime: '2026-05-05T11:00:00+02:00' },
  });
});

test('a lower sequence is refused', async () => {
  staff().move({ ...mine, start: '2026-05-05T08:00:00Z' });
  expect(reason(await rig.call('PATCH', at, { sequence: 0, summary: 'x' })).message).toMatch(
    /^Invalid sequence value/,
  );
});

test('reminders do not change `updated`', async () => {
  const { body } = await rig.call('GET', at);
  rig.clock.advance(5000);
  const reminded = await rig.call('PATCH', at, { reminders: { useDefault: false, overrides: [] } });
  expect(reminded.body.updated).toBe(body.updated);
  expect((await rig.call('PATCH', at, { summary: 'x' })).body.updated).not.toBe(body.updated);
});

test('a delete leaves a tombstone that get still shows', async () => {
  const reply = await rig.call('DELETE', at);
  expect([reply.status, reply.body]).toEqual([204, '']);
  expect((await rig.call('GET', at)).body).toMatchObject({
    id: 'aaaaa',
    status: 'cancelled',
    summary: 'Haircut',
  });
  expect(rig.sandbox.truth.events(room)).toEqual([]);
});

test('a second delete answers 410 deleted', async () => {
  await rig.call('DELETE', at);
  const reply = await rig.call('DELETE', at);
  expect(reply.status).toBe(410);
  expect(reason(reply)).toEqual({
    domain: 'global',
    reason: 'deleted',
    message: 'Resource has been deleted',
  });
});

test('an event that never was answers 404', async () => {
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', {}],
    ['PUT', eventBody()],
    ['DELETE', undefined],
  ] as const) {
    expect((await rig.call(method, `${rig.events}/bbbbb`, body)).status).toBe(404);
  }
});

test('status cancelled in a patch deletes', async () => {
  expect((await rig.call('PATCH', at, { status: 'cancelled' })).body.status).toBe('cancelled');
  expect((await rig.call('DELETE', at)).status).toBe(410);
});

test('a patch of the status brings a deleted event back', async () => {
  await rig.call('DELETE', at);
  const { status, body } = await rig.call('PATCH', at, { status: 'confirmed', summary: 'Again' });
  expect([status, body.status, body.summary]).toEqual([200, 'confirmed', 'Again']);
  expect(rig.sandbox.truth.events(room)).toHaveLength(1);
});

test('a put brings it back, too, unless the account is one of those that get 403', async () => {
  await rig.call('DELETE', at);
  rig.sandbox.switches.reviveAnswers403 = true;
  const refused = await rig.call('PUT', at, eventBody());
  expect([refused.status, reason(refused).reason]).toEqual([403, 'forbidden']);
  rig.sandbox.switches.reviveAnswers403 = false;
  expect((await rig.call('PUT', at, eventBody())).body.status).toBe('confirmed');
});

test('tombstones may show nothing but their id', async () => {
  rig.sandbox.switches.tombstonesMinimal = true;
  await rig.call('DELETE', at);
  const { body } = await rig.call('GET', at);
  expect(Object.keys(body).sort()).toEqual(['etag', 'id', 'kind', 'status']);
});

test('the type of an event cannot change', async () => {
  const reply = await rig.call('PATCH', at, { eventType: 'focusTime' });
  expect([reply.status, reason(reply).reason]).toEqual([400, 'eventTypeRestriction']);
});

test('another id in the body is refused', async () => {
  expect((await rig.call('PATCH', at, { id: 'bbbbb' })).status).toBe(400);
});

test('on somebody else’s event only one’s own fields can be changed', async () => {
  const { id } = staff().add({
    calendarId: room,
    event: eventBody() as never,
    organizer: { email: 'boss@other.example' },
  });
  const shared = await rig.call('PATCH', `${rig.events}/${id}`, { summary: 'Mine' });
  expect([shared.status, reason(shared).reason]).toEqual([403, 'forbiddenForNonOrganizer']);
  expect((await rig.call('PATCH', `${rig.events}/${id}`, { colorId: '3' })).status).toBe(200);
});

test('a write with sendUpdates mails the guests that people have added', async () => {
  staff().addGuest({ ...mine, email: 'guest@x.example' });
  await rig.call('PATCH', `${at}?sendUpdates=none`, { summary: 'x' });
  expect(rig.sandbox.stats().mailsSent).toBe(0);
  await rig.call('PATCH', `${at}?sendUpdates=all`, { summary: 'y' });
  expect(rig.sandbox.stats().mailsSent).toBe(1);
});

test('a move keeps the id and leaves a bare trace', async () => {
  rig.sandbox.addCalendar('room2', { shareWith: [worker] });
  const { status, body } = await rig.call('POST', `${at}/move?destination=room2`);
  expect([status, body.organizer.email]).toEqual([200, 'room2']);
  expect(rig.sandbox.truth.events('room2').map((event) => event['id'])).toEqual(['aaaaa']);
  expect((await rig.call('GET', at)).body).toMatchObject({ id: 'aaaaa', status: 'cancelled' });
  expect((await rig.call('GET', at)).body.summary).toBeUndefined();
  // Nothing but the id is left to bring back: the whole event has to be sent.
  expect((await rig.call('PATCH', at, { status: 'confirmed' })).status).toBe(400);
  expect(
    (await rig.call('PATCH', at, eventBody('2026-05-04T08:00:00Z', { status: 'confirmed' }))).body.location,
  ).toBeUndefined();
});

test('a person’s duplicate has another id and the same private properties', async () => {
  const copy = staff().duplicate(mine);
  expect(copy['id']).not.toBe('aaaaa');
  expect(copy['extendedProperties']).toEqual({ private: { crm: '7', mark: 'x' } });
});
