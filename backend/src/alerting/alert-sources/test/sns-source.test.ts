import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { parseId } from '../../../platform/ids.ts'
import { CLOUDWATCH, snsOf } from '../formats/test/bodies.ts'
import { createIntake, type Intake } from '../intake.ts'
import { createReceipts } from '../receipts.ts'
import { type ConfirmDeps, confirmTopic, getSource } from '../service.ts'
import { createSnsReader } from '../sns/reader.ts'
import { makeSigner, signed } from '../sns/test/signed.ts'

const HOST = 'sns.eu-central-1.amazonaws.com'
const signer = makeSigner()
/** After the certificate was made. */
const NOW_MS = Date.now() + 60_000
let backend: TestBackend
let organization: TestOrganization
let intake: Intake
let confirmDeps: ConfirmDeps
let source: { id: string; token: string }
/** What is requested, and what is answered. */
const requested: string[] = []
let status = 200
beforeAll(async () => {
  backend = await startTestBackend({ startMs: NOW_MS })
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  const as = await backend.apiKey(organization, 'admin')
  source = (await backend.call('POST', '/v1/alert-sources', { as, body: { name: 'AWS', type: 'sns' } })).body
  const [{ db }, clock] = [backend.pool, backend.clock]
  const fetch = (url: string) => {
    requested.push(url)
    return Promise.resolve(url.endsWith('.pem') ? { status: 200, text: signer.cert } : { status, text: '' })
  }
  const receipts = createReceipts({ db, clock, log: silentLog, ending: new AbortController().signal })
  const hosts = 'sns.*.amazonaws.com'
  intake = createIntake({ db, clock, receipts, sns: createSnsReader({ hosts, fetch, clock }) })
  confirmDeps = { db, clock, receipts, publicUrl: () => 'http://x', settings: { snsCertificateHosts: hosts }, fetchSns: fetch }
  ;[requested.length, status] = [0, 200]
})

const message = (own: object) => ({ ...snsOf(CLOUDWATCH), Timestamp: new Date(NOW_MS).toISOString(), ...own })
const take = (body: object) => intake.take({ token: source.token, bytes: Buffer.from(JSON.stringify(body)), body, headers: {} })
const tenant = () => ({ number: organization.number, id: organization.id })
const id = () => parseId('alertSource', source.id) as string
const read = () => getSource(confirmDeps, tenant(), id())
const confirm = () =>
  confirmTopic(confirmDeps, { principal: { kind: 'api_key', tenant: tenant(), id: id() }, ip: null } as never, id())
const subscription = () =>
  signed(
    message({
      Type: 'SubscriptionConfirmation',
      MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf325',
      Subject: undefined,
      Token: '2336412f',
      SubscribeURL: `https://${HOST}/?Action=ConfirmSubscription&Token=2336412f`,
    }),
    signer.key,
  )

describe('a source of Amazon SNS', () => {
  it('takes an alarm that is signed, once, and its end', async () => {
    const alarm = signed(message({}), signer.key)
    expect(await take(alarm)).toMatchObject({ opened: 1 })
    await expect(take(alarm)).rejects.toThrow('MessageId: was taken already')
    const over = message({
      ...snsOf({ ...CLOUDWATCH, NewStateValue: 'OK' }),
      Timestamp: new Date(NOW_MS).toISOString(),
      MessageId: 'b',
    })
    expect(await take(signed(over, signer.key))).toMatchObject({ resolved: 1 })
  })

  it('refuses one that is not signed, also by the route', async () => {
    await expect(take(message({}))).rejects.toThrow('Signature: is not that of this message')
    const body = { ...message({}), SigningCertURL: 'https://example.com/a.pem' }
    const answer = await backend.call('POST', `/v1/in/${source.token}`, { body })
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'SigningCertURL'])
  })

  it('takes a message again that could not be stored', async () => {
    const alarm = signed(message({ MessageId: 'c' }), signer.key)
    await backend.pool.pg.query('alter table open_incident rename to open_incident_away')
    try {
      await expect(take(alarm)).rejects.toThrow('open_incident')
    } finally {
      await backend.pool.pg.query('alter table open_incident_away rename to open_incident')
    }
    expect(await take(alarm)).toMatchObject({ opened: 1 })
  })

  it('shows a topic that asks, and calls its address after a click alone', async () => {
    expect((await read()).confirm).toBeNull()
    expect([(await confirm()).confirm, requested]).toEqual([null, []])
    await take(subscription())
    expect((await read()).confirm).toEqual({ topic: 'arn:aws:sns:eu-central-1:123456789012:alerts', url_host: HOST })
    expect(requested.filter((url) => !url.endsWith('.pem'))).toEqual([])
    const { rows: samples } = await backend.pool.pg.query('select body from alert_sample where source_id = $1', [id()])
    expect(samples).toHaveLength(1)
    expect(JSON.stringify(samples)).not.toContain('2336412f')
    status = 403
    await expect(confirm()).rejects.toThrow(`${HOST} did not confirm the topic: status 403.`)
    expect((await read()).confirm).not.toBeNull()
    status = 200
    expect((await confirm()).confirm).toBeNull()
    expect(requested.at(-1)).toBe(`https://${HOST}/?Action=ConfirmSubscription&Token=2336412f`)
    const { rows } = await backend.pool.pg.query("select details from audit_event where action = 'alert_source.confirmed'")
    expect(rows).toEqual([{ details: { name: 'AWS', topic: 'arn:aws:sns:eu-central-1:123456789012:alerts' } }])
  })

  it('calls no host that the setting does not name by now', async () => {
    await take(subscription())
    confirmDeps = { ...confirmDeps, settings: { snsCertificateHosts: 'sns.us-east-1.amazonaws.com' } }
    await expect(confirm()).rejects.toThrow(/VEDETTE_SNS_CERTIFICATE_HOSTS/)
    expect(requested.filter((url) => !url.endsWith('.pem'))).toEqual([])
  })
})
