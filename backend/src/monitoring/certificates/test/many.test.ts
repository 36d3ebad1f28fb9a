import { afterAll, beforeAll, expect, it } from 'vitest'
import { startCountedBackend } from '../../../../test/budgets/counting.ts'
import type { TestBackend, TestOrganization } from '../../../../test/harness.ts'
import { monitorsOf } from '../../../../test/seen-certificates.ts'
import { listCertificates } from '../service.ts'

const [MONITORS, CERTIFICATES] = [10_000, 3_000]
/** All pages of the tables, and for each certificate of the page those that see it. */
const MAX_BUFFERS = 6_000

let counted: Awaited<ReturnType<typeof startCountedBackend>>
let backend: TestBackend
let organization: TestOrganization
beforeAll(async () => {
  counted = await startCountedBackend()
  backend = counted.backend
  organization = await backend.organization()
  await fill()
})
afterAll(() => counted.close())

/** Monitors of one region, of which each certificate has three or four, with two intermediates each. */
async function fill(): Promise<void> {
  const make = monitorsOf(backend)
  const { number } = await make.monitor(organization)
  const region = await make.region()
  const { pg } = backend.pool
  const copy = `jsonb_build_object('id', gen_random_uuid(), 'number', 100000 + n, 'name', 'monitor ' || n, 'tags', array['t' || n % 10])`
  await pg.query(
    `insert into monitor overriding system value select (jsonb_populate_record(null::monitor, to_jsonb(m) || ${copy})).*
    from monitor as m cross join generate_series(1, ${MONITORS}) as n where m.number = $1`,
    [number],
  )
  await pg.query(
    `insert into check_schedule select (jsonb_populate_record(null::check_schedule, to_jsonb(s) || jsonb_build_object('monitor', 100000 + n, 'certificate_expires_at', 1))).*
    from check_schedule as s cross join generate_series(1, ${MONITORS}) as n where s.monitor = $1`,
    [number],
  )
  await pg.query(
    `insert into certificate select $1, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, sha256(n::text::bytea),
      encode(sha256(n::text::bytea), 'hex'), 'host' || n || '.example.com', 'host' || n || '.example.com',
      array['host' || n || '.example.com', 'www.host' || n || '.example.com'], 'E7, Let''s Encrypt', 'ec', 256, 'ecdsa-with-SHA384',
      now() - interval '10 days', now() + n % 90 * interval '1 day', now(), now() from generate_series(1, ${CERTIFICATES}) as n`,
    [organization.number],
  )
  const intermediate = `jsonb_build_object('sha256', encode(sha256('x'), 'hex'), 'subject', 'E7, Let''s Encrypt', 'issuer', 'ISRG Root X1',
    'key_type', 'ec', 'key_bits', 384, 'signature', 'sha256WithRSAEncryption', 'not_before', now(), 'not_after', now())`
  await pg.query(
    `insert into certificate_sighting select $1, 100000 + n, $2,
      ('00000000-0000-4000-8000-' || lpad((1 + n % ${CERTIFICATES})::text, 12, '0'))::uuid,
      jsonb_build_array(${intermediate}, ${intermediate}), now() + n % 90 * interval '1 day', null, false, now(), now(), '{}', null, null
    from generate_series(1, ${MONITORS}) as n`,
    [organization.number, region],
  )
  await pg.query('analyze certificate, certificate_sighting, check_schedule, monitor')
}

const bytesOf = async (table: string): Promise<number> =>
  Number((await backend.pool.pg.query('select pg_total_relation_size($1) as bytes', [table])).rows[0].bytes)

it('3,000 certificates of 10,000 endpoints take less than 30 MB', async () => {
  const bytes = (await bytesOf('certificate')) + (await bytesOf('certificate_sighting'))
  console.log(`certificates of ${MONITORS} endpoints: ${Math.round(bytes / 1e4) / 100} MB`)
  expect(bytes).toBeLessThan(30_000_000)
})

it.each([
  ['the first page', {}],
  ['the last page', { page: 60 }],
  ['a page by name', { sort: 'name' as const }],
  ['a page of a tag', { tag: ['t3'] }],
  ['a page of a search', { q: 'HOST12' }],
])('%s of 3,000 certificates of 10,000 endpoints is one statement that reads each place once', async (what, query) => {
  const { counts, answer } = await counted.count(() =>
    listCertificates(backend.pool, organization, { page: 1, limit: 50, ...query }),
  )
  console.log(`${what}: ${JSON.stringify(counts)}`)
  expect(answer.certificates.length).toBeGreaterThan(0)
  expect(counts).toMatchObject({ statements: 1, rows: answer.certificates.length })
  expect(counts.buffers).toBeLessThan(MAX_BUFFERS)
})
