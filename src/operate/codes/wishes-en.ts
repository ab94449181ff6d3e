// What people wished in calendars and sheets, and what became of it, in English.
import type { CodeTexts } from './code-text.ts';
import { NEXT_EN } from './remotes-en.ts';

const { done, author, platform } = NEXT_EN;
const AGAIN = 'If it is meant, write it once more.';
const NAME = 'The author has the answer: write one of the names of the platform.';

export const WISHES_EN: CodeTexts = {
  // Answers of the platform or the worker to a wish.
  'slot-unavailable': [
    'The time is taken',
    'The platform has no free place at that time.',
    'The author has the answer with the nearest free times: choose one of them.',
  ],
  'outside-working-hours': [
    'The time is outside working hours',
    'Nobody works at that time.',
    'The author has the answer with the nearest free times: choose one of them.',
  ],
  'starts-at-in-past': ['The time has passed', 'The platform books no time in the past.', author],
  'no-resources': [
    'Nobody can do it',
    'No resource of the branch offers this service.',
    'Check on the platform who offers the service.',
  ],
  'appointment-not-reschedulable': [
    'The appointment can no longer be moved',
    'Its status does not allow it.',
    platform,
  ],
  'appointment-not-cancellable': [
    'The appointment can no longer be cancelled',
    'Its status does not allow it.',
    platform,
  ],
  'service-inactive': [
    'The service is not offered',
    'It is not active on the platform.',
    'Activate the service on the platform, or choose another one.',
  ],
  'invalid-duration': [
    'The length does not fit',
    'The platform does not allow this length for the service.',
    author,
  ],
  'too-many-guests': ['Too many guests', 'The service has fewer places.', author],
  'service-not-found': [
    'The service was not found',
    'The platform does not have it.',
    'Correct the service in the mapping or in the row.',
  ],
  'branch-not-found': [
    'The branch was not found',
    'The platform does not have it.',
    'Correct the branch in the mapping or in the row.',
  ],
  'branch-id-required': [
    'No branch is given',
    'The platform needs a branch for this service.',
    'Set the branch in the entry of bookings.',
  ],
  'resource-not-eligible': [
    'The resource does not offer the service',
    'This person or room cannot be booked for it.',
    'Choose another resource, or allow the service on the platform.',
  ],
  'contact-not-found': ["The customer's card was not found", 'The platform does not have it.', author],
  'bad-request': [
    'The platform does not accept the request',
    'A part of the request is malformed.',
    'Read the story of the object, and report it if nothing in it explains the refusal.',
  ],
  conflict: [
    'It contradicts the current state',
    'The platform refused the request as it stands now.',
    NEXT_EN.refused,
  ],
  validation: [
    'The platform does not accept the data',
    'A field has a value that it does not allow.',
    NEXT_EN.refused,
  ],
  'customer-unknown': [
    'No customer is given',
    'Neither a phone number nor a card says who is to be booked.',
    author,
  ],
  'moved-meanwhile': [
    'It was moved meanwhile',
    'The appointment was moved on the platform, or in another calendar.',
    'Look at its new time, and move it again if that is meant.',
  ],
  'off-grid': [
    'No appointment begins at that minute',
    'The times of the service begin on other minutes.',
    'The author has the answer with the nearest free times: choose one of them.',
  ],
  withdrawn: ['The wish was withdrawn', 'The author took it back before it was carried out.', done],
  'moved-here': ['The event was moved here', 'It was booked in another calendar.', done],
  'moved-late': [
    'The calendar was read too late',
    'The event had been put back before the other calendar could be read.',
    'Move the event again.',
  ],
  'moved-otherwise': [
    'Another calendar chose another hour',
    'Both were changed at the same time. The other one counts.',
    done,
  ],
  'other-customer': [
    'It is for another customer',
    'The appointment of this row is for another customer and stays.',
    author,
  ],
  'other-cancelled': [
    'The cancelled appointment was for another customer',
    'The row is not booked again by itself.',
    author,
  ],
  'other-branch': [
    'The calendar belongs to another branch',
    'An appointment cannot move to another branch.',
    platform,
  ],
  'nobodys-calendar': [
    'The calendar belongs to nobody',
    'Appointments of this kind are not kept in that calendar.',
    'Move the event to the calendar of the person who is meant.',
  ],
  'copy-stands': [
    'A copy of the deleted event still stands',
    'A program made the event anew, or somebody copied it before. The customer is still expected.',
    'Move this event, or delete both.',
  ],
  'second-resource': [
    'The calendar is not that of the person who is booked',
    'Only that calendar can change the person.',
    platform,
  ],
  'team-calendar': [
    'The calendar is shared by several people',
    'It is not known who is meant.',
    'Move the event to the calendar of the person who is meant.',
  ],
  'only-shown': ['The calendar or column only shows it', 'Nothing is changed from there.', platform],
  'class-shown': ['The event shows a class', 'It is put back with all its bookings.', platform],
  'class-too-many': [
    'Too many bookings at once',
    'The class has more bookings than can be moved at once.',
    platform,
  ],
  'class-hidden': [
    'The event does not show all bookings',
    'The class is not moved, because some bookings are not seen here.',
    platform,
  ],
  'not-expressible': [
    'This edit cannot be carried',
    'Only time and resource can be changed there.',
    platform,
  ],
  'not-movable': ['It can no longer be moved', 'The status of the appointment does not allow it.', platform],
  'not-cancellable': [
    'It can no longer be cancelled',
    'The status of the appointment does not allow it.',
    platform,
  ],
  'all-day': ['There is no time of day', 'An all-day event names no hour.', 'Give the event a time.'],
  past: ['The time has passed', 'The event or row is for a time in the past.', done],
  started: ['It has already begun', 'The appointment has begun.', platform],
  series: ['It is a repeated event', 'An appointment happens once.', 'Book further appointments one by one.'],
  recurring: [
    'It is a repeated event',
    'This entry of bookings books no series.',
    'Enter the appointments one by one, or set series in the entry of bookings.',
  ],
  duration: ['The platform sets the length', 'The length of the event was put back.', platform],
  gone: ['It is gone', 'The event or row is not there any more.', done],
  empty: ['It is empty', 'The row holds nothing to book.', done],
  emptied: [
    'A cell was emptied',
    'An emptied cell is more often a slip than a wish. It is restored.',
    'To change it, write the new value.',
  ],
  unreadable: ['It cannot be read', 'The cell holds no value of its kind.', 'Write the value again.'],
  'changed-meanwhile': [
    'It was changed meanwhile',
    'The platform has a newer value, which is shown now.',
    'If your value is meant, write it once more.',
  ],
  refused: [
    'It was refused',
    'The wish was not carried out. Its author has the answer.',
    'The reason is shown beside it.',
  ],
  'start-missing': ['There is no start time', 'The wish names no hour.', author],
  'start-unreadable': ['Day or time cannot be read', 'The start is not written as day and time.', author],
  'service-missing': ['No service is given', 'The wish names none.', NAME],
  'duration-unreadable': ['The length cannot be read', 'It is not written in whole minutes.', author],
  'guests-unreadable': ['The number of guests cannot be read', 'It is not a whole number.', author],
  'contact-unreadable': ['The id of the card cannot be read', "This is no id of a customer's card.", author],
  'phone-unreadable': [
    'The phone number cannot be read for certain',
    'Nobody was booked by guessing.',
    'The author has the answer: write the number with its country code.',
  ],
  'ready-unclear': [
    'It is not clear whether to book',
    'The cell says neither yes nor no.',
    'The author has the answer: write yes to book, or clear the cell.',
  ],
  'cancel-unclear': [
    'It is not clear whether to cancel',
    'The cell says neither yes nor no.',
    'The author has the answer: write yes to cancel, or clear the cell.',
  ],
  'formula-error': [
    'A formula shows no value',
    'A cell of the row has an error or is still being computed.',
    author,
  ],
  'start-changes': [
    'The start changes by itself',
    'It is a formula such as TODAY() or NOW(), and would move the appointment each day. The appointment stays.',
    author,
  ],
  'series-too-long': [
    'The series is too long',
    'It has more events than are booked at once.',
    'Let the series end earlier.',
  ],
  'read-too-late': ['It was read too late', 'The time had passed before the event could be read.', platform],
  'written-late': ['It was written too late', 'The time had passed when it was written.', author],
  'invited-too-often': [
    'Too many invitations',
    'One author asked for too many appointments within an hour.',
    'Change the event later to try again.',
  ],
  'perhaps-booked': [
    'Perhaps it is booked already',
    'The customer has an appointment that a row booked, and no row has its id.',
    author,
  ],
  'perhaps-booked-unnamed': [
    'Perhaps it is booked already',
    'The customer has an appointment that a row booked, and no row has its id.',
    author,
  ],
  differs: [
    'The row differs from its appointment',
    'It is not known which of the two is right, so neither was changed.',
    author,
  ],
  'differs-cancelled': [
    'The row differs from its cancelled appointment',
    'It is not booked again by itself.',
    author,
  ],
  exchanged: [
    'Rows exchanged their times or resources, or went back to earlier ones',
    'Somebody may have sorted one column alone, or restored an older version, so nothing was moved.',
    author,
  ],
  'nothing-to-cancel': ['There is nothing to cancel', 'Nothing was booked from this row.', author],
  'ask-us': ['Staff have to be asked', 'This cannot be booked or changed from there.', platform],
  // Why an event or row is no wish to book.
  'not-an-appointment': [
    'It is no appointment',
    'It is an absence, focus time, a place of work or a birthday.',
    done,
  ],
  declined: ['The invitation was declined', 'The owner of the calendar does not come.', done],
  tentative: ['It is not decided yet', 'The event is tentative.', done],
  'not-matching': [
    'No rule takes it',
    'It does not match the rules of the entry of bookings.',
    'If it should be booked, write the title as the rule says.',
  ],
  guest: ['It is the copy of a guest', "The organizer's own event is booked instead.", done],
  'not-writable': [
    'The event may not be written',
    'Its organizer alone may change it, so it could show no answer.',
    'Let guests change the event, or book in a calendar of the mapping.',
  ],
  instance: ['It is part of a refused series', 'The answer is at the series.', done],
  'not-ready': [
    'It is not ready',
    'The cell that says so is empty.',
    'Tick the ready cell once the row is complete.',
  ],
  'cancelled-here': ['It is marked as cancelled', 'The row asks for no booking.', done],
  // Why a changed cell of a mirror was not carried.
  unknown: [
    'It is not known what the row showed',
    'So it is not known what was changed. The cell is restored.',
    AGAIN,
  ],
  copied: [
    'The id is in several rows',
    'It is not known which row is meant. The cell is restored.',
    'Delete the copy, then write the value again.',
  ],
  unproven: [
    'Nothing proves which object the row is',
    'All cells that name the object were changed. The cell is restored.',
    AGAIN,
  ],
  mixed: [
    'Other cells of the row differ as well',
    'The row was perhaps mixed with another. The cells are restored.',
    AGAIN,
  ],
  elsewhere: [
    'Another row showed the same',
    'Cells were perhaps sorted, dragged or copied. They are restored.',
    AGAIN,
  ],
  former: [
    'The cell showed the same before',
    'Somebody may have restored an older version. The cell is restored.',
    AGAIN,
  ],
  older: [
    'Several rows show what they showed before',
    'Somebody has restored an older version. The rows are restored.',
    'Change one row at a time.',
  ],
  displaced: [
    'Other cells of its column have moved',
    'It was perhaps sorted, cut or swapped with them after it was typed. The cells are restored.',
    AGAIN,
  ],
  many: [
    'Too many rows differ',
    'A column was perhaps sorted or pasted over. The cells are restored.',
    'Change a few rows at a time.',
  ],
  again: ['Another row says the same', 'It was perhaps copied from there. The cell is restored.', AGAIN],
  ticks: [
    'Several rows were ticked at once',
    'The ticks were perhaps dragged or pasted. They are removed.',
    'Tick the rows one after another.',
  ],
  renewed: [
    'The row was written at that moment',
    'It is not known what was changed. The cell is restored.',
    AGAIN,
  ],
  'no-start': [
    'The start is no day and time',
    'The cell cannot be read as a start.',
    'Write day and time as the other rows do.',
  ],
  'no-tick': ['The tick is no clear yes', 'The cell says neither yes nor no.', 'Write yes to cancel.'],
  // What was decided.
  moved: ['The appointment was moved', 'The new time or resource is on the platform.', done],
  cancelled: ['The appointment was cancelled', 'It is cancelled on the platform.', done],
  booked: ['It was booked', 'The appointment is on the platform.', done],
  ignored: ['It is no booking', 'Nothing was done with it.', done],
  copy: ['It is a copy, not a booking', 'The original is booked instead.', done],
  expanded: ['The series was taken apart', 'Each of its events is booked by itself.', done],
  adopted: ['The event became the mirror of its appointment', 'From now on it follows the platform.', done],
  'not-carried': [
    'The edit was not carried',
    'The appointment stays as it is. The author has the answer.',
    'The reason is shown beside it.',
  ],
  'move-refused': [
    'The move was refused',
    'The event is back at its time, with the answer.',
    'The reason is shown beside it.',
  ],
  'cancel-refused': [
    'The cancellation was refused',
    'The event is back, with the answer.',
    'The reason is shown beside it.',
  ],
  'let-be': ['It was left as it is', 'The mapping lets this edit be.', done],
  'fields-lost': [
    'Some of what people added was not kept',
    'The event is a new one, and Google does not copy everything.',
    'Add what is missing to the new event.',
  ],
  'class-moved': ['The class was moved as a whole', 'All its appointments have the new time.', done],
  'class-not-moved': [
    'The class was not moved',
    'All its appointments keep their time.',
    'The reason is shown beside it.',
  ],
  'moved-back': ['It was moved back', 'The class could not move as a whole.', done],
  'put-back-retouched': ['The text was put back', 'The mirror keeps its own text.', done],
  'put-back-resized': ['The length was put back', 'The platform sets the length.', done],
  'put-back-reshaped': [
    'The kind of the event was put back',
    'An appointment is one event with a time.',
    done,
  ],
  'put-back-moved': [
    'The event was put back at its time',
    'The mapping or the platform does not take this move.',
    done,
  ],
  'put-back-deleted': ['The deleted event was restored', 'The mapping cancels nothing by a deletion.', done],
  'put-back-agreed': [
    'The event was brought in line',
    'Platform and people agree; only the event differed.',
    done,
  ],
  'put-back-conflict': [
    'Both sides changed it; the platform counts',
    'The event shows what the platform has.',
    'Change it again if something else is meant.',
  ],
  'put-back-outsiders': [
    "An outsider's edit was put back",
    'Only the mapped calendars can change an appointment.',
    done,
  ],
  'put-back-unproven': [
    'A deletion was not proven',
    'The event was restored, and nothing was cancelled.',
    'To cancel it, delete the event again.',
  ],
  retried: ['It was retried', 'Somebody had it tried again.', done],
  discarded: ['It was discarded', 'Somebody gave it up for good. Its next change starts again.', done],
  carried: ['The edit of the row was carried', 'The platform has the new value.', done],
  'own-double-cleared': ['A double row of the worker was cleared', 'A late write had made it.', done],
  'not-erased-contact-of-blocks': [
    'Not erased: the card of blocks',
    'An entry of blocks books for this contact.',
    done,
  ],
  'not-erased-no-phone-or-email': [
    'Not erased: no phone and no e-mail',
    'Nothing says whether the card was merged.',
    done,
  ],
  'not-erased-on-another-card': [
    'Not erased: there is another card',
    'The card was merged with one that has the same phone or e-mail.',
    done,
  ],
};
