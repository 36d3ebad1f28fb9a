import { randomUUID } from 'node:crypto'
import { type ChainCertificate, DAY_MS, type HostCertificate } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { measure, startBeating } from '../../../../test/measured-server.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { factsOf, one } from '../../../../test/seen-certificates.ts'
import { incidentsOf, watch } from '../../../../test/watched-monitor.ts'
import { parseId } from '../../../platform/ids.ts'
import { deleteUnseenCertificates } from '../service.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
let instance: ReturnType<typeof startBeating>
beforeAll(async () => {
  backend = await startTestBackend()
  instance = startBeating(backend)
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
  await removeRules(backend, organization)
})
afterAll(() => backend.close())

const now = () => backend.clock.now()
const name = () => `${randomUUID()}.example.com`
const call = (method: string, path: string, body?: unknown) => backend.call(method, path, { as: admin, body })
const inFile = (path: string, leaf: ChainCertificate, chain: ChainCertificate[] = [], entry?: string): HostCertificate => ({
  path,
  ...(entry !== undefined && { entry }),
  certificate: factsOf(leaf, chain),
})

/** A server, and what its agent does. */
async function host(tags: string[] = []) {
  const server = await backend.server(organization)
  if (tags.length > 0) await call('PATCH', `/v1/servers/${server.id}`, { tags })
  const report = async (certificates: HostCertificate[], more: object = {}) => {
    const { status, body } = await backend.call('PUT', '/v1/agent/facts', { as: server.as, body: { certificates, ...more } })
    expect([status, body]).toEqual([204, body])
  }
  const list = async (query = '') =>
    (await call('GET', `/v1/certificates?server_id=${server.id}${query}`)).body.certificates as { id: string }[]
  return { ...server, report, list }
}

describe('the certificates in files of a host', () => {
  it('are listed with the host and its file, and their chain', async () => {
    const { report, list, id } = await host()
    const leaf = one({ name: name(), notBeforeMs: now() - 10 * DAY_MS })
    const middle = one({ name: 'E7', issuer: 'ISRG Root X1', notAfterMs: now() + 5 * DAY_MS })
    await report([inFile('/etc/ssl/shop.pem', leaf, [middle])])
    const [listed] = await list()
    expect(listed).toMatchObject({
      source: 'file',
      name: leaf.subject,
      sha256: leaf.sha256,
      ends_at: middle.not_after,
      monitors: 0,
      servers: 1,
      changed_at: null,
    })
    const { body } = await call('GET', `/v1/certificates/${listed?.id}`)
    expect(body).toMatchObject({ chain: [middle], seen_total: 1 })
    expect(body.seen).toMatchObject([
      { monitor: null, region: null, server: { id }, path: '/etc/ssl/shop.pem', entry: null, chain_length: 2 },
    ])
  })

  it('are one certificate with what checks see', async () => {
    const leaf = one({ name: name() })
    const { bring } = await watch(backend, admin)
    await bring('up', { certificate: factsOf(leaf) })
    const { report, list } = await host()
    await report([inFile('/a.pem', leaf), inFile('/b.jks', leaf, [], 'tomcat')])
    const [listed] = await list()
    expect(listed).toMatchObject({ source: 'check', monitors: 1, servers: 1 })
    const { body } = await call('GET', `/v1/certificates/${listed?.id}`)
    const places = body.seen.map(({ region, path, entry }: Record<string, unknown>) => [region, path, entry])
    expect(places).toEqual([
      [expect.any(String), null, null],
      [null, '/a.pem', null],
      [null, '/b.jks', 'tomcat'],
    ])
  })

  it('are gone with the file, with the server, and from the list of another one', async () => {
    const [a, b] = [await host(), await host()]
    const leaf = one({ name: name() })
    await a.report([inFile('/a.pem', leaf)])
    await b.report([inFile('/b.pem', leaf)])
    expect((await a.list())[0]).toMatchObject({ servers: 2 })
    await a.report([])
    expect(await a.list()).toEqual([])
    expect((await b.list())[0]).toMatchObject({ servers: 1 })
    const certificate = (await b.list())[0]?.id
    expect((await call('DELETE', `/v1/servers/${b.id}`)).status).toBe(204)
    expect(await b.list()).toEqual([])
    backend.clock.advance(2 * DAY_MS)
    admin = await backend.member(organization, 'admin')
    await deleteUnseenCertificates(backend.pool.db, now())
    expect((await call('GET', `/v1/certificates/${certificate}`)).status).toBe(404)
  })

  it('are found by the tags of the host, and by nothing that is no server', async () => {
    const tag = randomUUID().slice(0, 8)
    const { report, list } = await host([tag])
    await report([inFile('/a.pem', one({ name: name() }))])
    expect(await list(`&tag=${tag}`)).toHaveLength(1)
    expect(await list('&tag=other')).toEqual([])
    expect((await call('GET', '/v1/certificates?server_id=nothing')).body.certificates).toEqual([])
  })

  it('stay where facts have none, and are not refreshed away', async () => {
    const { report, list, as } = await host()
    await report([inFile('/a.pem', one({ name: name() }))])
    expect((await backend.call('PUT', '/v1/agent/facts', { as, body: { kernel: '6.2' } })).status).toBe(204)
    backend.clock.advance(2 * DAY_MS)
    admin = await backend.member(organization, 'admin')
    await deleteUnseenCertificates(backend.pool.db, now())
    expect(await list()).toHaveLength(1)
  })

  it('that cannot be read are named with the server', async () => {
    const { report, id } = await host()
    await report([], { unreadable_certificates: [{ path: '/a.p12', reason: 'it needs a password (password_file)' }] })
    expect((await call('GET', `/v1/servers/${id}`)).body.unreadable_certificates).toEqual([
      { path: '/a.p12', reason: 'it needs a password (password_file)' },
    ])
  })

  it('beyond the bounds are refused with the field, and another organization has none', async () => {
    const { as, id } = await host()
    const body = { certificates: Array.from({ length: 201 }, (_, index) => inFile(`/${index}.pem`, one())) }
    const refused = await backend.call('PUT', '/v1/agent/facts', { as, body })
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'certificates'])
    const other = await backend.member(await backend.organization(), 'owner')
    const found = await backend.call('GET', `/v1/certificates?server_id=${id}`, { as: other })
    expect(found.body).toMatchObject({ certificates: [], total: 0 })
  })

  it('of two hosts that report the same new one at once are both stored', async () => {
    const hosts = await Promise.all(Array.from({ length: 4 }, () => host()))
    const leaves = Array.from({ length: 20 }, () => one({ name: name() }))
    await Promise.all(hosts.map(({ report }) => report(leaves.map((leaf, index) => inFile(`/${index}.pem`, leaf)))))
    for (const { list } of hosts) expect(await list('&limit=50')).toHaveLength(20)
  })
})

