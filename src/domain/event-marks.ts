/** The private property that every event of the worker carries: the one constraint by which they are listed. */
export const MARK = { key: 'slotbridge', value: '1' };
/** Names of the private properties that say whose event it is. */
export const APPOINTMENT_MARK = 'slotbridge_appointment';
export const MIRROR_MARK = 'slotbridge_mirror';
/** Marks the event of a class with its `classSlotText`. The id of the class stands where that of an appointment would. */
export const CLASS_MARK = 'slotbridge_class';
/** Ids of the appointments that the event of a class names, some in each: by them an erasure finds every event that names somebody. */
export const GUEST_MARKS: readonly string[] = Array.from(
  { length: 16 },
  (_, at) => `slotbridge_guests_${at}`,
);
/** The private property of the note that a calendar is behind, by which it is found when Redis was lost. */
export const NOTE_MARK = { key: 'slotbridge_note', value: '1' };
