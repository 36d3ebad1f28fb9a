/** What fields of status pages and posts may be. This file needs no schema library, so that the page can load it alone. */
export const PAGE_SHOWS = ['uptime', 'response', 'regions', 'members'] as const
export type PageShow = (typeof PAGE_SHOWS)[number]
export const PAGE_THEMES = ['auto', 'light', 'dark'] as const
export const PAGE_LANGUAGES = ['en', 'de'] as const
export type PageLanguage = (typeof PAGE_LANGUAGES)[number]
export const PAGE_VISIBILITIES = ['public', 'password', 'link'] as const
export type PageVisibility = (typeof PAGE_VISIBILITIES)[number]

export const MAX_SECTIONS = 20
/** Of all sections; a page by tag shows the first of them by name. */
export const MAX_PAGE_MONITORS = 200
export const MAX_TEMPLATES = 20
/** Of the file. */
export const MAX_LOGO_BYTES = 200_000
/** Of its data URI: four thirds of the file, and the longest head. */
export const MAX_LOGO_LENGTH = 'data:image/svg+xml;base64,'.length + Math.ceil(MAX_LOGO_BYTES / 3) * 4
/** Lists leave out longer ones: a page of the list would have up to 27 MB. */
export const MAX_LISTED_LOGO_LENGTH = 24_576
export const MAX_POST_TEXT = 5_000
/** A password of a page is shared by many people: it may be shorter than that of an account. */
export const PAGE_PASSWORD_LENGTH = { minimum: 8, maximum: 128 } as const

export const POST_TYPES = ['incident', 'maintenance'] as const
export type PostType = (typeof POST_TYPES)[number]
export const POST_STATUSES = {
  incident: ['investigating', 'identified', 'monitoring', 'resolved'],
  maintenance: ['scheduled', 'in_progress', 'completed'],
} as const
export type PostStatus = (typeof POST_STATUSES)[PostType][number]
export const POST_IMPACTS = ['none', 'minor', 'major', 'critical'] as const
export type PostImpact = (typeof POST_IMPACTS)[number]
