import type { ConsentOutcome } from './complete.ts';

/** What a person reads after Google's consent page. Plain text that repeats nothing from the request. */
interface ConsentWords extends Readonly<Record<ConsentOutcome, string>> {
  readonly 'too-many': string;
  readonly 'not-stored': string;
}

export const CONSENT_WORDS: Readonly<Record<'en' | 'ru', ConsentWords>> = {
  en: {
    kept: 'Thank you. slotbridge can use your calendar now. You may close this window.',
    'not-asked': 'This page is only for links that slotbridge has sent. Nothing was stored.',
    'refused-by-person':
      'You did not agree, and nothing was stored. The link works until it expires, should you change your mind.',
    'link-gone':
      'This link was used already or has expired. Nothing was stored. Ask the person who sent it for a new one.',
    'wrong-person':
      'You signed in with another Google account than the one that was invited. Nothing was stored. Ask for a new link, and choose the invited account. You can remove the access that you have just given at https://myaccount.google.com/connections',
    incomplete:
      'Not everything was allowed that slotbridge needs. Nothing was stored. Ask for a new link, and leave every box ticked.',
    'refused-by-google':
      'Google did not confirm your consent. Nothing was stored. Ask for a new link, and try again.',
    'too-many': 'Too many calls from your network. Nothing was stored. Reload this page in a minute.',
    'not-stored': 'slotbridge cannot store your consent right now. Ask for a new link in a while.',
  },
  ru: {
    kept: 'Спасибо. Теперь slotbridge может работать с вашим календарём. Окно можно закрыть.',
    'not-asked': 'Эта страница только для ссылок, которые прислал slotbridge. Ничего не сохранено.',
    'refused-by-person':
      'Вы не дали согласия, ничего не сохранено. Если передумаете, ссылка ещё действует, пока не истечёт её срок.',
    'link-gone':
      'Эта ссылка уже использована или устарела. Ничего не сохранено. Попросите новую у того, кто её прислал.',
    'wrong-person':
      'Вы вошли не в ту учётную запись Google, которую приглашали. Ничего не сохранено. Попросите новую ссылку и выберите нужную учётную запись. Только что выданный доступ можно убрать: https://myaccount.google.com/connections',
    incomplete:
      'Вы разрешили не всё, что нужно slotbridge. Ничего не сохранено. Попросите новую ссылку и оставьте все галочки.',
    'refused-by-google':
      'Google не подтвердил ваше согласие. Ничего не сохранено. Попросите новую ссылку и попробуйте ещё раз.',
    'too-many': 'Слишком много запросов из вашей сети. Ничего не сохранено. Обновите страницу через минуту.',
    'not-stored': 'Сейчас slotbridge не может сохранить ваше согласие. Попросите новую ссылку чуть позже.',
  },
};
