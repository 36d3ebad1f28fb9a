import { mkdtempSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A container of the fake engine; every field that a test does not name is that of a recorded one. */
export interface FakeContainer {
  id: string
  name: string
  state?: string
  status?: string
  image?: string
  labels?: Record<string, string>
  ports?: unknown[]
  pid?: number
  networkMode?: string
  memory?: number
  health?: string
  restarts?: number
  isOomKilled?: boolean
  /** What its log endpoint answers. */
  log?: Buffer
  stats?: unknown
}

export const idOf = (number: number): string => number.toString(16).padStart(64, '0')
const IMAGE_ID = 'sha256:c21272b66c82f985e2ab0d4014cc0a3f72cde85f9b47f38942339de404b282c6'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/**
 * The API of an engine on a Unix socket. Its answers have the form of those that Docker 20.10.24 and Podman 4.3.1 of Debian 12 gave
 * here; those about images and registries are written after Docker's documentation of version 1.41.
 */
export class FakeEngine {
  readonly socket = join(mkdtempSync(join(tmpdir(), 'vedette-engine-')), 'engine.sock')
  readonly requests: string[] = []
  containers: FakeContainer[] = []
  headers: Record<string, string> = { 'api-version': '1.41', server: 'Docker/20.10.24+dfsg1 (linux)' }
  /** Answers in place of the engine: the first whose pattern is in the path. */
  readonly overrides: [RegExp, Answer][] = []
  localDigests: string[] = []
  registryDigest = ''
  readonly #server: Server = createServer((request, response) => this.#respond(request, response))
  #streams: ServerResponse[] = []
  readonly #events: { line: string; timeNano: bigint }[] = []
  #timeNano = BigInt(Date.parse('2026-11-25T22:41:49.153Z')) * 1_000_000n + 956_632n
  #waiting: { pattern: RegExp; resolve: () => void }[] = []

  async listen(port?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (port === undefined) this.#server.listen(this.socket, resolve)
    else this.#server.listen(port, '127.0.0.1', resolve)
    await promise
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    this.#server.closeAllConnections()
    await promise
  }

  /** Ends the streams of events, as a restarted engine does. */
  cutStreams(): void {
    for (const stream of this.#streams.splice(0)) stream.destroy()
  }

  /** Waits until a request whose path has the pattern has come, from now on. */
  requested(pattern: RegExp): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ pattern, resolve })
    return promise
  }

  count(pattern: RegExp): number {
    return this.requests.filter((path) => pattern.test(path)).length
  }

  emit(container: FakeContainer, action: string, attributes: Record<string, string> = {}): void {
    this.#timeNano += 1_000_001n
    const { id, name, image = 'bb:1', labels = {} } = container
    const event = {
      status: action,
      id,
      from: image,
      Type: 'container',
      Action: action,
      Actor: { ID: id, Attributes: { ...labels, image, name, ...attributes } },
      scope: 'local',
      time: Number(this.#timeNano / 1_000_000_000n),
    }
    const line = `${JSON.stringify(event).slice(0, -1)},"timeNano":${this.#timeNano}}\n`
    this.#events.push({ line, timeNano: this.#timeNano })
    for (const stream of this.#streams) stream.write(line)
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? ''
    this.requests.push(path)
    for (const { resolve } of this.#waiting.filter(({ pattern }) => pattern.test(path))) resolve()
    for (const [name, value] of Object.entries(this.headers)) response.setHeader(name, value)
    const override = this.overrides.find(([pattern]) => pattern.test(path))
    if (override) return override[1](request, response)
    const { pathname, searchParams } = new URL(path, 'http://engine')
    if (pathname === '/events') return this.#stream(response, searchParams.get('since'))
    const json = this.#describe(pathname)
    if (json instanceof Buffer) return void response.end(json)
    response.statusCode = json === undefined ? 404 : 200
    response.end(JSON.stringify(json ?? { message: 'No such container' }))
  }

  #stream(response: ServerResponse, since: string | null): void {
    response.flushHeaders()
    this.#streams.push(response)
    if (since === null) return
    const [seconds = '0', fraction = ''] = since.split('.')
    const from = BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
    for (const { line, timeNano } of this.#events) if (timeNano >= from) response.write(line)
  }

  #describe(path: string): unknown {
    if (path === '/containers/json') return this.containers.map(toSummary)
    if (path.startsWith('/images/')) return { Id: IMAGE_ID, RepoDigests: this.localDigests }
    if (path.startsWith('/distribution/')) return { Descriptor: { digest: this.registryDigest } }
    const [, id, what] = /^\/(?:v4\.0\.0\/libpod\/)?containers\/([0-9a-f]{64})\/(\w+)$/.exec(path) ?? []
    const container = this.containers.find((one) => one.id === id)
    if (!container) return undefined
    if (what === 'logs') return container.log
    return what === 'stats' ? container.stats : toDescription(container)
  }
}

function toSummary({
  id,
  name,
  image = 'bb:1',
  labels = {},
  ports = [],
  state = 'running',
  status = 'Up 2 hours',
}: FakeContainer) {
  return {
    Id: id,
    Names: [`/${name}`],
    Image: image,
    ImageID: IMAGE_ID,
    Command: '/bin/sleep 60',
    Created: 1_795_646_507,
    Ports: ports,
    Labels: labels,
    State: state,
    Status: status,
    HostConfig: { NetworkMode: 'none' },
    Mounts: [],
  }
}

function toDescription(container: FakeContainer) {
  const { id, name, state = 'running', pid = 42, health, restarts = 0, memory = 0, networkMode = 'default' } = container
  return {
    Id: id,
    Name: `/${name}`,
    Image: IMAGE_ID,
    RestartCount: restarts,
    State: {
      Status: state,
      Running: state === 'running',
      OOMKilled: container.isOomKilled ?? false,
      Pid: pid,
      ExitCode: 0,
      StartedAt: '2026-11-25T22:41:48.007911893Z',
      FinishedAt: '0001-01-01T00:00:00Z',
      ...(health !== undefined && { Health: { Status: health, FailingStreak: 0, Log: [] } }),
    },
    HostConfig: { Memory: memory, NetworkMode: networkMode, NanoCpus: 0 },
  }
}
