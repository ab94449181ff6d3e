// The page in Russian. Texts are written in English where they are used; this file has the others. The choice is kept in this browser.

const KEPT = 'slotbridge-sandbox-language';
const asked = localStorage.getItem(KEPT) ?? navigator.language;
export const language = asked.toLowerCase().startsWith('ru') ? 'ru' : 'en';
export const locale = language === 'ru' ? 'ru' : 'en-GB';

export function chooseOther() {
  localStorage.setItem(KEPT, language === 'ru' ? 'en' : 'ru');
  location.reload();
}

/** `#` stands for what is put into the text. */
export const t = (text, put = '') => (language === 'ru' ? (RU[text] ?? text) : text).replace('#', put);

/** Translates what index.html has. */
export function translatePage() {
  document.documentElement.lang = language;
  if (language === 'en') return;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const text = node.data.trim();
    if (text !== '') node.data = node.data.replace(text, t(text));
  }
  for (const element of document.querySelectorAll('[aria-label]'))
    element.setAttribute('aria-label', t(element.getAttribute('aria-label')));
}

const RU = {
  slotbridge: 'slotbridge',
  sandbox: 'песочница',
  loading: 'загрузка',
  Console: 'Консоль',
  Русский: 'English',
  Platform: 'Платформа',
  Service: 'Услуга',
  With: 'У кого',
  When: 'Когда',
  Customer: 'Клиент',
  Phone: 'Телефон',
  Book: 'Записать',
  Trouble: 'Неполадки',
  'Lose the next webhook': 'Потерять следующий вебхук',
  'Platform answers 500 once': 'Платформа один раз ответит 500',
  'Google answers 500 once': 'Google один раз ответит 500',
  'More trouble': 'Другие неполадки',
  Minutes: 'Минут',
  'Platform is away': 'Платформа недоступна',
  'Google is away': 'Google недоступен',
  'Platform limits requests': 'Платформа ограничивает запросы',
  'Google limits requests': 'Google ограничивает запросы',
  Place: 'Место',
  'Unshare with the worker': 'Закрыть воркеру',
  'Share with the worker again': 'Снова открыть воркеру',
  'Roll the webhook secret': 'Сменить секрет вебхуков',
  'End all troubles': 'Закончить все неполадки',
  'Appointments of this week': 'Записи этой недели',
  'Google Calendar': 'Google Календарь',
  'Google Sheets': 'Google Таблицы',
  Calendars: 'Календари',
  'New event': 'Новое событие',
  Week: 'Неделя',
  'Week before': 'Неделя раньше',
  'Week after': 'Неделя позже',
  '‹': '‹',
  '›': '›',
  Today: 'Сегодня',
  Tabs: 'Вкладки',
  'Enter or a double click edits a cell': 'Enter или двойной щелчок — правка ячейки',
  'Rename the tab': 'Переименовать вкладку',
  'New name': 'Новое имя',
  Rename: 'Переименовать',
  Event: 'Событие',
  Calendar: 'Календарь',
  Title: 'Название',
  Start: 'Начало',
  End: 'Конец',
  'Staff do this in Google Calendar. The worker then carries it to the platform.':
    'Так делают сотрудники в Google Календаре. Воркер перенесёт это на платформу.',
  Save: 'Сохранить',
  Delete: 'Удалить',
  Close: 'Закрыть',
  'Move the appointment': 'Перенести запись',
  'New start': 'Новое начало',
  Move: 'Перенести',
  Cancel: 'Отменить',
  'anybody free': 'кто свободен',
  'no name': 'без имени',
  'None yet. Book one above.': 'Пока нет. Запишите кого-нибудь выше.',
  'and # more': 'и ещё #',
  'and # more rows': 'и ещё строк: #',
  changes: 'изменений',
  webhooks: 'вебхуков',
  lost: 'потеряно',
  'platform calls': 'вызовов платформы',
  'Google calls': 'вызовов Google',
  '# min': '# мин',
  pending: 'ждёт',
  confirmed: 'подтверждена',
  cancelled: 'отменена',
  completed: 'завершена',
  'no show': 'не пришёл',
  'No title': 'Без названия',
  'all day': 'весь день',
  'All times: #': 'Время: #',
  live: 'вживую',
  'waiting for the sandbox': 'ждём песочницу',
  'The sandbox refused.': 'Песочница отказала.',
  'The sandbox does not answer.': 'Песочница не отвечает.',
  'There is no spreadsheet.': 'Таблиц нет.',
  'Tab #': 'Вкладка #',
  'Cell #': 'Ячейка #',
};
