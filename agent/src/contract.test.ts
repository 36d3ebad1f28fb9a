import { readFileSync } from 'node:fs'
import * as shared from '@vedette/shared'
import { expect, test } from 'vitest'
import * as limits from './limits.ts'
import { AGENT_VERSION } from './version.ts'

test('the limits are those of the contract', () => {
  expect(limits.MAX_SAMPLES_PER_BATCH).toBe(shared.MAX_SAMPLES_PER_BATCH)
  expect(limits.MAX_BATCH_SPAN_MS).toBe(shared.MAX_BATCH_SPAN_MS)
  expect(limits.MAX_BATCHES_PER_REQUEST).toBe(shared.MAX_BATCHES_PER_REQUEST)
  expect(limits.MAX_PUSH_BYTES).toBe(shared.MAX_PUSH_BYTES)
  expect(limits.MAX_FILESYSTEMS).toBe(shared.MAX_FILESYSTEMS)
  expect(limits.MAX_INTERFACES).toBe(shared.MAX_INTERFACES)
})

test('the version is that of the package', () => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  expect(JSON.parse(text)).toMatchObject({ version: AGENT_VERSION })
})
