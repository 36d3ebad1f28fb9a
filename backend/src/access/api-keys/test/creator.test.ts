import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { encodeId } from '../../../platform/ids.ts'

let backend: TestBackend
let organization: TestOrganization
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
})
afterAll(() => backend.close())

it('owner and admin give every scope but admin, and the list shows which of them it was [KEY-13, KEY-16]', async () => {
  const [owner, admin] = [await backend.member(organization, 'owner'), await backend.member(organization, 'admin')]
  const scopes = ['read', 'write', 'agent']
  for (const who of [owner, admin]) {
    const made = await backend.call('POST', '/v1/api-keys', { as: who, body: { name: 'a key', scopes } })
    expect([made.status, made.body.scopes]).toEqual([201, scopes])
    const { api_keys: keys } = (await backend.call('GET', '/v1/api-keys', { as: owner })).body
    const found = keys.find(({ id }: { id: string }) => id === made.body.id)
    expect(found.created_by).toBe(encodeId('user', who.userId))
  }
})
