/** Customer names. Some would break a careless spreadsheet, template or log. */
export const CUSTOMER_NAMES = [
  'Анна Мельник',
  'Seán O’Neill',
  'Zoë Fisher 🌸',
  'Иван Дюма',
  '=HYPERLINK("http://example.com","x")',
  '+7 (Anna)',
  '@SUM(A1:A9)',
  '-5',
  '00123',
  'TRUE',
  '1/2',
  "'quoted",
  '{{ id }}',
  '<b>Bold</b> & Sons',
] as const;

export const REMARKS = [
  'Первый визит',
  'Two lines:\nplease ring twice',
  '=1+1',
  'Prefers "the other" room; 50 % off',
  '{% raw %}',
  '<a href="https://evil.example">Click & win</a>',
  'Аллергия на латекс, '.repeat(20).trim(),
] as const;
