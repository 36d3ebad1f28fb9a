import type { Principal, SeriesOptions } from '../../../access/auth/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { LabelSet, Received, ReceivedSeries } from '../decoding/index.ts'
import { createLeaders } from './leaders.ts'

export interface KeyOptions {
  /** What came with the key, as the key wants it, and how many points a leading replica has sent instead of it. */
  apply(principal: Principal, received: Received, nowMs: number): Promise<{ received: Received; replaced: number }>
}

/** Kinds of changes whose label sets are known here. */
const MAX_KINDS = 1_000

interface Changed {
  labels: LabelSet
  replica: string | undefined
}

export function createKeyOptions(db: Db): KeyOptions {
  const leaders = createLeaders(db)
  const changes = createChanges()

  return {
    apply: async (principal, received, nowMs) => {
      if (principal.kind !== 'api_key') return { received, replaced: 0 }
      const { dedupLabel: label, dropLabels } = principal.series
      if (label === null && dropLabels.length === 0) return { received, replaced: 0 }
      const change = changes(principal.series)
      const leading = new Map<string, boolean>()
      const series: ReceivedSeries[] = []
      let replaced = 0
      for (const one of received.series) {
        const { labels, replica } = change(one.labels)
        if (label !== null && replica !== undefined && !leading.has(replica)) {
          const key = { organization: principal.tenant.number, id: principal.keyId, label }
          leading.set(replica, await leaders.leads(key, replica, nowMs))
        }
        if (replica === undefined || leading.get(replica) === true) series.push({ ...one, labels })
        else replaced += one.times.length
      }
      return { received: { ...received, series }, replaced }
    },
  }
}

/** The same object for the same label set, as long as this is known: it is what numbers of series are found by. */
function createChanges() {
  const kinds = new Map<string, WeakMap<LabelSet, Changed>>()

  return ({ dedupLabel, dropLabels }: SeriesOptions) => {
    const kind = JSON.stringify([dedupLabel, dropLabels])
    const known = kinds.get(kind) ?? new WeakMap<LabelSet, Changed>()
    if (kinds.size >= MAX_KINDS) kinds.clear()
    kinds.set(kind, known)
    const dropped = new Set(dropLabels)
    if (dedupLabel !== null) dropped.add(dedupLabel)
    return (labels: LabelSet): Changed => {
      const found = known.get(labels)
      if (found) return found
      const rest = labels.filter(([name]) => !dropped.has(name))
      const replica = labels.find(([name]) => name === dedupLabel)?.[1]
      const changed = { labels: rest.length === labels.length ? labels : rest, replica }
      known.set(labels, changed)
      return changed
    }
  }
}
