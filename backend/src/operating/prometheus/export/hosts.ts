import { ALL_FIELDS, DIMENSIONS, METRIC_FIELDS, slotFields } from '@vedette/shared'
import { ALL_STORED, BlockError, decodeBlock, fromScaled, type SampleColumns, valueAt } from '@vedette/shared/metrics/block'
import { type NewestEntities, type PresentEntity, readNewestEntities } from '../../../hosts/entities/index.ts'
import { LIVE_MS, readNewestPushes, readSlotsOfServers, type RecentPush, type SlotRow } from '../../../hosts/metrics/index.ts'
import type { Db, ReadSource } from '../../../platform/db/index.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import { encodeId } from '../../../platform/ids.ts'
import { isOfSensor } from './entity-figures.ts'
import { entityFigure, entityLabels, HOST_FAMILIES, HOST_FIGURES, isOurs, type Published, slotFigure } from './families.ts'
import { type Family, type FamilyLines, Exposition, type Format, toLabels, toLine } from './format.ts'
import { LABEL_OF } from './host-figures.ts'
import { type CachedHost, type CachedPart, createHostCache, type HostCache } from './host-cache.ts'
import { ownMetric } from './own-metrics.ts'
import { type HostRow, listHosts } from './store.ts'

export interface HostRequest {
  organization: number
  tags: readonly string[]
  format: Format
  nowMs: number
  /** Servers whose last push is later are online, ms. */
  onlineAfterMs: number
}

export interface HostExport {
  /** The newest samples and entities of all hosts that are online. */
  read(from: ReadSource, request: HostRequest): Promise<string>
}

/** Hosts of one turn of the event loop: some 2 ms. */
const HOSTS_A_TURN = 25

/** Lines of a host are kept between its pushes, as nothing else changes them. */
export function createHostExport(cache: HostCache = createHostCache()): HostExport {
  function cachedOf(host: HostRow, nowMs: number): CachedHost {
    const facts = JSON.stringify(host)
    return cache.find(host.id, facts, nowMs) ?? { facts, about: describe(host) }
  }

  async function read({ db }: ReadSource, request: HostRequest): Promise<string> {
    const { organization, tags, format, nowMs, onlineAfterMs } = request
    const hosts = await listHosts(db, organization, tags, onlineAfterMs)
    const exposition = new Exposition()
    if (hosts.length === 0) return exposition.toText(format)
    cache.sweep(nowMs)
    const known = new Map(hosts.map((host): [number, CachedHost] => [host.number, cachedOf(host, nowMs)]))
    const [pushes, entities] = await Promise.all([
      readPushes(db, organization, hosts, known, request),
      readNewestEntities(
        db,
        organization,
        hosts.map(({ number }) => ({ server: number, knownAtMs: known.get(number)?.entities?.atMs ?? 0 })),
      ),
    ])
    const changed = hosts.filter(({ number }) => pushes.has(number))
    const slots = await readSlotsOfServers(
      db,
      organization,
      changed.map(({ number }) => number),
    )
    for (const [index, host] of hosts.entries()) {
      if (index % HOSTS_A_TURN === HOSTS_A_TURN - 1) await yieldToEventLoop()
      const entry = known.get(host.number) as CachedHost
      const push = pushes.get(host.number)
      const reading = entities.get(host.number)
      if (push) entry.push = linesOfPush(host, push, slots.get(host.number) ?? [])
      if (reading?.entities) entry.entities = linesOfEntities(host, reading)
      cache.keep(host.id, entry)
      for (const lines of entry.about) exposition.add(lines)
      for (const part of [entry.push, entry.entities]) {
        // An agent that returns sends the oldest samples first: what was old at its receipt is not the present.
        if (!part || part.receivedAtMs <= onlineAfterMs || part.receivedAtMs - part.atMs > LIVE_MS) continue
        for (const lines of part.lines) exposition.add(lines)
      }
    }
    return exposition.toText(format)
  }

  return { read }
}

