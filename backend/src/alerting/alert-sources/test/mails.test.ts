import nodemailer from 'nodemailer'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { type MailServer, startMailServer } from '../mail/server.ts'

let backend: TestBackend
let server: MailServer
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend({ environment: { VEDETTE_RATE_LIMITS: 'ping=2' } })
  server = await startMailServer({ deliver: backend.vedette.deliverMail, log: silentLog }, { host: '127.0.0.1', port: 0 })
  admin = await backend.apiKey(await backend.organization(), 'admin')
})
afterAll(async () => {
  await server.close()
  await backend.close()
})

const sourceOf = async (type: string) =>
  (await backend.call('POST', '/v1/alert-sources', { as: admin, body: { name: type, type } })).body
/** The refusal of a mail; undefined where it is taken. */
const send = async (token: string, subject: string): Promise<string | undefined> => {
  const sent = await nodemailer
    .createTransport({ lmtp: true, host: '127.0.0.1', port: server.port, ignoreTLS: true } as object)
    .sendMail({ from: 'nas@example.test', to: `alerts+${token}@vedette.example`, subject, text: 'Look at it' })
  return (sent as { rejectedErrors?: { response: string }[] }).rejectedErrors?.[0]?.response
}
const incidents = async () => (await backend.call('GET', '/v1/incidents', { as: admin })).body.incidents

it('a mail opens an incident, another one ends it, and both are answered after the commit', async () => {
  const { token, address } = await sourceOf('email')
  expect(address).toBe(`alerts+${token}@`)
  await send(token, 'ALARM: pool tank')
  await send(token, 'ALARM: pool tank')
  expect(await incidents()).toMatchObject([{ status: 'open', summary: 'ALARM: pool tank', labels: { from: 'nas@example.test' } }])
  await send(token, 'OK: pool tank')
  expect((await incidents())[0].status).toBe('resolved')
  const answer = await backend.call('POST', `/v1/in/${token}`, { body: {} })
  expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringMatching(/come by mail/)])
})

it('a mail with an unknown token, or that of a source of another type, is refused', async () => {
  const { token } = await sourceOf('grafana')
  for (const unknown of [token, 'vdt_in_unknown']) expect(await send(unknown, 'x')).toMatch(/^550 5\.1\.1/)
})

it('more mails than the limit are to come again', async () => {
  backend.clock.advance(61_000)
  const { token } = await sourceOf('email')
  for (let index = 0; index < 10; index += 1) expect(await send(token, `ALARM: ${index}`)).toBeUndefined()
  expect(await send(token, 'ALARM: 11')).toMatch(/^452 4\.3\.1/)
})
