import { hash } from 'node:crypto'
import { oneLine, type ReportFigures, type ReportMonitor, type UptimeReport } from '@vedette/shared'
import { escapeHtml } from '../../platform/escape-html.ts'
import { type Language, translate, translatePart } from '../../platform/language/index.ts'
import { localTime } from '../../platform/time/zone.ts'
import { reclassifiedTexts } from './reclassified.ts'

const STYLE = `:root{color-scheme:light;font:14px/1.45 system-ui,sans-serif;color:#111;background:#fff}
body{max-width:62rem;margin:2rem auto;padding:0 1rem}h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
h3{font-size:1rem;margin:1.25rem 0 .25rem;overflow-wrap:anywhere}p{margin:.25rem 0}.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}caption{text-align:left;padding:.25rem 0}
th,td{border-bottom:1px solid #bbb;padding:.3rem .5rem;text-align:right;vertical-align:top;font-variant-numeric:tabular-nums}
th:first-child,td:first-child,.text{text-align:left;overflow-wrap:anywhere}thead th{border-bottom:2px solid #333}tfoot th,tfoot td{border-top:2px solid #333;font-weight:600}
@page{margin:15mm}@media print{body{margin:0;max-width:none;padding:0}.wide{overflow:visible}thead{display:table-header-group}tr,h2,h3{break-inside:avoid}h2,h3{break-after:avoid}}`

/** Nothing but its own style; the page says it as well, so that a saved file is guarded too. */
const POLICY = `default-src 'none';style-src 'sha256-${hash('sha256', STYLE, 'base64')}';base-uri 'none';form-action 'none'`
export const REPORT_POLICY = `${POLICY};frame-ancestors 'none'`

const escapeText = (text: string): string => escapeHtml(oneLine(text))

/** How a page says what it says: all but `at` is markup. */
interface Voice {
  /** An English text of this file, or a sentence of it, in the language of the page. */
  say(text: string): string
  /** What the server said elsewhere. */
  quote(text: string): string
  /** A number as the language writes it. */
  number(text: string): string
  /** `2026-11-01 14:30` in the zone of the report, in every language. */
  at(instant: string): string
}

function voiceOf({ time_zone: zone }: UptimeReport, language: Language): Voice {
  return {
    say: (text) => escapeText(translatePart(text, language)),
    quote: (text) => escapeText(translate(text, language)),
    number: (text) => (language === 'de' ? text.replace('.', ',') : text),
    at: (text) => localTime(zone, Date.parse(text)),
  }
}

