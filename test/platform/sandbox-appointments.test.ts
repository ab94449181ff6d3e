import { afterEach, describe, expect, test, vi } from 'vitest';
import { idempotencyKey } from '../../src/engine/ids.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { SandboxStands, type World } from './sandbox-stand.ts';
import { failureOf } from './stand.ts';

const stands = new SandboxStands();
afterEach(() => stands.close());

const TUESDAY_10 = '2026-03-03T10:00:00+03:00';
const TUESDAY_12 = '2026-03-03T12:00:00+03:00';
const NOBODY = '00000000-0000-4000-8000-000000000000';

let counter = 0;
function fresh(): string {
  counter += 1;
  return idempotencyKey(['test', String(counter)]);
}

function booking(world: World, more: object = {}) {
  const { serviceId, annaId } = world;
  const base = { service_id: serviceId, resource_id: annaId, starts_at: TUESDAY_10, notify_customer: false };
  return { ...base, customer_name: 'Ivan', customer_phone: '+7 999 000-11-22', ...more };
}

const book = (world: World, more: object = {}) =>
  world.client().appointments.create({ body: booking(world, more), idempotencyKey: fresh() });

describe('a booking', () => {
  test('is made, read, moved and cancelled', async () => {
    const world = await stands.start();
    const client = world.client();
    const made = await book(world, { metadata: { origin: 'calendar' } });
    expect(made).toMatchObject({
      status: 'confirmed',
      customer_phone: '+79990001122',
      metadata: { origin: 'calendar' },
    });
    expect(await client.reader.get({ kind: 'appointment', id: made.id })).toEqual(made);
    const moved = await client.appointments.reschedule(made.id, {
      body: { starts_at: TUESDAY_12, notify_customer: false, resource_id: world.borisId },
      idempotencyKey: fresh(),
    });
    expect(moved).toMatchObject({ starts_at: '2026-03-03T09:00:00.000Z', resource_ids: [world.borisId] });
    const cancelled = await client.appointments.cancel(made.id, {
      body: { notify_customer: false, reason: 'moved away' },
      idempotencyKey: fresh(),
    });
    expect(cancelled).toMatchObject({ status: 'cancelled', resource_ids: [], cancelled_by: 'api' });
    expect(world.sandbox.stats().customerMails).toBe(0);
  });

  test('repeated with the same key and body is one booking', async () => {
    const world = await stands.start();
    const client = world.client();
    const request = { body: booking(world), idempotencyKey: fresh() };
    const first = await client.appointments.create(request);
    expect(await client.appointments.create(request)).toEqual(first);
    expect(world.sandbox.truth.appointments()).toHaveLength(1);
  });

  test('whose answer was lost is found again by its key', async () => {
    const world = await stands.start();
    const client = world.client();
    world.sandbox.faults.add({
      method: 'POST',
      path: /appointments$/,
      times: 1,
      fault: { kind: 'commit-then-reset' },
    });
    const request = { body: booking(world), idempotencyKey: fresh() };
    expect(await failureOf(client.appointments.create(request))).toMatchObject({
      family: 'retryable',
      code: 'platform-unreachable',
    });
    expect(world.sandbox.truth.appointments()).toHaveLength(1);
    const found = await client.appointments.create(request);
    expect(world.sandbox.truth.appointments()).toEqual([found]);
  });
});

