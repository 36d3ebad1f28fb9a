import type { EntityReading } from '../source.ts'
import type { ContainerDetails, ContainerSummary } from './api.ts'
import type { ContainerFiles } from './cgroups.ts'
import { type Counters, toUsage, withoutUnknown } from './counters.ts'
import type { ImageUpdate } from './image-updates.ts'
import type { ContainerName } from './names.ts'

/** What is known of one container between two readings. Its labels are not kept, because they may be large. */
export interface Container {
  summary: Omit<ContainerSummary, 'labels'>
  called: ContainerName
  details: ContainerDetails | undefined
  health: string | undefined
  /** Of its last end. */
  exitCode: number | undefined
  files: ContainerFiles | undefined
  previous: Counters | undefined
  /** From the engine, for this reading. */
  queried: Counters | undefined
  /** Its attributes, and what they follow from. */
  described?: { from: readonly unknown[]; attributes: Record<string, string> }
}

/** A paused one keeps its memory; `stopping` is Podman's. */
export const isRunning = ({ state }: Pick<ContainerSummary, 'state'>): boolean =>
  ['running', 'paused', 'stopping'].includes(state)

/** Its control group and its process are gone, or others. */
export function endRun(container: Container): void {
  container.files?.close()
  container.files = undefined
  container.previous = undefined
  container.queried = undefined
}

/** Below the time between the start and the first reading. */
const MIN_RATE_MS = 500

export interface HostShare {
  maxGapMs: number
  cores: number
  memoryBytes: number
}

/** Reads what the container uses, which becomes the baseline of the next reading. */
export function toReading(
  container: Container,
  host: HostShare,
  { engine, deaths, update }: { engine: string; deaths: number; update: ImageUpdate | undefined },
): EntityReading {
  const { summary, called, details, files, exitCode } = container
  const runs = isRunning(summary)
  const health = runs ? container.health : undefined
  const limitBytes = details?.memoryLimitBytes
  const current = runs ? (files?.read() ?? container.queried) : undefined
  // Counters grow in steps: a rate over less would be chance.
  const isEarly = current && container.previous && current.atMs - container.previous.atMs < MIN_RATE_MS
  const usage =
    current &&
    toUsage(isEarly ? undefined : container.previous, current, { ...host, memoryBytes: limitBytes ?? host.memoryBytes })
  if (!isEarly) container.previous = current
  container.queried = undefined
  return {
    kind: 'container',
    name: called.name,
    attributes: attributesOf(container, engine, update),
    values: {
      running: Number(runs),
      deaths,
      ...usage,
      ...withoutUnknown({
        memory_limit_bytes: runs ? limitBytes : undefined,
        healthy: health === 'healthy' || health === 'unhealthy' ? Number(health === 'healthy') : undefined,
        restarts: details?.restarts,
        exit_code: exitCode,
        update_available: update && Number(update.isNewer),
      }),
    },
  }
}

/** The same object as before if nothing changed: comparing its texts at each reading would cost more than the reading. */
function attributesOf(container: Container, engine: string, update: ImageUpdate | undefined): Record<string, string> {
  const { summary, called, details, health, described } = container
  const from = [summary, details, health, update]
  if (described && from.every((each, index) => each === described.from[index])) return described.attributes
  const attributes = withoutEmpty({
    engine,
    image: summary.image,
    state: summary.state,
    health: isRunning(summary) ? health : undefined,
    project: called.project,
    service: called.service,
    container_id: summary.id.slice(0, 12),
    ports: summary.ports,
    started_at: details?.startedAt,
    newer_image: update?.isNewer ? update.digest : undefined,
  })
  container.described = { from, attributes }
  return attributes
}

function withoutEmpty(attributes: Record<string, string | undefined>): Record<string, string> {
  // Removing the empty entries turns the one type into the other.
  return Object.fromEntries(Object.entries(attributes).filter(([, text]) => text)) as Record<string, string>
}
