import { readConfigureGlobal } from 'fast-check'
import { expect, it } from 'vitest'
import { requiresAll } from '../test-tools.ts'

it('searches begin at one seed in the gate, at that of TEST_SEED where it is set, and at another one each time elsewhere', () => {
  expect(readConfigureGlobal()?.seed !== undefined).toBe(requiresAll() || process.env['TEST_SEED'] !== undefined)
})
