import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS } from '@vedette/shared'
import { afterEach, describe, expect, it } from 'vitest'
import { savedRange } from '../compare.ts'
import { fetchInto } from '../fetch/fetch.ts'
import { FETCH_LIMITS, type FetchLimits } from '../fetch/limits.ts'
import { peopleOf, SourceFault, type Tool, TOOLS } from '../index.ts'
import { readSourceFiles } from '../files.ts'
import { ACCOUNTS, KEY, NOW, type SavedAccount } from '../../../../test/on-call-tools/accounts.ts'
import { type Answer, type Double, type Respond, startDouble } from '../../../../test/on-call-tools/api-doubles.ts'

const root = mkdtempSync(join(tmpdir(), 'vedette-fetch-'))
const doubles: Double[] = []
afterEach(() => {
  for (const double of doubles.splice(0)) double.close()
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true })
})

const startOf = async (respond: Respond): Promise<Double> => {
  const double = await startDouble(respond)
  doubles.push(double)
  return double
}

/** Fetches an account; waits take no time, and are counted. */
async function run(
  name: string,
  respond: Respond,
  { credentials = ['right'], folder = join(root, 'account'), limits = FETCH_LIMITS, path = '' }: Partial<Run> = {},
) {
  const double = await startOf(respond)
  const waits: number[] = []
  let nowMs = NOW
  const platform = {
    now: () => nowMs,
    pause: async (ms: number) => {
      waits.push(ms)
      nowMs += ms
    },
  }
  const from = { name, tool: TOOLS[name] as Tool, base: new URL(double.origin + path), credentials }
  const done = fetchInto(folder, from, platform, limits)
  const fault = await done.then(
    () => undefined,
    (error: unknown) => error as Error,
  )
  return { fetched: fault ? undefined : await done, fault, folder, waits, double }
}
interface Run {
  credentials: string[]
  folder: string
  limits: FetchLimits
  path: string
}

const fetchAccount = (name: string, change: (respond: Respond) => Respond = (respond) => respond, own: Partial<Run> = {}) => {
  const { respond, credentials } = (ACCOUNTS[name] as () => SavedAccount)()
  return run(name, change(respond), { credentials, ...own })
}

/** All texts of a folder. */
const textOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')

const people = peopleOf(['ada', 'ben', 'cem'].map((name) => ({ id: `usr_${name}`, email: `${name}@example.com` })))
const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted()

