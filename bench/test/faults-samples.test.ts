import { expect, test } from 'vitest'
import { roundsOf } from '../../scripts/test-rounds.ts'
import { runCase } from '../faults-samples/cases.ts'

/** Real processes on machines with other work: a bound for what hangs, not for what is slow. */
const LIMIT_MS = 300_000
/** Of each agent. */
const SAMPLES = 2_000 * roundsOf(3)

test('no pushed sample is lost, doubled or changed when backend, Postgres and job are killed [PUSH-02]', {
  timeout: LIMIT_MS,
}, async () => {
  const found = await runCase(
    {
      name: 'a short one',
      agents: 4,
      samples: SAMPLES,
      habits: { twice: 0.2, again: 0.2, pauseMs: 20 },
      compacts: true,
      strike: async (chaos) => {
        await chaos.killPostgres()
        await chaos.killBackend()
      },
    },
    Date.now() % 2 ** 31,
  )
  console.info(`figure: ${JSON.stringify(found)}`)
  // `npm run bench -- faults-samples` measures how soon it stores again, on a machine that does nothing else.
  expect({ ...found, tooSlow: 0, faults: found.faults - Number(found['tooSlow']) }).toMatchObject({
    faults: 0,
    lost: 0,
    doubled: 0,
    wrong: 0,
    backendKills: 1,
    postgresKills: 1,
  })
  expect(found.acked).toBeGreaterThanOrEqual(SAMPLES)
})
