import type { Section } from '../../report/section.ts';
import { ADVICE, SILENT } from './reasons.ts';

export const lists: Section = {
  title: 'Rules of all lists',
  prefix: 'lists',
  rules: [
    ['1', 'the envelope is `object` = `list`, `data`, `has_more`'],
    ['2', 'there is no total count and there are no page numbers'],
    ['3', 'objects stand newest first'],
    ['4', 'a page has 20 objects unless `limit` says otherwise'],
    ['5', '`limit` is honoured from 1 to 100'],
    ['6', '`limit` below 1, above 100 or no integer gives 422'],
    ['7', '`starting_after` gives the page behind that object'],
    ['8', '`starting_after` that is no id gives 422'],
    ['9', '`starting_after` works though its object was deleted'],
    ['10', 'walking until `has_more` is false gives every object once'],
    ['11', '`has_more` is true exactly when more objects follow'],
    ['12', 'objects created during a walk are not included in it'],
    ['13', '`project_id` restricts to one project'],
    ['14', 'a `project_id` that is not in the key gives 403'],
    ['15', 'filters hold on every page when they are passed on every page'],
    ['16', 'a `project_id` that is no id gives 422'],
    ['17', '`starting_after` with a well-formed id never seen', SILENT],
    ['18', 'the order of objects with the same moment', SILENT],
    ['19', 'filters are to be passed on every page', ADVICE],
  ],
};
