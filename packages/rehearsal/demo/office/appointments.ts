// Appointments that an office manages in its own tab. No other actor moves or cancels them, so that each change has one author.
import type { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import type { Company } from '@slotbridge/sandbox/platform/company';
import type { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { localAt } from '@slotbridge/sandbox/zones/local';

export const OFFICE_TAB = 'Visits';
export const OFFICE_ZONE = 'Europe/Moscow';
export const OFFICE_SPREADSHEET = 'demo-visits';
/** A separate account, because Google's quota is per user: frequent reads of this tab take nothing from the other sheets. */
export const OFFICE_ACCOUNT = 'office@demo.iam.gserviceaccount.com';

export interface OfficeAppointments {
  readonly serviceId: string;
  readonly service: string;
  readonly resourceId: string;
  /** In row order. */
  readonly ids: readonly string[];
}

const APPOINTMENTS = 12;
const FIRST_DAY = 40;
const OPENS_MIN = 10 * 60;
const MINUTES = 30;

/** A service that only the office provides. No two appointments begin at the same time of day or on consecutive days. */
export function furnishOffice({ dashboard }: PlatformSandbox, company: Company): OfficeAppointments {
  const { projectId, branchIds } = company;
  const [branchId = ''] = branchIds;
  const service = 'Consultation';
  const resourceId = dashboard.createResource({ branchId, name: 'Office' });
  const serviceId = dashboard.createService({
    ...{ projectId, name: service, durationMin: MINUTES, resourceIds: [resourceId] },
  });
  const firstDay = localAt(Date.now(), OFFICE_ZONE).startOf('day').plus({ days: FIRST_DAY });
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
