import { randomUUID } from 'node:crypto'
import { type Certificate, type CertificateFacts, DAY_MS, HOUR_MS, toTimestamp } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { watch } from '../../../../test/watched-monitor.ts'
import { factsOf, monitorsOf, one, storeSeen } from '../../../../test/seen-certificates.ts'
import { encodeId } from '../../../platform/ids.ts'
import { createCertificateRecorder } from '../recorder.ts'
import { deleteUnseenCertificates } from '../service.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
})
afterAll(() => backend.close())

const now = () => backend.clock.now()
const call = (method: string, path: string, body?: object, as = admin) =>
  backend.call(method, path, { as, ...(body && { body }) })
const list = async (query = ''): Promise<Certificate[]> => (await call('GET', `/v1/certificates${query}`)).body.certificates
const named = async (name: string) => (await list(`?limit=100&q=${encodeURIComponent(name)}`))[0]
const name = () => `${randomUUID()}.example.com`

/** A monitor of the organization, and what its regions see. */
async function seen(regions: string[] = ['local'], tags: string[] = []) {
  const make = monitorsOf(backend)
  const monitor = await make.monitor(organization, { regions })
  await backend.pool.db.updateTable('monitor').set({ tags }).where('id', '=', monitor.id).execute()
  const numbers = await Promise.all(regions.map((region) => make.region(region)))
  const recorder = createCertificateRecorder()
  const see = (certificate: CertificateFacts, index = 0, atMs = now()) =>
    storeSeen(recorder, backend.pool.db, [
      { organization: organization.number, monitor: monitor.number, region: numbers[index] as number, atMs, certificate },
    ])
  return { monitor, see, recorder }
}

