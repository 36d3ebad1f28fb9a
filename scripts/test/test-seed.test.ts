import { readConfigureGlobal } from 'fast-check'
import { expect, it } from 'vitest'
import { requiresAll } from '../test-tools.ts'

it('searches begin at one seed in the gate, and at another one each time elsewhere', () => {
  expect(readConfigureGlobal()?.seed !== undefined).toBe(requiresAll())
})
