/** Statuses of a visit (platform API, Appointment). */
export const APPOINTMENT_STATUSES = [
  'pending',
  'confirmed',
  'arrived',
  'completed',
  'cancelled',
  'no_show',
] as const;

/** Statuses of a contact (platform API, Contact). */
export const CONTACT_STATUSES = ['active', 'archived', 'blocked'] as const;