describe('the certificate of a check', () => {
  it('is listed with its issuer, key and ends, and where it is seen', async () => {
    const { see } = await seen()
    const leaf = one({ name: name(), notBeforeMs: now() - 10 * DAY_MS })
    const intermediate = one({ name: 'E7', issuer: 'ISRG Root X1', notAfterMs: now() + 5 * DAY_MS })
    await see(factsOf(leaf, [intermediate]))
    const listed = await named(leaf.subject)
    expect(listed).toMatchObject({
      source: 'check',
      name: leaf.subject,
      issuer: leaf.issuer,
      sha256: leaf.sha256,
      key_type: 'ec',
      key_bits: 256,
      not_after: leaf.not_after,
      ends_at: intermediate.not_after,
      monitors: 1,
      weak: null,
      changed_at: null,
      last_seen_at: toTimestamp(now()),
    })
    const { body } = await call('GET', `/v1/certificates/${listed?.id}`)
    expect(body).toMatchObject({
      chain: [intermediate],
      seen_total: 1,
      seen: [{ monitor: { name: 'a monitor' }, region: 'local', chain_length: 2, name_mismatch: false }],
    })
  })

  it('is one for all monitors and regions that see it', async () => {
    const leaf = one({ name: name() })
    const [a, b] = [await seen(['local', 'far']), await seen()]
    await a.see(factsOf(leaf))
    await a.see(factsOf(leaf), 1)
    await b.see(factsOf(leaf))
    const listed = await named(leaf.subject)
    expect(listed?.monitors).toBe(2)
    const { body } = await call('GET', `/v1/certificates/${listed?.id}`)
    expect(body.seen.map(({ region }: { region: string }) => region).toSorted()).toEqual(['far', 'local', 'local'])
  })

  it('arrives with the results of a probe, also of an older version', async () => {
    const { bring } = await watch(backend, admin)
    const leaf = one({ name: name() })
    await bring('up', { certificate: factsOf(leaf, [], { subject_names: [leaf.subject, 'www.example.com'] }) })
    expect(await named(leaf.subject)).toMatchObject({ sha256: leaf.sha256, names: [leaf.subject, 'www.example.com'] })
    const old = await watch(backend, admin)
    const ofOld = name()
    await old.bring('up', { certificate: { expires_at: leaf.not_after, issuer: 'ca', subject_names: [ofOld] } })
    expect(await named(ofOld)).toMatchObject({ sha256: null, key_type: null, not_before: null, issuer: 'ca' })
  })

  it('that is replaced is no longer listed, can be read while it is remembered, and is deleted then', async () => {
    const { see, monitor } = await seen()
    const [old, next] = [one({ name: name() }), one({ name: name() })]
    await see(factsOf(old))
    const before = await named(old.subject)
    backend.clock.advance(HOUR_MS)
    await see(factsOf(next))
    expect(await named(old.subject)).toBeUndefined()
    expect(await named(next.subject)).toMatchObject({ changed_at: toTimestamp(now()) })
    const read = () => call('GET', `/v1/certificates/${before?.id}`)
    backend.clock.advance(2 * DAY_MS)
    // Its session has ended.
    admin = await backend.member(organization, 'admin')
    await deleteUnseenCertificates(backend.pool.db, now())
    expect((await read()).body).toMatchObject({ monitors: 0, last_seen_at: null, seen: [], chain: [] })
    await backend.pool.db
      .updateTable('certificate_sighting')
      .set({ previous: [], changed_from: null })
      .where('monitor', '=', monitor.number)
      .execute()
    await deleteUnseenCertificates(backend.pool.db, now())
    expect((await read()).status).toBe(404)
    expect(await named(next.subject)).toBeDefined()
  })

  it('of a monitor that is deleted or no longer checked there is no longer listed', async () => {
    const { see, monitor } = await seen()
    const leaf = one({ name: name() })
    await see(factsOf(leaf))
    await backend.pool.db.deleteFrom('check_schedule').where('monitor', '=', monitor.number).execute()
    expect(await named(leaf.subject)).toBeUndefined()
  })

  it('is no longer listed when its monitor is given another target', async () => {
    const { see, monitor } = await seen()
    const leaf = one({ name: name() })
    await see(factsOf(leaf))
    expect(await named(leaf.subject)).toBeDefined()
    const moved = { url: 'http://shop.example.com/' }
    expect((await call('PATCH', `/v1/monitors/${encodeId('monitor', monitor.id)}`, moved)).status).toBe(200)
    expect(await named(leaf.subject)).toBeUndefined()
  })

  it('with texts of a hostile target is stored and listed', async () => {
    const { see } = await seen()
    const leaf = one({ name: `<script>${name()}\0\ud800` })
    await see(factsOf(leaf))
    expect((await named('<script>'))?.name).toContain('\uFFFD\uFFFD')
  })

  it('costs no statement while it stays, one refresh an hour, and at most six changes an hour', async () => {
    const { see, recorder, monitor } = await seen()
    const leaf = one({ name: name() })
    const seenAt = async () => (await named(leaf.subject))?.last_seen_at
    await see(factsOf(leaf))
    const first = toTimestamp(now())
    backend.clock.advance(HOUR_MS - 1)
    const key = { organization: organization.number, monitor: monitor.number, region: await monitorsOf(backend).region() }
    // Without a database: a statement would fail.
    await recorder.record(undefined as never, [{ ...key, atMs: now(), certificate: factsOf(leaf) }])
    expect(await seenAt()).toBe(first)
    backend.clock.advance(1)
    await see(factsOf(leaf))
    expect(await seenAt()).toBe(toTimestamp(now()))
    const prefix = name()
    for (let index = 0; index < 9; index += 1) await see(factsOf(one({ name: `${index}.${prefix}` })))
    expect((await named(prefix))?.name).toBe(`4.${prefix}`)
  })

  it('of a late check does not replace a newer one', async () => {
    const { see } = await seen()
    const [leaf, late] = [one({ name: name() }), one({ name: name() })]
    await see(factsOf(leaf))
    await see(factsOf(late), 0, now() - 2 * HOUR_MS)
    expect(await named(late.subject)).toBeUndefined()
    expect(await named(leaf.subject)).toBeDefined()
  })

  it('of an organization that was deleted meanwhile is left out, and those of others are stored', async () => {
    const { monitor } = await seen()
    const leaf = one({ name: name() })
    const common = { monitor: monitor.number, region: 1, atMs: now(), certificate: factsOf(leaf) }
    await storeSeen(createCertificateRecorder(), backend.pool.db, [
      { ...common, organization: 999_999, monitor: 999_999 },
      { ...common, organization: organization.number },
    ])
    expect(await named(leaf.subject)).toBeDefined()
  })
})

