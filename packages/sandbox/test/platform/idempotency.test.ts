import { describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../../../../test/stand/patience.ts';
import { codeOf, openReceiver, openStage } from './stage.ts';

describe('Idempotency-Key', () => {
  it('is required to create contacts, appointments and endpoints', async () => {
    const stage = await openStage();
    for (const path of ['/contacts', '/appointments', '/webhook_endpoints']) {
      const answer = await stage.post(path, {}, { idempotencyKey: null });
      expect([path, answer.status, codeOf(answer)]).toEqual([path, 400, 'idempotency-key-required']);
    }
  });

  it('is not required to reschedule or cancel', async () => {
    const stage = await openStage();
    const { id } = (await stage.book()).body;
    const moved = await stage.post(
      `/appointments/${id}/reschedule`,
      { starts_at: stage.at(12) },
      { idempotencyKey: null },
    );
    expect(moved.status).toBe(200);
    expect((await stage.post(`/appointments/${id}/cancel`, {}, { idempotencyKey: null })).status).toBe(200);
  });

  it.each(['x'.repeat(65), 'with space', 'a@b', 'a/b'])('%s is invalid', async (idempotencyKey) => {
    const stage = await openStage();
    const answer = await stage.contact({}, { idempotencyKey });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'idempotency-key-invalid']);
    const { id } = (await stage.book()).body;
    expect(codeOf(await stage.post(`/appointments/${id}/cancel`, {}, { idempotencyKey }))).toBe(
      'idempotency-key-invalid',
    );
  });

  it('an empty one is invalid', async () => {
    const stage = await openStage();
    const answer = await stage.contact({}, { idempotencyKey: null, headers: { 'Idempotency-Key': '' } });
    expect(codeOf(answer)).toBe('idempotency-key-invalid');
  });

  it('64 characters with _ - : . are valid, also as X-Idempotency-Key', async () => {
    const stage = await openStage();
    const key = 'aZ9_-:.'.padEnd(64, 'x');
    const first = await stage.contact({}, { idempotencyKey: null, headers: { 'X-Idempotency-Key': key } });
    const again = await stage.contact({}, { idempotencyKey: key });
    expect([first.status, again.body.id, again.headers.get('idempotent-replayed')]).toEqual([
      201,
      first.body.id,
      'true',
    ]);
  });

  it('repeats the first answer and performs nothing again', async () => {
    const stage = await openStage();
    const first = await stage.book({}, { idempotencyKey: 'k1' });
    const again = await stage.book({}, { idempotencyKey: 'k1' });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(again.headers.get('request-id')).not.toBe(first.headers.get('request-id'));
    expect(stage.sandbox.truth.appointments()).toHaveLength(1);
    expect(stage.sandbox.stats().changes).toBe(1);
  });

  it('replays what was, not what is', async () => {
    const stage = await openStage();
    const first = await stage.book({}, { idempotencyKey: 'k1' });
    await stage.post(`/appointments/${first.body.id}/cancel`, {});
    expect((await stage.book({}, { idempotencyKey: 'k1' })).body.status).toBe('confirmed');
  });

  it('compares bodies as JSON values, or byte by byte by the switch', async () => {
    const stage = await openStage();
    await stage.call('POST', '/contacts', { rawBody: '{"name":"A","phone":null}', idempotencyKey: 'k1' });
    const reordered = { rawBody: '{ "phone": null, "name": "A" }', idempotencyKey: 'k1' };
    expect((await stage.call('POST', '/contacts', reordered)).status).toBe(201);
    stage.sandbox.switches = { ...stage.sandbox.switches, idempotencyCompares: 'bytes' };
    expect(codeOf(await stage.call('POST', '/contacts', reordered))).toBe('idempotency-conflict');
  });

  it('another body, path or method with the same key conflicts', async () => {
    const stage = await openStage();
    const { id } = (await stage.book({}, { idempotencyKey: 'k1' })).body;
    const answers = [
      await stage.book({ comment: 'other' }, { idempotencyKey: 'k1' }),
      await stage.post('/contacts', stage.booking(), { idempotencyKey: 'k1' }),
      await stage.post(`/appointments/${id}/cancel`, {}, { idempotencyKey: 'k1' }),
    ];
    for (const answer of answers)
      expect([answer.status, codeOf(answer)]).toEqual([409, 'idempotency-conflict']);
    expect((await stage.get(`/appointments/${id}`)).body.status).toBe('confirmed');
  });

  it('a 422 is not remembered: the body is fixed and sent with the same key', async () => {
    const stage = await openStage();
    expect((await stage.contact({ name: '' }, { idempotencyKey: 'k1' })).status).toBe(422);
    expect((await stage.contact({}, { idempotencyKey: 'k1' })).status).toBe(201);
  });

  it('a 409 is remembered, or not by the switch', async () => {
    const stage = await openStage();
    const taken = (await stage.book()).body;
    expect(codeOf(await stage.book({}, { idempotencyKey: 'k1' }))).toBe('slot-unavailable');
    await stage.post(`/appointments/${taken.id}/cancel`, {});
    const replay = await stage.book({}, { idempotencyKey: 'k1' });
    expect([codeOf(replay), replay.headers.get('idempotent-replayed')]).toEqual(['slot-unavailable', 'true']);

    const other = await openStage({ switches: { idempotencyRemembers: '2xx' } });
    const blocking = (await other.book()).body;
    expect((await other.book({}, { idempotencyKey: 'k1' })).status).toBe(409);
    await other.post(`/appointments/${blocking.id}/cancel`, {});
    expect((await other.book({}, { idempotencyKey: 'k1' })).status).toBe(201);
  });

  it('every answer but 422 is remembered by the switch', async () => {
    const stage = await openStage({ switches: { idempotencyRemembers: 'all-but-422' } });
    const id = '11111111-2222-4333-8444-555555555555';
    await stage.post(`/appointments/${id}/cancel`, {}, { idempotencyKey: 'k1' });
    const replay = await stage.post(`/appointments/${id}/cancel`, {}, { idempotencyKey: 'k1' });
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([404, 'true']);
  });

  it('a first request still running gives idempotency-in-progress', async () => {
    const stage = await openStage({ switches: { workMs: 1_500 } });
    const first = stage.book({}, { idempotencyKey: 'k1' });
    await vi.waitFor(() => expect(stage.sandbox.stats().requestsByRoute['POST /v1/appointments']).toBe(1), {
      timeout: PATIENCE_MS,
      interval: 2,
    });
    const second = await stage.book({}, { idempotencyKey: 'k1' });
    expect([second.status, codeOf(second)]).toEqual([409, 'idempotency-in-progress']);
    const { body } = await first;
    expect((await stage.book({}, { idempotencyKey: 'k1' })).body.id).toBe(body.id);
  });

  it('is forgotten after its time', async () => {
    const stage = await openStage();
    const first = await stage.contact({}, { idempotencyKey: 'k1' });
    stage.clock.advance(23 * 3_600_000);
    expect((await stage.contact({}, { idempotencyKey: 'k1' })).body.id).toBe(first.body.id);
    stage.clock.advance(2 * 3_600_000);
    expect((await stage.contact({}, { idempotencyKey: 'k1' })).body.id).not.toBe(first.body.id);
  });

  it('belongs to one API key, or to the company by the switch', async () => {
    const stage = await openStage();
    const key = stage.keyWith({});
    const mine = await stage.contact({}, { idempotencyKey: 'k1' });
    expect((await stage.contact({}, { idempotencyKey: 'k1', key })).body.id).not.toBe(mine.body.id);
    stage.sandbox.switches = { ...stage.sandbox.switches, idempotencyScope: 'company' };
    const shared = await stage.contact({}, { idempotencyKey: 'k2' });
    expect((await stage.contact({}, { idempotencyKey: 'k2', key })).body.id).toBe(shared.body.id);
  });

  it('a replay of create shows the secret of the endpoint again', async () => {
    const stage = await openStage();
    const receiver = await openReceiver();
    const first = await stage.endpoint({ url: receiver.url }, { idempotencyKey: 'k1' });
    const again = await stage.endpoint({ url: receiver.url }, { idempotencyKey: 'k1' });
    expect(again.body.secret).toBe(first.body.secret);
    expect(stage.sandbox.truth.endpoints()).toHaveLength(1);
  });
});

