/** Furniture that some tests add to their stage. */
import type { Stage } from './stage.ts';

/** A service by interval: an hour to four, in half hours, for at most five guests, given by Anna. */
export function rental(stage: Stage): Promise<string> {
  return stage.staff('createService', {
    projectId: stage.ownProjectId,
    name: 'Studio',
    bookingMode: 'interval',
    minDurationMin: 60,
    maxDurationMin: 240,
    durationStepMin: 30,
    maxGuests: 5,
    resourceIds: [stage.annaId],
  });
}

/** Another branch of the project, in another zone, where nobody works yet. */
export function secondBranch(stage: Stage): Promise<string> {
  const fields = { projectId: stage.ownProjectId, name: 'Second', timezone: 'Europe/London' };
  return stage.staff('createBranch', fields);
}

/** Another project of the company, with nothing in it. */
export function secondProject(stage: Stage): Promise<string> {
  return stage.staff('createProject', { name: 'Second' });
}
