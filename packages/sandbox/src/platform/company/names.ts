/**
 * Invented people and services, Russian and English. Phone numbers are in ranges that belong to no particular
 * person.
 */
export const FIRST_NAMES = [
  'Анна',
  'Мария',
  'Ольга',
  'Елена',
  'Иван',
  'Пётр',
  'Дмитрий',
  'Сергей',
  'Наталья',
  'Алексей',
  'Emma',
  'Olivia',
  'James',
  'William',
  'Sophie',
  'Thomas',
  'Grace',
  'Henry',
  'Zoë',
  'Seán',
] as const;

/** Family names that suit any gender, so that they fit every first name. */
export const LAST_NAMES = [
  'Шевченко',
  'Коваленко',
  'Черных',
  'Дюма',
  'Седых',
  'Бойко',
  'Гриценко',
  'Мельник',
  'Франк',
  'Белых',
  'Smith',
  'Taylor',
  'Brown',
  "O'Neill",
  'Walker',
  'Hughes',
  'Murphy',
  'Clarke',
  'Bennett',
  'Fisher',
] as const;

export const BRANCH_NAMES = ['Центр', 'Riverside', 'Север', 'Old Town', 'Вокзал', 'Harbour'] as const;

export const ROOM_NAMES = ['Room', 'Кабинет', 'Studio'] as const;

export const POSITIONS = ['Мастер', 'Therapist', 'Врач', 'Senior stylist', 'Администратор'] as const;

export const SERVICES = [
  { name: 'Консультация', durationMin: 30, priceAmount: 150_000 },
  { name: 'Haircut', durationMin: 45, priceAmount: 240_000 },
  { name: 'Массаж', durationMin: 60, priceAmount: 350_000, needsRoom: true },
  { name: 'Full check-up', durationMin: 90, priceAmount: 720_000, needsRoom: true },
  { name: 'Маникюр', durationMin: 60, priceAmount: 200_000 },
  { name: 'Colouring', durationMin: 90, priceAmount: 580_000 },
  { name: 'Первичный приём', durationMin: 45, priceAmount: 300_000, needsRoom: true },
  { name: 'Follow-up', durationMin: 30, priceAmount: 120_000 },
] as const satisfies readonly {
  name: string;
  durationMin: number;
  priceAmount: number;
  needsRoom?: boolean;
}[];

export const COMMENTS = [
  'Первый визит',
  'Prefers mornings',
  'Аллергия на латекс',
  'Will pay by card',
] as const;
