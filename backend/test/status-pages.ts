import type { Credentials, TestBackend, TestOrganization } from './harness.ts'
import { seedChecks } from './seed-checks.ts'
import { monitorsOf, type TestMonitor } from '../src/monitoring/checks/test/monitors.ts'
import { encodeId } from '../src/platform/ids.ts'

/** Makes pages and monitors of one organization, and reads pages as visitors do. */
export function pagesOf(backend: TestBackend, organization: TestOrganization, as: Credentials) {
  const { db } = backend.pool
  let slugs = 0

  async function monitor(own: { name?: string; tags?: string[] } = {}): Promise<TestMonitor & { wireId: string }> {
    const made = await monitorsOf(backend).monitor(organization)
    await db
      .updateTable('monitor')
      .set({ name: 'a monitor', ...own })
      .where('id', '=', made.id)
      .execute()
    return { ...made, wireId: encodeId('monitor', made.id) }
  }

  /** Checks of the region `local`, one a minute up to now, oldest first: `u` up, `d` down, `g` degraded. */
  async function checked({ number }: TestMonitor, outcomes: string, responseMs = 100): Promise<void> {
    const region = await monitorsOf(backend).region()
    const last = backend.clock.now()
    const checks = Array.from(outcomes, (outcome, index) => ({
      region,
      atMs: last - (outcomes.length - 1 - index) * 60_000,
      outcome: 'ugd'.indexOf(outcome),
      responseUs: outcome === 'd' ? null : responseMs * 1000,
    }))
    await seedChecks(backend, organization, number, checks)
    const state = { u: 'up', g: 'degraded', d: 'down' }[outcomes.at(-1) as 'u'] as 'up'
    await db
      .updateTable('check_schedule')
      .set({ state, last_conclusive_at: last })
      .where('organization', '=', organization.number)
      .where('monitor', '=', number)
      .execute()
    await db
      .updateTable('monitor_status')
      .set({ status: state })
      .where('organization', '=', organization.number)
      .where('monitor', '=', number)
      .execute()
  }

  /** A published page, which visitors see at once. */
  async function page(own: object = {}): Promise<{ id: string; slug: string; url: string }> {
    slugs += 1
    const slug = `page-${organization.number}-${slugs}`
    const body = { name: 'Shop', slug, title: 'Shop status', published: true, ...own }
    const { status, body: made } = await backend.call('POST', '/v1/status-pages', { as, body })
    if (status !== 201) throw new Error(JSON.stringify(made))
    await settle()
    return made
  }

  /** As the background job does, once the lists and copies are due. */
  async function settle(): Promise<void> {
    backend.clock.advance(5_000)
    await backend.vedette.copies.run()
  }

  const visit = (url: string, headers: Record<string, string> = {}) => backend.call('GET', url, { headers })
  const textOf = async (url: string, headers: Record<string, string> = {}): Promise<string> =>
    String((await visit(url, { 'accept-encoding': 'identity', ...headers })).body)

  return { monitor, checked, page, settle, visit, textOf }
}