describe('a rule of a server on certificates', () => {
  const ruled = async (metric: string, condition: object = { operator: 'equals', value: 1 }) => {
    const server = await measure(backend, organization)
    const body = { name: 'rule', target: { type: 'server', id: server.id }, condition: { metric, ...condition } }
    expect((await call('POST', '/v1/alert-rules', body)).status).toBe(201)
    const uuid = parseId('server', server.id) as string
    return async (...certificates: HostCertificate[]) => {
      const reported = await backend.call('PUT', '/v1/agent/facts', { as: server.as, body: { certificates } })
      expect(reported.status).toBe(204)
      backend.clock.advance(55_000)
      await instance.beat()
      await server.sends({ 'cpu.percent': [1] })
      backend.clock.advance(5_000)
      await instance.beat()
      await backend.jobs.evaluateServers()
      return (await incidentsOf(backend, uuid)).map(({ status, summary }) => [status, summary])
    }
  }
  const leaf = (own: Parameters<typeof one>[0] = {}) => one({ notBeforeMs: now() - 10 * DAY_MS, ...own })

  it('on days names the file, opens for what ends first, and ends with the renewal', async () => {
    const reports = await ruled('certificate.days', { operator: 'less_than', value: 14 })
    expect(await reports(inFile('/a.pem', leaf()), inFile('/b.pem', leaf({ name: 'b' })))).toEqual([])
    const soon = leaf({ name: 'b.example', notAfterMs: now() + 3 * DAY_MS })
    const text = /: certificate b\.example in \/b\.jks \(tomcat\) expires in (2\.9|3) days \(threshold: below 14 days\)$/
    expect(await reports(inFile('/a.pem', leaf()), inFile('/b.jks', soon, [], 'tomcat'))).toEqual([
      ['open', expect.stringMatching(text)],
    ])
    expect(await reports(inFile('/a.pem', leaf()))).toEqual([['resolved', expect.anything()]])
  })

  it('on days ends where no certificate is reported any more', async () => {
    const reports = await ruled('certificate.days', { operator: 'less_than', value: 200 })
    expect(await reports(inFile('/a.pem', leaf()))).toMatchObject([['open', expect.anything()]])
    expect(await reports()).toMatchObject([['resolved', expect.anything()]])
  })

  it('on a change opens for another issuer in one file, and not for a renewal or a certificate that moved', async () => {
    const reports = await ruled('certificate.changed')
    const [a, b] = [leaf({ name: 'a' }), leaf({ name: 'b', notBeforeMs: now() - 61 * DAY_MS })]
    expect(await reports(inFile('/a.pem', a), inFile('/b.pem', b))).toEqual([])
    expect(await reports(inFile('/a.pem', b), inFile('/b.pem', a))).toEqual([])
    const renewed = leaf({ name: 'b', notBeforeMs: now() })
    expect(await reports(inFile('/a.pem', renewed), inFile('/b.pem', a))).toEqual([])
    expect(await reports(inFile('/a.pem', renewed), inFile('/b.pem', leaf({ name: 'c', issuer: 'Evil CA' })))).toEqual([
      [
        'open',
        expect.stringMatching(/: certificate c in \/b\.pem changed from issuer E7, Let's Encrypt \(EC 256\) to issuer Evil CA/),
      ],
    ])
  })

  it('on weakness opens for a short key, and not for the signature of an authority', async () => {
    const reports = await ruled('certificate.weak')
    const root = leaf({ name: 'Root', issuer: 'Root', signature: 'sha1WithRSAEncryption' })
    expect(await reports(inFile('/ca.pem', root))).toEqual([])
    expect(await reports(inFile('/a.pem', leaf({ name: 'a', keyType: 'rsa', keyBits: 1_024 })))).toEqual([
      ['open', expect.stringMatching(/: weak certificate a in \/a\.pem: RSA key of 1024 bits$/)],
    ])
  })

  it('is previewed from what the files have now', async () => {
    const server = await host()
    await server.report([inFile('/a.pem', leaf({ notAfterMs: now() + 3 * DAY_MS }))])
    const condition = { metric: 'certificate.days', operator: 'less_than', value: 14 }
    const body = { name: 'rule', target: { type: 'server', id: server.id }, condition }
    const { status, body: preview } = await call('POST', '/v1/alert-rules/preview', body)
    expect([status, preview.would_open]).toEqual([200, 1])
  })

  it('on other names or regions is refused', async () => {
    const condition = { metric: 'certificate.differs', operator: 'equals', value: 1 }
    const body = { name: 'rule', target: { type: 'server', id: null, tag: null }, condition }
    expect((await call('POST', '/v1/alert-rules', body)).status).toBe(400)
  })
})
