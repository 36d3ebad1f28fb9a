import { ALERT_HISTORY_DAYS, DAY_MS, toTimestamp } from '@vedette/shared'
import { FETCHED_FILE } from '../compare.ts'
import type { Range, Tool } from '../tool.ts'
import type { FetchCounts, FetchPlatform } from '../api.ts'
import { createApiClient } from './api-client.ts'
import { FETCH_LIMITS, type FetchLimits } from './limits.ts'
import { openTargetFolder } from './target-folder.ts'

/** Of the shifts that the source renders itself: what `oncall-diff` compares. */
export const RENDERED_DAYS = 90

export interface Fetched extends FetchCounts {
  files: number
  /** Past alerts; undefined where they were not fetched. */
  alerts: number | undefined
  range: Range
}

/** Whom a fetch reads, and as whom. */
export interface FetchFrom {
  name: string
  tool: Tool
  base: URL
  credentials: readonly string[]
  /** The alerts of the last 400 days too. */
  isWithHistory?: boolean
}

/** Saves the configuration of an account into a new or empty folder: all of it, or nothing. Throws SourceFault. */
export async function fetchInto(
  folder: string,
  { name, tool, base, credentials, isWithHistory = false }: FetchFrom,
  platform: FetchPlatform,
  limits: FetchLimits = FETCH_LIMITS,
): Promise<Fetched> {
  const target = openTargetFolder(folder)
  try {
    const { client, counts } = createApiClient(base, tool.api, credentials, limits, platform)
    // Tools render whole minutes.
    const fromMs = Math.floor(platform.now() / 60_000) * 60_000
    const range = { fromMs, toMs: fromMs + RENDERED_DAYS * DAY_MS }
    await tool.fetch(client, target.save, range)
    const past = { fromMs: fromMs - ALERT_HISTORY_DAYS * DAY_MS, toMs: platform.now() }
    const alerts = isWithHistory ? await tool.fetchHistory?.(client, target.save, past) : undefined
    target.save(FETCHED_FILE, {
      source: name,
      address: base.origin,
      from: toTimestamp(range.fromMs),
      to: toTimestamp(range.toMs),
      not_read: counts.missed,
    })
    target.finish()
    return { ...counts, files: target.files, alerts, range }
  } catch (error) {
    target.abandon()
    throw error
  }
}
