import { revokeApiKey } from '../../src/access/api-keys/index.ts'
import { createSecretToken } from '../../src/access/auth/index.ts'
import { encodeId } from '../../src/platform/ids.ts'
import type { Credentials } from '../harness.ts'
import { sessionIdOf } from '../path-resources.ts'
import type { AccessFixture } from './fixture.ts'

/** Every way in which credentials can be none, by name. */
export async function badCredentials(world: AccessFixture): Promise<Record<string, Credentials>> {
  const { backend, own, callers, owner } = world
  const key = createSecretToken('apiKey').secret
  const ended = await endedSession(world)
  const [head, body] = ended.split('.')
  const gone = await backend.server(own)
  await backend.call('DELETE', `/v1/servers/${gone.id}`, { as: owner })
  const admin = callers.find(({ scope }) => scope === 'admin')?.as ?? {}
  return {
    'a key that nobody has': { 'x-api-key': key },
    'a token that no server has': { 'x-api-key': createSecretToken('serverToken').secret },
    'a key with a typo': { 'x-api-key': `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}` },
    'a revoked key': await revokedKey(world),
    'an expired key': await expiredKey(world),
    'the token of a deleted server': gone.as,
    'no key': { 'x-api-key': '' },
    'no session': { authorization: '' },
    'an ended session': { authorization: `Bearer ${ended}` },
    'an expired session': { authorization: `Bearer ${await expiredSession(world)}` },
    'a session without a signature': { authorization: `Bearer ${head}.${body}.` },
    'a session that says it needs none': { authorization: `Bearer ${btoa('{"alg":"none","typ":"JWT"}')}.${body}.x` },
    'a key for a session': { authorization: `Bearer ${admin['x-api-key']}` },
    'a session for a key': { 'x-api-key': owner.authorization.slice('Bearer '.length) },
    'a password': { authorization: `Basic ${btoa('ada:secret')}` },
    'two at once': { authorization: owner.authorization, ...admin },
  }
}

async function endedSession({ backend, own }: AccessFixture): Promise<string> {
  const as = await backend.member(own, 'owner')
  const id = encodeId('session', sessionIdOf(as.authorization))
  await backend.call('DELETE', `/v1/auth/sessions/${id}`, { as })
  return as.authorization.slice('Bearer '.length)
}

async function expiredSession({ backend, owner }: AccessFixture): Promise<string> {
  const { tokens } = backend.vedette
  const endedAt = Math.floor(backend.clock.now() / 1000) - 1
  return tokens.sign({ sub: owner.userId, jti: sessionIdOf(owner.authorization), iat: endedAt - 43_200, exp: endedAt })
}

const keyId = async ({ backend }: AccessFixture, { 'x-api-key': key }: Credentials): Promise<string> => {
  const prefix = key?.slice(0, 14) as string
  return (await backend.pool.db.selectFrom('api_key').select('id').where('prefix', '=', prefix).executeTakeFirstOrThrow()).id
}

async function revokedKey(world: AccessFixture): Promise<Credentials> {
  const { backend, own } = world
  const as = await backend.apiKey(own, 'admin', 'read', 'write', 'agent')
  await revokeApiKey(backend.pool.db, backend.clock, own.number, await keyId(world, as))
  return as
}

async function expiredKey({ backend, owner }: AccessFixture): Promise<Credentials> {
  const expiresAt = new Date(backend.clock.now() + 1).toISOString()
  const body = { name: 'short', scopes: ['admin'], expires_at: expiresAt }
  const { key } = (await backend.call('POST', '/v1/api-keys', { as: owner, body })).body
  backend.clock.advance(2)
  return { 'x-api-key': key }
}