describe('the platform’s refusals keep their codes', () => {
  test('slot-unavailable', async () => {
    const world = await stands.start();
    await book(world);
    expect(await failureOf(book(world))).toMatchObject({
      family: 'terminal',
      code: 'slot-unavailable',
      status: 409,
    });
  });

  test.each([
    ['outside-working-hours', { starts_at: '2026-03-03T03:00:00+03:00' }],
    ['starts-at-in-past', { starts_at: '2026-03-01T10:00:00+03:00' }],
    ['service-not-found', { service_id: NOBODY }],
    ['resource-not-eligible', { resource_id: NOBODY }],
    ['branch-not-found', { resource_id: null, branch_id: NOBODY }],
    ['contact-not-found', { contact_id: NOBODY }],
    ['validation', { starts_at: 'tomorrow' }],
  ])('%s', async (code, more) => {
    const error = await failureOf(book(await stands.start(), more));
    expect(error).toMatchObject({ family: 'terminal', code, target: 'platform' });
    expect(error.requestId).toMatch(/^req_sb-/);
    expect(error.message).not.toMatch(/ivan|7999|tomorrow/i);
  });

  test('branch-id-required', async () => {
    const world = await stands.start();
    world.dashboard.createBranch({ projectId: world.projectId, name: 'North' });
    expect(await failureOf(book(world, { resource_id: null }))).toMatchObject({ code: 'branch-id-required' });
  });

  test('no-resources', async () => {
    const world = await stands.start();
    const branch_id = world.dashboard.createBranch({ projectId: world.projectId, name: 'North' });
    expect(await failureOf(book(world, { resource_id: null, branch_id }))).toMatchObject({
      code: 'no-resources',
    });
  });

  test('invalid-duration and too-many-guests of an interval service', async () => {
    const world = await stands.start();
    const service_id = world.dashboard.createService({
      projectId: world.projectId,
      name: 'Hall',
      resourceIds: [world.annaId],
      bookingMode: 'interval',
      minDurationMin: 60,
      maxDurationMin: 120,
      durationStepMin: 30,
      maxGuests: 4,
    });
    expect(await failureOf(book(world, { service_id, duration_min: 500 }))).toMatchObject({
      code: 'invalid-duration',
    });
    expect(await failureOf(book(world, { service_id, duration_min: 60, guests_count: 9 }))).toMatchObject({
      code: 'too-many-guests',
    });
  });

  test('appointment-not-cancellable and appointment-not-reschedulable', async () => {
    const world = await stands.start();
    const { id } = await book(world);
    world.dashboard.markAppointment(id, 'completed');
    const { appointments } = world.client();
    const cancel = appointments.cancel(id, { body: { notify_customer: false }, idempotencyKey: fresh() });
    expect(await failureOf(cancel)).toMatchObject({ code: 'appointment-not-cancellable' });
    const body = { starts_at: TUESDAY_12, notify_customer: false };
    const move = appointments.reschedule(id, { body, idempotencyKey: fresh() });
    expect(await failureOf(move)).toMatchObject({ code: 'appointment-not-reschedulable' });
  });

  test('service-inactive', async () => {
    const world = await stands.start();
    const { id } = await book(world);
    world.dashboard.switchOffService(world.serviceId);
    const body = { starts_at: TUESDAY_12, notify_customer: false };
    const move = world.client().appointments.reschedule(id, { body, idempotencyKey: fresh() });
    expect(await failureOf(move)).toMatchObject({ code: 'service-inactive' });
  });

  test('idempotency-conflict for the same key with another body', async () => {
    const world = await stands.start();
    const { appointments } = world.client();
    const key = fresh();
    await appointments.create({ body: booking(world), idempotencyKey: key });
    const again = appointments.create({ body: booking(world, { comment: 'x' }), idempotencyKey: key });
    expect(await failureOf(again)).toMatchObject({ family: 'terminal', code: 'idempotency-conflict' });
  });

  test('idempotency-in-progress is worth a retry', async () => {
    const world = await stands.start({ switches: { workMs: 1_500 } });
    world.clock.thaw();
    const { appointments } = world.client();
    const request = { body: booking(world), idempotencyKey: fresh() };
    const asked = () => world.sandbox.stats().requestsByRoute['POST /v1/appointments'] ?? 0;
    const before = asked();
    const first = appointments.create(request);
    await vi.waitFor(() => expect(asked()).toBe(before + 1), { timeout: PATIENCE_MS, interval: 2 });
    expect(await failureOf(appointments.create(request))).toMatchObject({
      family: 'retryable',
      code: 'idempotency-in-progress',
    });
    const made = await first;
    expect(await appointments.create(request)).toEqual(made);
  });
});

test('the list takes every filter of the document', async () => {
  const world = await stands.start();
  const client = world.client();
  const { id } = await book(world);
  await book(world, { starts_at: TUESDAY_12, resource_id: world.borisId, customer_phone: '+79990003344' });
  const filters = {
    project_id: world.projectId,
    status: 'confirmed',
    branch_id: world.branchId,
    service_id: world.serviceId,
    resource_id: world.annaId,
    customer_phone: '8 (999) 000-11-22',
    'starts_at[gte]': '2026-03-03T00:00:00+03:00',
    'starts_at[lt]': '2026-03-04T00:00:00+03:00',
  };
  const page = await client.appointments.list({ filters });
  expect(page.data.map((one) => one.id)).toEqual([id]);
});

test('slots are offered for the service and the resource', async () => {
  const world = await stands.start();
  const found = await world.client().slots({
    serviceId: world.serviceId,
    resourceId: world.annaId,
    fromMs: Date.parse('2026-03-03T00:00:00+03:00'),
    toMs: Date.parse('2026-03-04T00:00:00+03:00'),
  });
  expect(found).toMatchObject({ bookingMode: 'fixed', zone: 'Europe/Moscow', hasMore: false });
  expect(found.slots[0]).toMatchObject({ startsAt: '2026-03-03T06:00:00.000Z', resourceId: world.annaId });
});
