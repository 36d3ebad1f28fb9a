import type { PageLanguage } from '@vedette/shared'

/** The steps that a maintenance gets by its times. */
type NoticeTexts = Record<'reminder' | 'in_progress' | 'completed', string>

const en: NoticeTexts = {
  reminder: 'Reminder: this maintenance begins in an hour.',
  in_progress: 'The planned maintenance is in progress.',
  completed: 'The planned maintenance is completed.',
}

const de: NoticeTexts = {
  reminder: 'Zur Erinnerung: Diese Wartung beginnt in einer Stunde.',
  in_progress: 'Die geplante Wartung hat begonnen.',
  completed: 'Die geplante Wartung ist abgeschlossen.',
}

export const NOTICE_TEXTS: Record<PageLanguage, NoticeTexts> = { en, de }
