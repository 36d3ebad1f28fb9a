import { registerHooks } from 'node:module'

// Loaded before the agent: makes it one of another version.
const version = process.env['TEST_AGENT_VERSION'] ?? ''
registerHooks({
  load: (url, context, next) =>
    url.endsWith('/agent/src/version.ts')
      ? { format: 'module', source: `export const AGENT_VERSION = ${JSON.stringify(version)}`, shortCircuit: true }
      : next(url, context),
})
