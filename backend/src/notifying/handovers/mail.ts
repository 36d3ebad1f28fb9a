import { composeMail } from '../mail/index.ts'
import type { Language } from '../../platform/language/index.ts'
import type { Mail } from '../../platform/mail.ts'

export interface Handover {
  organization: string
  language: Language
  schedule: { name: string; timeZone: string; url: string }
  /** Who has gone; empty: nobody, or somebody who has left. */
  before: readonly string[]
  /** Other people who are on duty. */
  onDuty: readonly string[]
  /** When the duty ends; undefined: without an end. Of who has gone: when those on duty change again. */
  untilMs: number | undefined
}

interface OpenIncidents {
  total: number
  incidents: readonly { name: string; link: string; value: string }[]
}

/** To who is on duty now. */
export function beginMail(to: string, handover: Handover, open: OpenIncidents): Mail {
  const { schedule, organization, language, before, onDuty } = handover
  return composeMail({
    to,
    language,
    subject: `You are on duty: ${schedule.name}`,
    paragraphs: [
      `You are on duty in the schedule "${schedule.name}" of ${organization}${untilText(handover)}.${
        before.length === 0 ? '' : ` Before you it was ${before.join(', ')}.`
      }`,
      ...(onDuty.length === 0 ? [] : [`With you: ${onDuty.join(', ')}.`]),
      TURN_OFF,
    ],
    link: schedule.url,
    sections: [
      {
        title: 'Open now',
        text: open.total === 0 ? 'No incident is open.' : `Open incidents: ${open.total}.`,
        items: open.incidents,
      },
    ],
  })
}

/** To whose duty has ended. */
export function endMail(to: string, handover: Handover): Mail {
  const { schedule, organization, language, onDuty } = handover
  const now =
    onDuty.length === 0
      ? `Nobody is on duty now${untilText(handover)}: incidents go to the owners.`
      : onDuty.length === 1
        ? `${onDuty.join()} is on duty now${untilText(handover)}.`
        : `On duty now${untilText(handover)}: ${onDuty.join(', ')}.`
  return composeMail({
    to,
    language,
    subject: `Your duty has ended: ${schedule.name}`,
    paragraphs: [`Your duty in the schedule "${schedule.name}" of ${organization} has ended. ${now}`, TURN_OFF],
    link: schedule.url,
  })
}

const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de' }

const TURN_OFF = 'The schedule has a setting that turns these mails off.'

function untilText({ untilMs, language, schedule: { timeZone } }: Handover): string {
  if (untilMs === undefined) return ''
  const format = new Intl.DateTimeFormat(LOCALES[language], {
    timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
  })
  return ` until ${format.format(untilMs)} (${timeZone})`
}
