import { localAt } from '@slotbridge/sandbox/zones/local';

/** The local date and time of a zone at an instant. */
export interface LocalTime {
  /** `2026-11-21` */
  readonly date: string;
  /** `21.11.2026` */
  readonly dottedDate: string;
  /** `09:30` */
  readonly time: string;
}

/** By the sandbox's rules of zones, not those of the worker. */
export function judgedTime(instant: unknown, zone: string): LocalTime {
  const local = localAt(Date.parse(String(instant)), zone);
  return {
    date: local.toFormat('yyyy-MM-dd'),
    dottedDate: local.toFormat('dd.MM.yyyy'),
    time: local.toFormat('HH:mm'),
  };
}
