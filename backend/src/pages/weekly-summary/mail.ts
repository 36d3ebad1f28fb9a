import { DAY_MS, MINUTE_MS, oneLine, toTimestamp } from '@vedette/shared'
import { composeMail, type Section } from '../../notifying/mail/index.ts'
import type { Language } from '../../platform/language/index.ts'
import type { Mail } from '../../platform/mail.ts'
import type { Ranked, WeekFigures } from './figures.ts'

export interface SummaryLetter {
  to: string
  organization: string
  language: Language
  /** Base URL of links. */
  url: string
  unsubscribeUrl: string
}

export function summaryMail({ to, organization, language, url, unsubscribeUrl }: SummaryLetter, week: WeekFigures): Mail {
  const name = oneLine(organization)
  const range = `${dateOf(week.fromMs)} to ${dateOf(week.toMs - 1)}`
  return composeMail({
    to,
    language,
    subject: `Weekly summary of ${name}: ${range}`,
    paragraphs: [
      `The week of ${name} from ${range} (UTC).`,
      'You turned this mail on in the settings of your account. This link turns it off:',
    ],
    link: url,
    sections: sectionsOf(week, url),
    unsubscribeUrl,
  })
}

function sectionsOf(week: WeekFigures, url: string): Section[] {
  const ranked = (page: 'monitors' | 'servers', all: readonly Ranked[], valueOf: (value: number) => string) =>
    all.map(({ id, name, value }) => ({ name, link: `${url}/${page}/${id}`, value: valueOf(value) }))
  const { incidents, health, open } = week
  const list = (title: string, text: string, items: Section['items']): Section[] =>
    items.length === 0 ? [] : [{ title, text, items }]
  return [
    ...(week.monitors === 0 ? [] : [{ title: 'Uptime', text: uptimeText(week), items: ranked('monitors', week.worst, percent) }]),
    {
      title: 'Incidents',
      text: incidents.total === 0 ? 'None.' : `${incidents.total} opened; in sum they lasted ${duration(incidents.lastedMs)}.`,
      items: incidents.longest.map(({ id, summary, lastedMs, isOpen }) => ({
        name: summary,
        link: `${url}/incidents/${id}`,
        value: `${duration(lastedMs)}${isOpen ? ', still open' : ''}`,
      })),
    },
    ...list('Slowest monitors', 'By the 95th percentile of response times.', ranked('monitors', week.slowest, milliseconds)),
    ...list('Fullest disks', 'At the end of the week.', ranked('servers', week.fullestDisks, percent)),
    ...list('Most memory in use', 'The mean of the week.', ranked('servers', week.fullestMemory, percent)),
    ...list(
      'Health of servers',
      `Something is found on ${health.total} ${health.total === 1 ? 'server' : 'servers'} now. The worst:`,
      health.servers.map(({ id, name, findings, worst }) => ({
        name,
        link: `${url}/servers/${id}`,
        value: `${worst.text}, since ${dateOf(worst.sinceMs)}${findings > 1 ? `, and ${findings - 1} more` : ''}`,
      })),
    ),
    {
      title: 'Open now',
      text: open.total === 0 ? 'No incident is open.' : `Open incidents: ${open.total}.`,
      items: open.incidents.map(({ id, summary }) => ({ name: summary, link: `${url}/incidents/${id}`, value: 'open' })),
    },
  ]
}

function uptimeText({ monitors, uptimePercent, worst }: WeekFigures): string {
  if (uptimePercent === undefined) return 'There were no checks.'
  const all = `${percent(uptimePercent)} of all checks of ${monitors} ${monitors === 1 ? 'monitor' : 'monitors'}.`
  return worst.length === 0 ? all : `${all} The lowest:`
}

const dateOf = (ms: number): string => toTimestamp(ms).slice(0, 10)

/** Two decimals, truncated: one failed check never reads as 100. */
const percent = (value: number): string => `${(Math.floor(value * 100) / 100).toFixed(2)} %`
const milliseconds = (value: number): string => `${Math.round(value)} ms`

/** The two largest units. */
function duration(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS)
  if (minutes === 0) return 'less than a minute'
  const days = Math.floor((minutes * MINUTE_MS) / DAY_MS)
  const parts = [`${days} d`, `${Math.floor(minutes / 60) % 24} h`, `${minutes % 60} min`]
  const shown = parts.slice(days > 0 ? 0 : 1, days > 0 ? 2 : 3)
  return shown.filter((part) => !part.startsWith('0 ')).join(' ')
}
