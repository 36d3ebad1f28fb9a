import { createServer } from 'node:net'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { AgentHarness, isPush } from './harness.ts'
import { accepted, refusal } from './stub-backend.ts'

const harness = new AgentHarness()

describe('register', () => {
  test('stores identity (0600) and address, prints the id, stores no key; then status and check work [AGENT-14, AGENT-16, AGENT-24]', async () => {
    harness.backend.answer = (request) => {
      if (request.path === '/v1/agent/register') return { status: 201, body: { server_id: 'srv_1', token: 'vdt_srv_new' } }
      if (request.path === '/healthz') return { status: 200 }
      return request.text.includes('columns') ? accepted() : refusal(400, 'validation_error')
    }
    const agent = harness.start(['register', '--url', harness.url], { VEDETTE_API_KEY: 'vdt_key_secret' })
    expect(await agent.ended).toBe(0)
    expect(agent.output).toBe('srv_1\n')
    expect(JSON.parse(readFileSync(join(harness.home.state, 'identity.json'), 'utf8'))).toEqual({
      server_id: 'srv_1',
      token: 'vdt_srv_new',
      url: harness.url,
    })
    expect(statSync(join(harness.home.state, 'identity.json')).mode & 0o777).toBe(0o600)
    expect(readFileSync(harness.home.config, 'utf8')).toBe(`url: "${harness.url}"\n`)
    expect(statSync(harness.home.config).mode & 0o777).toBe(0o600)
    const [request] = harness.backend.requests
    expect(request?.headers['x-api-key']).toBe('vdt_key_secret')
    expect(JSON.parse(request?.text ?? '')).toMatchObject({
      agent_version: '0.1.0',
      machine_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    })

    const check = harness.start(['check'])
    expect([await check.ended, check.output]).toEqual([0, expect.stringContaining('ok    token: accepted')])

    const running = harness.start(['run'])
    const [push] = await harness.pushes(2).then((pushes) => pushes.slice(1))
    expect(push?.headers['x-api-key']).toBe('vdt_srv_new')
    await expect.poll(() => readFileSync(join(harness.home.state, 'status.json'), 'utf8')).toContain('"pushing"')
    const status = harness.start(['status', '--json'])
    expect(await status.ended).toBe(0)
    expect(JSON.parse(status.output)).toMatchObject({ running: true, server_id: 'srv_1', accepted_samples: 1 })
    await running.terminate()
    const after = harness.start(['status'])
    expect([await after.ended, after.output]).toEqual([3, expect.stringContaining('not running')])
  })

  test('a refused key is reported with a remedy, and nothing is stored [AGENT-14]', async () => {
    harness.backend.answer = () => refusal(401, 'unauthorized')
    const agent = harness.start(['register', '--url', harness.url, '--api-key', 'vdt_key_wrong'])
    expect(await agent.ended).toBe(1)
    expect(agent.errors).toContain('Check the API key')
    expect(agent.errors).not.toContain('vdt_key_wrong')
    expect(() => readFileSync(harness.home.config)).toThrow('ENOENT')
  })
})

describe('token set', () => {
  test('replaces the token in the config if it is there, else in the identity [AGENT-30]', async () => {
    const file = join(harness.home.folder, 'token')
    writeFileSync(file, 'vdt_srv_new\n')
    harness.home.writeConfig(`# ours\nurl: ${harness.url}\ntoken: vdt_srv_old # by hand\n`)
    const inConfig = harness.start(['token', 'set', '--token-file', file])
    expect([await inConfig.ended, inConfig.output]).toEqual([0, `token stored in ${harness.home.config}\n`])
    expect(readFileSync(harness.home.config, 'utf8')).toBe(`# ours\nurl: ${harness.url}\ntoken: "vdt_srv_new"\n`)
    harness.home.writeConfig(`url: ${harness.url}\n`)
    mkdirSync(harness.home.state)
    writeFileSync(
      join(harness.home.state, 'identity.json'),
      JSON.stringify({ server_id: 'srv_1', token: 'old', url: harness.url }),
    )
    const inIdentity = harness.start(['token', 'set', '--token-file', file])
    expect(await inIdentity.ended).toBe(0)
    expect(JSON.parse(readFileSync(join(harness.home.state, 'identity.json'), 'utf8'))).toMatchObject({
      server_id: 'srv_1',
      token: 'vdt_srv_new',
    })
  })

  test('lets a running agent with a refused token continue from the spool [AGENT-30]', async () => {
    harness.home.writeConfig(`url: ${harness.url}\ntoken: old\nsample_interval_seconds: 1\npush_interval_seconds: 5\n`)
    harness.backend.answer = (request) => {
      if (request.headers['x-api-key'] === 'new') return accepted()
      // It is replaced while the push is under way: the agent looks at once, not a minute later.
      harness.home.writeConfig(readFileSync(harness.home.config, 'utf8').replace('token: old', 'token: new'))
      return refusal(401, 'unauthorized')
    }
    const agent = harness.start(['run'])
    const [refused, taken] = await harness.pushes(2)
    expect(taken?.text).toBe(refused?.text)
    await agent.terminate()
    expect(agent.output).toContain('found a new token')
  })
})

test('a second agent on the same state folder is refused [AGENT-37]', async () => {
  harness.home.writeConfig(`url: ${harness.url}\ntoken: t\n`)
  const first = harness.start(['run'])
  await harness.pushes(1)
  const second = harness.start(['run'])
  expect([await second.ended, second.errors]).toEqual([2, expect.stringContaining(`another agent, process ${first.child.pid},`)])
})

