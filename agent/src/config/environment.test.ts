import { AGENT_VARIABLES } from '@vedette/shared/environment-names'
import { expect, test } from 'vitest'
import { CONFIG_VARIABLES } from './config.ts'
import { defaultPaths, readEnvironment } from './environment.ts'

test('its own variables are read and all others ignored [AGENT-22, AGENT-26]', () => {
  expect(
    readEnvironment({ PATH: '/bin', VEDETTE_CONFIG: '/c', VEDETTE_STATE_DIR: '/s', VEDETTE_API_KEY: 'k', VEDETTE_PORT: '1' }),
  ).toEqual({
    config: {},
    configPath: '/c',
    stateDir: '/s',
    apiKey: 'k',
  })
})

test('settings have the same types as in the file, and proxy variables their usual names', () => {
  expect(
    readEnvironment({
      VEDETTE_AGENT_URL: 'https://v.example.com/',
      VEDETTE_AGENT_TOKEN: '12345',
      VEDETTE_AGENT_SAMPLE_INTERVAL_SECONDS: '5',
      VEDETTE_AGENT_ALLOW_HTTP: 'true',
      VEDETTE_AGENT_TAGS: 'web, eu 1',
      VEDETTE_AGENT_WATCH_PROCESSES: 'nginx',
      https_proxy: 'http://proxy:3128',
      HTTPS_PROXY: 'http://other:1',
      NO_PROXY: '.local',
    }),
  ).toEqual({
    config: {
      url: 'https://v.example.com',
      token: '12345',
      sampleIntervalSeconds: 5,
      allowHttp: true,
      tags: ['web', 'eu 1'],
      watchProcesses: ['nginx'],
    },
    proxy: { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '.local' },
  })
  expect(() => readEnvironment({ VEDETTE_AGENT_URL: 'v', VEDETTE_AGENT_ALLOW_HTTP: 'yes' })).toThrow(
    /VEDETTE_AGENT_URL must be a URL.*\n.*VEDETTE_AGENT_ALLOW_HTTP must be true or false/,
  )
})

test('the backend accepts every variable of the agent', () => {
  const own = ['VEDETTE_CONFIG', 'VEDETTE_STATE_DIR', 'VEDETTE_API_KEY', ...CONFIG_VARIABLES.keys()]
  expect([...AGENT_VARIABLES].toSorted()).toEqual(own.toSorted())
})

test('an unknown variable and an empty one are errors [START-14]', () => {
  expect(() => readEnvironment({ VEDETTE_STATEDIR: '/s' })).toThrow('VEDETTE_STATEDIR')
  expect(() => readEnvironment({ VEDETTE_CONFIG: '' })).toThrow('empty')
})

test('each platform has its default paths', () => {
  expect(defaultPaths('linux', undefined)).toEqual({ config: '/etc/vedette/agent.yaml', state: '/var/lib/vedette' })
  expect(defaultPaths('darwin', undefined).config).toBe('/Library/Application Support/Vedette/agent.yaml')
  expect(defaultPaths('win32', 'D:\\PD').state).toBe('D:\\PD\\Vedette\\state')
})
