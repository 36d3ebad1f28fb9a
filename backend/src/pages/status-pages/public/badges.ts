import { FIGURE_PERIODS, type FigurePeriod } from '../reading/model.ts'
import type { BadgeKind, BadgeRequest } from '../render/badge.ts'

export interface Badge extends Omit<BadgeRequest, 'label'> {
  monitorId: string
}

// Ours; those of Uptime Kuma, whose default period is a day and whose plain numbers are hours; and those of Gatus. They know periods that
// we do not have: the badge names the one that it shows.
const OWN = /^\/badge\/([^/]+)\/(status|uptime|response)\.svg$/
const KUMA = /^\/api\/badge\/([^/]+)\/(status|uptime|ping|avg-response|response)(?:\/([^/]+))?$/
const GATUS = /^\/api\/v1\/endpoints\/([^/]+)\/(health|uptimes\/([^/]+)|response-times\/([^/]+))\/badge\.svg$/

const HOURS = { h: 1, d: 24, y: 8_760 } as const
const hoursOf = (text: string): number => {
  const [, count, unit = 'h'] = /^(\d{1,5})([hdy])?$/.exec(text) ?? []
  return Number(count) * HOURS[unit as keyof typeof HOURS]
}

/** The shortest period that contains this one, else the longest. */
function periodOf(text: string): FigurePeriod | undefined {
  const hours = hoursOf(text)
  if (!(hours > 0)) return undefined
  return FIGURE_PERIODS.find((period) => hoursOf(period) >= hours) ?? FIGURE_PERIODS.at(-1)
}
const ownPeriodOf = (text: string | null): FigurePeriod | undefined => FIGURE_PERIODS.find((period) => period === (text ?? '24h'))

/** The badge of an address; undefined where there is none. */
export function parseBadge(path: string, period: string | null): Badge | undefined {
  const badge = (monitorId: string | undefined, kind: BadgeKind, known: FigurePeriod | undefined): Badge | undefined =>
    known && monitorId !== undefined ? { monitorId, kind, period: known } : undefined
  const own = OWN.exec(path)
  if (own) return badge(own[1], own[2] as BadgeKind, ownPeriodOf(period))
  const kuma = KUMA.exec(path)
  if (kuma) {
    const [, monitorId, kind, ofKuma = '24'] = kuma
    return badge(monitorId, kind === 'status' || kind === 'uptime' ? kind : 'response', periodOf(ofKuma))
  }
  const gatus = GATUS.exec(path)
  if (!gatus) return undefined
  if (gatus[2] === 'health') return badge(gatus[1], 'status', '24h')
  return badge(gatus[1], gatus[3] === undefined ? 'response' : 'uptime', periodOf(gatus[3] ?? gatus[4] ?? ''))
}
