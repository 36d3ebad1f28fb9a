import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Caller } from '../../../access/auth/index.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { encodeId, newId } from '../../../platform/ids.ts'
import { prepareSteps, takeSteps } from '../apply.ts'
import type { Kind, Kinds } from '../kinds.ts'
import type { Step } from '../plan.ts'

let backend: TestBackend
let organization: TestOrganization
let as: Credentials
beforeAll(async () => {
  backend = await startTestBackend({ requestLimitMs: 2_000 })
  organization = await backend.organization()
  as = await backend.apiKey(organization, 'admin')
})
afterAll(() => backend.close())

const ok = async (method: string, path: string, body?: object) => {
  const answer = await backend.call(method, path, { as, ...(body && { body }) })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}
const propose = (name: string) => {
  const spec = { name, type: 'webhook', config: { url: 'https://hooks.example.com/x' } }
  return ok('POST', '/v1/change-sets', { owner: 'git:infra', resources: [{ kind: 'channel', ref: 'hook', spec }] })
}

it('an apply and an undo prepare before their transaction: one connection is enough for both', async () => {
  await ok('POST', `/v1/change-sets/${(await propose('Hook')).id}/apply`)
  const { id } = await propose('Other')
  const { pg } = backend.pool
  const taken = await Promise.all(Array.from({ length: (pg.options.max ?? 0) - 1 }, () => pg.connect()))
  try {
    await ok('POST', `/v1/change-sets/${id}/apply`)
    expect(await ok('POST', `/v1/change-sets/${id}/undo`, {})).toMatchObject({ undoes: id })
  } finally {
    for (const client of taken) client.release()
  }
})

it('what is prepared for a step is found by a step that is made again for the same resource', async () => {
  const given: unknown[] = []
  const kind = {
    kind: 'channel',
    idKind: 'channel',
    table: 'channel',
    changeable: new Set(['name']),
    secretsIn: () => [],
    toPatch: (_before: object, patch: object) => patch,
    preparePatch: async () => 'prepared',
    patch: async (...args: unknown[]) => given.push(args.at(-1)),
    read: async () => [],
  } as unknown as Kind
  const kinds: Kinds = new Map([['channel', kind]])
  const caller = { principal: { kind: 'apiKey', tenant: { number: organization.number } } } as unknown as Caller
  const [before, after] = [{ name: 'one' }, { name: 'other' }]
  const id = encodeId('channel', newId())
  const common = { ref: null, name: 'x', managedBefore: null, managed: null, kept: [], refused: null }
  const step: Step = { action: 'update', kind: 'channel', id, before, after, ...common }
  const prepared = await prepareSteps(kinds, caller, [step])
  await takeSteps({ db: backend.pool.db, kinds, caller, prepared }, [{ ...step, before: { name: 'a third' } }])
  expect(given).toEqual(['prepared'])
})
