import { randomUUID } from 'node:crypto'
import { type CertificateFacts, DAY_MS } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { incidentsOf, watch } from '../../../../test/watched-monitor.ts'
import { createCertificateRecorder } from '../../../monitoring/certificates/index.ts'
import { parseId } from '../../../platform/ids.ts'
import { readCertificateFindings } from '../evaluation/certificate-rules.ts'
import { factsOf, one, storeSeen } from '../../../../test/seen-certificates.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
  await removeRules(backend, organization)
})
afterAll(() => backend.close())

const EQUALS_ONE = { operator: 'equals', value: 1 }
const now = () => backend.clock.now()
const leaf = (own: Parameters<typeof one>[0] = {}) => one({ notBeforeMs: now() - 10 * DAY_MS, ...own })

/** A monitor with a rule on this metric, and its incidents after each certificate: status and text. */
async function ruled(metric: string, condition: object = EQUALS_ONE) {
  const { id, uuid, bring } = await watch(backend, admin)
  const body = { name: 'rule', target: { type: 'monitor', id }, condition: { metric, ...condition } }
  const made = await backend.call('POST', '/v1/alert-rules', { as: admin, body })
  expect(made.status).toBe(201)
  return async (certificate: CertificateFacts) => {
    await bring('up', { certificate })
    // A probe of this version leaves out what has not changed; the backend stores a change at once.
    backend.clock.advance(5_000)
    await backend.jobs.evaluateChecks()
    return (await incidentsOf(backend, uuid)).map(({ status, summary }) => [status, summary])
  }
}