type KnownHosts = ReadonlyMap<number, CachedHost>

/** The newest pushes that are not known, by server; none of servers whose newest push came before they were last online. */
async function readPushes(
  db: Db,
  organization: number,
  hosts: readonly HostRow[],
  known: KnownHosts,
  { nowMs, onlineAfterMs }: HostRequest,
): Promise<Map<number, RecentPush>> {
  const knownPushOf = ({ number }: HostRow) => known.get(number)?.push
  const readSince = async (some: readonly HostRow[], sinceMsOf: (host: HostRow) => number) => {
    const wanted = some.map((host) => ({ organization, server: host.number, sinceMs: sinceMsOf(host) }))
    const found = wanted.length === 0 ? [] : await readNewestPushes(db, wanted, 1, nowMs)
    return new Map(
      wanted.flatMap(({ server }, index): [number, RecentPush][] => found[index]?.map((push) => [server, push]) ?? []),
    )
  }
  const newest = await readSince(hosts, (host) => Math.max(onlineAfterMs, knownPushOf(host)?.receivedAtMs ?? 0))
  // Stored after the known one though not received after it, as by another process.
  const others = hosts.filter((host) => {
    const [push, knownPush] = [newest.get(host.number), knownPushOf(host)]
    return push && !push.block && knownPush && push.t0Ms !== knownPush.firstMs && push.receivedAtMs > onlineAfterMs
  })
  const all = [...newest, ...(await readSince(others, () => onlineAfterMs))]
  return new Map(all.filter(([, push]) => push.block))
}

export const labelsOf = ({ name, id }: HostRow): Record<string, string> => ({ instance: name, server_id: encodeId('server', id) })

function describe(host: HostRow): FamilyLines[] {
  const { os, kernel, arch, agent_version, tags, boot_time: bootTime } = host
  const labels = labelsOf(host)
  const info = { ...labels, os, kernel, arch, agent_version, tags: tags.length === 0 ? '' : `,${tags.join(',')},` }
  const bootMs = Date.parse(bootTime ?? '')
  return [
    [HOST_FAMILIES.info, toLine(HOST_FAMILIES.info, toLabels(info), 1)],
    ...(Number.isNaN(bootMs)
      ? []
      : [[HOST_FAMILIES.bootTime, toLine(HOST_FAMILIES.bootTime, toLabels(labels), bootMs / 1_000)] as const]),
  ]
}

/** Adds lines of one family after another. */
class Lines {
  readonly #texts = new Map<Family, string[]>()

  add({ family, factor }: Published, labels: string, value: number): void {
    this.addLine([family, toLine(family, labels, value * factor)])
  }

  addLine([family, line]: FamilyLines): void {
    const texts = this.#texts.get(family)
    if (texts) texts.push(line)
    else this.#texts.set(family, [line])
  }

