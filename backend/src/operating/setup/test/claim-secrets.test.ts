import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { claimSecrets } from '../index.ts'

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

test('a database takes the secrets it knows; a rotation keeps the old one behind the new one, which then suffices [SECRET-04, SECRET-05]', async () => {
  const claim = (...keys: string[]) => claimSecrets(backend.pool.db, createSecrets(keys), new Date(backend.clock.now()))
  await claim('old')
  await claim('old', 'older')
  await expect(claim('new')).rejects.toThrow(/another secret.*VEDETTE_SECRET_KEYS/)
  await claim('new', 'old')
  await claim('new')
  await expect(claim('old')).rejects.toThrow('another secret')
})
