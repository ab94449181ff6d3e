import { explained } from '../kinds/reading.ts';
import { text } from '../kinds/text.ts';

/** The setting `account` of a calendar or spreadsheet. A check across settings verifies that the account exists. */
export function accountName() {
  return text()
    .optional()
    .meta(
      explained(
        'Name of an account in google.accounts, or in caldav.accounts for a CalDAV calendar. Default: the default account of Google.',
        {
          example: 'branch',
          since: '0.3.0',
        },
      ),
    );
}
