import { describe, expect, test } from 'vitest';
import { colourFor, coloursOf } from '../../src/calendar/wanted.ts';
import type { Directory, EventTemplate } from '../../src/engine/mirror.ts';

const about = { projectId: 'p', branchId: 'b' };
const directory: Directory = {
  branches: new Map(),
  services: new Map([['s-1', { id: 's-1', name: 'Massage', ...about }]]),
  resources: new Map(
    ['Anna', 'Boris', 'Room'].map((name, at) => [`r-${at}`, { id: `r-${at}`, name, ...about }]),
  ),
};
const event: EventTemplate = {
  ...{ title: 't', description: undefined, location: undefined, cancelled: 'remove' },
  colorIds: { no_show: '11' },
  serviceColours: [
    { name: 'Massage', colorId: '3' },
    { name: 's-2', colorId: '4' },
  ],
  resourceColours: [
    { name: 'Room', colorId: '5' },
    { name: ' Anna', colorId: '2' },
    { name: 'r-1', colorId: '7' },
  ],
};
const booked = { id: 'a', status: 'confirmed', service_id: 's-9', resource_ids: ['r-0', 'r-2'] };

describe('the colour of an event', () => {
  test.each([
    ['of its status, before all else', { ...booked, status: 'no_show', service_id: 's-1' }, '11'],
    ['of its service, by name', { ...booked, service_id: 's-1' }, '3'],
    ['of its service, by id', { ...booked, service_id: 's-2' }, '4'],
    ['of a service that the lists do not have, by its own name', { ...booked, service_name: 'Massage' }, '3'],
    ['of its main resource', booked, '2'],
    ['of another resource, where the main one has none', { ...booked, resource_ids: ['r-9', 'r-2'] }, '5'],
    ['of a resource, by id', { ...booked, resource_ids: ['r-1'] }, '7'],
    ['none: nobody has one', { ...booked, resource_ids: ['r-9'] }, undefined],
    ['none: a cancelled one has no resources', { ...booked, status: 'cancelled' }, undefined],
  ])('is that %s', (_, snapshot, colorId) => {
    expect(colourFor(event, snapshot, directory)).toBe(colorId);
  });

  test('is one that the mirror may take away again', () => {
    expect([...coloursOf(event)].sort()).toEqual(['11', '2', '3', '4', '5', '7']);
  });
});
