/** The spelling of a calendar id that the YAML uses. */
export type Spelling = (calendarId: string) => string;

/**
 * Google ignores the case of calendar ids. A link that was written before an edit of the YAML may spell its calendar differently. It would
 * pass for an event in another calendar, and the worker would remove the only one.
 */
export function spellingOf(calendarIds: Iterable<string>): Spelling {
  const spelled = new Map([...calendarIds].map((calendarId) => [calendarId.toLowerCase(), calendarId]));
  return (calendarId) => spelled.get(calendarId.toLowerCase()) ?? calendarId;
}
