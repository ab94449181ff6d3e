import { describe, expect, it } from 'vitest';
import { openStage, type Stage } from './stage.ts';

/** `asked`: `GET /stats`. */
async function control(stage: Stage, asked: string, body?: unknown) {
  const [method = '', path] = asked.split(' ');
  const origin = stage.sandbox.url.replace(/\/v1$/, '');
  const response = await fetch(`${origin}/_sandbox${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

describe('the control paths', () => {
  it('show the statistics without a key, and do not count among the requests', async () => {
    const stage = await openStage();
    await stage.contact();
    const { status, body } = await control(stage, 'GET /stats');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      requests: 1,
      requestsByRoute: { 'POST /v1/contacts': 1 },
      changes: 1,
      eventsFormed: 0,
    });
  });

  it('change the delivery policy, and refuse a setting that does not exist', async () => {
    const stage = await openStage();
    expect((await control(stage, 'PATCH /delivery', { loseShare: 0.5 })).body.loseShare).toBe(0.5);
    expect(stage.sandbox.delivery.loseShare).toBe(0.5);
    expect((await control(stage, 'PATCH /delivery', { looseShare: 1 })).status).toBe(400);
    expect((await control(stage, 'PATCH /delivery', { loseShare: 'much' })).status).toBe(400);
  });

  it('that do not exist are refused as other unknown paths are', async () => {
    const stage = await openStage();
    const { status, body } = await stage.get('/nothing');
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['DELETE', '/stats'],
      ['GET', '/truth/secrets'],
    ] as const) {
      const answer = await control(stage, `${method} ${path}`);
      expect([path, answer.status, answer.body.type]).toEqual([path, status, body.type]);
    }
  });

  it('change the switches', async () => {
    const stage = await openStage();
    await control(stage, 'PATCH /switches', { unknownPath: 'not-found' });
    expect((await stage.get('/invoices')).status).toBe(404);
  });

  it('add faults and clear them', async () => {
    const stage = await openStage();
    const rule = { method: 'GET', path: '/contacts', fault: { kind: 'status', status: 503 } };
    expect((await control(stage, 'POST /faults', rule)).status).toBe(200);
    expect((await stage.get('/contacts')).status).toBe(503);
    expect((await stage.get('/services')).status).toBe(200);
    await control(stage, 'DELETE /faults');
    expect((await stage.get('/contacts')).status).toBe(200);
    expect((await control(stage, 'POST /faults', { fault: { kind: 'explode' } })).status).toBe(400);
  });

  it('make keys', async () => {
    const stage = await openStage();
    const { key } = (await control(stage, 'POST /keys', { scopes: ['contacts:read'] })).body;
    expect((await stage.get('/contacts', { key })).status).toBe(200);
    expect((await stage.get('/services', { key })).status).toBe(403);
  });

  it('do what staff do in the dashboard', async () => {
    const stage = await openStage();
    const act = async (action: string, body: unknown) =>
      (await control(stage, `POST /dashboard/${action}`, body)).body.result;
    const contactId = await act('createContact', {
      projectId: stage.projectId,
      name: 'Vera',
      phone: '+79123456789',
    });
    const id = await act('bookAs', {
      source: 'lk',
      serviceId: stage.haircutId,
      startsAt: stage.at(10),
      contactId,
    });
    await act('markAppointment', { id, status: 'arrived' });
    expect((await stage.get(`/appointments/${id}`)).body).toMatchObject({
      source: 'lk',
      status: 'arrived',
      customer_name: 'Vera',
    });
    await act('setUpdatedAt', { id: contactId, rule: null });
    expect((await stage.get(`/contacts/${contactId}`)).body.updated_at).toBeNull();
  });

  it('change the catalogue', async () => {
    const stage = await openStage();
    await control(stage, 'POST /dashboard/changeResource', {
      id: stage.annaId,
      name: 'Anna P.',
      capacity: 3,
    });
    await control(stage, 'POST /dashboard/changeService', { id: stage.haircutId, durationMin: 30 });
    await control(stage, 'POST /dashboard/changeBranch', { id: stage.branchId, timezone: 'Asia/Omsk' });
    const [, anna] = (await stage.get('/resources')).body.data;
    expect(anna).toMatchObject({ name: 'Anna P.', capacity: 3, timezone: 'Asia/Omsk' });
    expect((await stage.get('/services')).body.data[0].duration_min).toBe(30);
  });

  it('refuse unknown actions, unknown fields and unknown objects', async () => {
    const stage = await openStage();
    expect((await control(stage, 'POST /dashboard/explode', {})).status).toBe(404);
    expect((await control(stage, 'POST /dashboard/touch', { id: stage.annaId, hard: true })).status).toBe(
      400,
    );
    expect((await control(stage, 'POST /dashboard/touch', { id: 'nobody' })).status).toBe(400);
  });

  it('revoke a key', async () => {
    const stage = await openStage();
    const { key } = (await control(stage, 'POST /keys', {})).body;
    expect((await stage.get('/contacts', { key })).status).toBe(200);
    await control(stage, 'POST /keys/revoke', { key });
    expect((await stage.get('/contacts', { key })).status).toBe(401);
    expect((await stage.get('/contacts')).status).toBe(200);
  });

  it('stop the clock, so that only advancing moves it, and let it run again', async () => {
    const stage = await openStage();
    await control(stage, 'POST /clock', { isFrozen: true });
    const stopped = stage.clock.now();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(stage.clock.now()).toBe(stopped);
    await control(stage, 'POST /clock', { advanceMs: 5_000 });
    expect(stage.clock.now()).toBe(stopped + 5_000);
    await control(stage, 'POST /clock', { isFrozen: false });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(stage.clock.now()).toBeGreaterThan(stopped + 5_000);
  });

  it('show the truth as a GET would', async () => {
    const stage = await openStage();
    const made = (await stage.book()).body;
    expect((await control(stage, 'GET /truth/appointments')).body).toEqual([made]);
    expect((await control(stage, 'GET /truth/contacts')).body).toEqual([]);
  });
});