/** A complete page for screens and print, without script. Pure. */
export function toHtml(report: UptimeReport, language: Language = 'en'): string {
  const voice = voiceOf(report, language)
  const { say, at } = voice
  const title = say('Uptime report')
  const down = report.monitors.filter(({ downtimes }) => downtimes.length > 0)
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><title>${title}</title><style>${STYLE}</style></head><body><main>
<h1>${title}</h1>
<p>${say(`${at(report.from)} to ${at(report.to)}, ${report.time_zone}. Created ${at(report.generated_at)}.`)}</p>
${uptimeTable(report, voice)}
${excludedTable(report, voice)}
${lateMaintenance(report, voice)}${reclassifiedList(report, voice)}<h2>${say('Downtimes')}</h2>
${down.length === 0 ? `<p>${say('None.')}</p>` : down.map((monitor) => downtimeTable(monitor, voice)).join('\n')}
<h2>${say('How it is computed')}</h2>
<p>${EXPLANATIONS.map(say).join('\n')}</p>
</main></body></html>
`
}

const EXPLANATIONS = [
  'Uptime is the share of conclusive checks of all regions that were not down, truncated to four decimals.',
  'Availability leaves out checks in maintenance windows.',
  'Checks that people excluded or called maintenance count for neither.',
  'Degraded checks count as up.',
  'Durations follow the status of the monitor, without excluded time.',
]

function lateMaintenance({ late_maintenance: late }: UptimeReport, { say, at }: Voice): string {
  if (late.length === 0) return ''
  const rows = late.map(({ name, changed_at: changedAt }) => `<li>${escapeText(name)}, ${at(changedAt)}</li>`)
  return `<h2>${say('Maintenance entered late')}</h2>
<p>${say('These windows were created or changed after they had begun. The time before is not left out.')}</p>
<ul>${rows.join('')}</ul>
`
}

function reclassifiedList(report: UptimeReport, voice: Voice): string {
  const { say, quote, at } = voice
  const { reclassified = [], monitors } = report
  if (reclassified.length === 0) return ''
  const names = new Map(monitors.map(({ id, name }) => [id, name]))
  const rows = reclassified.map(
    ({ monitor_id: id, from, to, as, comment }) =>
      `<tr><th scope="row">${escapeText(names.get(id) ?? id)}</th><td>${at(from)}</td><td>${at(to)}</td><td class="text">${say(as)}</td>` +
      `<td class="text">${escapeText(comment)}</td></tr>`,
  )
  const said = reclassifiedTexts(report).map((text) => `<p>${quote(text)}.</p>`)
  return `<h2>${say('Reclassified')}</h2>
${said.join('')}
${wide(['Monitor', 'From', 'To', 'As', 'Comment'].map(say), rows, '')}
`
}

function uptimeTable({ monitors, summary }: UptimeReport, { say, number }: Voice): string {
  const hasObjective = summary.objective !== null
  const percent = (value: number | null) => (value === null ? say('no checks') : `${number(value.toFixed(4))} %`)
  const row = (name: string, figures: ReportFigures) => {
    const { objective, checks, seconds } = figures
    const met = objective?.met === null ? 'no checks' : objective?.met === true ? 'met' : 'not met'
    return `<tr><th scope="row">${name}</th>${cells([
      percent(figures.uptime_percent),
      percent(figures.availability_percent),
      checks.total,
      checks.degraded,
      checks.down,
      durationOf(seconds.down),
      figures.downtime_count,
      ...(objective ? [say(met), durationOf(objective.allowed_downtime_seconds)] : []),
    ])}</tr>`
  }
  const heads = ['Monitor', 'Uptime', 'Availability', 'Checks', 'Degraded', 'Down', 'Downtime', 'Downtimes']
  const added = hasObjective ? [`Objective ${summary.objective?.percent} %`, 'Allowed downtime'] : []
  return table(
    say('Uptime'),
    [...heads, ...added].map(say),
    monitors.map((monitor) => row(escapeText(monitor.name), monitor)),
    row(say('Total'), summary),
  )
}

function excludedTable({ monitors, summary }: UptimeReport, { say }: Voice): string {
  const row = (name: string, { excluded }: ReportFigures) =>
    `<tr><th scope="row">${name}</th>${cells([
      excluded.maintenance_checks,
      durationOf(excluded.maintenance_seconds),
      excluded.reclassified_checks,
      durationOf(excluded.reclassified_seconds),
      excluded.inconclusive_checks,
      durationOf(excluded.inconclusive_seconds),
      durationOf(excluded.paused_seconds),
      durationOf(excluded.no_data_seconds),
    ])}</tr>`
  const heads = [
    'Monitor',
    'Checks in maintenance',
    'Maintenance',
    'Checks excluded',
    'Excluded by people',
    'Inconclusive checks',
    'Inconclusive (about)',
    'Paused',
    'No data',
  ]
  return table(
    say('Excluded'),
    heads.map(say),
    monitors.map((monitor) => row(escapeText(monitor.name), monitor)),
    row(say('Total'), summary),
  )
}

const DOWNTIME_HEADS = ['From', 'To', 'Duration', 'Of it excluded', 'Reason']

/** Its reasons are in the language of the page already. */
function downtimeTable({ name, downtimes, downtime_count: count }: ReportMonitor, { say, at }: Voice): string {
  const rows = downtimes.map(
    ({ from, to, seconds, excluded_seconds: excluded, reason }) =>
      `<tr><th scope="row">${at(from)}</th>${cells([to === null ? say('still down') : at(to), durationOf(seconds), durationOf(excluded)])}` +
      `<td class="text">${reason === null ? say('began before the range') : escapeText(reason)}</td></tr>`,
  )
  const more = count > downtimes.length ? `<p>${say(`${count - downtimes.length} more.`)}</p>` : ''
  return `<h3>${escapeText(name)}</h3>${wide(DOWNTIME_HEADS.map(say), rows, '')}${more}`
}

const table = (title: string, heads: readonly string[], rows: readonly string[], total: string): string =>
  `<h2>${title}</h2>\n${wide(heads, rows, `<tfoot>${total}</tfoot>`)}`

const wide = (heads: readonly string[], rows: readonly string[], foot: string): string =>
  `<div class="wide"><table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>` +
  `<tbody>${rows.join('\n')}</tbody>${foot}</table></div>`

const cells = (values: readonly (string | number)[]): string => values.map((value) => `<td>${value}</td>`).join('')

/** `2 d 3 h`, `4 min 12 s`: the two largest units. Pure. */
export function durationOf(seconds: number): string {
  const whole = Math.round(seconds)
  const units = [
    { value: Math.floor(whole / 86_400), unit: 'd' },
    { value: Math.floor(whole / 3_600) % 24, unit: 'h' },
    { value: Math.floor(whole / 60) % 60, unit: 'min' },
    { value: whole % 60, unit: 's' },
  ]
  const first = units.findIndex(({ value }) => value > 0)
  if (first < 0) return '0 s'
  return units
    .slice(first, first + 2)
    .filter(({ value }) => value > 0)
    .map(({ value, unit }) => `${value} ${unit}`)
    .join(' ')
}
