import { composeMail } from '../mail/index.ts'
import type { Language } from '../../platform/language/index.ts'
import type { Mail } from '../../platform/mail.ts'

export interface Handover {
  organization: string
  language: Language
  schedule: { name: string; timeZone: string; url: string }
  /** Undefined: nobody, or somebody who has left. */
  before: string | undefined
  /** Undefined: nobody. */
  onDuty: string | undefined
  /** When the duty ends; undefined: without an end. Without anybody on duty: when somebody is again. */
  untilMs: number | undefined
}

interface OpenIncidents {
  total: number
  incidents: readonly { name: string; link: string; value: string }[]
}

/** To who is on duty now. */
export function beginMail(to: string, handover: Handover, open: OpenIncidents): Mail {
  const { schedule, organization, language, before } = handover
  return composeMail({
    to,
    language,
    subject: `You are on duty: ${schedule.name}`,
    paragraphs: [
      `You are on duty in the schedule "${schedule.name}" of ${organization}${untilText(handover)}.${
        before === undefined ? '' : ` Before you it was ${before}.`
      }`,
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
    onDuty === undefined
      ? `Nobody is on duty now${untilText(handover)}: incidents go to the owners.`
      : `${onDuty} is on duty now${untilText(handover)}.`
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
