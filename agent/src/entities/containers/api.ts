/**
 * What is read of the answers of the Docker Engine API (1.41 and newer, and Podman's form of it). An engine, or what listens on its
 * socket, may answer anything: whatever has another type than documented is absent.
 */

/** A container as the list has it. */
export interface ContainerSummary {
  id: string
  /** Without the slash. */
  name: string
  image: string
  imageId: string
  labels: Labels
  /** As `running`, `exited`, `paused`, `restarting`, `created`, `dead`. */
  state: string
  health: string | undefined
  /** Of one that has ended. */
  exitCode: number | undefined
  createdSeconds: number
  ports: string
}

/** What only the description of a container has. */
export interface ContainerDetails {
  /** Of its first process, as the host numbers it; 0 unless it runs. */
  pid: number
  startedAt: string | undefined
  restarts: number | undefined
  health: string | undefined
  isOomKilled: boolean
  /** Undefined without a limit. */
  memoryLimitBytes: number | undefined
  networkMode: string
}

export interface ContainerEvent {
  id: string
  action: string
  /** Of `health_status`. */
  health: string | undefined
  exitCode: number | undefined
  /** Of `kill`. */
  signal: string | undefined
  /** Labels, and `name` and `image`. */
  attributes: Labels
  /** Milliseconds since the epoch. */
  atMs: number
  /** Nanoseconds since the epoch: more digits than a number has. */
  timeNano: bigint
}

export type Labels = Record<string, unknown>

const ID = /^[0-9a-f]{64}$/

export function inside(value: unknown, ...path: string[]): unknown {
  return path.reduce(
    (outer, name) => (typeof outer === 'object' && outer !== null ? (outer as Record<string, unknown>)[name] : undefined),
    value,
  )
}

export const textIn = (value: unknown, ...path: string[]): string => {
  const found = inside(value, ...path)
  return typeof found === 'string' ? found : ''
}

export const numberIn = (value: unknown, ...path: string[]): number | undefined => {
  const found = inside(value, ...path)
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined
}

export const listIn = (value: unknown, ...path: string[]): unknown[] => {
  const found = inside(value, ...path)
  return Array.isArray(found) ? found : []
}

/** Docker also lists the names that linked containers have for it, as `/app/db`. */
function ownName(names: readonly unknown[]): string {
  const texts = names.map((name) => textIn(name).replace(/^\//, ''))
  return texts.find((name) => name !== '' && !name.includes('/')) ?? texts[0] ?? ''
}

/** The containers of `/containers/json`; throws for anything but a list. */
export function parseList(json: unknown): ContainerSummary[] {
  if (!Array.isArray(json)) throw new Error('GET /containers/json: the answer is no list')
  return json.flatMap((entry: unknown) => {
    const id = textIn(entry, 'Id')
    if (!ID.test(id)) return []
    const status = textIn(entry, 'Status')
    const exitCode = /^Exited \((-?\d{1,10})\)/.exec(status)?.[1]
    return [
      {
        id,
        name: ownName(listIn(entry, 'Names')) || id.slice(0, 12),
        image: textIn(entry, 'Image'),
        imageId: textIn(entry, 'ImageID'),
        labels: toLabels(inside(entry, 'Labels')),
        state: textIn(entry, 'State'),
        health: /\((?:health: )?(healthy|unhealthy|starting)\)/.exec(status)?.[1],
        exitCode: exitCode === undefined ? undefined : Number(exitCode),
        createdSeconds: numberIn(entry, 'Created') ?? 0,
        ports: formatPorts(listIn(entry, 'Ports')),
      },
    ]
  })
}

/** The container of `/containers/:id/json`. */
export function parseDetails(json: unknown): ContainerDetails {
  const state = inside(json, 'State')
  const health = textIn(state, 'Health', 'Status')
  const startedMs = Date.parse(textIn(state, 'StartedAt'))
  return {
    pid: numberIn(state, 'Pid') ?? 0,
    // One that never started has the year 1.
    startedAt: startedMs > 0 ? new Date(startedMs).toISOString() : undefined,
    restarts: numberIn(json, 'RestartCount'),
    health: health === '' || health === 'none' ? undefined : health,
    isOomKilled: inside(state, 'OOMKilled') === true,
    memoryLimitBytes: numberIn(json, 'HostConfig', 'Memory') || undefined,
    networkMode: textIn(json, 'HostConfig', 'NetworkMode'),
  }
}

/** One line of `/events`; undefined for what is no event of a container. */
export function parseEvent(line: string): ContainerEvent | undefined {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch {
    return undefined
  }
  const id = textIn(json, 'Actor', 'ID')
  const timeNano = /"timeNano":(\d{1,19})\b/.exec(line)?.[1]
  if (textIn(json, 'Type') !== 'container' || !ID.test(id) || timeNano === undefined) return undefined
  const attributes = toLabels(inside(json, 'Actor', 'Attributes'))
  const [action = '', health] = textIn(json, 'Action').split(': ')
  const exitCode = textIn(attributes, 'exitCode') || textIn(attributes, 'containerExitCode')
  return {
    id,
    // Podman's own names for the two.
    action: { died: 'die', remove: 'destroy' }[action] ?? action,
    health: health ?? (textIn(json, 'HealthStatus') || undefined),
    exitCode: /^-?\d{1,9}$/.test(exitCode) ? Number(exitCode) : undefined,
    signal: textIn(attributes, 'signal') || undefined,
    attributes,
    atMs: Number(BigInt(timeNano) / 1_000_000n),
    timeNano: BigInt(timeNano),
  }
}

function toLabels(value: unknown): Labels {
  return typeof value === 'object' && value !== null ? (value as Labels) : {}
}

/** As `8080->80/tcp, 127.0.0.1:5432->5432/tcp`: what is published, without the address where it is every one. */
function formatPorts(ports: readonly unknown[]): string {
  const published = ports.flatMap((port) => {
    const outer = numberIn(port, 'PublicPort')
    const address = textIn(port, 'IP')
    if (outer === undefined) return []
    const prefix = ['', '0.0.0.0', '::'].includes(address) ? '' : `${address}:`
    return [`${prefix}${outer}->${numberIn(port, 'PrivatePort') ?? '?'}/${textIn(port, 'Type')}`]
  })
  return [...new Set(published)].join(', ')
}
