import {
  type ComponentStatus,
  isOpen,
  type PageComponent,
  type PageMember,
  type PageModel,
  type PagePost,
  type PageSection,
} from '../reading/model.ts'
import { barsOf, chartOf, chartTimes } from './bars.ts'
import { daysHtml } from './days.ts'
import { escape } from './escape.ts'
import type { Formats } from './formats.ts'

/** Up to this many components show everything that is known of them at once; more are a line each. */
const ROOMY = 10
/** From here on groups are folded, and the page has a search. */
const FOLDED_ABOVE = 20
/** The lines of a group that opens by itself. */
const LINES = 5

export const COMPONENT_CLASS: Record<ComponentStatus, string> = {
  operational: 'u',
  degraded: 'g',
  down: 'd',
  maintenance: 'm',
  paused: 's',
  unknown: 's',
}
/** The worst first. */
const ORDER: readonly ComponentStatus[] = ['down', 'degraded', 'maintenance', 'unknown', 'operational', 'paused']
const rankOf = ({ status }: Pick<PageComponent, 'status'>): number => ORDER.indexOf(status)

interface Drawing {
  model: PageModel
  formats: Formats
  linkOf: (post: PagePost) => string
  /** Times below the charts. */
  times: string
  isRoomy: boolean
  /** What open posts affect. */
  affected: ReadonlySet<string>
}

/** The sections of a page: all open on a page of few components, else folded unless something in them is wrong. */
export function sectionsHtml(model: PageModel, formats: Formats, linkOf: Drawing['linkOf']): string[] {
  const count = model.sections.reduce((all, { components }) => all + components.length, 0)
  const open = model.posts.filter((post) => isOpen(post) && post.startsAtMs <= model.readAtMs)
  const drawing = {
    model,
    formats,
    linkOf,
    times: chartTimes(model.readAtMs, formats),
    isRoomy: count <= ROOMY,
    affected: new Set(open.flatMap(({ components }) => components)),
  }
  const isFolded = count > FOLDED_ABOVE
  const sections = model.sections.map((section, index) => sectionHtml(section, index, isFolded, drawing))
  return isFolded ? [searchHtml(formats), ...sections] : sections
}

/** Whether something in a group deserves a look without being opened. */
const isWrong = ({ id, status }: PageComponent, { affected }: Pick<Drawing, 'affected'>): boolean =>
  status === 'down' || status === 'degraded' || status === 'maintenance' || affected.has(id)

function sectionHtml({ name, components }: PageSection, index: number, isFolded: boolean, drawing: Drawing): string {
  const heading = `<h2 dir="auto">${escape(name)}</h2>`
  const list = (all: readonly PageComponent[], from = 0) =>
    `<ul class="k">${all.map((each, at) => componentHtml(each, `c${index}-${from + at}`, drawing)).join('')}</ul>`
  if (!isFolded || components.length === 0) return `<section>${heading}${list(components)}</section>`
  const { texts } = drawing.formats
  const wrong = components.filter((component) => isWrong(component, drawing))
  const [worst] = components.toSorted((one, other) => rankOf(one) - rankOf(other)) as [PageComponent]
  const alike = components.filter(({ status }) => status === worst.status).length
  const state =
    alike === components.length
      ? texts.component[worst.status]
      : texts.some(alike, components.length, texts.component[worst.status])
  const summary = `<summary>${heading}<span class="${COMPONENT_CLASS[worst.status]}">${escape(state)}</span></summary>`
  if (wrong.length === 0) return `<details class="grp" id="g${index}">${summary}${list(components)}</details>`
  // The wrong ones first; the others wait for a second click, so that the page stays short.
  const sorted = [
    ...wrong.toSorted((one, other) => rankOf(one) - rankOf(other)),
    ...components.filter((each) => !wrong.includes(each)),
  ]
  const shown = sorted.slice(0, Math.min(Math.max(wrong.length, 1), LINES))
  const rest = sorted.slice(shown.length)
  const more =
    rest.length === 0
      ? ''
      : `<details class="grp" id="m${index}"><summary class="s">${escape(texts.more(rest.length))}</summary>${list(rest, shown.length)}</details>`
  return `<details class="grp" id="g${index}" open>${summary}${list(shown)}${more}</details>`
}

/** Shown by the script, which searches. */
const searchHtml = ({ texts }: Formats): string =>
  `<search hidden><label for="q">${escape(texts.search)}</label><input id="q" type="search" autocomplete="off" maxlength="100"> <output for="q" class="s"></output></search>`

/** Of a composite, folded; the worst first. */
function membersHtml(members: readonly PageMember[], id: string, { texts }: Formats): string {
  const line = ({ name, status }: PageMember) =>
    `<li class="r s"><span dir="auto">${escape(name)}</span><span class="${COMPONENT_CLASS[status]}">${escape(texts.component[status])}</span></li>`
  return `<details id="${id}"><summary class="s">${escape(texts.members(members.length))}</summary><ul>${members
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .map(line)
    .join('')}</ul></details>`
}

function componentHtml(component: PageComponent, id: string, { model, formats, linkOf, times, isRoomy }: Drawing): string {
  const { texts } = formats
  const { name, status, days, uptimePercent, regions, show } = component
  const hasBars = show.includes('uptime') && days.length > 0
  const title = `<h3 dir="auto">${escape(name)}</h3>`
  const state = `<span class="${COMPONENT_CLASS[status]}">${escape(texts.component[status])}</span>`
  const percent = uptimePercent === null ? texts.noChecks : texts.uptime(formats.uptime(uptimePercent))
  const bars = hasBars ? barsOf(component, model.readAtMs, formats) : ''
  const ends =
    hasBars &&
    `<div class="r s"><span>${escape(texts.daysAgo)}</span><span>${escape(percent)}</span><span>${escape(texts.today)}</span></div>`
  const regionText = regions.map((region) => `${region.name}: ${texts.region[region.status]}`).join(' · ')
  const regionLine = regions.length > 0 && `<p class="s">${escape(regionText)}</p>`
  const members = component.members && membersHtml(component.members, `${id}-m`, formats)
  const chart = show.includes('response') && chartOf(component, times, formats)
  const list = daysHtml(component, model.posts, model.readAtMs, formats, linkOf)
  const parts = isRoomy
    ? [
        `<div class="r">${title}${state}</div>`,
        regionLine,
        members,
        bars,
        ends,
        chart,
        hasBars && `<details id="${id}"><summary class="s">${escape(texts.byDay)}</summary>${list}</details>`,
      ]
    : [
        `<details id="${id}"><summary class="w1">${title}${bars}<span class="s p">${hasBars && uptimePercent !== null ? escape(formats.uptime(uptimePercent)) + '\u00a0%' : ''}</span>${state}</summary>`,
        ends,
        regionLine,
        members,
        chart,
        list,
        '</details>',
      ]
  return `<li>${parts.filter(Boolean).join('')}</li>`
}
