import { DAY_MS } from '@vedette/shared'
import type { PageComponent, PagePost } from '../reading/model.ts'
import { escape } from './escape.ts'
import type { Formats } from './formats.ts'

/** Those of the bars. */
const DAYS = 90
/** Of one component: a page of 200 components that fail each day stays small enough. */
const MAX_DAYS = 30

/** From this share of successful checks on, a day counts as degraded, below it as down. */
const DEGRADED_FROM = 98

/** The class of the style, and of badges. */
export const uptimeClass = (percent: number | null): 'n' | 'u' | 'g' | 'd' =>
  percent === null ? 'n' : percent === 100 ? 'u' : percent >= DEGRADED_FROM ? 'g' : 'd'

export interface NotableDay {
  /** Of the bars: 0 is the oldest day. */
  index: number
  percent: number | null
  downSeconds: number | undefined
  posts: PagePost[]
}

/**
 * Days of a component on which something happened, newest first, with the posts that concern it: on a day below 100 % all that were
 * open, on others those that began. Pure.
 */
export function notableDays(
  { id, days, downSeconds }: Pick<PageComponent, 'id' | 'days' | 'downSeconds'>,
  posts: readonly PagePost[],
  nowMs: number,
): NotableDay[] {
  const firstMs = (Math.floor(nowMs / DAY_MS) - DAYS + 1) * DAY_MS
  const own = posts.filter(
    ({ components, startsAtMs }) => startsAtMs <= nowMs && (components.length === 0 || components.includes(id)),
  )
  const isWithin = (ms: number, fromMs: number) => ms >= fromMs && ms < fromMs + DAY_MS
  const found: NotableDay[] = []
  for (let index = DAYS - 1; index >= 0 && found.length < MAX_DAYS; index -= 1) {
    const fromMs = firstMs + index * DAY_MS
    const percent = days[index] ?? null
    const hasFailed = percent !== null && percent < 100
    const ofDay = own.filter(
      ({ startsAtMs, resolvedAtMs }) =>
        isWithin(startsAtMs, fromMs) || (hasFailed && startsAtMs < fromMs && (resolvedAtMs ?? nowMs) >= fromMs),
    )
    if (hasFailed || ofDay.length > 0) found.push({ index, percent, downSeconds: downSeconds?.[index], posts: ofDay })
  }
  return found
}

/** What a day was like, in words: `98.4 % uptime, down for 23 minutes`. */
export function dayMessage(percent: number, downSeconds: number | undefined, { texts, uptime, duration }: Formats): string {
  const of = texts.uptime(uptime(percent))
  if (percent === 100 || downSeconds === undefined) return of
  return `${of}, ${downSeconds > 0 ? texts.downFor(duration(downSeconds)) : texts.singleFailures}`
}

/** `linkOf`: the address of a post. */
export function daysHtml(
  component: PageComponent,
  posts: readonly PagePost[],
  nowMs: number,
  formats: Formats,
  linkOf: (post: PagePost) => string,
): string {
  const firstDay = Math.floor(nowMs / DAY_MS) - DAYS + 1
  const items = notableDays(component, posts, nowMs).map(({ index, percent, downSeconds, posts: ofDay }) => {
    const state =
      percent === null ? '' : ` <span class="${uptimeClass(percent)}">${escape(dayMessage(percent, downSeconds, formats))}</span>`
    const links = ofDay.map((post) => `<br><a href="${linkOf(post)}"><bdi>${escape(post.title)}</bdi></a>`).join('')
    return `<li data-d="${index}"><strong>${escape(formats.day((firstDay + index) * DAY_MS))}</strong>${state}${links}</li>`
  })
  return items.length === 0 ? `<p class="s">${escape(formats.texts.quietDays)}</p>` : `<ol class="ds s">${items.join('')}</ol>`
}
