import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { isSetupRequired, setUpFromSettings } from '../index.ts'

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

test('of several instances that start at once one makes the owner, and the others find it made [START-25]', async () => {
  const deps = { db: backend.pool.db, clock: backend.clock, tokens: backend.vedette.tokens }
  const owner = { email: 'owner@example.com', password: 'a long and rare passphrase', organization: 'Acme' }
  const made = await Promise.all(Array.from({ length: 4 }, () => setUpFromSettings(deps, owner)))
  expect(made.sort()).toEqual(['exists', 'exists', 'exists', 'made'])
  expect(await isSetupRequired(backend.pool.db)).toBe(false)
})