describe('a rule on certificates', () => {
  it('on days opens for the leaf, or for an intermediate that ends first, and ends with the renewal', async () => {
    const sees = await ruled('certificate.days', { operator: 'less_than', value: 14 })
    const intermediate = one({ name: 'E7', notAfterMs: now() + 7 * DAY_MS })
    expect(await sees(factsOf(leaf()))).toEqual([])
    expect(await sees(factsOf(leaf(), [intermediate]))).toEqual([
      ['open', expect.stringMatching(/^Shop: certificate or its chain expires in (6\.9|7) days \(threshold: below 14 days\)$/)],
    ])
    expect(await sees(factsOf(leaf()))).toEqual([['resolved', expect.anything()]])
  })

  it('on a change names both issuers and keys, and ends after a day', async () => {
    const sees = await ruled('certificate.changed')
    const other = leaf({ issuer: 'Evil CA', keyType: 'rsa', keyBits: 2_048 })
    expect(await sees(factsOf(leaf()))).toEqual([])
    const text = "Shop: the certificate changed from issuer E7, Let's Encrypt (EC 256) to issuer Evil CA (RSA 2048)"
    expect(await sees(factsOf(other))).toEqual([['open', text]])
    backend.clock.advance(DAY_MS)
    // Its session has ended.
    admin = await backend.member(organization, 'admin')
    expect(await sees(factsOf(other))).toEqual([['resolved', text]])
  })

  it('on a change is silent for a renewal in the last third, by the same issuer', async () => {
    const sees = await ruled('certificate.changed')
    const old = leaf({ notBeforeMs: now() - 61 * DAY_MS })
    expect(await sees(factsOf(old))).toEqual([])
    expect(await sees(factsOf(leaf({ issuer: "E8, Let's Encrypt", notBeforeMs: now() })))).toEqual([])
  })

  it('on a change is silent after the monitor was pointed at another target', async () => {
    const { id, uuid, bring } = await watch(backend, admin)
    const condition = { metric: 'certificate.changed', ...EQUALS_ONE }
    await backend.call('POST', '/v1/alert-rules', {
      as: admin,
      body: { name: 'rule', target: { type: 'monitor', id }, condition },
    })
    await bring('up', { certificate: factsOf(leaf()) })
    backend.clock.advance(1_000)
    await backend.call('PATCH', `/v1/monitors/${id}`, { as: admin, body: { url: 'https://other.example.com/' } })
    await bring('up', { certificate: factsOf(leaf({ name: 'other.example.com', issuer: 'Other CA' })) })
    backend.clock.advance(5_000)
    await backend.jobs.evaluateChecks()
    expect(await incidentsOf(backend, uuid)).toEqual([])
  })

  it('on a revocation says when, and ends with another certificate', async () => {
    const sees = await ruled('certificate.revoked')
    const bad = leaf()
    expect(await sees(factsOf(bad))).toEqual([])
    const text = 'Shop: the certificate was revoked on 2026-11-28'
    expect(await sees(factsOf(bad, [], { revoked_at: '2026-11-28T03:00:00.000Z' }))).toEqual([['open', text]])
    expect(await sees(factsOf(leaf({ name: 'new.example.com' })))).toEqual([['resolved', expect.anything()]])
  })

  it('on regions that differ holds after an hour', async () => {
    const [here, there] = [`a-${randomUUID()}`, `b-${randomUUID()}`]
    for (const region of [here, there]) await backend.probe(region)
    const { db } = backend.pool
    const body = { name: 'Shop', url: 'https://shop.example.com/', regions: [here, there] }
    const { id } = (await backend.call('POST', '/v1/monitors', { as: admin, body })).body
    const uuid = parseId('monitor', id) as string
    const { organization: number, number: monitor } = await db
      .selectFrom('monitor')
      .select(['organization', 'number'])
      .where('id', '=', uuid)
      .executeTakeFirstOrThrow()
    const regions = await db.selectFrom('region').select('number').where('id', 'in', [here, there]).execute()
    const recorder = createCertificateRecorder()
    const certificates = [factsOf(leaf()), factsOf(leaf({ issuer: 'Other CA' }))]
    const seen = regions.map(({ number: region }, index) => ({
      organization: number,
      monitor,
      region,
      atMs: now(),
      certificate: certificates[index] as CertificateFacts,
    }))
    await storeSeen(recorder, db, seen)
    const state = () =>
      readCertificateFindings(
        db,
        [{ monitor: { organization: number, monitor }, rule: { metric: 'certificate.differs' } }],
        now(),
      )
    expect((await state()).get(monitor)?.differs).toBeNull()
    backend.clock.advance(3_600_000)
    expect((await state()).get(monitor)?.differs).toBe('regions see 2 different certificates')
  })

  it('on weak keys says which, and ends with a good one', async () => {
    const sees = await ruled('certificate.weak')
    expect(await sees(factsOf(leaf({ keyType: 'rsa', keyBits: 1_024 })))).toEqual([
      ['open', 'Shop: weak certificate: RSA key of 1024 bits'],
    ])
    expect(await sees(factsOf(leaf()))).toEqual([['resolved', expect.anything()]])
  })

  it('on a name that does not match names those of the certificate', async () => {
    const sees = await ruled('certificate.name_mismatch')
    expect(await sees(factsOf(leaf({ name: 'other.example' }), [], { name_mismatch: true }))).toEqual([
      ['open', 'Shop: the certificate is for another name: other.example'],
    ])
    expect(await sees(factsOf(leaf()))).toEqual([['resolved', expect.anything()]])
  })

  it('waits while no certificate was seen, and opens nothing for a probe of an older version that reports no key', async () => {
    const sees = await ruled('certificate.weak')
    expect(await sees({ expires_at: leaf().not_after, issuer: 'ca', subject_names: ['shop.example.com'] })).toEqual([])
  })

  it.each(['changed', 'weak', 'name_mismatch', 'differs', 'revoked'])('on %s equals 1 and nothing else', async (what) => {
    const condition = { metric: `certificate.${what}`, operator: 'greater_than', value: 0 }
    const body = { name: 'rule', target: { type: 'monitor' }, condition }
    const { status, body: answer } = await backend.call('POST', '/v1/alert-rules', { as: admin, body })
    expect([status, answer.error.details[0].path]).toEqual([400, 'condition.value'])
    const of = { ...body, condition: { ...condition, ...EQUALS_ONE } }
    const preview = await backend.call('POST', '/v1/alert-rules/preview', { as: admin, body: of })
    expect([preview.status, preview.body.would_open]).toEqual([200, expect.any(Number)])
  })
})
