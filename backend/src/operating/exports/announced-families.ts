import { HOUR_MS } from '@vedette/shared'
import type { SeriesFamily } from '../../hosts/series/index.ts'
import type { ExportedSeries } from './series/exported-series.ts'

/** Receivers may drop what they know of names: it is said again after this time. */
const AGAIN_MS = HOUR_MS
/** Names of one export; beyond that all are said again. */
const MAX_NAMES = 20_000

export interface AnnouncedFamilies {
  /** What is known of the names of these series and was not said to the receiver lately. */
  news(series: readonly ExportedSeries[], nowMs: number): SeriesFamily[]
  /** The receiver has accepted them. */
  said(families: readonly SeriesFamily[]): void
}

/** What a receiver of remote write knows of types, units and help texts. */
export function createAnnouncedFamilies(): AnnouncedFamilies {
  const said = new Map<string, string>()
  let sinceMs = Number.NEGATIVE_INFINITY
  return {
    news: (series, nowMs) => {
      if (Math.abs(nowMs - sinceMs) >= AGAIN_MS || said.size > MAX_NAMES) {
        said.clear()
        sinceMs = nowMs
      }
      const all = new Map(series.flatMap(({ family }) => (family ? [[family.name, family] as const] : [])))
      return [...all.values()].filter((family) => said.get(family.name) !== textOf(family))
    },
    said: (families) => {
      for (const family of families) said.set(family.name, textOf(family))
    },
  }
}

const textOf = ({ type, unit, help }: SeriesFamily): string => `${type}\n${unit}\n${help}`
