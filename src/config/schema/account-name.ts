import { explained } from '../kinds/explained.ts';
import { text } from '../kinds/text.ts';

/** Setting of a calendar or a spreadsheet. Whether there is such an account is a check across settings. */
export function accountName() {
  return text()
    .optional()
    .meta(
      explained('Name of the account of google.accounts that is used for it. Default: the default account.', {
        example: 'branch',
        since: 'Unreleased',
      }),
    );
}
