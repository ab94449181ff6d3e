/** The private property that every event of the worker carries. The worker lists its events by this one constraint. */
export const MARK = { key: 'slotbridge', value: '1' };
/** Private properties that name the event's appointment and mirror. */
export const APPOINTMENT_MARK = 'slotbridge_appointment';
export const MIRROR_MARK = 'slotbridge_mirror';
/** Marks a class event with its `classSlotText`. `APPOINTMENT_MARK` then holds the id of the class. */
export const CLASS_MARK = 'slotbridge_class';
/**
 * Private properties with the ids of the appointments that a class event names, some in each. An erasure uses them to find every event that
 * names a person.
 */
export const GUEST_MARKS: readonly string[] = Array.from(
  { length: 16 },
  (_, at) => `slotbridge_guests_${at}`,
);
/** The private property of the note that a calendar is behind. The worker finds the note by it after a loss of Redis. */
export const NOTE_MARK = { key: 'slotbridge_note', value: '1' };
