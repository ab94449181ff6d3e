import type { NoteCode } from '../edits/decide.ts';

export type NoteWords = Readonly<Record<NoteCode, string>>;

/** Texts of notes in restored events: whole sentences for a receptionist, without codes. */
export const NOTE_WORDS: Readonly<Record<'en' | 'ru', NoteWords>> = {
  en: {
    past: 'Not moved: this time has already passed.',
    started: 'Not moved: the appointment has already begun.',
    'not-movable': 'Not moved: this appointment can no longer be moved.',
    'all-day': 'Not moved: an appointment needs a time of day.',
    series: 'Not repeated: an appointment happens once. Please book further appointments one by one.',
    duration: 'The length was put back: how long an appointment lasts is set in the booking system.',
    'not-expressible':
      'The text was put back: only the time and the person or room can be changed here. Please change the rest in the booking system.',
    'moved-meanwhile':
      'Not changed: the appointment was moved in the booking system in the meantime, or in another calendar.',
    'moved-late':
      'Not moved to the other calendar: the event had been put back here before that calendar could be read. Please move it again.',
    'moved-otherwise':
      'Moved again: at the same time somebody chose another hour in another calendar of this appointment. That one counts.',
    'other-branch': 'Not moved: this calendar belongs to another branch.',
    'nobodys-calendar': 'Not moved: appointments of this kind are not kept in that calendar.',
    'second-resource':
      'Not moved: only the calendar of the person who is booked can be changed here. Please change the rest in the booking system.',
    'team-calendar':
      'Not moved: that calendar is shared by several people. Please move it to the calendar of the person who is meant, or choose the person in the booking system.',
    'only-shown':
      'Not cancelled: this calendar only shows the appointment. Please cancel it in the calendar of the person who is booked, or in the booking system.',
    'class-shown':
      'Put back: this event shows a class with all its bookings. Please move or cancel them in the booking system.',
    'class-too-many':
      'Not moved: this class has too many bookings to be moved at once. Please move them in the booking system.',
    'class-hidden':
      'Not moved: this calendar does not show all bookings of the class, or would not at that hour. Please move them in the booking system.',
  },
  ru: {
    past: 'Не перенесено: это время уже прошло.',
    started: 'Не перенесено: визит уже начался.',
    'not-movable': 'Не перенесено: этот визит уже нельзя перенести.',
    'all-day': 'Не перенесено: у визита должно быть время начала.',
    series: 'Не повторяется: визит бывает один раз. Следующие визиты запишите, пожалуйста, по одному.',
    duration: 'Длительность возвращена: её задаёт система записи.',
    'not-expressible':
      'Текст возвращён: здесь можно изменить только время и сотрудника или кабинет. Остальное измените, пожалуйста, в системе записи.',
    'moved-meanwhile': 'Не изменено: визит тем временем перенесли в системе записи или в другом календаре.',
    'moved-late':
      'Не перенесено в другой календарь: событие вернули сюда раньше, чем тот календарь удалось прочитать. Перенесите его, пожалуйста, ещё раз.',
    'moved-otherwise':
      'Перенесено ещё раз: в то же время в другом календаре этого визита выбрали другой час. Действует он.',
    'other-branch': 'Не перенесено: этот календарь относится к другому филиалу.',
    'nobodys-calendar': 'Не перенесено: такие визиты в том календаре не ведутся.',
    'second-resource':
      'Не перенесено: здесь можно сменить только календарь того, к кому записан клиент. Остальное измените, пожалуйста, в системе записи.',
    'team-calendar':
      'Не перенесено: тот календарь общий для нескольких сотрудников. Перенесите событие в календарь нужного сотрудника или выберите его в системе записи.',
    'only-shown':
      'Не отменено: этот календарь только показывает визит. Отмените его в календаре того, к кому записан клиент, или в системе записи.',
    'class-shown':
      'Возвращено: это событие показывает занятие со всеми записями. Перенесите или отмените их, пожалуйста, в системе записи.',
    'class-too-many':
      'Не перенесено: в этом занятии слишком много записей, чтобы перенести их сразу. Перенесите их, пожалуйста, в системе записи.',
    'class-hidden':
      'Не перенесено: этот календарь показывает не все записи занятия или не покажет их в тот час. Перенесите их, пожалуйста, в системе записи.',
  },
};
