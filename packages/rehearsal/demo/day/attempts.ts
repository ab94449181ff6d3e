// Shared by the acts: searching a free time, and the details that people give.
import { Problem } from '@slotbridge/sandbox/platform/problem';
import type { Random } from '@slotbridge/sandbox/platform/random';
import { type Wire, wireText } from '../judge/company.ts';
import type { Answer } from './api.ts';
import type { Cast } from './cast.ts';
import { REMARKS } from './people.ts';
import { someTime } from './times.ts';

/** How many times are tried before giving up. */
const TRIES_MAX = 8;
/** Statuses in which an appointment can be rescheduled (platform API, Appointment states). */
export const MOVABLE = ['pending', 'confirmed'];

export async function untilFree(attempt: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) if (await attempt()) return;
}

/** Performs the action; false when the platform says that the time is taken. */
export function isDone(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof Problem && error.status === 409) return false;
    throw error;
  }
}

/** Requests a move to a random time, which may be taken. */
export function move({ api, random }: Cast, appointment: Wire, where: object = {}): Promise<Answer> {
  const starts_at = someTime(random, wireText(appointment['timezone']));
  return api.post(`/appointments/${appointment['id']}/reschedule`, { starts_at, ...where });
}

export function somebody(cast: Pick<Cast, 'company' | 'random' | 'platform'>): { id: string; zone: string } {
  const id = cast.random.pick(cast.company.personIds);
  const person = cast.platform.truth.resources().find((one) => one['id'] === id);
  return { id, zone: wireText(person?.['timezone']) };
}

export function somePhone(random: Random): string {
  return `+7912${String(random.below(10_000_000)).padStart(7, '0')}`;
}

export function remark(random: Random): { comment?: string } {
  return random.next() < 0.3 ? { comment: random.pick(REMARKS) } : {};
}
