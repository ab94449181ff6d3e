import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsOf } from '../../../../test/stand/runs.ts';
import { openStage, type Stage } from './stage.ts';

const HALF_HOUR_MS = 1_800_000;

/** Anna's day in half hours from 9:00; each wish is a start on it. */
const wishes = fc.array(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 12 });

async function offered(stage: Stage): Promise<string[]> {
  const query = new URLSearchParams({
    service_id: stage.haircutId,
    resource_id: stage.annaId,
    from: stage.at(0),
    to: stage.at(24),
  });
  const { body } = await stage.get(`/slots?${query}`);
  return body.slots.map((slot: { starts_at: string }) => slot.starts_at);
}

describe('slots and bookings agree', () => {
  it('an offered start is booked, any other is refused, and no two appointments overlap, whatever was booked before', async () => {
    const stage = await openStage({ rateLimitPerMinute: 1_000_000 });
    stage.sandbox.dashboard.changeService(stage.haircutId, { bufferAfterMin: 15 });
    await fc.assert(
      fc.asyncProperty(wishes, async (starts) => {
        const made: string[] = [];
        for (const start of starts) {
          const startsAt = new Date(Date.parse(stage.at(9)) + start * HALF_HOUR_MS).toISOString();
          const isOffered = (await offered(stage)).includes(startsAt);
          const answer = await stage.book({ starts_at: startsAt });
          expect(answer.status).toBe(isOffered ? 201 : 409);
          if (answer.status === 201) made.push(answer.body.id);
        }
        const appointments = stage.sandbox.truth
          .appointments()
          .filter((one) => one['status'] === 'confirmed')
          .map((one) => [Date.parse(String(one['starts_at'])), Date.parse(String(one['ends_at']))] as const)
          .sort((a, b) => a[0] - b[0]);
        for (const [index, [from]] of appointments.entries()) {
          const before = appointments[index - 1];
          if (before) expect(from).toBeGreaterThanOrEqual(before[1] + 15 * 60_000);
        }
        for (const id of made) await stage.post(`/appointments/${id}/cancel`, {});
        expect(await offered(stage)).toHaveLength(23);
      }),
      { numRuns: runsOf(100), seed: 42 },
    );
  });
});
