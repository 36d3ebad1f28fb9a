import { randomInt } from 'node:crypto'
import { readConfigureGlobal } from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { roundsOf } from '../../../../../scripts/test-rounds.ts'
import { createRandom } from './random-configuration.ts'

let backend: TestBackend
let as: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  as = await backend.member(await backend.organization(), 'owner')
})
afterAll(() => backend.close())

const LEAST = 2

const ok = async (method: string, url: string, body?: unknown) => {
  const { status, body: answer } = await backend.call(method, url, { as, ...(body !== undefined && { body }) })
  expect(status, JSON.stringify(answer)).toBeLessThan(300)
  return answer
}
const configuration = async () => JSON.stringify(await ok('GET', '/v1/configuration'))
const confirmed = async (resources: object[]) => {
  const body = { owner: 'git:infra', prune: true, resources }
  const { status, body: answer } = await backend.call('POST', '/v1/change-sets', { as, body })
  if (status === 201) return answer
  const [, deletes] = /must be (\d+)/.exec(answer.error.message) ?? []
  return ok('POST', '/v1/change-sets', { ...body, confirm_deletes: Number(deletes) })
}

test('whatever is applied is there, and whatever is taken back is as it was, byte by byte', { timeout: 600_000 }, async () => {
  const seed = readConfigureGlobal()?.seed ?? randomInt(2 ** 31)
  const random = createRandom(seed)
  for (let round = 0; round < Math.max(LEAST, roundsOf(500)); round += 1) {
    const wanted = random.configuration()
    const before = await configuration()
    const proposed = await confirmed(wanted)
    expect(proposed.steps.filter(({ refused }: { refused: unknown }) => refused)).toEqual([])
    const applied = await ok('POST', `/v1/change-sets/${proposed.id}/apply`)
    const after = await configuration()
    expect((await confirmed(wanted)).steps).toEqual([])
    const { resources } = await ok('GET', '/v1/configuration?owner=git:infra')
    expect((await confirmed(resources)).steps).toEqual([])
    await ok('POST', `/v1/change-sets/${applied.id}/undo`, {})
    expect(await configuration(), `seed ${seed}, round ${round}`).toBe(before)
    const undone = await ok('GET', '/v1/change-sets?limit=1')
    await ok('POST', `/v1/change-sets/${undone.change_sets[0].id}/undo`, {})
    expect(await configuration(), `seed ${seed}, round ${round}, again`).toBe(after)
  }
})