describe('check reports', () => {
  test.each([
    [
      'a host that is not registered',
      () => harness.home.writeConfig(`url: ${harness.url}\n`),
      'FAULT identity: this host is not registered',
    ],
    ['a config with a typo', () => harness.home.writeConfig('ulr: x\n'), 'unknown key "ulr"'],
    [
      'a backend that is not there',
      () => harness.home.writeConfig('url: http://127.0.0.1:1\ntoken: t\n'),
      'FAULT backend: cannot reach',
    ],
    ['an unencrypted address', () => harness.home.writeConfig('url: http://v.example.com\ntoken: t\n'), 'not encrypted'],
  ])('%s [AGENT-17]', async (_, prepare, words) => {
    prepare()
    const agent = harness.start(['check'])
    expect([await agent.ended, agent.output]).toEqual([1, expect.stringContaining(words)])
  })

  test('sources of entities that cannot be read: they are notes, and the others are counted', async () => {
    const silent = join(harness.home.state, '..', 'silent.sock')
    const server = createServer(() => undefined)
    await new Promise<void>((resolve) => server.listen(silent, resolve))
    const sockets = `container_sockets: [${silent}, /nonexistent/docker.sock]\n`
    harness.home.writeConfig(`url: ${harness.url}\ntoken: t\ncontainers: true\n${sockets}`)
    const agent = harness.start(['check'])
    const status = await agent.ended
    server.close()
    expect([status, agent.output]).toEqual([0, expect.stringContaining('ok    token: accepted')])
    expect(agent.output).toMatch(/^note {2}containers of \S*silent\.sock: .*what it reads is left out/m)
    expect(agent.output).toMatch(/^note {2}containers of \/nonexistent\/docker\.sock: .*what it reads is left out/m)
    expect(agent.output).toMatch(process.platform === 'linux' ? /^ok {4}kernel limits: \d+ read$/m : /^ok {4}config/m)
  })

  test('a refused token and a wrong clock [AGENT-17]', async () => {
    harness.home.writeConfig(`url: ${harness.url}\ntoken: t\n`)
    harness.backend.answer = (request) =>
      isPush(request)
        ? refusal(401, 'unauthorized')
        : { status: 200, headers: { date: new Date(Date.now() + 3_600_000).toUTCString() } }
    const agent = harness.start(['check'])
    expect(await agent.ended).toBe(1)
    expect(agent.output).toContain('FAULT token: refused: run "vedette-agent token set"')
    expect(agent.output).toMatch(/FAULT clock: (?:3600|35[89]\d) s behind/)
  })
})

describe('the command line', () => {
  test.each([
    [['version'], 0, /^0\.1\.0\n$/],
    [['help'], 0, /register .*\n +--url URL/],
    [[], 0, /^vedette-agent: [^]* register [^]* version /],
    [['--version'], 0, /^0\.1\.0\n$/],
    [['-v'], 0, /^0\.1\.0\n$/],
    [['register', '--help'], 0, /^ {2}register .*\n {6}--url URL .*\n(?: {6}--.*\n)+\n {2}--config/],
    [['help', 'token', 'set'], 0, /^ {2}token set .*\n {6}--token-file FILE/],
    [['service', '--help'], 0, /^ {2}service install .*\n(?: {6}.*\n)+ {2}service uninstall .*\n\n/],
    [['status'], 3, /no agent has run/],
    [['status', '--json'], 3, /^\{"running":false,"state_dir":".+"\}\n$/],
  ])('%j [AGENT-19]', async (args, code, words) => {
    const agent = harness.start(args)
    expect([await agent.ended, agent.output]).toEqual([code, expect.stringMatching(words)])
  })

  test.each([
    [['fly'], {}, /unknown command "fly"/],
    [['run', '--json'], {}, /"json" is no argument or option of "run"/],
    [['run', 'twice'], {}, /"twice" is no argument/],
    [['run', '--nope'], {}, /Unknown option '--nope'\n.*vedette-agent help/],
    [['token'], {}, /vedette-agent token set/],
    [['exporter', '--listen', '9100'], {}, /--listen must be an address and a port/],
    [['service', 'start'], {}, /vedette-agent service install or vedette-agent service uninstall/],
    [['token', 'set', '--token-file', '/nowhere'], {}, /cannot read the token/],
    [['run'], {}, /not registered/],
    [['run'], { VEDETTE_STATEDIR: 'x' }, /VEDETTE_STATEDIR/],
    [['register'], {}, /--url/],
    [['register', '--url', 'http://v.example.com'], {}, /not encrypted/],
  ])('%j %j is refused with the reason [AGENT-12, START-14]', async (args, environment, words) => {
    const agent = harness.start(args, environment)
    expect([await agent.ended, agent.errors]).toEqual([2, expect.stringMatching(words)])
  })

  test.runIf(process.platform === 'linux')(
    'exporter serves the counters of this host until SIGTERM, without a config',
    async () => {
      const agent = harness.start(['exporter', '--listen', '127.0.0.1:0'])
      await vi.waitFor(() => expect(agent.output).toMatch(/^serving http.*\n$/), 10_000)
      const text = await (await fetch(agent.output.trim().replace('serving ', ''))).text()
      expect(text).toMatch(/^node_cpu_seconds_total\{cpu="0",mode="user"\} [\d.]+$/m)
      await agent.terminate()
      expect(await agent.ended).toBe(0)
    },
  )

  test('sample prints one sample of this host as JSON [AGENT-18]', async () => {
    const agent = harness.start(['sample'])
    expect(await agent.ended).toBe(0)
    expect(JSON.parse(agent.output)).toMatchObject({ at: expect.any(String), cpu: { percent: expect.any(Number) } })
  })
})