describe('lost answers', () => {
  it('a booking committed whose answer is lost is made, and a retry with its key replays it', async () => {
    const stage = await openStage();
    stage.sandbox.faults.add({
      method: 'POST',
      path: /\/appointments$/,
      times: 1,
      fault: { kind: 'commit-then-reset' },
    });
    await expect(stage.book({}, { idempotencyKey: 'k1' })).rejects.toThrow();
    expect(stage.sandbox.truth.appointments()).toHaveLength(1);
    const retry = await stage.book({}, { idempotencyKey: 'k1' });
    expect([retry.status, retry.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(retry.body.id).toBe(stage.sandbox.truth.appointments()[0]?.['id']);
    expect(stage.sandbox.truth.appointments()).toHaveLength(1);
  });

  it('a booking committed and answered 503 is replayed too', async () => {
    const stage = await openStage();
    stage.sandbox.faults.add({
      method: 'POST',
      times: 1,
      fault: { kind: 'commit-then-status', status: 503 },
    });
    expect((await stage.book({}, { idempotencyKey: 'k1' })).status).toBe(503);
    expect((await stage.book({}, { idempotencyKey: 'k1' })).headers.get('idempotent-replayed')).toBe('true');
    expect(stage.sandbox.truth.appointments()).toHaveLength(1);
  });

  it('a call answered 500 by a fault performs nothing and counts as a request', async () => {
    const stage = await openStage();
    stage.sandbox.faults.add({ times: 1, fault: { kind: 'status', status: 500 } });
    expect((await stage.book({}, { idempotencyKey: 'k1' })).status).toBe(500);
    expect(stage.sandbox.truth.appointments()).toEqual([]);
    const retry = await stage.book({}, { idempotencyKey: 'k1' });
    expect([retry.status, retry.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect(stage.sandbox.stats().requestsByRoute['POST /v1/appointments']).toBe(2);
  });

  it('a late booking makes its repetition wait or be in progress, never twice', async () => {
    const stage = await openStage();
    stage.sandbox.faults.add({ method: 'POST', times: 1, fault: { kind: 'delay', ms: 100 } });
    const [slow, quick] = await Promise.all([
      stage.book({}, { idempotencyKey: 'k1' }),
      stage.book({}, { idempotencyKey: 'k1' }),
    ]);
    expect(slow.body.id).toBe(quick.body.id);
    expect(stage.sandbox.truth.appointments()).toHaveLength(1);
  });
});
