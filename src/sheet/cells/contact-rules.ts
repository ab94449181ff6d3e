import { TerminalError } from '../../engine/domain/errors.ts';
import { contentHash } from '../../engine/domain/object.ts';
import type { RowEditRules } from '../../engine/ports/bookings.ts';
import type { ContactWriter } from '../../engine/ports/platform.ts';
import { decideRowEdit, isOfContact } from './decide.ts';
import { cellHash } from './normal-form.ts';

/**
 * Rules for rows of contacts: sends what users typed as a PATCH. The platform takes no Idempotency-Key for it, so only the row's note
 * records what was sent.
 */
export function createContactRules(writer: ContactWriter): RowEditRules {
  return {
    decide: decideRowEdit,
    hashOf({ header, text, isNumber }, { columns, region }) {
      const field = columns.find((column) => column.header === header)?.field;
      return field !== undefined && isOfContact(field)
        ? cellHash(text, { field, region, isNumber })
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
