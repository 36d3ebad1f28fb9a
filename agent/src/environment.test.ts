import { expect, test } from 'vitest'
import { defaultPaths, readEnvironment } from './environment.ts'

test('takes its own names and leaves the rest alone [AGENT-22, AGENT-26]', () => {
  expect(
    readEnvironment({ PATH: '/bin', VEDETTE_CONFIG: '/c', VEDETTE_STATE_DIR: '/s', VEDETTE_API_KEY: 'k', VEDETTE_PORT: '1' }),
  ).toEqual({
    configPath: '/c',
    stateDir: '/s',
    apiKey: 'k',
  })
})

test('a name that no program knows, and an empty one, are faults [START-14]', () => {
  expect(() => readEnvironment({ VEDETTE_STATEDIR: '/s' })).toThrow('VEDETTE_STATEDIR')
  expect(() => readEnvironment({ VEDETTE_CONFIG: '' })).toThrow('empty')
})

test('each system has its own places', () => {
  expect(defaultPaths('linux', undefined)).toEqual({ config: '/etc/vedette/agent.yaml', state: '/var/lib/vedette' })
  expect(defaultPaths('darwin', undefined).config).toBe('/Library/Application Support/Vedette/agent.yaml')
  expect(defaultPaths('win32', 'D:\\PD').state).toBe('D:\\PD\\Vedette\\state')
})
