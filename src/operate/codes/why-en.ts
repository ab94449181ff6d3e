import type { WhyWords } from '../../engine/domain/why-words.ts';

/** Why a mirror takes an object or not, in English. */
export const WHY_EN: WhyWords = {
  onlyId: 'only its id is known so far',
  deleted: 'the platform said that it was deleted',
  deletedRow: (does) => `it was deleted on the platform: ${does}`,
  notKnownYet: (setting) => `its ${setting} is not known yet`,
  notKnown: (setting) => `its ${setting} is not known`,
  notAllowed: (setting, { value, allowed }) =>
    `its ${setting} is ${value ?? 'empty'}, and only ${allowed} is taken`,
  range: ({ min, max }) =>
    [...(min === undefined ? [] : [`from ${min}`]), ...(max === undefined ? [] : [`to ${max}`])].join(' '),
  notListed: (setting, value) =>
    `its ${setting} is ${value}, and the platform's lists do not have every name of the line`,
  metadata: (key, allowed) => `its metadata has no ${key} that is one of: ${allowed}`,
  condition: {
    yes: 'its condition holds',
    no: 'its condition does not hold',
    unknown: 'a field of its condition is not known',
    failed: 'its condition cannot be read for this object',
  },
  tooOld: (field, at) => `its ${field} is ${at}, longer ago than is taken up`,
  tooFar: (at, enters) => `it starts at ${at}, further ahead than is taken up; it enters on ${enters}`,
  stays: (clause) => `it stands there, and stays although ${clause}`,
  takenBy: (settings) =>
    ['every line of where takes it', ...(settings.length === 0 ? [] : [settings.join(', ')])].join(': '),
  archivedLater: (tab, at) => `it moves to tab ${tab} on ${at}`,
  archivedNot: (tab) => `it is old enough for tab ${tab}, but people have written beside its row`,
  archived: (tab, { by, at }) => `its ${by} is old enough: since ${at} its row belongs to tab ${tab}`,
  cancelled: (does) => `it is cancelled: ${does}`,
  cancelledWithoutEvent: 'it is cancelled, and has no event to keep',
  owners: {
    resource: 'one of its resources has a calendar',
    branch: 'its branch has a calendar',
    service: 'its service has a calendar',
    all: 'there is a calendar for everything',
  },
  without: (by) => `it has no ${by}`,
  noCalendarOf: (by, name) =>
    by === 'resource'
      ? `none of its resources (${name}) has a calendar`
      : `its ${by} (${name}) has no calendar`,
  noCalendar: 'the mapping has no calendar',
  and: (clauses) => clauses.join(', and '),
  inClass: (id) => `its class event shows it: slotbridge explain class ${id}`,
  shownAsClass: (isShown) =>
    isShown ? 'its service is shown as classes' : 'its service is not shown as classes',
  blocked: 'no mirror shows blocks, or the contact that they are booked for',
};
