import { describe, expect, it } from 'vitest';
import { HOUSE } from '../../demo/judge/company.ts';
import { appointmentShown, expectedEvents } from '../../demo/judge/event-picture.ts';
import { appointmentsTab, contactsTab, officeTab } from '../../demo/judge/row-picture.ts';

const names = {
  resources: new Map([
    ['r1', 'Anna'],
    ['r2', 'Room 1'],
  ]),
  branches: new Map([['b1', 'Riverside']]),
  calendars: new Map([
    ['r1', 'anna@calendar.example'],
    ['r2', 'room@calendar.example'],
  ]),
  teams: new Map([['s1', 'team@calendar.example']]),
};
const ID = '6a1c7a58-6e0c-4d0a-9a39-0d5b3f6f2f11';
const appointment = {
  id: ID,
  branch_id: 'b1',
  service_name: 'Haircut',
  resource_ids: ['r1', 'r2'],
  status: 'confirmed',
  starts_at: '2026-12-01T04:30:00.000Z',
  ends_at: '2026-12-01T05:15:00.000Z',
  timezone: 'Asia/Yekaterinburg',
  guests_count: 2,
  customer_name: 'Zoë',
  customer_phone: '+79120000000',
  price_amount: 240_050,
  price_currency: 'RUB',
  comment: 'Window seat',
};

describe('what the judge expects', () => {
  it('is one event in the calendar of each resource, in the words of the mapping and the zone of the branch', () => {
    const events = expectedEvents(appointment, names);
    expect([...events.keys()]).toEqual(['anna@calendar.example', 'room@calendar.example']);
    expect(events.get('anna@calendar.example')).toEqual({
      title: 'Haircut, Zoë',
      description: `01.12.2026 09:30-10:15\nPhone: +79120000000\nNote: Window seat\nPrice: 2400.5 RUB\nBooking ${ID}`,
      place: 'Riverside',
      start: Date.UTC(2026, 11, 1, 4, 30),
      end: Date.UTC(2026, 11, 1, 5, 15),
      zone: 'Asia/Yekaterinburg',
      state: 'confirmed',
      colour: '',
      guests: 0,
    });
  });

  it('is the same event in the calendar of the team that gives the service', () => {
    const events = expectedEvents({ ...appointment, service_id: 's1' }, names);
    expect(events.get('team@calendar.example')).toEqual(events.get('anna@calendar.example'));
    expect(events.size).toBe(3);
  });

  it('is no event and no row for what only keeps private time unbookable', () => {
    const block = { ...appointment, contact_id: HOUSE };
    expect(expectedEvents(block, names).size).toBe(0);
    expect(appointmentsTab(names).cells(block)).toBeUndefined();
    expect(
      contactsTab().cells({
        id: HOUSE,
        lifecycle: 'lead',
        status: 'active',
        created_at: appointment.starts_at,
      }),
    ).toBeUndefined();
  });

  it('is a tentative, yellow event for a place on the waiting list', () => {
    const held = {
      ...appointment,
      status: 'pending',
      customer_name: null,
      customer_phone: null,
      comment: null,
    };
    expect(expectedEvents(held, names).get('room@calendar.example')).toMatchObject({
      title: 'Haircut, guest (waiting list)',
      description: `01.12.2026 09:30-10:15\nPhone: none\nPrice: 2400.5 RUB\nBooking ${ID}`,
      state: 'tentative',
      colour: '5',
    });
  });

  it('is no event for a cancelled appointment, nor for a status that the mapping does not name', () => {
    for (const status of ['cancelled', 'something_new']) {
      expect(expectedEvents({ ...appointment, status }, names).size).toBe(0);
    }
  });

  it('knows an event by the booking it names last', () => {
    const description = `Note: Booking 00000000-0000-4000-8000-000000000000\nBooking ${ID}`;
    expect(appointmentShown({ description })).toBe(ID);
    expect(appointmentShown({ description: 'Dentist' })).toBeUndefined();
  });

  it('is a row with numbers as numbers and everything else as text', () => {
    expect(appointmentsTab(names).cells(appointment)).toEqual([
      ...[ID, '2026-12-01', '09:30', '10:15', 'confirmed', 'Haircut', 'Anna, Room 1', 'Riverside'],
      ...['Zoë', '+79120000000', 2, 2400.5, 'Window seat'],
    ]);
  });

  it('is a row of the office with its start as days on the clock of the tab, where the service is its own', () => {
    const { cells } = officeTab({ tab: 'Visits', serviceId: 'advice', zone: 'Europe/Moscow' });
    const advice = { ...appointment, service_id: 'advice', starts_at: '2026-12-01T21:00:00.000Z' };
    expect(cells(advice)).toEqual([ID, 46358, 'Zoë', '+79120000000', 'confirmed', false]);
    expect(cells({ ...advice, service_id: 'haircut' })).toBeUndefined();
  });

  it('is a row of a contact while lifecycle and status are those of the mapping', () => {
    const contact = {
      id: ID,
      name: '=1+1',
      phone: null,
      email: 'zoe@example.com',
      lifecycle: 'mql',
      status: 'blocked',
      created_at: '2026-12-01T22:30:00.000Z',
    };
    const { cells } = contactsTab();
    expect(cells(contact)).toEqual([ID, '=1+1', '', 'zoe@example.com', 'MQL', 'blocked', '2026-12-02']);
    expect(cells({ ...contact, lifecycle: 'churned' })).toBeUndefined();
    expect(cells({ ...contact, status: 'archived' })).toBeUndefined();
  });
});
