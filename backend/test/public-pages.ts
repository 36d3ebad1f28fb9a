import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { monitorsOf } from '../src/monitoring/checks/test/monitors.ts'
import { encodeId } from '../src/platform/ids.ts'
import type { TestBackend, TestOrganization } from './harness.ts'
import { seedChecks } from './seed-checks.ts'
import { pagesOf } from './status-pages.ts'

type State = 'up' | 'degraded' | 'down'
/** By the name of a region; undefined: none of its checks counted lately. */
type States = Record<string, State | undefined>

const LOGO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAIAAADYYG7QAAAAk0lEQVR42u3ZSw2AUAxE0fGBCCThDTF4wA1bwi/zQtrOg0kq4CzbW6zzIDUwKAY0Tgsz4SDS8UaGaEorC2ka0oRMDWNCJoVhoUTzYOoElKC5M6FQc2lCreZs0gaVaA4mg3hQoWZvMsgggwwyyKDvgLx+9Ajykk+A5O4yxcvVsaHTPqRY0EQbo2KFVezUoiX/j8+XDeUtwKOAv5R3AAAAAElFTkSuQmCC'
const LONG_WORD = 'an-address-without-any-break-'.repeat(6)
const HOSTILE_NAMES = [
  '<script>alert(1)</script>',
  'بوابة الدفع الرئيسية',
  'N'.repeat(100),
  '"><img src=x onerror=alert(1)>',
  '\u202Egnp.exe',
]
const SHOW = ['uptime', 'response', 'regions']
/** Until a copy without visitors is read again. */
const UNTIL_SHOWN_MS = 300_000

/**
 * Status pages as visitors meet them: with an open incident, maintenance, a monitor that is slow in one region, and one whose regions are
 * inconclusive; one with a password; and one in German where all is well.
 */
export async function fillPublicPages(backend: TestBackend, organization: TestOrganization) {
  const { db } = backend.pool
  const as = await backend.member(organization, 'member')
  const pages = pagesOf(backend, organization, as)
  const nowMs = backend.clock.now()

  /** With hourly checks of 30 days, of which some failed on one day in nine. */
  async function monitor(name: string, regions: States, status: State | 'paused', failsFor = 0): Promise<string> {
    const made = await monitorsOf(backend).monitor(organization, { regions: Object.keys(regions) })
    await db.updateTable('monitor').set({ name }).where('id', '=', made.id).execute()
    await db.updateTable('monitor_status').set({ status }).where('monitor', '=', made.number).execute()
    for (const [region, state] of Object.entries(regions)) {
      const number = await monitorsOf(backend).region(region)
      const checks = Array.from({ length: 30 * 24 }, (_, hours) => {
        const isFailed = hours % 216 < failsFor
        return {
          region: number,
          atMs: nowMs - hours * HOUR_MS,
          outcome: isFailed ? 2 : 0,
          responseUs: isFailed ? null : 90_000 + (hours % 5) * 20_000,
        }
      })
      await seedChecks(backend, organization, made.number, checks)
      await db
        .updateTable('check_schedule')
        .set({ state: state ?? 'up', last_conclusive_at: state ? nowMs + UNTIL_SHOWN_MS : nowMs - DAY_MS })
        .where('monitor', '=', made.number)
        .where('region', '=', number)
        .execute()
    }
    return encodeId('monitor', made.id)
  }

  /** 46 in five groups, two of which have something wrong; names that may contain anything. */
  async function manyMonitors(): Promise<{ name: string; monitors: string[] }[]> {
    const groups = ['Shop', 'Interfaces', '<b>Payments</b> & more', 'خدمات داخلية', `Region ${LONG_WORD}`]
    const sections = groups.map((name) => ({ name, monitors: [] as string[] }))
    for (let index = 0; index < 46; index += 1) {
      const name = HOSTILE_NAMES[index] ?? `Service ${index + 1}`
      const [state, failed] =
        index === 12 ? (['down', 9] as const) : index === 21 ? (['degraded', 1] as const) : (['up', 0] as const)
      sections[index % groups.length]?.monitors.push(await monitor(name, { Frankfurt: state }, state, failed))
    }
    return sections
  }

  const both = (near: State | undefined, far: State | undefined): States => ({ Frankfurt: near, 'Virginia (US East)': far })
  const shop = await monitor('Web shop', both('up', 'up'), 'up')
  const api = await monitor('Orders API', both('up', 'degraded'), 'degraded', 1)
  const mail = await monitor('E-mail', both('down', 'down'), 'down', 9)
  const search = await monitor('Search', both('up', 'up'), 'up', 2)
  const archive = await monitor(`Archive of ${LONG_WORD}`, both(undefined, undefined), 'up')
  const staging = await monitor('Staging', both(undefined, 'up'), 'paused')
  const body = {
    title: 'Acme status',
    description: 'The state of everything that Acme runs for its customers.',
    logo: LOGO,
    sections: [
      { name: 'Shop', monitors: [shop, api, search], show: SHOW },
      { name: 'Everything else', monitors: [mail, archive, staging], show: SHOW },
    ],
  }
  const page = await pages.page(body)
  const posts = `/v1/status-pages/${page.id}/posts`
  const post = async (own: object, updates: readonly object[] = []): Promise<void> => {
    const made = await backend.call('POST', posts, { as, body: { type: 'incident', ...own } })
    if (made.status !== 201) throw new Error(JSON.stringify(made.body))
    for (const update of updates) await backend.call('POST', `${posts}/${made.body.id}/updates`, { as, body: update })
  }
  const at = (hours: number): string => new Date(nowMs + hours * HOUR_MS).toISOString()
  await post({ title: 'Payments were slow', text: 'We look into it.', impact: 'minor', starts_at: at(-50) }, [
    { status: 'resolved', text: 'A queue was too short.' },
  ])
  await post({ title: 'E-mail is down', text: `See https://example.com/${LONG_WORD}`, monitors: [mail], starts_at: at(-1) }, [
    { status: 'identified', text: 'A disk is full.\n\nWe move the mailboxes, which takes about an hour.' },
  ])
  const maintenance = { type: 'maintenance', text: 'Search is away for a moment.', monitors: [search] }
  await post({ ...maintenance, status: 'in_progress', title: 'New index of the search', starts_at: at(-1), ends_at: at(2) })
  await post({ ...maintenance, title: 'Upgrade of the database', starts_at: at(48), ends_at: at(50) })
  const locked = await pages.page({ ...body, visibility: 'password', password: 'open sesame' })
  const large = await pages.page({ title: 'Acme, whole', sections: await manyMonitors() })
  const quiet = await pages.page({ title: 'Stand von Acme', language: 'de', sections: [{ name: 'Dienste', monitors: [shop] }] })
  backend.clock.advance(UNTIL_SHOWN_MS)
  // Each run reads a few pages.
  while ((await backend.vedette.copies.run()) === 0);
  return { organization, page, large, locked, quiet, month: at(0).slice(0, 7) }
}
