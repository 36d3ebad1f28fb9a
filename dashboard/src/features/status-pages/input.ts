import {
  MAX_LOGO_BYTES,
  MAX_NAME_LENGTH,
  type PageLanguage,
  type PageShow,
  type PageVisibility,
  type PostImpact,
} from '@vedette/shared/tables'
import type { CreateStatusPageBody, StatusPage, StatusPagePreviewBody, StatusPageSection } from '@vedette/shared'
import { newKey } from '../../lib/rows.ts'

/** A section while it is edited: the monitors and the tag are kept while the other is chosen. */
export interface SectionInput {
  key: number
  name: string
  by: 'monitors' | 'tag'
  monitors: readonly string[]
  tag: string
  /** Public names by monitor id; an empty one is that of the monitor. */
  names: Readonly<Record<string, string>>
  show: readonly PageShow[]
}

export interface TemplateInput {
  key: number
  name: string
  title: string
  text: string
  impact: PostImpact | ''
}

/** A status page while it is edited. */
export interface PageInput {
  name: string
  title: string
  slug: string
  description: string
  language: PageLanguage
  zone: string
  theme: StatusPage['theme']
  /** Empty: that of Vedette. */
  accent: string
  /** A data URI; empty: none. */
  logo: string
  sections: readonly SectionInput[]
  visibility: PageVisibility
  /** Empty: the present one stays. */
  password: string
  hasPassword: boolean
  indexed: boolean
  domain: string
  templates: readonly TemplateInput[]
  /** Addresses of other pages, none of which is proposed. */
  taken: readonly string[]
}

export const newSection = (name = ''): SectionInput => ({
  key: newKey(),
  name,
  by: 'monitors',
  monitors: [],
  tag: '',
  names: {},
  show: ['uptime'],
})

export const newTemplate = (): TemplateInput => ({ key: newKey(), name: '', title: '', text: '', impact: '' })

/** With what can be proposed: only what it shows is left to choose. */
export const newPage = (
  language: PageLanguage,
  zone: string,
  title: string,
  heading: string,
  taken: readonly string[],
): PageInput => ({
  name: shortTitle(title),
  title: shortTitle(title),
  slug: proposeSlug(title, taken),
  description: '',
  language,
  zone,
  theme: 'auto',
  accent: '',
  logo: '',
  sections: [newSection(heading)],
  visibility: 'public',
  password: '',
  hasPassword: false,
  indexed: true,
  domain: '',
  templates: [],
  taken,
})

const shortTitle = (title: string): string => Array.from(title.trim()).slice(0, MAX_NAME_LENGTH).join('')

const MAX_SLUG_LENGTH = 63
const LETTERS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', æ: 'ae', ø: 'o', ł: 'l' }

/** The address that a title proposes: `Störungen & Wartung` becomes `stoerungen-wartung`. */
export function slugOf(title: string): string {
  const spelled = title.toLowerCase().replaceAll(/[äöüßæøł]/g, (letter) => LETTERS[letter] ?? letter)
  // Other accents are left out.
  const plain = spelled.normalize('NFD').replaceAll(/\p{M}/gu, '')
  return plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/-$/, '')
}

/** The same with a number behind it where another page has it: the second `acme` is `acme-2`. */
function proposeSlug(title: string, taken: readonly string[]): string {
  const slug = slugOf(title)
  if (slug === '') return slug
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '' : `-${number}`
    const numbered = slug.slice(0, MAX_SLUG_LENGTH - end.length).replace(/-$/, '') + end
    if (!taken.includes(numbered)) return numbered
  }
}

/** The change by a typed name or title: what still is the proposal follows it. */
export function withProposals(input: PageInput, typed: { name: string } | { title: string }): Partial<PageInput> {
  const title = 'title' in typed ? typed.title : input.title === input.name ? typed.name : input.title
  const isProposed = input.slug === proposeSlug(input.title, input.taken)
  return { ...typed, title, ...(isProposed && { slug: proposeSlug(title, input.taken) }) }
}

export const toPageInput = (page: StatusPage): PageInput => ({
  name: page.name,
  title: page.title,
  slug: page.slug,
  description: page.description,
  language: page.language,
  zone: page.time_zone,
  theme: page.theme,
  accent: page.accent ?? '',
  logo: page.logo ?? '',
  sections: page.sections.map(({ name, monitors, tag, names = {}, show = ['uptime'] }) => ({
    key: newKey(),
    name,
    by: tag === undefined ? 'monitors' : 'tag',
    monitors: monitors ?? [],
    tag: tag ?? '',
    names,
    show,
  })),
  visibility: page.visibility,
  password: '',
  hasPassword: page.visibility === 'password',
  indexed: page.indexed,
  domain: page.domain ?? '',
  templates: page.templates.map((template) => ({ key: newKey(), impact: '' as const, ...template })),
  taken: [],
})

function toSection({ name, by, monitors, tag, names, show }: SectionInput): StatusPageSection {
  const own = Object.entries(names).flatMap(([id, typed]) => {
    const isShown = by === 'tag' || monitors.includes(id)
    return isShown && typed.trim() !== '' ? [[id, typed.trim()] as const] : []
  })
  return {
    name: name.trim(),
    ...(by === 'tag' ? { tag: tag.trim() } : { monitors: [...monitors] }),
    ...(own.length > 0 && { names: Object.fromEntries(own) }),
    show: [...show],
  }
}

/** Whether it is published is changed on the page alone. */
export function toPageBody(input: PageInput): CreateStatusPageBody {
  return {
    name: input.name.trim(),
    title: input.title.trim(),
    slug: input.slug.trim(),
    description: input.description.trim(),
    language: input.language,
    time_zone: input.zone,
    theme: input.theme,
    accent: input.accent === '' ? null : input.accent,
    logo: input.logo === '' ? null : input.logo,
    sections: input.sections.map(toSection),
    visibility: input.visibility,
    ...(input.visibility === 'password' && input.password !== '' && { password: input.password }),
    indexed: input.indexed,
    domain: input.domain.trim() === '' ? null : input.domain.trim().toLowerCase(),
    templates: input.templates.map(({ name, title, text, impact }) => ({
      name: name.trim(),
      title: title.trim(),
      text: text.trim(),
      ...(impact !== '' && { impact }),
    })),
  }
}

/** What a preview shows of a form that is not complete: a heading that is missing is its number. */
export function toPreviewBody(
  input: PageInput,
  pageId: string | undefined,
  headingOf: (number: number) => string,
): StatusPagePreviewBody {
  const {
    name: _name,
    slug: _slug,
    visibility: _visibility,
    password: _password,
    indexed: _indexed,
    published: _published,
    domain: _domain,
    templates: _templates,
    ...shown
  } = toPageBody(input)
  return {
    ...shown,
    ...(pageId !== undefined && { id: pageId }),
    title: shown.title === '' ? '…' : shown.title,
    sections: (shown.sections ?? []).flatMap((section, index) =>
      section.tag === '' ? [] : [{ ...section, name: section.name === '' ? headingOf(index + 1) : section.name }],
    ),
  }
}

/** The password that the visibility requires and nobody has typed yet. */
export const missingPassword = ({ visibility, password, hasPassword }: PageInput): string[] =>
  visibility === 'password' && password === '' && !hasPassword ? ['password'] : []

export const isLogo = ({ type, size }: { type: string; size: number }): boolean =>
  /^image\/(png|jpeg|webp|gif|svg\+xml)$/.test(type) && size <= MAX_LOGO_BYTES
