import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { parseId } from '../../../platform/ids.ts'
import { createAuthenticator } from '../index.ts'
import { createSecretToken, hashSecret } from '../secret-token.ts'
import { findServersOfTokens } from '../store.ts'

const HOSTS = 12

let backend: TestBackend
beforeAll(async () => void (backend = await startTestBackend()))
afterAll(() => backend.close())

it('two statements look up the tokens of a fleet that connects at once, and later requests use the cache', async () => {
  const organizations = [await backend.organization('One'), await backend.organization('Other')]
  const hosts = await Promise.all(
    Array.from({ length: HOSTS }, (_, index) => backend.server(organizations[index % 2] as (typeof organizations)[number])),
  )
  const statements: string[] = []
  const refused: Buffer[] = []
  const pool = {
    ...backend.pool,
    queryNamed: ((statement) =>
      statements.push(statement.sql) && backend.pool.queryNamed(statement)) as typeof backend.pool.queryNamed,
  }
  const authenticator = createAuthenticator(pool, backend.clock, backend.vedette.tokens, async (hash) => void refused.push(hash))
  const authenticate = async (apiKey: string) =>
    authenticator.authenticateCached({ apiKey, authorization: undefined, organizationId: undefined })
  const unknownToken = createSecretToken('serverToken')
  const unknown = authenticate(unknownToken.secret).catch((error: { code: string }) => error.code)
  const found = await Promise.all(hosts.map(({ as }) => authenticate(as['x-api-key'] as string)))
  expect(await unknown).toBe('unauthorized')
  expect(refused).toEqual([unknownToken.hash])
  expect(statements).toHaveLength(2)
  const expected = hosts.map(({ id, as }, index) => ({
    kind: 'server',
    serverId: parseId('server', id),
    tenant: { number: organizations[index % 2]?.number, id: expect.any(String) },
    hash: hashSecret(as['x-api-key'] as string),
  }))
  expect(found).toEqual(expected)
  expect(await Promise.all(hosts.map(({ as }) => authenticate(as['x-api-key'] as string)))).toEqual(expected)
  expect(statements).toHaveLength(2)
})

it('an API key is never found as the token of a server', async () => {
  const organization = await backend.organization()
  const [key, { as }] = [await backend.apiKey(organization, 'agent'), await backend.server(organization)]
  const hashes = [key['x-api-key'], as['x-api-key'] as string].map(hashSecret)
  expect(await findServersOfTokens(backend.pool, hashes)).toEqual([undefined, expect.objectContaining({ kind: 'server' })])
})
