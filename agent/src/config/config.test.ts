import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { appendToConfig, ConfigError, normalizeUrl, parseConfig, readConfig, refusalOfUrl } from './config.ts'

/** The faults of a text, or what it says. */
async function read(text: string) {
  try {
    return await parseConfig(text, 'a.yaml')
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

describe('parseConfig', () => {
  test('reads every key', async () => {
    const text = [
      '# ours',
      'url: https://v.example.com/',
      'token: vdt_srv_x',
      'sample_interval_seconds: 1',
      'push_interval_seconds: 3600',
      'allow_http: true',
      'state_dir: /s',
      'tags: [web, "eu 1"]',
      '',
    ]
    expect(await read(text.join('\n'))).toEqual({
      url: 'https://v.example.com',
      token: 'vdt_srv_x',
      sampleIntervalSeconds: 1,
      pushIntervalSeconds: 3600,
      allowHttp: true,
      stateDir: '/s',
      tags: ['web', 'eu 1'],
    })
  })

  test('an empty file and one with only comments set nothing', async () => {
    expect(await read('')).toEqual({})
    expect(await read('# nothing\n')).toEqual({})
  })

  test('all errors are reported with their lines', async () => {
    expect(await read('url: ftp://x\n\nsampel_interval: 5\npush_interval_seconds: 4\nallow_http: "yes"\n')).toEqual([
      'a.yaml:1: url must be a URL that begins with https:// (or http://)',
      expect.stringContaining('a.yaml:3: unknown key "sampel_interval" (known: url, token,'),
      'a.yaml:4: push_interval_seconds must be a whole number of seconds from 5 to 3600',
      'a.yaml:5: allow_http must be true or false',
    ])
  })

  test.each([
    ['url:', 'url must be'],
    ['url: https://a:b@x.example', 'user name'],
    ['url: https://x.example?a=1', 'query'],
    ['token: ""', 'token must be'],
    ['token: 5', 'token must be'],
    ['sample_interval_seconds: 0', 'from 1 to 300'],
    ['sample_interval_seconds: 301', 'from 1 to 300'],
    ['sample_interval_seconds: 1.5', 'whole number'],
    ['tags: web', 'list'],
    ['tags: [a, a]', 'different'],
    ['tags: [1]', 'texts'],
    [`watch_processes: [${'a'.repeat(65)}]`, 'at most 32 different texts of 1 to 64 characters'],
    ['- a', 'key: value'],
    ['just text', 'key: value'],
    ['url: https://a.example\nurl: https://b.example', 'a.yaml:2'],
    ['url: [', 'a.yaml:1'],
    ['__proto__: 1', 'unknown key'],
  ])('refuses %j', async (text, words) => {
    const faults = await read(text)
    expect(faults).toBeInstanceOf(Array)
    expect((faults as string[]).join()).toContain(words)
  })
})

describe('the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-config-'))

  test('a missing one is empty', async () => expect(await readConfig(join(folder, 'none.yaml'))).toEqual({}))

  test('a token that others may read is refused', async () => {
    const path = join(folder, 'open.yaml')
    writeFileSync(path, 'token: abc\n')
    chmodSync(path, 0o644)
    await expect(readConfig(path)).rejects.toThrow('chmod 600')
    chmodSync(path, 0o600)
    expect(await readConfig(path)).toEqual({ token: 'abc' })
  })

  test('an added setting keeps the rest of the file, and the file is 0600 [AGENT-23]', () => {
    const path = join(folder, 'new/agent.yaml')
    appendToConfig(path, { url: 'https://v.example.com' })
    writeFileSync(path, '# mine')
    appendToConfig(path, { url: 'https://v.example.com', allow_http: true })
    expect(readFileSync(path, 'utf8')).toBe('# mine\nurl: "https://v.example.com"\nallow_http: true\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })
})

test.each([
  ['https://v.example.com', false, true],
  ['http://v.example.com', false, false],
  ['http://v.example.com', true, true],
  ['http://127.0.0.1:8080', false, true],
  ['http://localhost:8080', false, true],
  ['http://[::1]:8080', false, true],
  ['http://127.0.0.1.example.com', false, false],
])('%s with allow_http %s may be used: %s [AGENT-12]', (url, allowHttp, may) =>
  expect(refusalOfUrl(url, allowHttp) === undefined).toBe(may),
)

test('an address is normalized', () => {
  expect(normalizeUrl('HTTPS://V.example.com//')).toBe('https://v.example.com')
  expect(() => normalizeUrl('v.example.com')).toThrow('--url must be a URL')
})
