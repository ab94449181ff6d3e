// What people read about CalDAV calendars: their codes in both languages, and their option of `slotbridge init`.

interface Next {
  readonly nothing: string;
  readonly wait: string;
}

export const caldavWords = {
  option:
    'CalDAV account and its server, with the user in the address; its password is in <NAME>_CALDAV_PASSWORD',
  codes: { en: codesEn, ru: codesRu },
};

function codesEn({ nothing, wait }: Next) {
  return {
    'caldav-unauthenticated': [
      'The CalDAV server does not accept the login',
      'User or password of an account in caldav.accounts are wrong, or the app password has expired.',
      'Correct them, or create a new app password.',
    ],
    'caldav-untrusted': [
      'The certificate of the CalDAV server is not trusted',
      'Nothing is sent to a server that cannot prove who it is.',
      'Renew its certificate, or set NODE_EXTRA_CA_CERTS.',
    ],
    'caldav-not-caldav': [
      'A page answers in the place of CalDAV',
      'A proxy, a login page or another program answers at this address.',
      'Correct the address of the account, or remove the proxy.',
    ],
    'caldav-paused': [
      'Waits for the CalDAV server',
      'The server refuses every request. One request in 15 s tests whether it works again.',
      'See the problem of the account on the home page.',
    ],
    'caldav-busy': [
      'The CalDAV server asks for a pause',
      'Requests wait and continue by themselves.',
      nothing,
    ],
    'caldav-unavailable': [
      'The CalDAV server is not available',
      'It answered with an error of its own.',
      wait,
    ],
    'caldav-timeout': ['The CalDAV server did not answer in time', 'A request was given up.', wait],
    'caldav-unreachable': ['No connection to the CalDAV server', 'A request did not reach it.', wait],
    'caldav-answer-too-large': [
      'An answer of the CalDAV server is too large',
      'The answer is larger than 32 MiB.',
      'Remove large attachments from the events of the calendar, then retry.',
    ],
    'caldav-too-large': [
      'No room for the event',
      'The event is larger than the CalDAV server allows.',
      'Shorten what the mirror writes, then retry.',
    ],
    'caldav-full': [
      'The CalDAV server has no room left',
      'Its quota is used up. Events wait and are written when there is room.',
      "Make room in the owner's account.",
    ],
    'caldav-refused': [
      'The CalDAV server refuses the event',
      'The details name what it refuses.',
      'Change the template or the data, then retry.',
    ],
    'caldav-tasks-only': [
      'The calendar is only for tasks',
      'No program would show its events. Its appointments wait; all others continue.',
      'Name a calendar that takes events.',
    ],
    'caldav-events-odd': [
      'Some events do not count as they are',
      'The calendar holds events that cannot be read, stand twice under one UID, or repeat by a rule that nobody can follow. Such a series blocks each day.',
      'Save or delete them in the program that wrote them, or repeat them in another way.',
    ],
  } as const;
}

function codesRu({ nothing, wait }: Next) {
  return {
    'caldav-unauthenticated': [
      'Сервер CalDAV не принимает вход',
      'Имя или пароль в caldav.accounts неверны, или пароль приложения истёк.',
      'Исправьте их или создайте новый пароль приложения.',
    ],
    'caldav-untrusted': [
      'Сертификату сервера CalDAV нет доверия',
      'Серверу, который не подтвердил себя, ничего не отправляется.',
      'Обновите его сертификат или задайте NODE_EXTRA_CA_CERTS.',
    ],
    'caldav-not-caldav': [
      'Вместо CalDAV отвечает страница',
      'По этому адресу отвечает прокси, страница входа или другая программа.',
      'Исправьте адрес учётной записи или уберите прокси.',
    ],
    'caldav-paused': [
      'Ждём сервер CalDAV',
      'Сервер отклоняет все запросы. Раз в 15 с один запрос проверяет, не заработал ли он.',
      'Смотрите проблему учётной записи на главной странице.',
    ],
    'caldav-busy': ['Сервер CalDAV просит подождать', 'Запросы ждут и продолжатся сами.', nothing],
    'caldav-unavailable': ['Сервер CalDAV недоступен', 'Он ответил собственной ошибкой.', wait],
    'caldav-timeout': ['Сервер CalDAV не ответил вовремя', 'Запрос не дождался ответа.', wait],
    'caldav-unreachable': ['Нет связи с сервером CalDAV', 'Запрос до него не дошёл.', wait],
    'caldav-answer-too-large': [
      'Слишком большой ответ сервера CalDAV',
      'Ответ больше 32 МиБ.',
      'Уберите большие вложения из событий календаря, затем повторите.',
    ],
    'caldav-too-large': [
      'Для события нет места',
      'Событие больше, чем разрешает сервер CalDAV.',
      'Сократите то, что пишет зеркало, затем повторите.',
    ],
    'caldav-full': [
      'На сервере CalDAV нет места',
      'Хранилище полно. События ждут и будут записаны, когда место появится.',
      'Освободите место в учётной записи владельца.',
    ],
    'caldav-refused': [
      'Сервер CalDAV отклонил событие',
      'Что именно, сказано в подробностях.',
      'Измените шаблон или данные, затем повторите.',
    ],
    'caldav-tasks-only': [
      'Календарь только для задач',
      'Событий в нём не показала бы ни одна программа. Записи для него ждут, остальные переносятся.',
      'Укажите календарь для событий.',
    ],
    'caldav-events-odd': [
      'Некоторые события учитываются не так, как записаны',
      'В календаре есть события, которые нельзя прочесть, два с одним UID или повтор по непонятному правилу. Такая серия занимает каждый день.',
      'Сохраните или удалите их в программе, которая их создала, или задайте повтор иначе.',
    ],
  } as const;
}
