import type { Section } from '../../report/section.ts';
import { NOT_SHOWN } from './reasons.ts';

export const directory: Section = {
  title: 'Services, resources, branches',
  prefix: 'directory',
  rules: [
    ['services.1', 'a service has every field of the table'],
    ['services.2', '`booking_mode` is `fixed` or `interval`'],
    ['services.3', 'only active services are listed'],
    ['services.4', 'a fixed service has a duration, an interval service bounds and `max_guests`'],
    ['services.5', 'the price is an integer in minor units with an ISO 4217 currency'],
    ['services.6', 'the values of `price_unit`', NOT_SHOWN],
    ['resources.1', 'a resource has every field of the table'],
    ['resources.2', '`kind` is `person`, `place` or `item`'],
    ['resources.3', 'only active resources are listed'],
    ['resources.4', '`branch_id` filters'],
    ['resources.5', '`kind` filters; another kind gives 422'],
    ['resources.6', '`service_id` shows only who can serve it'],
    ['resources.7', 'an unknown `service_id` gives 422 `service-not-found`'],
    ['resources.8', 'a filter id that is no id gives 422'],
    ['resources.9', 'filters combine'],
    ['resources.10', '`capacity` is an integer'],
    ['branches.1', 'a branch has every field of the table'],
    ['branches.2', 'only active branches are listed'],
    ['branches.3', '`timezone` is an IANA zone'],
  ],
};
