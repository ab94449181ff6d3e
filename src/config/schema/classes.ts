import type { z } from 'zod';
import type { ClassRule } from '../../domain/class-slot.ts';
import { choice } from '../kinds/choice.ts';
import { entries } from '../kinds/entries.ts';
import { explained, ofType } from '../kinds/explained.ts';
import { wholeNumber } from '../kinds/number.ts';
import { section } from '../kinds/section.ts';
import { template } from '../kinds/template.ts';
import { names } from './where-content.ts';

const SERVICES_MAX = 200;
const PLACES_MAX = 10_000;
const TITLE = '{{ service_name }} ({{ taken }}{% if places %}/{{ places }}{% endif %})';

export const classesSection = section({
  services: names().meta(
    explained('Services, by name or id, whose appointments of one resource at one start are a class.', {
      example: ['Yoga', 'Pilates'],
    }),
  ),
  places: entries(wholeNumber({ min: 1, max: PLACES_MAX }), {
    noun: 'number of places',
    example: 'Yoga: 12',
    max: SERVICES_MAX,
  })
    .optional()
    .meta({
      ...ofType('service to number of places'),
      ...explained(
        'How many places a class has. Other classes have as many as the resource: its capacity on the platform.',
        {
          example: { Yoga: 12 },
        },
      ),
    }),
  title: template()
    .prefault(TITLE)
    .meta(
      explained(
        'Title of the event of a class, a Liquid template over what its appointments have in common, and bookings, taken, places, free and over.',
        { example: '{{ service_name }}: {{ taken }} of {{ places }}' },
      ),
    ),
  description: template()
    .optional()
    .meta(
      explained(
        "Description of the event of a class, a Liquid template. Without it people's own text stays.",
        {
          example: '{{ free }} free',
        },
      ),
    ),
  guests: template()
    .optional()
    .meta(
      explained(
        'Names those who come below the description: a Liquid template of one line, over each appointment. `customer_name` is the name of the contact. Calendars with `show: busy` name nobody.',
        { example: '{{ customer_name }}', since: 'Unreleased' },
      ),
    ),
  moved: choice(['refuse', 'all'], 'way to treat a moved class')
    .prefault('refuse')
    .meta(
      explained(
        "When staff drag the event of a class to another hour: refuse puts it back, all moves all its appointments, or none. all needs the key's right appointments:write; `staff_edits.notify_customer` says whether customers are told.",
        { example: 'all', since: 'Unreleased' },
      ),
    ),
});

export function toClasses(written: z.output<typeof classesSection>): ClassRule {
  const { services, places = {}, title, description, guests, moved } = written;
  return {
    services,
    places: Object.entries(places).map(([service, number]) => ({ service: service.trim(), places: number })),
    ...{ title, description, moved },
    ...(guests !== undefined && { guests }),
  };
}
