import { describe, expect, it } from 'vitest';
import { codeOf, openStage } from './stage.ts';

describe('switches for what the document leaves open', () => {
  it('timestamps in whole seconds: two quick changes have an equal updated_at', async () => {
    const stage = await openStage({ switches: { timestamps: 'seconds' } });
    stage.clock.freeze(Date.parse('2026-11-23T09:00:00.100Z'));
    const made = (await stage.contact()).body;
    stage.clock.advance(500);
    const changed = (await stage.patch(`/contacts/${made.id}`, { name: 'Masha' })).body;
    expect([made.updated_at, changed.updated_at]).toEqual([
      '2026-11-23T09:00:00.000Z',
      '2026-11-23T09:00:00.000Z',
    ]);
  });

  it('updated_at null on contacts and appointments', async () => {
    const stage = await openStage({ switches: { updatedAt: 'null' } });
    expect((await stage.contact()).body.updated_at).toBeNull();
    expect((await stage.book()).body.updated_at).toBeNull();
    expect((await stage.get('/services')).body.data[0].updated_at).toEqual(expect.any(String));
  });

  it('a customer_phone that is no number stored as given', async () => {
    const stage = await openStage({ switches: { oddCustomerPhone: 'as-given' } });
    expect((await stage.book({ customer_phone: 'ask Maria' })).body.customer_phone).toBe('ask Maria');
  });

  it('resource_id of a cancelled appointment kept, or null', async () => {
    for (const [cancelledResourceId, isNull] of [
      ['kept', false],
      ['null', true],
    ] as const) {
      const stage = await openStage({ switches: { cancelledResourceId } });
      const { id } = (await stage.book()).body;
      const { body } = await stage.post(`/appointments/${id}/cancel`, {});
      expect([body.resource_id === null, body.resource_ids]).toEqual([isNull, []]);
    }
  });

  it('a rental at a flat price', async () => {
    const stage = await openStage({ switches: { intervalPrice: 'flat' } });
    const rental = stage.sandbox.dashboard.createService({
      projectId: stage.projectId,
      name: 'Rental',
      bookingMode: 'interval',
      priceAmount: 100_000,
      resourceIds: [stage.annaId],
    });
    const { body } = await stage.book({ service_id: rental, duration_min: 120 });
    expect([body.ends_at, body.price_amount]).toEqual([stage.at(12), 100_000]);
  });

  it('ties in a feed ordered by creation: any order, yet the same on every reading, and walkable by cursor', async () => {
    const stage = await openStage({
      delivery: { hold: true },
      switches: { feedOrder: 'created', feedTies: 'any' },
    });
    await stage.endpoint();
    stage.clock.freeze();
    for (let index = 0; index < 20; index += 1) {
      stage.sandbox.dashboard.createContact({ projectId: stage.projectId, name: `C${index}` });
    }
    const names = (body: { data: { data: { object: { name: string } } }[] }) =>
      body.data.map((one) => one.data.object.name);
    const whole = (await stage.get('/events?limit=100')).body;
    expect(names(whole)).not.toEqual(Array.from({ length: 20 }, (_, index) => `C${19 - index}`));
    const walked: string[] = [];
    for (let cursor = '', more = true; more; ) {
      const { body } = await stage.get(`/events?limit=3${cursor}`);
      walked.push(...names(body));
      cursor = `&starting_after=${body.data.at(-1).id}`;
      more = body.has_more;
    }
    expect(walked).toEqual(names(whole));
  });

  it('a key reissued in the dashboard leaves the old one wrong', async () => {
    const stage = await openStage();
    const fresh = stage.sandbox.createKey();
    stage.sandbox.revokeKey(stage.key);
    expect((await stage.get('/contacts', { key: fresh })).status).toBe(200);
    expect(codeOf(await stage.get('/contacts'))).toBe('unauthenticated');
  });

  it('a path that cannot be decoded is a problem like any other', async () => {
    const stage = await openStage();
    const answer = await stage.get('/contacts/%zz');
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe('bad-request');
    expect(answer.headers.get('request-id')).toMatch(/^req_/);
  });
});
