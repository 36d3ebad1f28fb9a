import { MAX_CHANGE_SET_BYTES } from '@vedette/shared'
import type { PublishedRoute } from '../fuzz/published-routes.ts'
import type { Answer } from '../answer.ts'
import type { TestBackend } from '../harness.ts'
import { type OperationRequest, send, type BuildRequest, SUCCESSES, urlOf } from './successful-requests.ts'
import { OPERATION_ERRORS } from './operation-errors.ts'
import { exchangeRaw } from './raw-http.ts'
import type { ErrorConditions } from './error-conditions.ts'
import type { ContractFixture } from './fixture.ts'

export interface ErrorRequests {
  route: PublishedRoute
  world: ContractFixture
  refusers: ErrorConditions
}

/**
 * What makes an operation refuse with a status: in a way of its own, or in the way in which all of them can be made to. These
 * change one request that would succeed; it is made once, since what is refused uses nothing up.
 */
export async function createErrorRequests(refusing: ErrorRequests): Promise<(status: number) => Promise<Answer>> {
  const { route, world } = refusing
  const [succeeding] = Object.values(SUCCESSES[route.operationId] ?? {})
  const given = await (succeeding as BuildRequest)(world)
  return async (status) => {
    const own = OPERATION_ERRORS[route.operationId]?.[status]
    if (own) return own(world, (request) => send(world, route, request))
    const make = COMMON[status]
    if (!make) throw new Error(`nobody knows how ${route.name} is made to answer ${status}`)
    return make(refusing, given)
  }
}

/** Asks as `given`, which would succeed, with a change. */
type Make = (refusing: ErrorRequests, given: OperationRequest) => Promise<Answer>

const changed =
  (change: (given: OperationRequest, refusing: ErrorRequests) => OperationRequest | Promise<OperationRequest>): Make =>
  async (refusing, given) =>
    send(refusing.world, refusing.route, { ...given, ...(await change(given, refusing)) })
const on = (name: 'strict' | 'broken' | 'lost'): Make => changed((_, { refusers }) => ({ on: refusers[name] }))
const rawly =
  (headers: string, choose: (refusing: ErrorRequests) => TestBackend, end = '\r\n'): Make =>
  async (refusing, given) => {
    const { route } = refusing
    const port = await choose(refusing).listen()
    const [answer] = await exchangeRaw(port, `${route.method} ${urlOf(route, given)} HTTP/1.1\r\n${headers}${end}`)
    return answer as Answer
  }

const ofWorld = ({ world }: ErrorRequests): TestBackend => world.backend
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
  412: changed(() => ({ headers: { 'if-match': 'W/"other"' } })),
  413: changed(() => ({ body: { name: 'x'.repeat(MAX_CHANGE_SET_BYTES) } })),
  414: changed(() => ({ query: `q=${'x'.repeat(8_200)}` })),
  415: changed(() => ({ body: 'name=a', headers: { 'content-type': 'text/plain' } })),
  429: async (refusing, given) => {
    // Counts, and changes nothing that the second one needs.
    await onStrict(refusing, { ...given, query: 'nonsense=1' })
    return onStrict(refusing, given)
  },
  431: rawly(`Host: a\r\nX-Large: ${'x'.repeat(17_000)}\r\n`, ofWorld),
  500: on('broken'),
  503: on('lost'),
}
