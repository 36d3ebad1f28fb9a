import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing, VEDETTE_AGENT } from '../../../scripts/test-tools.ts'
import { createApiKey } from '../../src/access/api-keys/index.ts'
import { createUser, hashPassword } from '../../src/access/auth/index.ts'
import { createOrganization } from '../../src/access/organizations/index.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { createPool, inTransaction } from '../../src/platform/db/index.ts'
import { findRunningUrl } from '../../src/platform/db/postgres/index.ts'
import { silentLog } from '../../src/platform/logging/log.ts'
import { type Authority, makeAuthority } from './certificates.ts'
import { callHttps, servedSerial } from './https.ts'
import { ADMIN, agentStatus, makeWorkbench, OWNER, type RunningVedette, until } from './workbench.ts'

describe.skipIf(isMissing('openssl'))('a backend that speaks HTTPS', () => {
  const bench = makeWorkbench()
  const folder = bench.makeFolder()
  const dataDir = join(folder, 'data')
  let authority: Authority
  let vedette: RunningVedette
  let firstSerial: string
  beforeAll(async () => {
    authority = makeAuthority(folder)
    const tls = { VEDETTE_TLS_CERT_FILE: authority.certFile, VEDETTE_TLS_KEY_FILE: authority.keyFile }
    const intervals = { VEDETTE_SAMPLE_INTERVAL_SECONDS: '1', VEDETTE_PUSH_INTERVAL_SECONDS: '5' }
    vedette = await bench.start({ dataDir, environment: { ...ADMIN, ...tls, ...intervals } })
    firstSerial = await servedSerial(url(), authority.caFile)
    // A renewal that was cut off, from the first look on: what the tests see is the certificate of the start.
    writeFileSync(authority.certFile, readFileSync(authority.certFile).subarray(0, 300))
  })
  afterAll(() => bench.cleanUp())

  const url = () => vedette.url.replace('127.0.0.1', 'localhost')
  const call = (method: string, path: string, options = {}) => callHttps(url(), authority.caFile, method, path, options)
  const serversAs = async (headers: object) => (await call('GET', '/v1/servers?include=metrics', { headers })).body.servers

  /**
   * Keys of an organization of its own: the second host of this test is the same machine as the first, which would only be
   * registered again within one organization.
   */
  async function otherOrganization(): Promise<{ agent: string; read: string }> {
    const pool = createPool({ url: (await findRunningUrl(dataDir)) ?? '', clock: systemClock, log: silentLog, max: 1 })
    const { db } = pool
    const user = await createUser(db, systemClock, `${randomUUID()}@example.com`, await hashPassword(OWNER.password))
    const keyOf = (organization: number, scope: 'agent' | 'read') =>
      inTransaction(db, (transaction) =>
        createApiKey(transaction, systemClock, organization, { name: scope, scopes: [scope], createdBy: null }),
      )
    const { number: organization } = await inTransaction(db, (transaction) =>
      createOrganization(transaction, systemClock, 'Other', user),
    )
    const keys = { agent: (await keyOf(organization, 'agent')).secret, read: (await keyOf(organization, 'read')).secret }
    await pool.end()
    return keys
  }

  test('says so, and answers by HTTPS only [START-20]', async () => {
    expect(vedette.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const { status, headers } = await call('GET', '/readyz')
    expect(status).toBe(200)
    expect((await call('GET', '/')).headers['strict-transport-security']).toContain('max-age')
    expect(headers['x-request-id']).toBeTruthy()
    await expect(fetch(vedette.url.replace('https:', 'http:'))).rejects.toThrow('fetch failed')
  })

  test('the agent of this host works with the backend over HTTPS', async () => {
    const login = await call('POST', '/v1/auth/login', { body: JSON.stringify(OWNER) })
    const as = { authorization: `Bearer ${login.body.token}` }
    const server = await until(async () => (await serversAs(as)).find((one: { metrics: unknown }) => one.metrics), 40_000)
    expect(server).toMatchObject({ status: 'online', metrics: { cpu: { percent: expect.any(Number) } } })
  })

  test('an agent of another host registers and pushes, if it trusts the authority [AGENT-13, AGENT-14, AGENT-22]', async () => {
    const { agent: key, read } = await otherOrganization()
    const home = join(folder, 'second-host')
    mkdirSync(home)
    const keyFile = join(home, 'key')
    writeFileSync(keyFile, `${key}\n`, { mode: 0o600 })
    const agent = (command: string[], environment = {}) =>
      bench.run([process.execPath, VEDETTE_AGENT, ...command, '--config', join(home, 'agent.yaml')], {
        VEDETTE_STATE_DIR: join(home, 'state'),
        ...environment,
      })
    const trust = { NODE_EXTRA_CA_CERTS: authority.caFile }
    const register = ['register', '--url', url(), '--api-key-file', keyFile]

    const strange = await agent(register).ended
    expect(strange).toMatchObject({ code: 1, output: expect.stringMatching(/cannot reach .*(certificate|issuer)/) })
    const registered = await agent(register, trust).ended
    expect(registered).toMatchObject({ code: 0, output: expect.stringMatching(/^srv_\w+\n$/) })
    expect(statSync(join(home, 'state/identity.json')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(home, 'agent.yaml'), 'utf8')).not.toContain(key)

    const running = agent(['run'], trust)
    await until(() => (agentStatus(join(home, 'state'))?.accepted_samples ?? 0) > 0, 40_000)
    const servers = await serversAs({ 'x-api-key': read })
    expect(servers).toMatchObject([{ id: registered.output.trim(), status: 'online', metrics: { cpu: expect.anything() } }])
    process.kill(running.pid, 'SIGTERM')
    expect((await running.ended).code).toBe(0)
  })

  test('a truncated certificate leaves the previous one in place; a renewed one is served without a restart [START-21]', async () => {
    const serial = () => servedSerial(url(), authority.caFile)
    await until(() => /"level":50.*certificate/.test(vedette.output()), 40_000)
    expect(await serial()).toBe(firstSerial)
    authority.renew()
    await until(async () => (await serial()) !== firstSerial, 40_000)
    expect((await call('GET', '/readyz')).status).toBe(200)
    expect((await vedette.stop()).code).toBe(0)
  })
})
