/** Additional data that some tests create on their stage. */
import type { Stage } from './stage.ts';

/** A service in interval mode by Anna: one to four hours in steps of 30 minutes, at most five guests. */
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

/** A second branch of the project, in another time zone and without resources. */
export function secondBranch(stage: Stage): Promise<string> {
  const fields = { projectId: stage.ownProjectId, name: 'Second', timezone: 'Europe/London' };
  return stage.staff('createBranch', fields);
}

/** A second, empty project of the company. */
export function secondProject(stage: Stage): Promise<string> {
  return stage.staff('createProject', { name: 'Second' });
}
