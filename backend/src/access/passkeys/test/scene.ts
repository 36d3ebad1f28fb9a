import { expect } from 'vitest'
import { createTestAuthenticator, type Tampering } from '../../../../test/authenticator.ts'
import type { Answer, Credentials, TestBackend } from '../../../../test/harness.ts'

type Authenticator = ReturnType<typeof createTestAuthenticator>

/** The calls of passkeys at one backend. */
export function passkeysOf(backend: TestBackend) {
  const call = (method: string, path: string, as: Credentials, body?: object) =>
    backend.call(method, `/v1/auth/passkeys${path}`, { as, ...(body && { body }) })
  const options = async (as: Credentials, body: object = {}) => {
    const { status, body: given } = await call('POST', '/registration-options', as, body)
    expect(status).toBe(200)
    return given
  }
  const challenge = async () => (await call('POST', '/sign-in-options', {})).body
  const send = (credential: object, more: object = {}): Promise<Answer> => call('POST', '/sign-in', {}, { credential, ...more })
  return {
    call,
    options,
    challenge,
    send,
    /** Adds the passkey of a new authenticator. */
    async add(as: Credentials, name = 'Laptop'): Promise<{ id: string; key: Authenticator }> {
      const key = createTestAuthenticator()
      const { status, body } = await call('POST', '', as, { name, credential: key.create(await options(as)) })
      expect([status, body.name]).toEqual([201, name])
      return { id: body.id, key }
    },
    async signIn(key: Authenticator, change: Tampering = {}): Promise<Answer> {
      return send(key.get(await challenge(), change))
    },
  }
}
