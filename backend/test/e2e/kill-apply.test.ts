import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { roundsOf } from '../../../scripts/test-rounds.ts'
import { ADMIN, call, makeWorkbench, pidOf, type RunningVedette, signIn, until } from './workbench.ts'

/** One for all: where it has 20 proposals a new one ends its oldest. */
const OWNER = 'git:kills'
/** Of each kind of kill. */
const ROUNDS = roundsOf(100)
/** An apply of so many monitors takes some 100 ms. */
const MONITORS = 50
const MOST_MS = 500

const bench = makeWorkbench()
const dataDir = join(bench.makeFolder(), 'data')
const environment = { ...ADMIN, VEDETTE_LOCAL_AGENT: 'off', VEDETTE_RATE_LIMITS: 'off' }

let vedette: RunningVedette
let as: Record<string, string>
const start = async () => {
  vedette = await bench.start({ dataDir, environment, byLauncher: true })
  as = await signIn(vedette.url)
}
beforeAll(start)
afterAll(() => bench.cleanUp())

const kill = (pid: number) => process.kill(pid, 'SIGKILL')

const KILLS = {
  backend: async () => {
    kill(pidOf.backend(dataDir))
    await vedette.ended
    await start()
  },
  postgres: async () => {
    const before = pidOf.postgres(dataDir)
    kill(before)
    await until(() => ![before, 0].includes(pidOf.postgres(dataDir)), 60_000)
    await expect.poll(async () => (await call(vedette.url, 'GET', '/readyz')).status, { timeout: 60_000 }).toBe(200)
  },
}

const read = async (path: string) => {
  const { status, body } = await call(vedette.url, 'GET', path, as)
  expect(status, path).toBe(200)
  return body
}

test.each(Object.keys(KILLS) as (keyof typeof KILLS)[])(
  'a killed %s leaves all of an apply or nothing, and the audit says the same',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (killed) => {
    const outcomes = { applied: 0, proposed: 0 }
    for (let round = 0; round < ROUNDS; round += 1) {
      const folder = `${killed}-${round}/`
      const resources = Array.from({ length: MONITORS }, (_, index) => ({
        kind: 'monitor',
        ref: `${folder}${index}`,
        spec: { name: `${killed} ${round} ${index}`, url: 'http://127.0.0.1:9/', interval: 3_600 },
      }))
      const proposed = await call(vedette.url, 'POST', '/v1/change-sets', as, { owner: OWNER, resources })
      expect(proposed.status, JSON.stringify(proposed.body)).toBe(201)
      const { id } = proposed.body
      const answer = call(vedette.url, 'POST', `/v1/change-sets/${id}/apply`, as).then(
        ({ status }) => status,
        () => undefined,
      )
      const ms = randomInt(MOST_MS)
      await pause(ms)
      await KILLS[killed]()
      const acknowledged = (await answer) === 200
      const { state } = (await read(`/v1/change-sets/${id}`)) as { state: 'applied' | 'proposed' }
      const { resources: stored } = await read(`/v1/configuration?owner=${OWNER}`)
      const made = stored.filter(({ ref }: { ref: string }) => ref.startsWith(folder)).length
      const audited = (await read('/v1/audit-events?action=change_set.applied&limit=100')).audit_events
      const count = audited.filter(({ target }: { target: { id: string } }) => target.id === id).length
      const expected = state === 'applied' ? { made: MONITORS, count: 1 } : { made: 0, count: 0 }
      expect({ made, count }, `round ${round}, killed after ${ms} ms, ${state}`).toEqual(expected)
      expect(acknowledged && state !== 'applied').toBe(false)
      outcomes[state] += 1
      if (state === 'applied') await call(vedette.url, 'POST', `/v1/change-sets/${id}/undo`, as, {})
    }
    console.info(`figure: ${killed} killed ${ROUNDS} times: ${outcomes.applied} applied, ${outcomes.proposed} not`)
  },
)
