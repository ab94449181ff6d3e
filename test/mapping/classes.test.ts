import { expect, test } from 'vitest';
import { kindsFor } from '../../src/engine/mirror.ts';
import { loadConfig } from '../../src/mapping/load.ts';
import { checkTemplate } from '../../src/mapping/render-check.ts';
import { checks, file, load, problemOf, STAFF } from './fixture.ts';

const withClasses = (classes: string) => file({ mirrors: `mirrors:\n${STAFF}    classes: ${classes}\n` });
const classes = (written: string) => {
  const [mirror] = load(withClasses(written)).mirrors;
  return mirror?.kind === 'calendar' ? mirror.classes : undefined;
};

test('classes say which services, how many places, and what stands in the event', () => {
  expect(classes('{ services: Yoga }')).toEqual({
    services: ['Yoga'],
    places: [],
    moved: 'refuse',
    title: '{{ service_name }} ({{ taken }}{% if places %}/{{ places }}{% endif %})',
    description: undefined,
  });
  expect(classes('{ services: Yoga, guests: "{{ customer_name }}" }')?.guests).toBe('{{ customer_name }}');
  expect(
    classes(
      '{ services: [Yoga, Pilates], places: { Yoga: 12 }, title: "{{ free }}", description: "{{ over }}" }',
    ),
  ).toEqual({
    services: ['Yoga', 'Pilates'],
    places: [{ service: 'Yoga', places: 12 }],
    title: '{{ free }}',
    description: '{{ over }}',
    moved: 'refuse',
  });
  expect(classes('{ services: Yoga, moved: all }')?.moved).toBe('all');
  expect(problemOf(withClasses('{ services: Yoga, moved: some }')).path).toBe('mirrors.staff.classes.moved');
});

test('places of a service that is no class are a mistake', () => {
  expect(problemOf(withClasses('{ services: Yoga, places: { Yoda: 12 } }'))).toMatchObject({
    path: 'mirrors.staff.classes.places.Yoda',
    what: expect.stringContaining('is not a service of these classes'),
  });
});

test('the event of a class cannot name one of those who come', () => {
  expect(checkTemplate('{{ service_name }} {{ taken }}/{{ places }}', 'class')).toBeUndefined();
  expect(checkTemplate('{{ customer_name }}', 'class')?.message).toContain(
    "no class has a field 'customer_name'",
  );
});

test('the guest list names fields of an appointment, and has the worker follow contacts', () => {
  const named = (guests: string) => withClasses(`{ services: Yoga, guests: "${guests}" }`);
  const withFields = { ...checks, checkTemplate };
  const source = { path: 'slotbridge.yaml', text: named('{{ taken }}') };
  expect(() => loadConfig(source, {}, withFields)).toThrow("no appointment has a field 'taken'");
  expect([...kindsFor(load(named('{{ customer_name }}')).mirrors)]).toEqual(['appointment', 'contact']);
  expect([...kindsFor(load(withClasses('{ services: Yoga }')).mirrors)]).toEqual(['appointment']);
});

test('a sheet has no classes', () => {
  const sheet = `  rows:
    from: appointments
    sheet: { spreadsheet: 1AbC, tab: Visits }
    columns: { ID: "{{ id }}" }
    classes: { services: Yoga }
`;
  expect(problemOf(file({ mirrors: `mirrors:\n${sheet}` }))).toMatchObject({
    path: 'mirrors.rows.classes',
    what: expect.stringContaining('belongs to a mirror with calendars'),
  });
});
