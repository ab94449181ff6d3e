import type { Template as Part } from 'liquidjs';
import { TerminalError } from '../../engine/domain/errors.ts';
import type { BookingTemplates } from '../../engine/ports/bookings.ts';
import { bookingFilters, type FilterGround } from './booking-filters.ts';
import { createEngine, renderBounded } from './template.ts';

/** Liquid over the fields of outside bookings, with the filters that search what people typed. */
export function createBookingTemplates(ground: FilterGround): BookingTemplates {
  const engine = createEngine({ keepsTypes: false, filters: bookingFilters(ground) });
  const parsed = new Map<string, Part[]>();
  return {
    text(source, fields) {
      try {
        const parts = parsed.get(source) ?? engine.parse(source);
        parsed.set(source, parts);
        return String(renderBounded(engine, parts, fields)).trim();
      } catch {
        // Liquid's message quotes the template and may quote the value. Both must stay out of the log.
        throw new TerminalError(
          'template-failed',
          'a template of bookings cannot be rendered for what was seen',
          {
            advice: 'Run `slotbridge check`, and look at the filters that the templates of this entry use.',
          },
        );
      }
    },
  };
}
