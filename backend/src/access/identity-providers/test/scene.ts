import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import {
  type Answer,
  type Credentials,
  PASSWORD,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { type FakeProvider, startIdentityProvider } from '../../../../test/identity-provider.ts'
import { addProvider, cookiesOf, ON_LOOPBACK } from '../../../../test/provider-sign-in.ts'
import { type Log, silentLog } from '../../../platform/logging/log.ts'

/** An organization with an identity provider, both new for each test. */
export interface Scene {
  backend: TestBackend
  organization: TestOrganization
  owner: Credentials
  provider: FakeProvider
  /** Of the provider. */
  id: string
}

/** Why sign-ins were refused, as the operator's log says. */
const reasons: string[] = []
const log: Log = { ...silentLog, info: (facts: { reason?: string }) => void (facts.reason && reasons.push(facts.reason)) }

/** Fills the scene before each test. */
export function useScene(): Scene {
  const scene = {} as Scene
  beforeAll(async () => {
    scene.backend = await startTestBackend({ environment: ON_LOOPBACK, log })
  })
  afterAll(() => scene.backend.close())
  beforeEach(async () => {
    const { backend } = scene
    scene.organization = await backend.organization()
    scene.owner = await backend.member(scene.organization, 'owner')
    scene.provider = await startIdentityProvider(() => backend.clock.now())
    scene.id = await addProvider(backend, scene.owner, scene.provider.issuer)
    return () => scene.provider.close()
  })
  // Names of people come again in the next test.
  afterEach(async () => {
    const named = scene.backend.pool.db.deleteFrom('app_user').where('email', 'like', '%@example.com')
    await named.where('email', 'not like', '%-%').execute()
  })
  return scene
}

/** What a refused sign-in answers, logs and records; `refused` is what is expected of one. */
export async function refusalOf({ backend }: Pick<Scene, 'backend'>, answer: Answer) {
  const event = await backend.pool.db
    .selectFrom('security_event')
    .select('details')
    .where('type', '=', 'sign_in.failed')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  const session = cookiesOf(answer)['vedette_refresh']
  const isRecorded = (event?.details as { reason?: string } | undefined)?.reason === answer.body.error?.message
  return { status: answer.status, session, reason: reasons.at(-1), isRecorded }
}
export const refused = (status: number, reason: string) => ({
  status,
  session: undefined,
  reason: expect.stringContaining(reason),
  isRecorded: true,
})

export const me = async ({ backend }: Pick<Scene, 'backend'>, as: Credentials) =>
  (await backend.call('GET', '/v1/auth/me', { as })).body
/** The roles of a user by organization. */
export const rolesOf = async (scene: Pick<Scene, 'backend'>, as: Credentials) =>
  (await me(scene, as)).organizations.map(({ id: of, role }: Record<string, string>) => [of, role])

/** A member of an organization with this e-mail, which is verified. */
export async function memberNamed({ backend, organization }: Scene, email: string, role: 'viewer' | 'owner' = 'viewer') {
  const { userId } = await backend.member(organization, role)
  const { db } = backend.pool
  const email_verified_at = new Date(backend.clock.now())
  await db.updateTable('app_user').set({ email, email_verified_at }).where('id', '=', userId).execute()
  return userId
}

export const passwordLogin = ({ backend }: Pick<Scene, 'backend'>, email: string) =>
  backend.call('POST', '/v1/auth/login', { body: { email, password: PASSWORD } })