  all(): FamilyLines[] {
    return [...this.#texts].map(([family, texts]) => [family, texts.join('')])
  }
}

function linesOfPush(host: HostRow, push: RecentPush, slots: readonly SlotRow[]): CachedPart {
  const lines = new Lines()
  const { receivedAtMs, t0Ms: firstMs } = push
  const columns = push.block && decodeOrNothing(push.block, push.t0Ms)
  if (!columns || columns.atMs.length === 0) return { receivedAtMs, firstMs, atMs: push.tLastMs, lines: [] }
  const own = toLabels(labelsOf(host))
  const withLabels = (more: Readonly<Record<string, string>>) => `${own},${toLabels(more)}`
  const values = newestValues(columns)
  const addRest = (family: Family, { id: total }: { id: number }, { id: used }: { id: number }) => {
    const rest = (values.get(total) ?? Number.NaN) - (values.get(used) ?? Number.NaN)
    if (!Number.isNaN(rest)) lines.addLine([family, toLine(family, own, rest)])
  }
  for (const { id, unit } of ALL_FIELDS) {
    const [scaled, figure] = [values.get(id), HOST_FIGURES.get(id)]
    if (scaled === undefined || !figure) continue
    lines.add(figure, figure.labels ? withLabels(figure.labels) : own, fromScaled(scaled, { unit }))
  }
  addRest(HOST_FAMILIES.available, memory.total_bytes, memory.used_bytes)
  addRest(HOST_FAMILIES.swapFree, memory.swap_total_bytes, memory.swap_used_bytes)
  for (const { kind, slot, name } of slots) {
    const ofSlot = withLabels({ [LABEL_OF[kind]]: name })
    for (const field of slotFields(kind, slot)) {
      const [scaled, figure] = [values.get(field.id), slotFigure(kind, field.name)]
      if (scaled !== undefined && figure) lines.add(figure, ofSlot, fromScaled(scaled, field))
    }
  }
  const atMs = valueAt(columns.atMs, columns.atMs.length - 1)
  lines.addLine([HOST_FAMILIES.sampledAt, toLine(HOST_FAMILIES.sampledAt, own, atMs / 1_000)])
  return { receivedAtMs, firstMs, atMs, lines: lines.all() }
}

const { memory } = METRIC_FIELDS

/** Damage is reported by the readers of stored samples. */
function decodeOrNothing(block: Uint8Array, t0Ms: number): SampleColumns | undefined {
  try {
    return decodeBlock(block, t0Ms, ALL_STORED)
  } catch (error) {
    if (error instanceof BlockError) return undefined
    throw error
  }
}

/** Rates by number of field, also those of interfaces: only the last sample states them. */
const RATES = new Set(ALL_FIELDS.filter(({ answer }) => answer === 'mean').map(({ id }) => id))
const FIRST_INTERFACE_ID = DIMENSIONS.interface.firstId

/**
 * The newest value of each field, scaled. What is read once a minute is in one sample of a push: of gauges the last one of the push
 * counts. A rate that the last sample does not have is unknown.
 */
function newestValues({ atMs, fieldIds, values }: SampleColumns): Map<number, number> {
  const newest = new Map<number, number>()
  const count = atMs.length
  for (const [row, id] of fieldIds.entries()) {
    const first = RATES.has(id) || id >= FIRST_INTERFACE_ID ? count - 1 : 0
    for (let index = count - 1; index >= first; index -= 1) {
      const value = valueAt(values, row * count + index)
      if (Number.isNaN(value)) continue
      newest.set(id, value)
      break
    }
  }
  return newest
}

function linesOfEntities(host: HostRow, { atMs, receivedAtMs, entities = [] }: NewestEntities): CachedPart {
  const lines = new Lines()
  const labels = labelsOf(host)
  const own = toLabels(labels)
  const series = new Set<string>()
  const families = new Map<string, Family>()
  for (const entity of entities) {
    if (entity.kind !== 'metric') {
      addEntity(lines, own, entity)
      continue
    }
    const { value } = entity.values
    const metric =
      value === undefined ? undefined : ownMetric(entity.name, value, entity.attributes['help'] ?? '', labels, isOurs)
    if (!metric || series.has(metric.key)) continue
    series.add(metric.key)
    const [family, line] = metric.lines
    const first = families.get(family.name) ?? family
    families.set(family.name, first)
    lines.addLine([first, line])
  }
  return { receivedAtMs, firstMs: atMs, atMs, lines: lines.all() }
}

function addEntity(lines: Lines, hostLabels: string, { kind, name, attributes, values }: PresentEntity) {
  const labels = `${hostLabels},${toLabels(entityLabels(kind, name, attributes))}`
  for (const [field, value] of Object.entries(values)) {
    if (!isOfSensor(kind, field, values['temperature_celsius'] !== undefined)) continue
    const figure = entityFigure(kind, field)
    if (figure) lines.add(figure, labels, value)
  }
}
