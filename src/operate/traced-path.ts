/** What follows these names something of a person: a calendar's id is often an address, a range the name of a tab. */
const NAMING = new Set(['calendars', 'events', 'spreadsheets', 'values']);
/** A word of an API; ids have digits, capitals or other characters. */
const WORD = /^[a-z][a-z_]{0,30}$/;
/** `v1`, `v4` */
const VERSION = /^v\d$/;

/** The path without ids: `/calendar/v3/calendars/{id}/events/{id}`. A method of Google behind a colon stays. */
export function templateOf(path: string): string {
  let before = '';
  const parts = path.split('/').map((part) => {
    const [, name = part, method = ''] = /^(.*?)(:[a-zA-Z]+)?$/.exec(part) ?? [];
    const isName = name === '' || (!NAMING.has(before) && (WORD.test(name) || VERSION.test(name)));
    before = name;
    return `${isName ? name : '{id}'}${method}`;
  });
  return parts.join('/');
}
