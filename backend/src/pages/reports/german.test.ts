import { join } from 'node:path'
import type { ReportFigures, UptimeReport } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { textsIn } from '../../../test/source-texts.ts'
import { translatePart } from '../../platform/language/index.ts'
import { toCsv } from './csv.ts'
import { toHtml } from './html.ts'
import { reportInLanguage } from './in-language.ts'

const figures: ReportFigures = {
  uptime_percent: 99.95,
  availability_percent: null,
  checks: { total: 2_000, up: 1_999, degraded: 0, down: 1 },
  seconds: { up: 86_000, degraded: 0, down: 240 },
  excluded: {
    maintenance_checks: 3,
    maintenance_failed_checks: 0,
    maintenance_seconds: 3_600,
    inconclusive_checks: 0,
    inconclusive_seconds: 0,
    paused_seconds: 0,
    no_data_seconds: 0,
    reclassified_checks: 1,
    reclassified_failed_checks: 1,
    reclassified_seconds: 60,
  },
  downtime_count: 3,
  objective: { percent: 99.9, met: false, allowed_downtime_seconds: 86.4, used_downtime_seconds: 240 },
}
const down = (reason: string | null, to: string | null) => ({
  from: '2026-11-20T09:11:00.000Z',
  to,
  seconds: 240,
  excluded_seconds: 0,
  reason,
})
const said = { as: 'excluded', comment: 'the switch', created_at: '2026-11-21T00:00:00.000Z' } as const
const report: UptimeReport = {
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-12-01T00:00:00.000Z',
  time_zone: 'Europe/Berlin',
  generated_at: '2026-12-01T08:00:00.000Z',
  summary: figures,
  monitors: [
    {
      ...figures,
      id: 'mon_01m7z3vk2kewwbm06fcdra9ncd',
      // The name of a heading stays a name.
      name: 'Downtime',
      downtimes: [
        down('2 of 3 regions down: status 503 (expected 200–399)', '2026-11-20T09:15:00.000Z'),
        down('<b>the service</b> said no', null),
      ],
    },
  ],
  late_maintenance: [{ id: 'mnt_01m7z3vk2kewwbm06fcdra9ncd', name: 'updates', changed_at: '2026-11-02T00:00:00.000Z' }],
  reclassified: [
    {
      ...said,
      id: 'rcl_01m7z3vk2kewwbm06fcdra9ncd',
      monitor_id: 'mon_01m7z3vk2kewwbm06fcdra9ncd',
      from: '2026-11-20T09:11:00.000Z',
      to: '2026-11-20T09:12:00.000Z',
      created_by: { type: 'user', id: 'usr_01m7z3vk2kewwbm06fcdra9ncd', name: 'Ada', email: 'ada@example.com' },
    },
  ],
}
const rest = async () => undefined
const german = await reportInLanguage(report, 'de', rest)
const page = toHtml(german, 'de')
const ENGLISH =
  /\b(?:the|is|are|has|have|of|with|and|not|for|it|this|that|to|more|created|checks|down|from|since|until|excluded)\b/i

/** Sentences and headings of the page; units and languages are words too, and a monitor is a Monitor. */
const TEXTS = [...new Set(textsIn(join(import.meta.dirname, 'html.ts')))].filter(
  (text) => /^[A-Za-z][^<{;=]*[a-z.]$/.test(text) && !/^(?:default-src|Monitor$|min$|de$|en$)/.test(text),
)

describe('the page of a report for print', () => {
  // `the service said no` is what a service said, and its names are of people.
  it('has no English words in German [REPORT-06]', () => {
    const words = page
      .replace(/<head>.*<\/head>/s, '')
      .replace('&lt;b&gt;the service&lt;/b&gt; said no', '')
      .replace('the switch', '')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/Downtime\b/g, '')
    expect(words).not.toMatch(ENGLISH)
    expect(page).toContain('<html lang="de">')
    expect(page).toContain('2 von 3 Regionen ausgefallen: Status 503 (erwartet 200–399)')
    expect(page).toContain('<p>1 Zeitraum umgewertet von Ada am 2026-11-21.</p>')
    expect(page).toContain('<td>99,9500 %</td><td>keine Prüfungen</td>')
    expect(page).toContain('<th scope="col">Ziel 99,9 %</th>')
    expect(page).toContain('<h3>Downtime</h3>')
  })

  it.each(TEXTS)('has German for: %s', (text) => expect(translatePart(text, 'de')).not.toBe(text))

  it('is the same in English as before it had languages, and the table is English for programs', () => {
    const english = toHtml(report)
    expect(english).toContain('<p>2026-11-01 01:00 to 2026-12-01 01:00, Europe/Berlin. Created 2026-12-01 09:00.</p>')
    expect(english).toContain('<td>99.9500 %</td><td>no checks</td>')
    expect(toCsv(report)).toContain('1 interval reclassified by Ada on 2026-11-21')
    expect(page).toContain('&lt;b&gt;the service&lt;/b&gt; said no')
  })

  it('translates each reason once, and rests between many of them', async () => {
    const downtimes = Array.from({ length: 1_000 }, (_, index) => down(`status ${400 + (index % 500)} (expected 200–399)`, null))
    let rests = 0
    const [monitor] = report.monitors
    const long = await reportInLanguage({ ...report, monitors: monitor ? [{ ...monitor, downtimes }] : [] }, 'de', async () => {
      rests += 1
    })
    expect(rests).toBe(2)
    expect(long.monitors[0]?.downtimes[999]?.reason).toBe('Status 899 (erwartet 200–399)')
  })
})