describe.each(Object.keys(ACCOUNTS))('a fetched account of %s', (name) => {
  const tool = TOOLS[name] as Tool

  it('is planned, compared and handed over as the same account saved by hand', async () => {
    const { folder, fault } = await fetchAccount(name)
    expect(fault).toBeUndefined()
    const fetched = readSourceFiles(folder)
    const byHand = new Map([
      // A fetch cuts the keys in the addresses of calendars.
      ...Object.entries(
        JSON.parse(
          JSON.stringify((ACCOUNTS[name] as () => SavedAccount)().files).replace(/private-[0-9a-f]{32}/, '…cdef'),
        ) as object,
      ),
      ['fetched.json', fetched.get('fetched.json')] as const,
    ])
    const [one, other] = [fetched, byHand].map((files) => tool.read(files, people, NOW)) as [
      ReturnType<Tool['read']>,
      ReturnType<Tool['read']>,
    ]
    expect(sorted(one.resources)).toEqual(sorted(other.resources))
    expect(sorted(one.report)).toEqual(sorted(other.report))
    expect(one.resources.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['schedule', 'escalation_policy']))
    expect(tool.rendered(fetched)).toEqual(tool.rendered(byHand))
    expect([...tool.rendered(fetched).values()].flat()).not.toEqual([])
    expect(sorted(tool.addresses(fetched))).toEqual(sorted(tool.addresses(byHand)))
    expect(savedRange(fetched)).toEqual({ fromMs: NOW - 30_000, toMs: NOW - 30_000 + 90 * DAY_MS })
  })

  it('has no secret in a file or in a path, and only its owner can read it', async () => {
    const { folder, double, waits } = await fetchAccount(name)
    expect(textOf(folder)).not.toContain(KEY)
    expect(textOf(folder)).not.toMatch(/\bright\b/)
    expect(double.requests.map(({ path, query }) => `${path}?${query.toString()}`).join('\n')).not.toContain('right')
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'fetched.json')).mode & 0o777).toBe(0o600)
    // Splunk On-Call alone says how many requests a second it takes.
    expect(waits.length > 0).toBe(name === 'splunk-oncall')
  })

  it('waits as long as a 429 says, and sends the request again', async () => {
    let refusals = 0
    const { fault, waits } = await fetchAccount(name, (respond) => (request) => {
      refusals += 1
      return refusals === 2 ? { status: 429, headers: { 'retry-after': '17' }, body: '' } : respond(request)
    })
    expect(fault).toBeUndefined()
    expect(waits).toContain(17_000)
  })

  it('with a refused token says so and leaves nothing', async () => {
    const { credentials } = (ACCOUNTS[name] as () => SavedAccount)()
    const { fault, folder } = await fetchAccount(name, undefined, { credentials: [...credentials.slice(0, -1), 'very-wrong'] })
    expect(fault).toBeInstanceOf(SourceFault)
    expect(fault?.message).toMatch(/is refused \(40[13]\): the token is wrong/)
    expect(fault?.message).not.toContain('very-wrong')
    expect([existsSync(folder), existsSync(`${folder}.partial`)]).toEqual([false, false])
  })

  it('whose answer is no JSON is refused without a quote of it', async () => {
    const { fault } = await fetchAccount(name, () => () => ({ body: '<html>secret-of-a-page' }))
    expect(fault?.message).toContain('answers no JSON')
    expect(fault?.message).not.toContain('secret')
  })

  it('is not fetched from where another origin is named, which gets no request', async () => {
    const other = await startOf(() => ({ body: [] }))
    const { fault } = await fetchAccount(name, () => ({ path }) => ({ status: 302, headers: { location: other.origin + path } }))
    expect(fault?.message).toContain(`leads to ${other.origin}; the token is not sent there`)
    expect(other.requests).toEqual([])
  })
})

describe('pages', () => {
  const opsgenieUsers = (next: (origin: string, count: number) => string): Respond => {
    let count = 0
    return ({ origin }) => ({ body: { data: [{ id: `u${(count += 1)}` }], paging: { next: next(origin, count) } } })
  }

  it.each<[string, string, Respond]>([
    ['that lead back to themselves', 'opsgenie', opsgenieUsers((origin) => `${origin}/v2/users?offset=1`)],
    ['that never end', 'opsgenie', opsgenieUsers((origin, count) => `${origin}/v2/users?offset=${count}`)],
    ['of PagerDuty that never end', 'pagerduty', () => ({ body: { users: [{ id: 'U1' }], more: true } })],
    ['of Grafana OnCall that never end', 'grafana-oncall', () => ({ body: { results: [{}], next: 'http://x/?page=2' } })],
  ])('%s are refused', async (_name, tool, respond) => {
    const { fault, double } = await run(tool, respond, { limits: { ...FETCH_LIMITS, pages: 20 } })
    expect(fault?.message).toContain('its pages do not end')
    expect(double.requests.length).toBeLessThanOrEqual(20)
  })

  it('at another host get no request, however they are written', async () => {
    const other = await startOf(() => ({ body: { data: [] } }))
    const { fault } = await run(
      'opsgenie',
      opsgenieUsers(() => `${other.origin}/v2/users`),
    )
    expect(fault?.message).toContain('the token is not sent there')
    const slashes = await run(
      'opsgenie',
      opsgenieUsers((origin) => `${origin}/${other.origin.replace('http:', '')}/v2/users`),
      { limits: { ...FETCH_LIMITS, pages: 5 } },
    )
    expect(slashes.fault).toBeInstanceOf(SourceFault)
    expect(other.requests).toEqual([])
  })

  it('without entries that say that more follows are refused, and so is an answer without a list', async () => {
    const [empty, none] = [
      await run('pagerduty', () => ({ body: { users: [], more: true } })),
      await run('pagerduty', () => ({ body: {} })),
    ]
    expect([empty.fault?.message, none.fault?.message]).toEqual([
      expect.stringContaining('has nothing, and says that more follows'),
      expect.stringContaining('its answer has no list'),
    ])
  })
})

