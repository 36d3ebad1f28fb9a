import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { expect, it } from 'vitest'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import { createStateBuffer } from './state-buffer.ts'

/** A database that answers nothing, and whose first statement fails. */
function failingOnce() {
  const sent: string[] = []
  class Driver extends DummyDriver {
    override async acquireConnection() {
      const connection = await super.acquireConnection()
      return {
        ...connection,
        executeQuery: async ({ parameters }: { parameters: readonly unknown[] }) => {
          sent.push(JSON.stringify(parameters))
          if (sent.length === 1) throw new Error('the connection was lost')
          return { rows: [] }
        },
      } as never
    }
  }
  const db = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new Driver(),
      createIntrospector: (some) => new PostgresIntrospector(some),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }) as unknown as Db
  return { db, sent }
}

it('a server that pushes again is announced once more where the statement failed', async () => {
  const { db, sent } = failingOnce()
  const clock = createFakeClock(1_000_000_000)
  const states = createStateBuffer(db, clock, 60)
  const push = { organization: 1, serverId: 'a server', newestAtMs: undefined, state: {} as never }
  states.record({ ...push, receivedAtMs: clock.now() })
  clock.advance(3_600_000)
  states.record({ ...push, receivedAtMs: clock.now() })
  await expect(states.flush(100)).rejects.toThrow('the connection was lost')
  await states.flush(100)
  await states.flush(100)
  expect(sent).toHaveLength(2)
  for (const parameters of sent) expect(parameters).toContain('a server')
})
