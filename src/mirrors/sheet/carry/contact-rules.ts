import { TerminalError } from '../../../domain/errors.ts';
import { contentHash } from '../../../domain/snapshot.ts';
import type { RowEditRules } from '../../../ports/bookings.ts';
import type { ContactWriter } from '../../../ports/platform.ts';
import { decideRowEdit, isOfContact } from './decide.ts';
import { cellHash } from './normal-form.ts';

/** Rows of contacts: what people typed is patched. The platform takes no key for that, so what was sent is kept in the row's note alone. */
export function createContactRules(writer: ContactWriter): RowEditRules {
  return {
    decide: decideRowEdit,
    hashOf({ header, text }, { columns, region }) {
      const field = columns.find((column) => column.header === header)?.field;
      return field !== undefined && isOfContact(field)
        ? cellHash(text, { field, region })
        : contentHash(text);
    },
    async carry({ key, decision: { field, value } }) {
      try {
        return { object: await writer.change(key.id, { [field]: value }) };
      } catch (error) {
        if (!(error instanceof TerminalError)) throw error;
        return { code: error.status === 404 ? 'not-found' : 'refused' };
      }
    },
  };
}
