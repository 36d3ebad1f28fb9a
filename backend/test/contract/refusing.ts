import type { PublishedRoute } from '../fuzz/published.ts'
import type { Answer } from '../answer.ts'
import type { TestBackend } from '../harness.ts'
import { type Asking, ask, type MakeAsking, SUCCESSES, urlOf } from './asking.ts'
import { OWN_REFUSALS } from './own-refusals.ts'
import { exchangeRaw } from './raw.ts'
import type { Refusers } from './refusers.ts'
import type { World } from './world.ts'

export interface Refusing {
  route: PublishedRoute
  world: World
  refusers: Refusers
}

/**
 * What makes an operation refuse with a status: in a way of its own, or in the way in which all of them can be made to. These
 * change one request that would succeed; it is made once, since what is refused uses nothing up.
 */
export async function createRefusing(refusing: Refusing): Promise<(status: number) => Promise<Answer>> {
  const { route, world } = refusing
  const [succeeding] = Object.values(SUCCESSES[route.operationId] ?? {})
  const given = await (succeeding as MakeAsking)(world)
  return async (status) => {
    const own = OWN_REFUSALS[route.operationId]?.[status]
    if (own) return own(world, (asking) => ask(world, route, asking))
    const make = COMMON[status]
    if (!make) throw new Error(`nobody knows how ${route.name} is made to answer ${status}`)
    return make(refusing, given)
  }
}

/** Asks as `given`, which would succeed, with a change. */
type Make = (refusing: Refusing, given: Asking) => Promise<Answer>

const changed =
  (change: (given: Asking, refusing: Refusing) => Asking | Promise<Asking>): Make =>
  async (refusing, given) =>
    ask(refusing.world, refusing.route, { ...given, ...(await change(given, refusing)) })
const on = (name: 'strict' | 'broken' | 'lost'): Make => changed((_, { refusers }) => ({ on: refusers[name] }))
const rawly =
  (headers: string, choose: (refusing: Refusing) => TestBackend, end = '\r\n'): Make =>
  async (refusing, given) => {
    const { route } = refusing
    const port = await choose(refusing).listen()
    const [answer] = await exchangeRaw(port, `${route.method} ${urlOf(route, given)} HTTP/1.1\r\n${headers}${end}`)
    return answer as Answer
  }

const ofWorld = ({ world }: Refusing): TestBackend => world.backend
const NOBODY = `srv_${'0'.repeat(26)}`
const withoutHost = rawly('Connection: close\r\n', ofWorld)
const withNonsense = changed(() => ({ query: 'nonsense=1' }))
const onStrict = on('strict')

const COMMON: Readonly<Record<number, Make>> = {
  400: (refusing, given) => (refusing.route.path.startsWith('/v1/') ? withNonsense : withoutHost)(refusing, given),
  401: changed(() => ({ as: {} })),
  403: changed(async (_, { world, route }) => ({
    as: route.path.startsWith('/v1/agent/') ? await world.person('viewer') : (await world.server()).as,
  })),
  404: changed(({ path = {} }) => ({ path: Object.fromEntries(Object.keys(path).map((name) => [name, NOBODY])) })),
  // The head never ends.
  408: rawly('Host: a\r\n', ({ refusers }) => refusers.hasty, ''),
  413: changed(() => ({ body: { name: 'x'.repeat(1_100_000) } })),
  414: changed(() => ({ query: `q=${'x'.repeat(8_200)}` })),
  415: changed(() => ({ body: 'name=a', headers: { 'content-type': 'text/plain' } })),
  429: async (refusing, given) => {
    await onStrict(refusing, given)
    return onStrict(refusing, given)
  },
  431: rawly(`Host: a\r\nX-Large: ${'x'.repeat(17_000)}\r\n`, ofWorld),
  500: on('broken'),
  503: on('lost'),
}
