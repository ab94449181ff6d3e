// Mirrors, blocks, classes and the work on an object, in English.
import type { CodeTexts } from './code-text.ts';
import { NEXT_EN } from './remotes-en.ts';

const { nothing, retry, defect } = NEXT_EN;
const MERGED =
  'Check whether the card was merged with another. If not, run `slotbridge forget contact <id>`. Then discard the letter.';

export const MIRRORS_EN: CodeTexts = {
  'spreadsheet-failing': [
    'The spreadsheet answers with errors',
    'Google has failed or was too slow for half a minute. Other spreadsheets continue.',
    "Nothing to do. If it lasts, check Google's status page.",
  ],
  'spreadsheet-paused': [
    'Waits for the spreadsheet',
    'The spreadsheet refuses every request. One request in 15 s tests whether it works again.',
    'See the problem of the spreadsheet on the home page.',
  ],
  'spreadsheet-not-shared': [
    'The spreadsheet does not exist or is not shared',
    'The worker may not edit it. Its rows wait; all others continue.',
    "Share the spreadsheet with the worker's account as Editor, or correct its id.",
  ],
  'tab-not-found': [
    'The spreadsheet has no such tab',
    'Its rows wait; all others continue.',
    'Add an empty tab with that name, or correct the name in the mapping.',
  ],
  'tab-refused': [
    'Google does not allow adding rows to the tab',
    'Its rows wait; all others continue.',
    'Check whether it is an ordinary tab.',
  ],
  'tab-paused': [
    'Waits for the tab',
    'The tab refuses its rows. They are tried again.',
    'See the problem of the tab on the home page.',
  ],
  'header-missing': [
    'Headers are missing in the first row',
    'The first row lacks headers of the mirror, or of the entry of bookings. Its rows wait.',
    'Add the headers there or rename them in the mapping. For a mirror, you may also empty the tab.',
  ],
  'header-duplicate': [
    'Several columns have the same header',
    'It is not known which one is meant. The rows wait.',
    'Rename all but one.',
  ],
  'key-header-renamed': [
    'The id column has another header',
    'The header of the id column in the mapping is not the one in the tab. The rows wait.',
    'Rename one of the two.',
  ],
  'rows-missing': [
    'More than half of the rows are gone',
    'At least 20 written rows are gone from the tab. With removed: restore they are written again; with leave they stay away after a day.',
    'Check whether somebody emptied the tab by mistake; see its version history.',
  ],
  'duplicate-key': [
    'Two rows have the same id',
    'The upper one is kept up to date.',
    "Wait for the next check of the tab. What remains is a person's copy: delete it, or empty its id cell.",
  ],
  'cells-covered': [
    'A write may have gone over cells of people',
    'People moved rows or columns under a write. It went over the cells that the message names, and what they said is unknown.',
    'Look in the version history whether somebody had written there. The problem ends after a day.',
  ],
  'rows-unsure': [
    'Notes may stand beside another object',
    'People moved rows and columns under a write, which went over ids. What they wrote beside those rows may have lost its object.',
    'Compare the rows that the message names with the version history. The problem ends after a day.',
  ],
  'cells-left': [
    'Cells may stand in the wrong place',
    'People moved rows or columns under a write, and nobody could check it. The worker empties only what it certainly wrote.',
    'Empty the cells that the message names if nobody typed them. The problem ends with the next check of the tab.',
  ],
  'cells-merged': [
    'Merged cells cover cells of the worker',
    'A merge shows only its first cell. Rows with covered cells wait, and all others are written.',
    'Unmerge the cells that the message names (Format, Merge cells). The rows are then written.',
  ],
  'tab-filtered': [
    'A filter hides rows from everybody',
    'It has stood in the tab for a day. The worker reads and writes hidden rows all the same.',
    'Remove the filter, or use a filter view, which hides rows only from whoever opens it.',
  ],
  'rows-moved': [
    'Rows went to the end of their tab',
    'People changed the tab while its blank rows were moved. The rows that the message names went along, with everything in them.',
    'Sort the tab again, or move the rows back. The problem ends after a day.',
  ],
  'gaps-stay': [
    'Blank rows stay between the others',
    'Google refuses to move them, perhaps because of merged cells or a protected range.',
    'Unmerge cells that reach over several rows, and let the worker edit protected ranges. It tries again every day.',
  ],
  'sheet-nearly-full': [
    'The spreadsheet is nearly full',
    'It has 8 of the 10 million cells that Google allows, blank ones included.',
    'Delete columns, rows or tabs, or use another spreadsheet.',
  ],
  'sheet-full': [
    'The spreadsheet is full',
    "It has reached Google's limit of cells. New rows wait.",
    'Delete columns, rows or tabs, or use another spreadsheet.',
  ],
  'sheet-changed': [
    'The spreadsheet was changed while it was read',
    'People changed it in that moment.',
    retry,
  ],
  'sheet-unreadable': ['The spreadsheet could not be read', 'Google returned it incomplete.', NEXT_EN.wait],
  'sheet-perhaps-written': [
    'It is not clear whether the row was written',
    'The answer to the write was lost.',
    retry,
  ],
  'sheet-zone-unknown': [
    "The spreadsheet's time zone is unknown",
    'Dates use the last known zone; without one, rows wait. Its booking sheets are not read.',
    'Update slotbridge if the zone is new. Or choose another zone (File, Settings), or set timezone in the mapping.',
  ],
  'protected-range': [
    'Cells of the mirror are protected',
    'A protected range covers them. The rows wait.',
    "Let the worker's account edit the range.",
  ],
  'cells-not-kept': [
    'Something changes the cells after each write',
    'The row is left alone until its object changes.',
    "Find the script, add-on or program that writes to the mirror's columns in this row, remove it, then retry.",
  ],
  'status-tab-taken': [
    'The name of the status tab is taken',
    'People have a tab with the name of worker.status_tab. Nothing is written into it.',
    'Rename that tab, or choose another name in worker.status_tab.',
  ],
  'status-tab-refused': [
    'The status tab cannot be written',
    'Google refuses writes to it. Everything else continues.',
    'Check whether the tab is protected or the spreadsheet full. You may delete the tab.',
  ],
  'drop-downs-protected': [
    'The drop-downs are protected',
    'The worker may not edit cells of a column that has drop_downs, or their hidden tab. Rows are still booked.',
    "Let the worker's account edit the column, remove its type in the table, or remove it from drop_downs.",
  ],
  'drop-downs-refused': [
    'Google refuses the drop-downs',
    'It has refused the drop-downs of a spreadsheet twice. Rows are still booked.',
    'Check whether columns are protected or the spreadsheet full.',
  ],
  'intake-zone-changed': [
    "A booking sheet's time zone was changed",
    'That would change the time of every row, so nothing is read from it.',
    'Set the zone back (File, Settings), or write the intended zone into the entry: `from: { timezone: … }`.',
  ],
  'intake-write-refused': [
    'A booking sheet cannot be written',
    'Rows without an id are not booked; others continue.',
    "Let the worker's account edit the columns that it writes.",
  ],
  'rows-changed-at-once': [
    'Too many rows were changed at once',
    'Nothing was carried to the platform; the cells are restored.',
    'Ask whether a column was sorted or pasted over. The problem disappears after an hour.',
  ],
  'mirror-stopped': [
    'A mirror has stopped',
    'One cause made many objects in a row fail, such as a template. Its objects wait; other mirrors continue.',
    'Correct the setting that the problem names, then reload. Or retry one of the dead letters: a success lets the mirror continue.',
  ],
  'mass-edit': [
    'Edits of many rows wait for a person',
    'People changed many rows within an hour. The platform keeps its values, and the rows quote what was typed.',
    'Ask the office, then approve or decline it here, or run `slotbridge approve edits <mirror>` or `slotbridge decline edits <mirror>`.',
  ],
  'mass-edit-declined': [
    'A person declined the edit of the row',
    'Many rows were changed within an hour. The platform keeps its value, and the row says so.',
    'Nothing. If it was meant after all, it is typed again.',
  ],
  'mass-booking': [
    'Many new rows wait for a person',
    'People entered many rows within an hour, or these were not ticked when `ready` was removed from the settings. Each says that it waits.',
    'Ask the office, then approve or decline it here, or run `slotbridge approve bookings <entry>` or `slotbridge decline bookings <entry>`.',
  ],
  'mass-booking-declined': [
    'A person declined the row',
    'Many rows came at once. This one is not booked, and says so.',
    'Nothing. Any change to the row asks again.',
  ],
  'mass-deletion': [
    'Very many would be deleted at once',
    'Nothing was cancelled or deleted. It waits for a person.',
    'Ask the owner of the calendar or tab, and check that the API key still covers all projects. If it was meant, approve it here or run `slotbridge approve deletions <calendar, mirror, entry or contacts>`, then retry.',
  ],
  'mass-erasure': [
    'Very many contacts would be erased',
    'More than 20 contacts were deleted within an hour. The rest waits for a person.',
    'If the deletion was meant, approve it here or run `slotbridge approve erasures`.',
  ],
  'mail-storm': [
    'Very many customers would be mailed',
    'Staff changed more appointments at once than customers may be mailed about.',
    'Check whether the changes are intended. If so, run `slotbridge approve mails` and retry.',
  ],
  'retention-failing': [
    'Old data is kept longer than allowed',
    'It is kept longer than privacy.keep says.',
    'The log of the worker names what failed.',
  ],
  'deletion-unproven': [
    'The deletion of a contact is not proven',
    'An event says that it was deleted, but the platform still shows it. Nothing was erased.',
    'Replay the contact. Check who knows the webhook secret.',
  ],
  'deletion-with-appointments': [
    'A deleted contact has appointments',
    'It was deleted or merged, and appointments are to come. Nothing was erased.',
    MERGED,
  ],
  'deletion-unclear': [
    'It is not clear whether a contact was deleted or merged',
    'Its phone and e-mail are no longer known. Nothing was erased.',
    MERGED,
  ],
  'erasure-contended': [
    'The person is written again as fast as erased',
    'Something fills the emptied places again.',
    'Find out who writes them. The worker continues by itself; `slotbridge forget` is run again.',
  ],
  'handler-at-work': [
    'The person is still being worked on',
    'An erasure waits until no work on the person runs.',
    nothing,
  ],
  'spreadsheet-busy': [
    'The spreadsheet is being written',
    'An erasure waits until the rows are written.',
    nothing,
  ],
  'contact-of-blocks': [
    'Not erased: blocks are booked for it',
    'An entry of blocks names this contact.',
    'Give the entry another contact, then erase this one.',
  ],
  'erasure-unfinished': [
    'A person is not erased everywhere yet',
    'A calendar or spreadsheet cannot be reached. Nothing of the person is written meanwhile.',
    'Fix the place that it names; the worker continues by itself.',
  ],
  'leads-cannot-be-read-again': [
    'Leads may be missing',
    'Leads are on no list, and the event feed does not cover that time.',
    'Compare them with the dashboard. The problem disappears after three days.',
  ],
  'blocks-refused': [
    'The platform refuses the blocks',
    'It refuses every block of an entry: the service, the contact or a person is wrong.',
    'Run `slotbridge check --live`: it says what. The problem ends with the first block that works.',
  ],
  'blocks-misnamed': [
    'An entry of blocks has an unknown name',
    'A service or people are not on the platform, or the service is not a time rental. Other names continue.',
    'Correct the names: `slotbridge check --live`.',
  ],
  'blocks-mass-cancel': [
    'Very many blocks would be cancelled',
    'More than ten of one person, and more than half. They stay.',
    'Check whether the events were removed on purpose. If so, approve it here or run `slotbridge approve blocks`.',
  ],
  'blocks-list-too-long': [
    'A person has too many appointments for blocks',
    'The platform lists over 3,000 for one person.',
    'Shorten the horizon of the entry in blocks, restart, then retry.',
  ],
  'blocks-more-to-do': ['More blocks are still to be booked', 'Only some are booked at a time.', nothing],
  'class-overbooked': [
    'A class has more guests than places',
    'All of them are shown.',
    'Move somebody, or correct classes.places.',
  ],
  'class-split': [
    'A class was split while it moved',
    'Some appointments could not move to the new time, nor back.',
    'Move them on the platform: the details name both times.',
  ],
  'class-too-large': [
    'A class has too many appointments',
    'It has over 5,000.',
    'Remove its service from classes, then retry.',
  ],
  'class-not-visible': [
    'The platform does not show the class',
    'It shows nobody in it, and perhaps not its project. The event stays.',
    'Check that the API key covers the project of the service, and that service and resource are active. Then retry. Nothing was deleted.',
  ],
  'class-not-handed-back': [
    'The event of a class stays for now',
    'Each of its appointments gets an event of its own first.',
    nothing,
  ],
  'class-moving': [
    'The class is still being moved',
    'Another move of these appointments has not ended yet.',
    nothing,
  ],
  'condition-failed': [
    'A condition cannot be evaluated',
    'A condition in where fails for this object. Nothing was removed.',
    'Check the filters in where.if of the mirror, then retry.',
  ],
  'template-failed': [
    'A template fails',
    'A template cannot be rendered for this object, or for what a person wrote.',
    'Check the filters of the template named in the message, run `slotbridge check`, restart, then retry.',
  ],
  'appointment-unreadable': [
    'The appointment has no time or no status',
    'The platform sends it incomplete.',
    'Check the appointment on the platform: it has no times or no status. Then retry.',
  ],
  'event-forbidden': [
    'The event may not be changed',
    'It belongs to another organizer, or Google forbids it.',
    'Check the event in the calendar: it belongs to another organizer, or the worker may not change it.',
  ],
  'event-ids-spent': [
    'No id is left for the event',
    'The bin of the calendar holds all former events of this appointment.',
    "Empty the calendar's bin, then retry.",
  ],
  'event-changed': ['People are editing the event', 'It changes faster than it can be written.', retry],
  'etag-mismatch': ['The event was changed while it was written', 'Somebody kept changing it.', retry],
  'insert-in-doubt': [
    'It is not clear whether the event was made',
    'The answer was lost, and the event may still appear.',
    nothing,
  ],
  'edit-loop': [
    'Something changes it in a circle',
    'The event or row changed more than ten times within ten minutes.',
    'Two programs write to the calendar or sheet. Find the other one, stop one of them, then retry.',
  ],
  'edit-grace': [
    'Waits whether the event was moved',
    'It was deleted or moved just now, and may appear in another calendar.',
    nothing,
  ],
  'edit-search': [
    'The event is looked for',
    'A deleted event is looked for in the other calendars.',
    nothing,
  ],
  'edit-unsearched': [
    'Not all calendars were read',
    'A deleted event may stand in a calendar that does not answer. Nothing is cancelled before it does.',
    'See the problem of that calendar on the home page.',
  ],
  'edit-unseen': ['The edit of people is read first', 'People changed the event just now.', nothing],
  'edit-unsettled': [
    'The event kept changing',
    'The event and its appointment changed again and again while they were processed.',
    retry,
  ],
  'booking-unsettled': [
    'The booking kept changing',
    'The booking and its appointment changed again and again while they were processed.',
    retry,
  ],
  'booking-gone': [
    'The event of the booking is gone',
    'It has left its calendar since it was seen.',
    nothing,
  ],
  'booking-moved': [
    'The event of the booking was moved',
    'It was booked in another calendar, and moved since.',
    nothing,
  ],
  'booking-still': ['The booking is still being written', 'It was changed just now.', nothing],
  'booking-unlinked': ['The event of the booking is not linked yet', 'Its booking links it first.', nothing],
  'series-held': [
    'Appointments of a removed series remain',
    'Nothing new is booked from the series until they are cancelled.',
    'Wait. A letter of a mass deletion about one of them waits for a person.',
  ],
  'customer-busy': ["The customer's card is in use", 'Another booking works on the same card.', nothing],
  'intent-contended': ['Several book the same at once', 'Several handlers book for one row or event.', retry],
  'intent-overtaken': ['Another one was faster', 'Another handler has finished the same wish.', retry],
  'intent-keys-spent': [
    'The keys of the requests are spent',
    'The platform has seen every new key before.',
    "Report it to the platform's support, with the request id. Then retry.",
  ],
  'links-contended': [
    'The links changed at the same time',
    'They change faster than they can be moved.',
    retry,
  ],
  'lease-lost': ['The queue went to another process', 'The work took longer than its lease.', retry],
  'merge-contended': ['The object changed too fast', 'Several states of it arrived at once.', retry],
  'snapshot-missing': ['The content was not stored', 'The content that the work needs is not there.', defect],
  fenced: ['Another one was faster', 'A newer handler has the object.', retry],
  stopped: ['The worker was stopping', 'It ended in the middle of the work.', retry],
  unexpected: ['An unexpected error', 'The worker met an error that it does not know.', defect],
  'unhandled-case': ['A case that nobody foresaw', 'The worker met a value that it does not know.', defect],
  'booked-twice': [
    'One row or event was booked twice',
    'Two live appointments came from it, after a split or a failover. The worker cancels none.',
    'Cancel the one that is too many on the platform.',
  ],
};
