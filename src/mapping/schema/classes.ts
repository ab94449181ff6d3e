import type { z } from 'zod';
import type { ClassRule } from '../../engine/class-slot.ts';
import { explained, explanation, ofType } from '../kinds/reading.ts';
import { entries, section } from '../kinds/section.ts';
import { template } from '../kinds/template.ts';
import { choice, wholeNumber } from '../kinds/text.ts';
import { names } from './where.ts';

const SERVICES_MAX = 200;
const PLACES_MAX = 10_000;
const TITLE = '{{ service_name }} ({{ taken }}{% if places %}/{{ places }}{% endif %})';

export const classesSection = section({
  services: explained(
    names(),
    'Services, by name or id, that are classes. Their appointments with the same main resource and start share one event.',
    { example: ['Yoga', 'Pilates'] },
  ),
  places: entries(wholeNumber({ min: 1, max: PLACES_MAX }), {
    noun: 'number of places',
    example: 'Yoga: 12',
    max: SERVICES_MAX,
  })
    .optional()
    .meta({
      ...ofType('service to number of places'),
      ...explanation('Number of places by service. Default: the capacity of the resource on the platform.', {
        example: { Yoga: 12 },
      }),
    }),
  title: explained(
    template().prefault(TITLE),
    'Title of a class event, a Liquid template. It sees the fields that all appointments share, plus bookings, taken, places, free and over.',
    { example: '{{ service_name }}: {{ taken }} of {{ places }}' },
  ),
  description: explained(
    template().optional(),
    "Description of a class event, a Liquid template. Default: people's own text stays.",
    { example: '{{ free }} free' },
  ),
  guests: explained(
    template().optional(),
    "One line for each appointment below the description, a Liquid template over the appointment. `customer_name` is the contact's name. Calendars with `show: busy` show no names. Default: no lines.",
    { example: '{{ customer_name }}', since: '0.3.0' },
  ),
  moved: explained(
    choice(['refuse', 'all'], 'way to treat a moved class').prefault('refuse'),
    'What happens when staff move a class event to another time. refuse: it goes back. all: all its appointments are moved, or none. all needs the right appointments:write; `staff_edits.notify_customer` says whether customers are notified.',
    { example: 'all', since: '0.3.0' },
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
