import { seedChecks, seedRegion } from '../../backend/test/seed-checks.ts'
import { asOwner } from './editors/editor.ts'
import type { SignedIn } from './signed-in.ts'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE

/** Two hours of checks of yesterday: 4 inconclusive, 110 up and 6 down; half an hour of them in maintenance. */
export async function plantChecks(scene: Pick<SignedIn, 'backend' | 'organization' | 'owner'>) {
  const { backend, organization } = scene
  const { pg } = backend.pool
  const api = asOwner(scene)
  const shop = await api.make('/v1/monitors', { name: 'Shop', url: 'https://shop.example.com/', tags: ['public'] })
  await api.make('/v1/monitors', {
    name: 'A wiki for everybody in the company',
    url: 'https://wiki.example.com/',
    tags: ['office'],
  })
  const sections = [{ name: 'All', monitors: [shop.id] }]
  const statusPage = await api.make('/v1/status-pages', { name: 'Acme', slug: 'acme', title: 'Acme', sections })
  const startMs = Math.floor(backend.clock.now() / DAY) * DAY - DAY + 600 * MINUTE
  const at = (minute: number) => new Date(startMs + minute * MINUTE)
  const yesterday = at(0).toISOString().slice(0, 10)
  const { rows } = await pg.query("update monitor set created_at = $1 where name = 'Shop' returning number", [at(-10_000)])
  const { number } = rows[0]
  const region = await seedRegion(backend, 'ams')
  const outcomeOf = (minute: number) => (minute < 4 ? 3 : minute >= 30 && minute < 36 ? 2 : 0)
  const checks = Array.from({ length: 120 }, (_, minute) => {
    const outcome = outcomeOf(minute)
    return { region, atMs: at(minute).getTime(), outcome, responseUs: outcome < 2 ? 1_000 : null }
  })
  await seedChecks(backend, organization, number, checks)
  for (const [minute, before, after, reason] of [
    [30, 'up', 'down', 'status 503 (expected 200–399)'],
    [36, 'down', 'up', 'recovered'],
  ] as const)
    await pg.query(
      `insert into monitor_transition (organization, id, monitor, at, from_status, to_status, reason)
      values ($1, gen_random_uuid(), $2, $3, $4, $5, $6)`,
      [organization.number, number, at(minute), before, after, reason],
    )
  await api.make('/v1/maintenance-windows', {
    name: 'Upgrade',
    target: { type: 'monitor', id: shop.id },
    starts_at: at(60).toISOString(),
    ends_at: at(90).toISOString(),
  })
  await pg.query('update maintenance_window set covers_since = starts_at')
  return { shop, statusPage, yesterday }
}
