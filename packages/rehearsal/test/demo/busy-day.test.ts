import { seedCompany } from '@slotbridge/sandbox/platform/company';
import { Random } from '@slotbridge/sandbox/platform/random';
import { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Api } from '../../demo/day/api.ts';
import { playDay } from '../../demo/day/busy-day.ts';
import type { Cast } from '../../demo/day/cast.ts';
import { Notebook } from '../../demo/day/notebook.ts';

describe('the busy day', () => {
  let platform: PlatformSandbox;
  let cast: Cast;
  beforeEach(async () => {
    platform = await PlatformSandbox.start({ seed: 3 });
    const company = seedCompany(platform, { seed: 3, contacts: 60, appointments: 60 });
    const random = new Random(3);
    const api = new Api({ baseUrl: platform.url, newKey: () => platform.createKey() });
    cast = { platform, company, api, random, notebook: new Notebook(platform, random) };
  });
  afterEach(() => platform.close());

  const play = (changes: number, signal = new AbortController().signal) => {
    const progress: number[] = [];
    let halves = 0;
    const atHalf = () => {
      halves += 1;
    };
    const day = playDay(cast, { changes, signal, onProgress: (done) => progress.push(done), atHalf });
    return day.then((made) => ({ made, progress, halves }));
  };

  it('makes at least the changes that were asked for, of every kind there is', async () => {
    const told: string[] = [];
    platform.observe({ changed: ({ type }) => told.push(type) });
    const { made, halves } = await play(240);
    expect(made).toBeGreaterThanOrEqual(240);
    expect(told).toHaveLength(made);
    expect([...new Set(told)].sort()).toEqual([
      'appointment.cancelled',
      'appointment.created',
      'appointment.rescheduled',
      'appointment.updated',
      'contact.created',
      'contact.deleted',
      'contact.updated',
      'conversation.closed',
      'conversation.created',
      'conversation.escalated',
      'conversation.reopened',
      'lead.created',
      'lead.updated',
      'message.created',
      'message.updated',
    ]);
    expect(halves).toBe(1);
    const statuses = new Set(platform.truth.appointments().map(({ status }) => status));
    for (const status of ['pending', 'confirmed', 'arrived', 'cancelled']) expect(statuses).toContain(status);
  });

  it('makes nothing but writes over the API, and stays within the limit of each key', async () => {
    await play(120);
    const { requests, requestsByRoute, rateLimited } = platform.stats();
    expect(requests).toBe(cast.api.calls);
    expect(requests).toBeGreaterThan(40);
    expect(Object.keys(requestsByRoute).filter((route) => route.startsWith('GET'))).toEqual([]);
    expect(rateLimited).toBe(0);
  });

  it('ends in the middle when it is told to', async () => {
    const interrupt = new AbortController();
    setTimeout(() => interrupt.abort(), 200);
    await expect(play(10_000, interrupt.signal)).rejects.toThrow(/abort/i);
    expect(platform.stats().changes).toBeLessThan(200);
  });
});
