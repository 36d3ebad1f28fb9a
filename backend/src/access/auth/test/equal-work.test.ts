import * as argon2 from '@node-rs/argon2'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { PASSWORD, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { person } from './person.ts'

vi.mock('@node-rs/argon2', async (original) => {
  const actual = await original<typeof argon2>()
  return { ...actual, verify: vi.fn<typeof argon2.verify>(actual.verify) }
})

const verify = vi.mocked(argon2.verify)

describe('the work of a login', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())
  beforeEach(() => void verify.mockClear())

  const parametersOf = (stored: unknown) => /^\$argon2id\$v=19\$[^$]+\$/.exec(String(stored))?.[0]
  async function workOf(email: string, password: string) {
    const { status } = await backend.call('POST', '/v1/auth/login', { body: { email, password } })
    return { status, parameters: verify.mock.calls.splice(0).map(([stored]) => parametersOf(stored)) }
  }

  it('is one argon2id of the same parameters, whether the e-mail is known or not [AUTH-04]', async () => {
    const user = await person(backend, await backend.organization())
    const right = await workOf(user.email, PASSWORD)
    const wrong = await workOf(user.email, 'not the password')
    const unknown = await workOf('nobody@example.com', PASSWORD)
    // Of a known user's decoy the password is not right either.
    const decoy = await workOf('nobody@example.com', 'no user has this password')
    expect([right.status, wrong.status, unknown.status, decoy.status]).toEqual([200, 401, 401, 401])
    expect(right.parameters).toHaveLength(1)
    for (const { parameters } of [wrong, unknown, decoy]) expect(parameters).toEqual(right.parameters)
  })
})
