import { describe, expect, it } from 'vitest';
import { codeOf, openStage, type Stage, UNKNOWN_ID } from './stage.ts';

function search(stage: Stage, changes: Record<string, string | undefined> = {}) {
  const query = { service_id: stage.haircutId, from: stage.at(0), to: stage.at(24), ...changes };
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return stage.get(`/slots?${new URLSearchParams(given)}`);
}

const starts = (body: { slots: { starts_at: string }[] }): string[] =>
  body.slots.map((slot) => slot.starts_at);

describe('slots', () => {
  it('offer the working day of each resource on the grid, in order of time', async () => {
    const stage = await openStage();
    const { status, body } = await search(stage);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'availability',
      service_id: stage.haircutId,
      project_id: stage.projectId,
      branch_id: stage.branchId,
      mode: 'fixed',
      timezone: 'Europe/Moscow',
      duration_min: 60,
      min_duration_min: null,
      windows: [],
      has_more: false,
    });
    expect(body.slots).toHaveLength(2 * 23);
    expect(body.slots[0]).toEqual({
      starts_at: stage.at(9),
      ends_at: stage.at(10),
      resource_id: expect.any(String),
    });
    expect(body.slots.at(-1).ends_at).toBe(stage.at(21));
    expect(starts(body)).toEqual([...starts(body)].sort());
  });

  it('leave out what is occupied, and every offered slot can be booked', async () => {
    const stage = await openStage();
    await stage.book();
    const { body } = await search(stage, { resource_id: stage.annaId, to: stage.at(13) });
    expect(starts(body)).toEqual([stage.at(9), stage.at(11), stage.at(11.5), stage.at(12)]);
    const [slot] = body.slots;
    expect((await stage.book({ starts_at: slot.starts_at, resource_id: slot.resource_id })).status).toBe(201);
  });

  it('do not return past time', async () => {
    const stage = await openStage();
    stage.clock.freeze(Date.parse(stage.at(14.25)));
    const from = new Date(stage.clock.now() - 8 * 3_600_000).toISOString();
    const to = new Date(stage.clock.now() + 3 * 3_600_000).toISOString();
    const { body } = await search(stage, { from, to, resource_id: stage.annaId });
    expect(starts(body)[0]).toBe(new Date(stage.clock.now() + 15 * 60_000).toISOString());
  });

  it('count guests against the capacity', async () => {
    const stage = await openStage();
    stage.sandbox.dashboard.changeResource(stage.annaId, { capacity: 4 });
    const { body } = await search(stage, { guests: '3' });
    expect(new Set(body.slots.map((slot: { resource_id: string }) => slot.resource_id))).toEqual(
      new Set([stage.annaId]),
    );
  });

  it('end by `to`, or start before it by the switch', async () => {
    const stage = await openStage();
    const range = { resource_id: stage.annaId, to: stage.at(10) };
    expect(starts((await search(stage, range)).body)).toEqual([stage.at(9)]);
    stage.sandbox.switches = { ...stage.sandbox.switches, slotsUntil: 'starts-before-to' };
    expect(starts((await search(stage, range)).body)).toEqual([stage.at(9), stage.at(9.5)]);
  });

  it('are cut at limit, 100 by default, and say that more follow', async () => {
    const stage = await openStage();
    const week = { to: stage.at(24, 8) };
    expect((await search(stage, week)).body.slots).toHaveLength(100);
    const few = (await search(stage, { ...week, limit: '3' })).body;
    expect([few.slots.length, few.has_more]).toEqual([3, true]);
    expect((await search(stage, { ...week, limit: '200' })).body.slots).toHaveLength(200);
  });

  it.each([
    ['service_id', undefined],
    ['service_id', 'x'],
    ['from', undefined],
    ['to', undefined],
    ['from', '2030-01-01'],
    ['guests', '0'],
    ['limit', '201'],
    ['limit', '0'],
    ['resource_id', 'x'],
    ['branch_id', 'x'],
  ])('refuse %s = %s', async (field, value) => {
    const stage = await openStage();
    const answer = await search(stage, { [field]: value });
    expect([answer.status, codeOf(answer), Object.keys(answer.body.errors)]).toEqual([
      422,
      'validation',
      [field],
    ]);
  });

  it('search at most 31 days, forwards', async () => {
    const stage = await openStage();
    expect((await search(stage, { from: stage.at(0, 1), to: stage.at(0, 32) })).status).toBe(200);
    expect((await search(stage, { from: stage.at(0, 1), to: stage.at(1, 32) })).status).toBe(422);
    expect((await search(stage, { from: stage.at(5), to: stage.at(5) })).status).toBe(422);
  });

  it('need a branch when there are several and no resource is named', async () => {
    const stage = await openStage();
    stage.sandbox.dashboard.createBranch({ projectId: stage.projectId, name: 'Second' });
    expect(codeOf(await search(stage))).toBe('branch-id-required');
    expect((await search(stage, { branch_id: stage.branchId })).status).toBe(200);
    expect((await search(stage, { resource_id: stage.annaId })).status).toBe(200);
    expect(codeOf(await search(stage, { branch_id: UNKNOWN_ID }))).toBe('branch-not-found');
    expect(codeOf(await search(stage, { resource_id: UNKNOWN_ID }))).toBe('resource-not-eligible');
    expect(codeOf(await search(stage, { service_id: UNKNOWN_ID }))).toBe('service-not-found');
  });

  it('creating off the grid is allowed when free, or refused by the switch', async () => {
    const stage = await openStage();
    const odd = stage.at(10).replace(':00:00', ':07:00');
    const made = await stage.book({ starts_at: odd });
    expect(made.status).toBe(201);
    stage.sandbox.switches = { ...stage.sandbox.switches, bookingGrid: 'enforced' };
    expect(codeOf(await stage.book({ starts_at: odd, resource_id: stage.borisId }))).toBe('slot-unavailable');
    expect((await stage.book({ resource_id: stage.borisId })).status).toBe(201);
  });

  it('interval services show free windows between bookings', async () => {
    const stage = await openStage();
    const hallId = stage.sandbox.dashboard.createResource({
      branchId: stage.branchId,
      name: 'Hall',
      kind: 'place',
    });
    const rentalId = stage.sandbox.dashboard.createService({
      projectId: stage.projectId,
      name: 'Rental',
      bookingMode: 'interval',
      maxGuests: 5,
      resourceIds: [hallId],
    });
    await stage.book({ service_id: rentalId, resource_id: hallId, starts_at: stage.at(12) });
    const { body } = await search(stage, { service_id: rentalId });
    expect(body).toMatchObject({ mode: 'interval', slots: [], min_duration_min: 60 });
    expect(body.windows).toEqual([
      { starts_at: stage.at(9), ends_at: stage.at(12), resource_id: hallId },
      { starts_at: stage.at(13), ends_at: stage.at(21), resource_id: hallId },
    ]);
    expect((await search(stage, { service_id: rentalId, guests: '6' })).body.windows).toEqual([]);
  });
});
