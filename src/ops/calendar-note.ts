import type { Language } from '../config/config.ts';
import type { Behind } from './calendars-behind.ts';
import { clockTime } from './status-tab/clock-time.ts';

/** The text of the note of `worker.calendar_note`. */
export function calendarNoteText(
  { sinceMs, why }: Behind,
  place: { readonly zone: string; readonly language: Language },
): { readonly summary: string; readonly description: string } {
  const words = WORDS[place.language];
  const [since, rest] = [clockTime(sinceMs, place), words[why]];
  return { summary: words.title, description: `${words.since(since)} ${rest}\n\n${words.about}` };
}

const WORDS = {
  en: {
    title: 'This calendar is not up to date',
    since: (time: string) => `Since ${time}, changes on the platform may be missing here.`,
    waits: 'They follow by themselves.',
    'given-up': 'They need whoever runs slotbridge to step in.',
    about:
      'Written by slotbridge, which takes this note away when the calendar is up to date. Deleting it changes no appointment.',
  },
  ru: {
    title: 'Календарь не обновлён',
    since: (time: string) => `С ${time} здесь может не хватать изменений с платформы.`,
    waits: 'Они появятся сами.',
    'given-up': 'Этим должен заняться администратор slotbridge.',
    about:
      'Пишет slotbridge. Заметка исчезнет, когда календарь будет обновлён. Её удаление не меняет никаких записей.',
  },
} as const;