describe('the list of certificates', () => {
  it('has the soonest end first, or is by name, and finds names, issuers and tags', async () => {
    const [issuer, tag] = [`CA ${randomUUID()}`, randomUUID().slice(0, 8)]
    const made = [
      { name: `b-${name()}`, days: 30, tags: [tag] },
      { name: `a-${name()}`, days: 60, tags: [] },
      { name: `c-${name()}`, days: 10, tags: [tag] },
    ]
    for (const { name: of, days, tags } of made) {
      const { see } = await seen(['local'], tags)
      await see(factsOf(one({ name: of, issuer, notAfterMs: now() + days * DAY_MS })))
    }
    const letters = async (query: string) =>
      (await list(`?q=${encodeURIComponent(issuer)}${query}`)).map((found) => found.name[0])
    expect(await letters('')).toEqual(['c', 'b', 'a'])
    expect(await letters('&sort=-not_after')).toEqual(['a', 'b', 'c'])
    expect(await letters('&sort=name')).toEqual(['a', 'b', 'c'])
    expect(await letters('&sort=-name')).toEqual(['c', 'b', 'a'])
    expect(await letters('&limit=1&page=2')).toEqual(['b'])
    expect(await letters(`&tag=${tag}`)).toEqual(['c', 'b'])
    expect((await list(`?q=${made[0]?.name.toUpperCase()}`)).map((found) => found.name)).toEqual([made[0]?.name])
    const { body } = await call('GET', `/v1/certificates?q=${encodeURIComponent(issuer)}&limit=1&page=9`)
    expect(body).toMatchObject({ certificates: [], total: 3, page: 9, limit: 1 })
    const refused = await call('GET', '/v1/certificates?sort=issuer')
    expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error'])
  })

  it('has nothing of other organizations', async () => {
    const other = await backend.member(await backend.organization(), 'owner')
    expect((await call('GET', '/v1/certificates', undefined, other)).body).toMatchObject({ certificates: [], total: 0 })
  })
})

describe('a certificate by hand', () => {
  const BODY = { name: 'Code signing', not_after: '2027-03-31T23:59:59.000Z' }
  const create = async (own: object = {}) => call('POST', '/v1/certificates', { ...BODY, ...own })

  it('is added, listed, changed and deleted', async () => {
    const { status, body } = await create()
    expect(status).toBe(201)
    expect(body).toMatchObject({
      ...BODY,
      source: 'manual',
      ends_at: BODY.not_after,
      monitors: 0,
      sha256: null,
      chain: [],
      seen: [],
    })
    expect(await named('Code signing')).toMatchObject({ id: body.id })
    expect(await list(`?tag=${randomUUID()}`)).toEqual([])
    const changed = await call('PATCH', `/v1/certificates/${body.id}`, { not_after: '2028-03-31T23:59:59Z' })
    expect(changed.body).toMatchObject({ name: 'Code signing', not_after: '2028-03-31T23:59:59.000Z' })
    expect((await call('DELETE', `/v1/certificates/${body.id}`)).status).toBe(204)
    expect((await call('GET', `/v1/certificates/${body.id}`)).status).toBe(404)
  })

  it('needs an instant, and its creation and change are in the audit log', async () => {
    const refused = await create({ not_after: 'next year' })
    expect(refused.body.error.details).toEqual([{ path: 'not_after', message: expect.any(String) }])
    const { body } = await create()
    await call('PATCH', `/v1/certificates/${body.id}`, { name: 'VPN' })
    await call('DELETE', `/v1/certificates/${body.id}`)
    const events = await backend.pool.db
      .selectFrom('audit_event')
      .select('action')
      .where('action', 'like', 'certificate.%')
      .execute()
    const actions = events.map(({ action }) => action)
    expect(actions).toEqual(expect.arrayContaining(['certificate.created', 'certificate.updated', 'certificate.deleted']))
  })

  it('is not to be confused with one that a check saw, which a person cannot change or delete', async () => {
    const { see } = await seen()
    const leaf = one({ name: name() })
    await see(factsOf(leaf))
    const id = (await named(leaf.subject))?.id
    expect((await call('PATCH', `/v1/certificates/${id}`, { name: 'mine' })).status).toBe(409)
    expect((await call('DELETE', `/v1/certificates/${id}`)).status).toBe(409)
  })
})
