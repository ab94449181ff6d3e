// Appointments that an office keeps in a tab of its own. Nobody else moves or cancels them, so that each change has one author.
import { DateTime } from 'luxon';
import type { GoogleSandbox } from '../../sandbox/google/sandbox.ts';
import type { Company } from '../../sandbox/platform/company.ts';
import type { PlatformSandbox } from '../../sandbox/platform/sandbox.ts';

export const VISITS_TAB = 'Visits';
export const VISITS_ZONE = 'Europe/Moscow';
export const VISITS_SPREADSHEET = 'demo-visits';
/** Google counts its quota per user: the tab is looked at often, and takes nothing from the other sheets. */
export const VISITS_ACCOUNT = 'office@demo.iam.gserviceaccount.com';

export interface Visits {
  readonly serviceId: string;
  readonly service: string;
  readonly resourceId: string;
  /** In the order of their rows. */
  readonly ids: readonly string[];
}

const VISITS = 12;
const FIRST_DAY = 40;
const OPENS_MIN = 10 * 60;
const MINUTES = 30;

/** A service that only the office gives. No two visits begin at the same hour, or on days that follow each other. */
export function furnishVisits({ dashboard }: PlatformSandbox, company: Company): Visits {
  const { projectId, branchIds } = company;
  const [branchId = ''] = branchIds;
  const service = 'Consultation';
  const resourceId = dashboard.createResource({ branchId, name: 'Office' });
  const serviceId = dashboard.createService({
    ...{ projectId, name: service, durationMin: MINUTES, resourceIds: [resourceId] },
  });
  const firstDay = DateTime.now().setZone(VISITS_ZONE).startOf('day').plus({ days: FIRST_DAY });
  const ids = Array.from({ length: VISITS }, (_, index) => {
    const minutes = OPENS_MIN + (MINUTES / 2) * index;
    const day = firstDay.plus({ days: 2 * index });
    return dashboard.bookAs('lk', {
      ...{ serviceId, resourceId },
      startsAt: day.set({ hour: Math.floor(minutes / 60), minute: minutes % 60 }).toMillis(),
      ...{ customerName: `Visitor ${index + 1}`, customerPhone: `+79140000${100 + index}` },
    });
  });
  return { serviceId, service, resourceId, ids };
}

export function furnishVisitsTab(google: GoogleSandbox): void {
  const tabs = [{ title: VISITS_TAB }];
  google.addSpreadsheet(VISITS_SPREADSHEET, { shareWith: [VISITS_ACCOUNT], tabs });
}
