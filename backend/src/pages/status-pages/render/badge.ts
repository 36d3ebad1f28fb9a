import { type ComponentStatus, type FigurePeriod, type PageComponent, type PageModel } from '../reading/model.ts'
import { uptimeClass } from './days.ts'
import { escape } from './escape.ts'
import { formatsOf } from './formats.ts'

export const BADGE_KINDS = ['status', 'uptime', 'response'] as const
export type BadgeKind = (typeof BADGE_KINDS)[number]

/** White text has a contrast of 4.5 : 1 or more on each. */
const COLOURS = { u: '#1a7f4b', g: '#8a5a00', d: '#c62f2f', m: '#2f5fc6', n: '#5a6370' }
const LABEL_COLOUR = '#3c434d'
const STATUS_COLOUR: Record<ComponentStatus, keyof typeof COLOURS> = {
  operational: 'u',
  degraded: 'g',
  down: 'd',
  maintenance: 'm',
  paused: 'n',
  unknown: 'n',
}

export interface BadgeRequest {
  kind: BadgeKind
  period: FigurePeriod
  /** In place of the usual text on the left. */
  label: string | undefined
}

/** Undefined where the page does not show what the badge would. */
export function renderBadge(
  model: PageModel,
  component: PageComponent,
  { kind, period, label }: BadgeRequest,
): string | undefined {
  const { texts, percent, milliseconds } = formatsOf(model)
  if (kind === 'status') {
    const { status } = component
    return svgOf(label ?? texts.badge.status, texts.component[status], COLOURS[STATUS_COLOUR[status]])
  }
  if (!component.show.includes(kind)) return undefined
  const value = component.periods[period]?.[kind === 'uptime' ? 'uptimePercent' : 'avgResponseMs'] ?? null
  const left = label ?? texts.badge[kind](period)
  if (value === null) return svgOf(left, texts.noChecks, COLOURS.n)
  return kind === 'uptime'
    ? svgOf(left, `${percent(value)} %`, COLOURS[uptimeClass(value)])
    : svgOf(left, milliseconds(value), COLOURS.m)
}

const [NARROW, WIDE] = [new Set("iIjl.,:;'|!()[]/ ft-"), new Set('mwMW%@')]
const PADDING = 6

/** About as wide as Verdana of 11 px; `textLength` makes every font this wide. */
function widthOf(text: string): number {
  let width = 0
  for (const character of text) {
    if (NARROW.has(character)) width += 4.5
    else if (WIDE.has(character)) width += 10.5
    // Beyond Latin, Greek and Cyrillic most characters are as wide as they are high.
    else width += (character.codePointAt(0) ?? 0) > 0x1100 ? 11 : 7.2
  }
  return Math.round(width)
}

function svgOf(label: string, value: string, colour: string): string {
  const [left, right] = [widthOf(label), widthOf(value)]
  const [split, width] = [left + 2 * PADDING, left + right + 4 * PADDING]
  const text = (x: number, length: number, content: string) =>
    `<text x="${x}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escape(content)}</text>`
  const title = escape(`${label}: ${value}`)
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${title}"><title>${title}</title>` +
    `<clipPath id="r"><rect width="${width}" height="20" rx="3"/></clipPath><g clip-path="url(#r)">` +
    `<rect width="${split}" height="20" fill="${LABEL_COLOUR}"/><rect x="${split}" width="${width - split}" height="20" fill="${colour}"/></g>` +
    `<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">` +
    `${text(PADDING, left, label)}${text(split + PADDING, right, value)}</g></svg>`
  )
}
