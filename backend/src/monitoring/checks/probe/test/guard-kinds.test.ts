import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defineCheck } from './define-check.ts'
import { type GuardScene, guardCases, startGuardScene } from './guard-scene.ts'
import { FORBIDDEN_IPV4, LEADING_INSIDE, LITERALS, NAMES, nameOf, OPEN, OPEN_HOST, SAID } from './guard-table.ts'

/** The table of the address guard for each kind of check: nothing may arrive at an address that is not open. */
let scene: GuardScene
beforeAll(async () => void (scene = await startGuardScene()))
beforeEach(() => void (scene.arrived.forbidden = []))
afterAll(() => scene.close())

const CASES = guardCases(() => scene.port)

const textsOf = (options: object) =>
  Object.values(options)
    .filter((value) => typeof value === 'string')
    .join('')

test('mail ports are refused to each kind but smtp [CHECK-23]', async () => {
  const withPorts = CASES.filter(({ type, url }) => type !== 'smtp' && url(OPEN_HOST).includes(`:${scene.port}`))
  expect(withPorts.length).toBeGreaterThan(5)
  for (const { type, url, options } of withPorts) {
    const urls = [25, 465, 587].map((port) => url(OPEN_HOST).replace(`:${scene.port}`, `:${port}`))
    const results = await Promise.all(urls.map((each) => scene.prober.check(defineCheck(type, each, options))))
    expect(results.map(({ error }) => error?.code)).toEqual(['blocked', 'blocked', 'blocked'])
  }
})

describe.each(CASES)('a private address and a check of type $type $options', ({ type, url, options = {}, isDatagrams }) => {
  const check = (host: string, signal?: AbortSignal) =>
    scene.prober.check(defineCheck(type, url(host), options, { timeout: 1 }), signal ? { signal } : {})
  /** Each of them reaches an open address. */
  const reach = async (hosts: readonly string[]) => {
    const [before, cancel] = [scene.arrived.allowed, new AbortController()]
    const results = hosts.map((host) => check(host, cancel.signal))
    await expect.poll(() => scene.arrived.allowed).toBeGreaterThanOrEqual(before + hosts.length)
    if (isDatagrams) cancel.abort()
    return Promise.all(results)
  }
  const notBlocked = async (hosts: readonly string[]) => {
    const results = await Promise.all(hosts.map(async (host) => ({ host, result: await check(host) })))
    return results.filter(({ result }) => result.outcome !== 'down' || result.error?.code !== 'blocked')
  }

  test('an open address is reached', async () => {
    expect(await reach([OPEN_HOST])).toHaveLength(1)
  })

  test('is not reached in any spelling or name', async () => {
    const hosts = [...LITERALS, ...NAMES, ...Object.keys(LEADING_INSIDE)]
    expect(hosts.length).toBeGreaterThanOrEqual(85)
    expect(await notBlocked(hosts)).toEqual([])
    expect(scene.arrived.forbidden).toEqual([])
  })

  test.each(Object.keys(SAID))('is not reached by a name whose DNS answer is %s', async (how) => {
    expect(await notBlocked(FORBIDDEN_IPV4.map((inside) => nameOf(how, inside)))).toEqual([])
    expect(scene.arrived.forbidden).toEqual([])
  })

  test('is not reached by a name that was public in the previous check', async () => {
    const names = FORBIDDEN_IPV4.map((inside) => nameOf(`rebinding-${type}-${textsOf(options)}`, inside))
    const first = await reach(names)
    expect(new Set(first.map(({ address }) => address))).toEqual(new Set([OPEN]))
    expect(await notBlocked(names)).toEqual([])
    expect(scene.arrived.forbidden).toEqual([])
  })
})