describe('a service that does not answer as it should', () => {
  const always =
    (answer: Answer): Respond =>
    () =>
      answer

  it.each<[string, Answer, number[]]>([
    ['429 without a time', { status: 429 }, [1, 2, 4, 8, 16, 32]],
    ['503', { status: 503 }, [1, 2, 4, 8, 16, 32]],
    ['429 with RateLimit-Reset', { status: 429, headers: { 'ratelimit-reset': '3' } }, Array(6).fill(3)],
    ['429 with a date', { status: 429, headers: { 'retry-after': new Date(NOW - 500).toUTCString() } }, Array(6).fill(1)],
  ])('is sent a request again six times: %s', async (_name, answer, seconds) => {
    const { fault, waits, double } = await run('pagerduty', always(answer))
    expect(fault?.message).toContain(`answers ${answer.status}`)
    expect(waits).toEqual(seconds.map((one) => one * 1000))
    expect(double.requests).toHaveLength(7)
  })

  it('is not waited for longer than ten minutes', async () => {
    const { fault, waits } = await run('pagerduty', always({ status: 429, headers: { 'retry-after': '3600' } }))
    expect(fault?.message).toContain('may be sent again in 3600 s only')
    expect(waits).toEqual([])
  })

  it('is given up where it is not there', async () => {
    const double = await startOf(always({}))
    double.close()
    let nowMs = NOW
    const moving = { now: () => nowMs, pause: async (ms: number) => void (nowMs += ms) }
    const from = { name: 'pagerduty', tool: TOOLS['pagerduty'] as Tool, base: new URL(double.origin), credentials: ['right'] }
    await expect(fetchInto(join(root, 'gone'), from, moving)).rejects.toThrow(/does not answer: .*ECONNREFUSED/)
  })

  it('is read within bounds of bytes, requests and time', async () => {
    const big = always({ body: { users: ['x'.repeat(5_000)] } })
    const endless: Respond = ({ query }) => ({ body: { users: [{ id: query.get('offset') }], more: true } })
    const faults = await Promise.all([
      run('pagerduty', big, { limits: { ...FETCH_LIMITS, answerBytes: 4_000 }, folder: join(root, 'a') }),
      run('pagerduty', endless, { limits: { ...FETCH_LIMITS, totalBytes: 1_000 }, folder: join(root, 'b') }),
      run('pagerduty', endless, { limits: { ...FETCH_LIMITS, requests: 10 }, folder: join(root, 'c') }),
      run('pagerduty', always({ status: 503 }), { limits: { ...FETCH_LIMITS, totalMs: 10_000 }, folder: join(root, 'd') }),
    ])
    expect(faults.map(({ fault }) => fault?.message)).toEqual([
      expect.stringContaining('answers more than 4000 bytes'),
      expect.stringContaining('All answers have more than 1000 bytes'),
      expect.stringContaining('more than 10 requests'),
      expect.stringContaining('It took longer than'),
    ])
  })

  it('may redirect within its origin, but not in circles', async () => {
    const { respond } = (ACCOUNTS['grafana-oncall'] as () => SavedAccount)()
    const slash: Respond = (request) => {
      if (!request.path.endsWith('/'))
        return { status: 301, headers: { location: `${request.path}/?${request.query.toString()}` } }
      return respond({ ...request, path: request.path.replace(/^\/oncall/, '').replace(/\/$/, '') })
    }
    const found = await run('grafana-oncall', slash, { path: '/oncall/' })
    expect([found.fault, found.fetched?.missed.length]).toEqual([undefined, 1])
    const circle = await run('pagerduty', always({ status: 307, headers: { location: '/users' } }), {
      folder: join(root, 'circle'),
    })
    expect(circle.fault?.message).toContain('leads from one address to the next one')
  })

  it('and does not have a part of the account is saved without it, which is named', async () => {
    const { fetched, folder } = await fetchAccount(
      'opsgenie',
      (respond) => (request) =>
        request.path === '/v2/heartbeats' ? { status: 402, body: { message: 'upgrade' } } : respond(request),
    )
    expect(fetched?.missed).toEqual([{ what: '/v2/heartbeats', why: 'answers 402' }])
    expect(JSON.parse(readFileSync(join(folder, 'fetched.json'), 'utf8')).not_read).toEqual(fetched?.missed)
  })

  it('and has ids that no file may have does not write outside of the folder', async () => {
    const evil = ['../../up', '/etc/x', '.hidden', 'a/b', 'nul\0', 'x'.repeat(300)]
    const { fetched, folder } = await fetchAccount(
      'pagerduty',
      (respond) => (request) =>
        request.path === '/schedules' ? { body: { schedules: evil.map((id) => ({ id })), more: false } } : respond(request),
    )
    expect(fetched?.missed).toHaveLength(evil.length)
    expect(readdirSync(root)).toEqual(['account'])
    expect(readdirSync(folder).toSorted()).toEqual([
      'escalation_policies.json',
      'fetched.json',
      'maintenance_windows.json',
      'schedules.json',
      'services.json',
      'users.json',
    ])
  })

  it('and nests an answer too deeply is refused', async () => {
    const nested = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`
    const { fault } = await run('pagerduty', () => ({ body: `{"users":[${nested}]}` }))
    expect(fault?.message).toContain('is nested too deeply')
  })
})

describe('the folder of a fetch', () => {
  it('may be there and empty, and nothing else', async () => {
    mkdirSync(join(root, 'account'))
    expect((await fetchAccount('splunk-oncall')).fault).toBeUndefined()
    const again = await fetchAccount('splunk-oncall')
    expect([again.fault?.message, again.double.requests]).toEqual([expect.stringContaining('is not empty'), []])
    writeFileSync(join(root, 'file'), '')
    expect((await fetchAccount('splunk-oncall', undefined, { folder: join(root, 'file') })).fault?.message).toContain(
      'is no folder',
    )
  })

  it('takes the place of what an interrupted fetch left, of nothing else and of no fetch that runs', async () => {
    const partial = join(root, 'account.partial')
    mkdirSync(partial)
    writeFileSync(join(partial, 'mine'), '')
    const refused = await fetchAccount('splunk-oncall')
    expect(refused.fault?.message).toContain('account.partial: is in the way')
    // Process 1 always runs.
    writeFileSync(join(partial, '.vedette-fetch'), '1\n')
    expect((await fetchAccount('splunk-oncall')).fault?.message).toContain('the process 1 fetches into it')
    writeFileSync(join(partial, '.vedette-fetch'), '4194305\n')
    const { fault, folder } = await fetchAccount('splunk-oncall')
    expect([fault, existsSync(partial), existsSync(join(folder, 'mine'))]).toEqual([undefined, false, false])
    expect(existsSync(join(folder, '.vedette-fetch'))).toBe(false)
  })

  it('is left as it was by a fetch that fails', async () => {
    mkdirSync(join(root, 'account'))
    const { fault } = await fetchAccount(
      'opsgenie',
      (respond) => (request) => (request.path === '/v2/escalations' ? { status: 400 } : respond(request)),
    )
    expect(fault?.message).toContain('/v2/escalations: answers 400')
    expect([readdirSync(root), readdirSync(join(root, 'account'))]).toEqual([['account'], []])
  })
})
