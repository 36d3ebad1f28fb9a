import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { NODE_FLAGS } from './node-flags.ts'

// The backend imports nothing of the agent, so it has a list of its own.
test('the backend starts the local agent with the flags of an agent that runs as a service', () => {
  const source = readFileSync(new URL('../../../backend/src/operating/local-agent/process.ts', import.meta.url), 'utf8')
  expect([...source.matchAll(/'(--[a-z0-9=-]+)'/g)].map(([, flag]) => flag)).toEqual(NODE_FLAGS)
})
