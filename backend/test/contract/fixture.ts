import { randomUUID } from 'node:crypto'
import type { Role } from '@vedette/shared'
import { generate } from 'otplib/functional'
import { examplesOf } from '../../src/operating/openapi/examples.ts'
import { setupCode } from '../../src/operating/setup/index.ts'
import { createSecrets } from '../../src/platform/crypto/installation-secrets.ts'
import { type Credentials, startTestBackend, TEST_SECRET, type TestBackend, type TestOrganization } from '../harness.ts'
import { queuedToken } from '../queued-mail.ts'
import { startTestSmtp } from '../smtp.ts'

const STEP_MS = 30_000

/** A backend behind the proxy with all that operations are asked about, made new for each question: many use up what they get. */
export interface ContractFixture {
  /** Its calls are sent past the proxy: they make what the requests of a test need. */
  backend: TestBackend
  behindProxy: TestBackend
  organization: TestOrganization
  /** Signs in a new member, who owns the organization by default. */
  person(role?: Role): Promise<{ authorization: string; userId: string; email: string }>
  key(): Promise<Credentials>
  server(): Promise<{ id: string; as: Credentials }>
  /** Id of a new monitor. */
  monitor(): Promise<string>
  /** The token of a link to choose a new password, as it was mailed. */
  resetToken(email: string): Promise<string>
  invitation(): Promise<{ id: string; email: string; token: string }>
  /** Somebody whose second factor is on. */
  guarded(): Promise<Credentials & { email: string; code(): Promise<string> }>
  /** A backend on which nobody is yet, with the code that lets the first one in. */
  empty(): Promise<{ on: TestBackend; code: string }>
  close(): Promise<void>
}

export async function createFixture(): Promise<ContractFixture> {
  const smtp = await startTestSmtp()
  const behindProxy = await startTestBackend({ throughProxy: true, environment: { VEDETTE_SMTP_URL: smtp.url } })
  const backend = { ...behindProxy, call: behindProxy.callDirectly }
  const organization = await backend.organization('Example')
  const opened: TestBackend[] = [backend]

  const world: ContractFixture = {
    backend,
    behindProxy,
    organization,
    person: async (role = 'owner') => {
      const { authorization, userId } = await backend.member(organization, role)
      const { db } = backend.pool
      const { email } = await db.selectFrom('app_user').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
      return { authorization, userId, email }
    },
    key: () => backend.apiKey(organization, 'admin', 'read', 'agent'),
    server: () => backend.server(organization),
    monitor: async () => {
      const body = examplesOf('CreateMonitorBody')['example']
      return (await backend.call('POST', '/v1/monitors', { as: await world.key(), body })).body.id
    },
    resetToken: async (email) => {
      await backend.call('POST', '/v1/auth/password-reset', { body: { email } })
      await backend.jobs.sendResets()
      return /token=(\S+)/.exec(smtp.mails.findLast(({ to }) => to.includes(email))?.text ?? '')?.[1] ?? ''
    },
    invitation: async () => {
      const email = `${randomUUID()}@example.com`
      const url = `/v1/organizations/${organization.id}/members/invite`
      const { body } = await backend.call('POST', url, { as: await world.key(), body: { email, role: 'viewer' } })
      return { id: body.id, email, token: await queuedToken(backend, body.id) }
    },
    guarded: async () => {
      const { authorization, email } = await world.person()
      const as = { authorization }
      const { body } = await backend.call('POST', '/v1/auth/totp', { as, body: {} })
      const code = () => generate({ secret: body.secret, epoch: Math.floor(backend.clock.now() / 1000) })
      await backend.call('POST', '/v1/auth/totp', { as, body: { code: await code() } })
      // The step of the confirmation is spent.
      backend.clock.advance(STEP_MS)
      return { ...as, email, code }
    },
    empty: async () => {
      const on = await startTestBackend({ throughProxy: true })
      opened.push(on)
      return { on, code: setupCode(createSecrets([TEST_SECRET])) }
    },
    close: async () => {
      for (const one of opened) await one.close()
      await smtp.close()
    },
  }
  return world
}
