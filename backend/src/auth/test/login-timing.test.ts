import type * as Argon2 from '@node-rs/argon2'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../test/harness.ts'
import { createUser, hashPassword } from '../index.ts'

/** What was verified, and against which parameters. */
const verified = vi.hoisted((): string[] => [])
vi.mock('@node-rs/argon2', async (original) => {
  const library = await original<typeof Argon2>()
  return {
    ...library,
    verify: (stored: string, password: string) => {
      verified.push(`${stored.split('$').slice(0, 4).join('$')} ${password.length}`)
      return library.verify(stored, password)
    },
  }
})

const KNOWN = 'ada@example.com'
/** As many of each; the nightly run has the full count. */
const TRIES = Math.min(200, Number(process.env['TEST_FUZZ_RUNS'] ?? 25))

describe('a failed login', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
    await createUser(backend.pool.db, backend.clock, KNOWN, await hashPassword('a long and rare passphrase'))
  })
  afterAll(() => backend.close())

  const login = async (email: string) => {
    const { status } = await backend.call('POST', '/v1/auth/login', { body: { email, password: 'not the right one' } })
    expect(status).toBe(401)
  }

  it('verifies once with the same parameters, whether the e-mail is known or not [AUTH-04]', async () => {
    verified.length = 0
    await login(KNOWN)
    await login('nobody@example.com')
    expect(verified).toHaveLength(2)
    expect(verified[0]).toBe(verified[1])
  })

  it('takes the same time whether the e-mail is known or not [AUTH-04]', { timeout: 60_000 }, async () => {
    const known: number[] = []
    const unknown: number[] = []
    for (let count = 0; count < TRIES; count += 1) {
      known.push(await cpuOf(() => login(KNOWN)))
      unknown.push(await cpuOf(() => login(`nobody${count}@example.com`)))
    }
    const [one, other] = [median(known), median(unknown)]
    console.info(`login: known ${one.toFixed(2)} ms, unknown ${other.toFixed(2)} ms of CPU (medians of ${TRIES})`)
    expect(Math.abs(one - other)).toBeLessThan(0.25 * Math.min(one, other))
  })
})

/** All threads of this process, ms: the wall clock would tell of the neighbours. */
async function cpuOf(task: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await task()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number
