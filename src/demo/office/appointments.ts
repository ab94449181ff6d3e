// Appointments that an office keeps in a tab of its own. Nobody else moves or cancels them, so that each change has one author.
import { DateTime } from 'luxon';
import type { GoogleSandbox } from '../../sandbox/google/sandbox.ts';
import type { Company } from '../../sandbox/platform/company.ts';
import type { PlatformSandbox } from '../../sandbox/platform/sandbox.ts';

export const OFFICE_TAB = 'Visits';
export const OFFICE_ZONE = 'Europe/Moscow';
export const OFFICE_SPREADSHEET = 'demo-visits';
/** Google counts its quota per user: the tab is looked at often, and takes nothing from the other sheets. */
export const OFFICE_ACCOUNT = 'office@demo.iam.gserviceaccount.com';

export interface OfficeAppointments {
  readonly serviceId: string;
  readonly service: string;
  readonly resourceId: string;
  /** In the order of their rows. */
  readonly ids: readonly string[];
}

const APPOINTMENTS = 12;
const FIRST_DAY = 40;
const OPENS_MIN = 10 * 60;
const MINUTES = 30;

/** A service that only the office gives. No two appointments begin at the same hour, or on days that follow each other. */
export function furnishOffice({ dashboard }: PlatformSandbox, company: Company): OfficeAppointments {
  const { projectId, branchIds } = company;
  const [branchId = ''] = branchIds;
  const service = 'Consultation';
  const resourceId = dashboard.createResource({ branchId, name: 'Office' });
  const serviceId = dashboard.createService({
    ...{ projectId, name: service, durationMin: MINUTES, resourceIds: [resourceId] },
  });
  const firstDay = DateTime.now().setZone(OFFICE_ZONE).startOf('day').plus({ days: FIRST_DAY });
  const ids = Array.from({ length: APPOINTMENTS }, (_, index) => {
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

export function furnishOfficeTab(google: GoogleSandbox): void {
  const tabs = [{ title: OFFICE_TAB }];
  google.addSpreadsheet(OFFICE_SPREADSHEET, { shareWith: [OFFICE_ACCOUNT], tabs });
}
