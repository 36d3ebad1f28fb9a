import { CHECK_TYPES, type CheckKindSpec, MASK } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, TEST_SECRET, type TestBackend } from '../../../../test/harness.ts'
import { parseId } from '../../../platform/ids.ts'
import { decryptDefinition } from '../../checks/index.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { monitorEncrypter } from '../encrypter.ts'

const PLANTED = 'planted-5e0c1b'
const step = { name: 'Sign in', url: '/login', method: 'POST', headers: { 'x-team': PLANTED }, body: `{"pin":"${PLANTED}"}` }
const second = { name: 'Read', url: '/read', headers: { 'x-team': `${PLANTED} 2` } }
/** A value of each option that has texts which checks send. */
const SENT: Record<string, Record<string, unknown>> = {
  tcp: { send: PLANTED },
  udp: { send: PLANTED },
  websocket: { send: PLANTED },
  steps: { steps: [step, second] },
}
const masked = (options: object): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(options, (_, value: unknown) => (typeof value === 'string' && value.includes(PLANTED) ? MASK : value)),
  )

let backend: TestBackend
let admin: Credentials
/** They may read monitors and not change them. */
let readers: Credentials[]
beforeAll(async () => {
  backend = await startTestBackend()
  const organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
  readers = [await backend.member(organization, 'viewer'), await backend.apiKey(organization, 'read')]
})
afterAll(() => backend.close())

const kinds = Object.entries(CHECK_TYPES) as [string, CheckKindSpec][]
const declared = kinds.flatMap(([type, { options }]) =>
  Object.entries(options).flatMap(([name, { sent }]) => (sent === undefined ? [] : [`${type}.${name}`])),
)

describe('what a check sends', () => {
  it('is tried below for each option that has such texts', () => {
    expect(
      Object.entries(SENT)
        .flatMap(([type, options]) => Object.keys(options).map((name) => `${type}.${name}`))
        .toSorted(),
    ).toEqual(declared.toSorted())
  })

  it.each(Object.entries(SENT))(
    'by %s is read by who may change it alone, encrypted at rest, and kept by a mask',
    async (type, options) => {
      const spec = CHECK_TYPES[type as keyof typeof CHECK_TYPES] as CheckKindSpec
      const made = await backend.call('POST', '/v1/monitors', {
        as: admin,
        body: { type, name: type, url: spec.example, options },
      })
      expect([made.status, made.body.options]).toMatchObject([201, options])
      const path = `/v1/monitors/${made.body.id}`
      for (const as of readers) {
        const { status, body } = await backend.call('GET', path, { as })
        expect([status, body.options]).toMatchObject([200, masked(options)])
        expect(JSON.stringify(body)).not.toContain(PLANTED)
      }
      const sent = async () => {
        const row = await backend.pool.db
          .selectFrom('monitor')
          .selectAll()
          .where('id', '=', parseId('monitor', made.body.id) as string)
          .executeTakeFirstOrThrow()
        expect(JSON.stringify(row)).not.toContain(PLANTED)
        return decryptDefinition(row as never, monitorEncrypter(createSecrets([TEST_SECRET]))).definition?.options
      }
      expect(await sent()).toMatchObject(options)
      const patched = await backend.call('PATCH', path, { as: admin, body: { options: masked(options) } })
      expect([patched.status, patched.body.options]).toMatchObject([200, options])
      expect(await sent()).toMatchObject(options)
      // Nothing is kept for a monitor that is new.
      const copied = await backend.call('POST', '/v1/monitors', {
        as: admin,
        body: { type, name: type, url: spec.example, options: masked(options) },
      })
      expect([copied.status, copied.body.error.details[0].path.split('.')[0]]).toEqual([400, 'options'])
    },
  )
})
