/** The classes of a link in a row of them, which are parts of one page. */
export const tabClass = (isCurrent: boolean): string =>
  `control inline-flex items-center whitespace-nowrap rounded-lg px-3 py-2 hover:bg-hover ${isCurrent ? 'bg-accent-ground font-semibold text-accent' : 'text-soft'}`

/** The classes of the row: on a phone it wraps, so that none is cut. */
export const TABS_CLASS = 'mb-4 flex gap-1 overflow-x-auto max-sm:flex-wrap'
